"""What a function counts on: what it asserts, what its launches see to, the LDS that they give."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractor.launch_text import split_arguments
from qa.author.draft import code, listed
from qa.author.given import handed_to_kernel
from qa.author.launch_shapes import bare
from qa.author.outline import explain
from qa.author.purpose import speaks_of_others
from qa.author.ways import calls_at
from qa.reading.function import Call, Definition, FunctionReading, read_function
from qa.reading.function_text import blanked
from qa.reading.syntax import parse, text_of, walk
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView, Site

_LONGEST, _MOST = 150, 3
_SIZE_TEST = re.compile(r"%|<=|>=|(?<!-)[<>]")
_LOWER = re.compile(r"(?<![\w.>:])[a-z]\w*")
_NOTE = re.compile(
    r"^\s*//+\s*([^/\n]*\b(?:(?:is|are) (?:always|assumed)|must be)\b[^/\n]*?)\s*$", re.M
)
_ASSERTED = re.compile(r"static_assert\s*\((.*)\)\s*;?$", re.S)


def asserted(function: FunctionView, helpers: Sequence[FunctionView]) -> str:
    """What a function and those that come with it assert when they are compiled; and what notes in
    the function take for granted."""
    parts = []
    for one in (function, *(h for h in helpers if h.id != function.id)):
        rows = [
            code(match[1])
            for node in walk(parse(blanked(one.text)))
            if node.type == "static_assert_declaration"
            and (match := _ASSERTED.match(re.sub(r"\s+", " ", text_of(node))))
            and len(match[1]) <= _LONGEST
        ]
        if rows:
            parts.append(f"{code(one.name)} has a `static_assert` of {listed(rows)}.")
    notes = [
        note for note in _notes(function.text)
        if len(note) <= _LONGEST and not re.search(r'[`";{}]', note)
        and not speaks_of_others(note, function)
    ]  # fmt: skip
    if notes:
        quoted = listed([f'"{one.rstrip(".")}"' for one in dict.fromkeys(notes)][:_MOST])
        parts.append(f"The library notes in {code(function.name)}: {quoted}.")
    return " ".join(parts)


def _notes(text: str) -> list[str]:
    """Comments of one line, whole sentences, that say what is always or has to be so."""
    rows = ["", *text.split("\n"), ""]
    comments = [row.strip().startswith("//") for row in rows]
    return [
        match[1] for number, row in enumerate(rows)
        if (match := _NOTE.match(row)) and not comments[number - 1] and not comments[number + 1]
    ]  # fmt: skip


def only_where(kernel: FunctionView, sites: Sequence[Site]) -> str:
    """Tests on sizes of the kernel that stand around all of its launches; empty where one has none.

    Args:
        kernel: What is launched.
        sites: All live launches of it.
    """
    assert kernel.span is not None
    own = [p.name for p in read_function(kernel.text, kernel.span.start_line).parameters]
    found: dict[tuple[str, ...], None] = {}
    for site in sites:
        calls = calls_at(site.caller, [site])
        tests = _size_tests(site.caller, calls[0], kernel.name, own) if calls else ()
        if not tests:
            return ""
        found[tests] = None
    if not found or len(found) > _MOST:
        return ""
    ways = [
        f"{listed([code(one) for one in tests])} {'holds' if len(tests) == 1 else 'hold'}"
        for tests in found
    ]
    return f"it is launched only where {listed(ways, 'or')}, and need not work otherwise"


def _size_tests(
    launcher: FunctionView, call: Call, kernel: str, own: Sequence[str]
) -> tuple[str, ...]:
    """Tests around a launch that look at nothing but what the kernel is given, in its own names."""
    assert launcher.span is not None
    arguments = [
        re.sub(r"\s+", "", a) for a in split_arguments(handed_to_kernel(kernel, call.text))
    ]
    if len(arguments) != len(own):
        return ()
    given = dict(zip(arguments, own, strict=True))
    rows = launcher.text.split("\n")
    found = []
    for guard in call.guards:
        names = set(_LOWER.findall(guard.condition))
        between = "\n".join(
            rows[guard.line - launcher.span.start_line + 1 : call.first - launcher.span.start_line]
        )
        if (
            not guard.negated and names and names <= given.keys()
            and len(guard.condition) <= _LONGEST
            and _SIZE_TEST.search(guard.condition)
            and not re.search(r"[A-Za-z_]\w*\s*[(:<]\s*[A-Za-z]", guard.condition)
            and not re.search(r"[A-Z]\w+", guard.condition)
            and not any(_is_set(between, n) for n in names)
        ):  # fmt: skip
            told = re.sub(r"\b[a-z]\w*", lambda m: given.get(m[0], m[0]), guard.condition)
            found.append(re.sub(r"\s+", " ", told))
    return tuple(found)


def _is_set(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){name}\s*(?:[-+*/%]?=(?!=)|\+\+|--)", text))


def dynamic_lds(sites: Sequence[Site]) -> list[str]:
    """How many bytes of LDS the launches give; nothing where a name in that stays unexplained."""
    told: dict[str, None] = {}
    meant: dict[str, str] = {}
    for site in sites:
        value = bare(site.shared_bytes)
        if value in ("0", ""):
            continue
        caller = site.caller
        if caller.span is None:
            return []
        reading = read_function(caller.text, caller.span.start_line)
        calls = calls_at(caller, [site])
        if re.fullmatch(r"[A-Za-z_]\w*", value) and calls:
            value = re.sub(r"\s+", " ", reaching_value(caller, reading, value, calls[0]))
        names, dark = explain(caller, reading, value)
        known = {p.name for p in reading.parameters} | set(template_parameters(caller))
        alone = re.fullmatch(r"[a-z_]\w*", value) and value not in known
        open_ones = set(re.findall(r"[A-Za-z_]\w*", " ".join([value, *names.values()])))
        loops = open_ones & {loop.variable for loop in reading.loops}
        if not value or dark or alone or loops or len(value) > _LONGEST:
            return []
        if any(meant.get(n, v) != v or len(v) > _LONGEST for n, v in names.items()):
            return []
        told[code(value)] = None
        meant |= names
    if not told or len(told) > _MOST + 1:
        return []
    where = listed([f"{code(n)} is {code(v)}" for n, v in meant.items()])
    words = f"it gets {listed(list(told), 'or')} bytes of dynamic LDS"
    return [words + (f" (where {where})" if meant else "")]


def reaching_value(caller: FunctionView, reading: FunctionReading, name: str, call: Call) -> str:
    """What a local name is made from that a call gets; empty where that may be several things."""
    assert caller.span is not None
    rows: list[Definition] = [
        d for d in reading.definitions
        if d.name == name and d.last < call.first
        and call.guards[: len(d.guards)] == d.guards and call.loops[: len(d.loops)] == d.loops
    ]  # fmt: skip
    if not rows:
        return name
    start = caller.span.start_line
    between = "\n".join(caller.text.split("\n")[rows[-1].last - start + 1 : call.first - start])
    return "" if _is_set(between, name) else rows[-1].value
