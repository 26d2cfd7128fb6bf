"""Instructions say of the code what it does: calls, their arguments, barriers, blocks.

Reading an instruction, somebody writes the code of the answer. What it says is called has to be
called there, what it says a call is given has to be all of it, and a number of threads that the
code counts on is no mere limit.
"""

from __future__ import annotations

import re
from functools import lru_cache

from extractor.launch_text import split_arguments
from qa.author.framing import namespaces
from qa.gates.case import Case
from qa.reading.function_text import blanked, macros_written_out
from qa.reading.syntax import parse, text_of, walk

_CALLED = re.compile(
    r"\b(?:call|log it with) `((?:\w+::)*\w+)(\([^`]*\))?(?:<[^`]*>)?`"
    r"(?:, given ((?:`[^`]*`(?:, | and )?)+))?"
)
_MOST = re.compile(
    r"\b[Aa]t most `?[\w* ]+`? threads (?:make|in|per|a)\b|\b[Uu]p to `?\w+`? threads\b"
)
_SHAPED = re.compile(
    r"\bexactly\b|\bgrid\b|\bblock `|\bblocks of\b|\blaunch(?:es|ed) (?:it )?with\b"
)
_POSITION = re.compile(
    r"(?:hipB|b)lockIdx([._])([xyz])\s*\*\s*([A-Z]\w*)\s*\+\s*(?:hipT|t)hreadIdx\1\2"
)
_BARRIERS = re.compile(r"\b(\d+) barriers? (of its own )?orders? (?:its|the) phases\b")
_SYNC = re.compile(r"\b(?:__syncthreads|syncthreads|block_sync_lds)\s*\(")
_BRANCHES = re.compile(r"\bholds: ([^;]{12,}?); \(\d+\) otherwise: \1(?=[;.,])")
_UNEVALUATED = frozenset(
    ["decltype", "sizeof_expression", "alignof_expression", "alias_declaration",
     "static_assert_declaration"]
)  # fmt: skip


def as_in_the_code(case: Case) -> str | None:
    """What an instruction says of calls, branches, barriers and blocks agrees with the code."""
    if not case.is_code or case.entry.kind != "kernel_implementation":
        return None
    question = re.sub(r"\s+", " ", case.entry.question)
    code = case.entry.answer
    twins = _BRANCHES.search(question)
    if twins is not None:
        return f"both sides of a test read the same: {twins[1][:80]}"
    return (
        _calls(question, code)
        or _barriers(question, code)
        or _block(question, code)
        or _namespaces(case, code)
    )


def _calls(question: str, code: str) -> str | None:
    """Calls that are told are made, and lists of what they are given leave nothing out."""
    told = list(_CALLED.finditer(question))
    if not told:
        return None
    made, looked_at = _calls_of(code)
    for match in told:
        name, within, listed = match[1].split("::")[-1], match[2], match[3]
        if name not in made and name in looked_at:
            return (
                f"nothing calls {name}: it is an operand that is never evaluated, or part of a type"
            )
        rows = made.get(name, ())
        if not within and rows and all(row is None for row in rows):
            return f"{name} is a macro that makes a function's name, not what is called"
        if listed is None or within:
            continue
        items = [_tight(one) for one in re.findall(r"`([^`]*)`", listed)]
        given = {_tight(one) for item in items for one in split_arguments(item)} | set(items)
        fitting = [row for row in rows if row is not None and given <= {_tight(a) for a in row}]
        if fitting and len(items) > 1 and all(_left_out(question, row, given) for row in fitting):
            missing = _left_out(question, fitting[0], given)
            return f"the list of what {name} is given leaves out {missing[0]}"
    return None


def _left_out(question: str, row: tuple[str, ...], given: set[str]) -> list[str]:
    """Arguments of a call that a list of those beside the caller's own should have and has not."""
    signature = re.search(r"```cpp\s(.*?)```", question)
    own = set(re.findall(r"[A-Za-z_]\w*", signature[1] if signature else ""))
    return [a for a in row if _tight(a) not in given and a not in own and not a.startswith("&")]


@lru_cache(maxsize=512)
def _calls_of(code: str) -> tuple[dict[str, list[tuple[str, ...] | None]], set[str]]:
    """Calls of some code by name, with arguments; ``None`` for a macro around a function's name.

    Returns:
        Those, and the names of calls that stand where nothing is evaluated.
    """
    made: dict[str, list[tuple[str, ...] | None]] = {}
    dark: set[str] = set()
    stack = [(parse(blanked(macros_written_out(code))), False)]
    while stack:
        node, unevaluated = stack.pop()
        unevaluated = unevaluated or node.type in _UNEVALUATED
        if node.type == "call_expression":
            function, arguments = (node.child_by_field_name(n) for n in ("function", "arguments"))
            shown = text_of(function) if function is not None else ""
            match = re.search(r"(?:\b([A-Z]\w*)\((\w+)\)|([A-Za-z_]\w*))\s*(?:<.*>)?$", shown)
            if match:
                row = tuple(text_of(a) for a in arguments.named_children) if arguments else ()
                name = match[2] or match[3]
                if unevaluated:
                    dark.add(name)
                else:
                    made.setdefault(name, []).append(row)
                    if match[1]:
                        made.setdefault(match[1], []).append(None)
        stack += [(child, unevaluated) for child in node.children]
    return made, dark


def _barriers(question: str, code: str) -> str | None:
    """A number of barriers is that of the function asked for, and others are not passed over."""
    match = _BARRIERS.search(question)
    if match is None:
        return None
    bare = blanked(code)
    total = len(_SYNC.findall(bare))
    count = int(match[1])
    asked = re.search(r"```cpp\s.*?(\w+)\s*\([^`]*```", question)
    own = _own_barriers(bare, asked[1] if asked else "")
    if own is not None and count not in (own, total):
        return f"it has {own} barriers of its own, not {count}"
    if (
        own is not None
        and count == own < total
        and not re.search(
            r"of its own|that it calls|of the functions|in all", question[match.start() :]
        )
    ):
        return (
            f"{total - own} barriers stand in functions that it calls, which the count leaves out"
        )
    return None


def _own_barriers(code: str, name: str) -> int | None:
    """Barriers in the bodies of the functions of a name; nothing where there is not just one."""
    if not name:
        return None
    bodies = [
        text_of(node) for node in walk(parse(code))
        if node.type == "function_definition"
        and re.search(rf"\b{re.escape(name)}\s*\(", text_of(node).partition("{")[0])
    ]  # fmt: skip
    return len(_SYNC.findall(bodies[0])) if len(bodies) == 1 else None


def _block(question: str, code: str) -> str | None:
    """A block that positions count on is told with its extents, not with a limit alone."""
    limit = _MOST.search(question)
    if limit is None or _SHAPED.search(question.replace(limit[0], " ")):
        return None
    position = _POSITION.search(blanked(code))
    if position is None:
        return None
    shown = " ".join(position[0].split())
    return f"{position[3]} threads are no limit: {shown} counts on exactly so many"


def _namespaces(case: Case, code: str) -> str | None:
    """Functions that the answer brings along stand in their namespaces."""
    asked = re.search(r"```cpp\s.*?(\w+)\s*\([^`]*```", case.entry.question, re.S)
    main = [f for f in case.evidence_functions if asked and f.name == asked[1]]
    if not main:
        return None
    around = namespaces(main[0])
    whole = _tight(code)
    for one in case.evidence_functions:
        own = namespaces(one)
        if own == around[: len(own)] or _tight(one.text) not in whole:
            continue
        if not re.search(rf"\b(?:namespace|struct|class)\b[^;{{}}()]*\b{own[-1]}\b", code):
            return f"{'::'.join(own)}::{one.name} does not stand in its namespace"
    return None


def _tight(text: str) -> str:
    return re.sub(r"\s+", "", text)
