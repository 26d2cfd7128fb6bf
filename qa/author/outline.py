"""What a function does from its first test to its last return, step by step, for an instruction.

Each step is a return, a call, a launch or a size that is set, with the tests and loops around it as
the source has them. Somebody who follows the steps writes the function.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from qa.author.draft import Draft, code, counted, listed
from qa.author.given import around, given, handed_to_kernel, held, named_by_macros, with_template
from qa.author.step_notes import hangs_on_the_build, settled_early, with_references
from qa.author.step_notes import loop_heads as loop_heads
from qa.reading.definitions import times_set
from qa.reading.function import Access, Call, Definition, FunctionReading, Statement, read_function
from qa.reading.function_text import blanked
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView

_MOST_STEPS, _LONGEST, _LONGEST_VALUE, _LONGEST_TEST = 26, 5000, 120, 300
_MOST_NAMES = 14
_UNTOLD = re.compile(r"\b(?:switch|goto|do|catch)\s*[({]")
_STATUSES = frozenset(["st", "status", "ret"])
_VERBATIM = re.compile(
    r"(?:hip)?[mM]em(?:set|cpy)\w*|hipStreamSynchronize|rocblas_[gs]et_pointer_mode|atomic\w+"
)
_BARRIER = "__syncthreads"
INCOMPLETE = "Its main steps, in this order: "
"""How a telling begins that leaves something out."""
_CHATTER = re.compile(r"log_|ROCSOLVER_ENTER|check_numerics|rocblas_cout|_ENTER\w*$|ERROR|CHECK")
_HANDED = re.compile(r"(?:[A-Z][A-Z0-9]*_[A-Z0-9_]*\((\w+)\)|([A-Za-z_]\w*))\s*(?:<[^()]*>)?\s*\(")
_LOGS = re.compile(r"log_\w+|\w*_ENTER\w*|\w*LOG\w*|rocblas_cout")
_MACRO = re.compile(r"(?!\w*(?:LAUNCH|ENTER|LOG|KERNEL))[A-Z][A-Z0-9]*_[A-Z0-9_]+")
_LONGEST_MACRO = 160
_NAME = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")
_WORDS = frozenset(["true", "false", "nullptr", "sizeof", "const", "int", "bool", "size_t", "std"])


@dataclass(frozen=True)
class Step:
    """One thing that is done: where it stands, and in words."""

    at: Statement
    words: str


def outline(
    draft: Draft,
    function: FunctionView,
    callees: Collection[str],
    launched: Mapping[int, str],
    most: int = _MOST_STEPS,
) -> str:
    """The steps of a function; empty where they are too many or too dark to be told.

    Args:
        draft: The entry.
        function: The function.
        callees: Names of functions that it calls.
        launched: Kernels that it launches, by the line of the launch.
        most: Most steps that are told.
    """
    if function.span is None:
        return ""
    reading = read_function(function.text, function.span.start_line)
    if reading.broken or _UNTOLD.search(function.text):
        return ""
    steps, whole = _steps(function, reading, callees, launched)
    if hangs_on_the_build(function, [step.at for step in steps]):
        return ""  # told as if every build had them, steps would be wrong for some
    steps = [replace(step, words=with_references(draft, step.at, step.words)) for step in steps]
    steps = _with_reads(reading, steps)
    if not 1 < len(steps) <= most:
        return ""
    heads = loop_heads(function, reading)
    told: list[str] = []
    before: Statement | None = None
    for step in steps:
        if before is not None and (before.guards, before.loops) == (step.at.guards, step.at.loops):
            if isinstance(before, Call) is False and told[-1].split(", then ")[-1].startswith(
                "return"
            ):
                return ""  # what stands behind a return cannot be reached
            told[-1] += f", then {step.words}"
            continue
        where = where_told(step.at, heads, before)
        if where is None:
            return ""
        told.append(f"{where}{step.words}")
        before = step.at
    spoken = " ".join(re.findall(r"`([^`]*)`", " ".join(told)))
    names, dark = explain(function, reading, f"{spoken} {_made_in_loops(reading, steps)}")
    if any(re.search(rf"\breturn `{name}`", " ".join(told)) for name in dark - _STATUSES):
        return ""
    lead = draft.choose(
        "What it does, in this order: ", "Its steps are these: ", "It has to proceed like this: ",
        salt="outline",
    )  # fmt: skip
    stores = sum(isinstance(step.at, Access) for step in steps)
    open_names = {d.name for d in reading.definitions if times_set(function.text, d.name) > 1}
    open_names |= declared(function.text) | _set_anew(function, reading)
    if dark - _STATUSES or open_names - _STATUSES or stores < len(reading.stores) or not whole:
        lead = INCOMPLETE
    text = lead + "; ".join(f"({n}) {one}" for n, one in enumerate(told, 1)) + "."
    told_in_steps = {step.at.name for step in steps if isinstance(step.at, Definition)}
    text += here({n: v for n, v in names.items() if n not in told_in_steps})
    own = {p.name for p in reading.parameters} | {d.name for d in reading.definitions}
    own |= set(template_parameters(function)) | declared(function.text)
    text += named_by_macros(re.findall(r"`([^`]*)`", text), own) + _left_out(reading)
    text += settled_early(reading, text)
    return text if len(text) <= _LONGEST else ""


def _set_anew(function: FunctionView, reading: FunctionReading) -> set[str]:
    """Names that a statement of their own gives another value, parameters among them."""
    bare = blanked(function.text)
    found = re.findall(
        r"[;{})]\s*(?:else\s+)?([A-Za-z_]\w*)\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)", bare[bare.find("{") :]
    )
    return set(found) - {loop.variable for loop in reading.loops}


def _with_reads(reading: FunctionReading, steps: list[Step]) -> list[Step]:
    """The steps, and among them the reads of memory that the function also stores to.

    What was read before a store is no longer there behind it: such a value has its place in the
    order, and cannot be told as what a name stands for.
    """
    stored = {store.base for store in reading.stores}
    pattern = "|".join(re.escape(base) for base in sorted(stored))
    reads = [
        Step(row, f"take {code(row.name)} as {code(value)}")
        for row in reading.definitions
        if stored and re.search(rf"(?<![\w.>])(?:{pattern})\s*\[|\*\s*(?:{pattern})\b", row.value)
        and len(value := re.sub(r"\s+", " ", row.value)) <= _LONGEST_VALUE
    ]  # fmt: skip
    return sorted([*steps, *reads], key=lambda step: (step.at.first, step.at.last))


def _left_out(reading: FunctionReading) -> str:
    """How many calls that only log are not among the steps."""
    logs = [call for call in reading.calls if _LOGS.fullmatch(call.name)]
    count = sum(not any(_stands_within(call, other) for other in logs) for call in logs)
    log = f"{counted(count, 'call')} that only {'logs' if count == 1 else 'log'}"
    return f" Not among these steps: {log}." if count else ""


def here(names: Mapping[str, str]) -> str:
    """What local names stand for, as a sentence; nothing where there are none."""
    return (
        f" Here {listed([f'{code(n)} is {code(v)}' for n, v in names.items()])}." if names else ""
    )


def _made_in_loops(reading: FunctionReading, steps: list[Step]) -> str:
    """Arguments of calls in loops that are made for each round."""
    rows = {d.name: d for d in reading.definitions if d.loops}
    return " ".join(
        argument
        for step in steps if isinstance(step.at, Call) and step.at.loops
        for argument in step.at.arguments if argument in rows
    )  # fmt: skip


def _steps(
    function: FunctionView,
    reading: FunctionReading,
    callees: Collection[str],
    launched: Mapping[int, str],
) -> tuple[list[Step], bool]:
    """Steps in the order of the text, and whether no statement that calls is left out."""
    found: list[Step] = []
    whole = True
    statements = re.sub(r"\s+", "", blanked(function.text))
    inner: list[tuple[int, int, str]] = []
    logs = [call for call in reading.calls if _LOGS.fullmatch(call.name)]
    for call in reading.calls:
        if any(_stands_within(call, log) for log in logs):
            continue  # the name that a log has for the call, say
        if any(_stands_within(call, o) and not _MACRO.fullmatch(o.name) for o in reading.calls):
            continue  # what it gives goes into another call
        words = _macro_words(reading, call, callees, launched) or (
            "" if _is_part(reading, call) else _call_words(reading, call, callees, launched)
        )
        nested = any(
            first <= call.first and call.last <= last and call.text in text
            for first, last, text in inner
        )
        if words and not nested:
            found.append(Step(call, around(call, reading.calls) + words))
            inner.append((call.first, call.last, call.text))
        elif not nested and not words and _stands_alone(statements, call):
            whole = False
    for store in reading.stores:
        value = re.sub(r"\s+", " ", store.value)
        if len(value) > _LONGEST_VALUE or "{" in value:
            continue
        written = store.text.split("=")[0].rstrip("+-*/ ")
        pointed = store.index == ("0",) and "[" not in written
        target = f"*{store.base}" if pointed else re.sub(r"\s+", " ", written)
        sign = {"=": "set", "+=": "raise", "*=": "multiply", "-=": "lower"}.get(store.operator)
        if sign is not None:
            word = "to" if sign == "set" else "by"
            found.append(Step(store, f"{sign} {code(target)} {word} {code(value)}"))
    for back in reading.returns:
        value = re.sub(r"\s+", " ", back.text.removeprefix("return").rstrip(";").strip())
        handed = _HANDED.match(value)
        called = (handed[1] or handed[2]) if handed else ""
        if called and called not in ("sizeof", "static_cast", "dim3"):
            within = [c for c in reading.calls if c.first >= back.first and c.last <= back.last]
            outer = next((c for c in within if c.name == called), None)
            inner_calls = {id(c) for c in within}
            found = [s for s in found if id(s.at) not in inner_calls]
            if outer is not None:
                words = _told_call(reading, outer)
                found.append(Step(back, f"{words} and return what it gives"))
            else:
                whole = False
            continue
        if len(value) < _LONGEST_VALUE and not (back.guards and value in ("st", "status")):
            found.append(Step(back, f"return {code(value)}" if value else "return"))
    found += [Step(at, words) for at, words in held(function.text, reading.definitions)]
    found.sort(key=lambda step: (step.at.first, step.at.last))
    return found, whole


def _stands_alone(statements: str, call: Call) -> bool:
    """A call is a statement of its own, in a text without white space."""
    text = re.escape(re.sub(r"\s+", "", call.text))
    return not _LOGS.fullmatch(call.name) and bool(re.search(rf"[;{{}})]{text};", statements))


def _stands_within(call: Call, other: Call) -> bool:
    return (
        call is not other and other.first <= call.first and call.last <= other.last
        and call.text in other.text
    )  # fmt: skip


def _macro_words(
    reading: FunctionReading, call: Call, callees: Collection[str], launched: Mapping[int, str]
) -> str:
    """A check or another statement that a macro makes, as written; nothing where it only wraps."""
    if not _MACRO.fullmatch(call.name) or len(call.text) > _LONGEST_MACRO:
        return ""
    if any(call.first <= line <= call.last for line in launched) or _is_part(reading, call):
        return ""
    within = [c for c in reading.calls if _stands_within(c, call)]
    if any(c.name in callees or _VERBATIM.fullmatch(c.name) for c in within):
        return ""  # what it wraps is told
    word = "check with" if re.search("CHECK|VALID|RETURN_IF|ASSERT|REQUIRE", call.name) else "call"
    text = re.sub(r"\s+", " ", call.text)
    return f"{word} {code(text)}"


def _call_words(
    reading: FunctionReading,
    call: Call,
    callees: Collection[str],
    launched: Mapping[int, str],
) -> str:
    """A call or a launch in words, with the constants it passes."""
    if call.name == _BARRIER:
        return f"wait at {code(_BARRIER)}"
    kernel = next((k for line, k in launched.items() if call.first <= line <= call.last), "")
    if kernel and kernel in call.text:
        handed = handed_to_kernel(kernel, call.text)
        words = f"launch {code(with_template(kernel, call.text))}"
        return f"{words}, given {code(handed)}" if handed else words
    if _CHATTER.search(call.name) or (
        call.name not in callees and not _VERBATIM.fullmatch(call.name)
    ):
        return ""
    if _VERBATIM.fullmatch(call.name):
        text = re.sub(r"\s+", " ", call.text)
        return f"call {code(text)}" if len(text) < 160 else ""
    return _told_call(reading, call)


def _told_call(reading: FunctionReading, call: Call) -> str:
    """The name of a function that is called, and its arguments."""
    set_before = {d.name for d in reading.definitions if d.value.strip() not in ("0", "{}")}
    made = [a[1:] for a in call.arguments if re.fullmatch(r"&\w+", a) and a[1:] not in set_before]
    words = f"call {code(with_template(call.name, call.text))}"
    words += given(call.arguments, [p.name for p in reading.parameters])
    return words + (f", which fills {listed([code(a) for a in made])}" if made else "")


def _is_part(reading: FunctionReading, call: Call) -> bool:
    """The call stands in a test, or in a short definition that explains a name."""
    return any(
        b.first <= call.first < b.consequence[0] + (b.consequence[0] == b.first)
        and call.text in b.condition
        for b in reading.branches
    ) or any(
        d.first <= call.first and call.last <= d.last and call.text in d.value
        and len(re.sub(r"\s+", " ", d.value)) <= _LONGEST_VALUE
        for d in reading.definitions
    )  # fmt: skip


def where_told(at: Statement, heads: Mapping[int, str], before: Statement | None) -> str | None:
    """The loops and tests around a step, outermost first; after a test has failed, ``otherwise``."""
    parts = []
    for line in at.loops:
        head = heads.get(line)
        if head is None or len(head) > _LONGEST_VALUE:
            return None
        if head:  # else one that a build for other devices has
            parts.append(f"in {code(head)}")
    guards = list(at.guards)
    known = (
        {g.line for g in before.guards}
        if before is not None and before.loops == at.loops
        else set()
    )
    failed = [g for g in guards if g.negated]
    chain = guards[: len(failed)] == failed and len(guards) - len(failed) < 2
    turns = before is not None and bool(before.guards) and not before.guards[-1].negated
    if (
        failed
        and chain
        and turns
        and before
        and before.guards[-1].line == failed[-1].line
        and {g.line for g in failed} == known
    ):
        guards = guards[len(failed) :]
        parts.append("otherwise")
    held = [g.condition for g in guards if not g.negated]
    ruled_out = [g.condition for g in guards if g.negated]
    if any(len(condition) > _LONGEST_TEST for condition in (*held, *ruled_out)):
        return None
    words = []
    if held:
        words.append(f"{listed([code(c) for c in held])} {'holds' if len(held) == 1 else 'hold'}")
    if ruled_out:
        verb = "fails" if len(ruled_out) == 1 else "fail"
        words.append(f"{listed([code(c) for c in ruled_out])} {verb}")
    if words:
        parts.append(f"where {' and '.join(words)}")
    return f"{', '.join(parts)}: " if parts else ""


def explain(
    function: FunctionView, reading: FunctionReading, text: str
) -> tuple[dict[str, str], set[str]]:
    """What the local names in some code are, and those that no one value explains."""
    given = {p.name for p in reading.parameters} | set(template_parameters(function))
    given |= {loop.variable for loop in reading.loops}
    local = {
        d.name: [r for r in reading.definitions if r.name == d.name] for d in reading.definitions
    }
    open_names = declared(function.text)
    found: dict[str, str] = {}
    dark: set[str] = set()
    queue = list(dict.fromkeys(_NAME.findall(text)))
    while queue:
        name = queue.pop(0)
        if name in given or name in found or name in dark or name in _WORDS:
            continue
        if name not in local:
            if name in open_names:
                dark.add(name)
            elif name in reading.aliases:
                found[name] = reading.aliases[name]
            continue
        value = _value(local[name], function.text)
        if value is None or len(found) >= _MOST_NAMES:
            dark.add(name)
            continue
        found[name] = value
        queue += _NAME.findall(value)
    return found, dark


def declared(text: str) -> set[str]:
    """Variables that are declared without a value."""
    kinds = "int|size_t|I|S|T|bool|double|float|rocblas_int|rocblas_status"
    rows = re.findall(rf"\b(?:{kinds})\s+(\w+(?:\s*,\s*\w+)*)\s*[;,]", text[text.find("{") :])
    return {name for row in rows for name in re.findall(r"\w+", row)} - set(kinds.split("|"))


def _value(rows: list[Definition], text: str) -> str | None:
    row = rows[0]
    value = re.sub(r"\s+", " ", row.value).strip()
    if len({one.value for one in rows}) > 1 or times_set(text, row.name) > len(rows):
        return None
    if not 0 < len(value) <= _LONGEST_VALUE:
        return None
    return None if value.startswith("(") and row.type == "dim3" else value
