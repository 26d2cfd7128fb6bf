"""What a host function does around the work itself: checks, logging, memory, handing on.

A public call is mostly that. Its steps are told in their order, every call with all
that it is given, so that somebody could write the function from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from qa.author.draft import Draft, code, listed
from qa.author.given import around, given, held, named_by_macros, with_template
from qa.author.outline import _STATUSES as STATUSES
from qa.author.outline import Step, declared, explain, here, where_told
from qa.author.step_notes import hangs_on_the_build, loop_heads, settled_early, with_references
from qa.reading.definitions import times_set
from qa.reading.function import Call, Definition, FunctionReading, Statement, read_function
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView

_FEWEST, _MOST, _LONGEST = 5, 34, 7000
_LONGEST_VALUE = 120
_UNTOLD = re.compile(r"\b(?:switch|goto|do|catch)\s*[({]|\[[&=\w, ]*\]\s*\(")
_ACCESSOR = re.compile(r"(?:get|is|has|std|LOG|static_cast|sizeof|max|min)\w*|[A-Z]\w?")
_ALLOCATION = re.compile(
    r"\b(?:\w*device_malloc (\w+)\([^;{}]*\)|auto (\w+) = handle->device_malloc\([^;{}]*\));"
)
_LOGS = re.compile(r"log_\w+|\w*ENTER\w*|\w*LOG\w*")


def protocol(draft: Draft, function: FunctionView) -> str:
    """The steps of a function in their order; empty where they are not all told.

    Args:
        draft: The entry.
        function: A host function.
    """
    if function.span is None:
        return ""
    reading = read_function(function.text, function.span.start_line)
    if reading.broken or _UNTOLD.search(function.text):
        return ""
    steps, named = _steps(function, reading)
    if not _FEWEST <= len(steps) <= _MOST:
        return ""
    heads = loop_heads(function, reading)
    told: list[str] = []
    before: Step | None = None
    if hangs_on_the_build(function, [step.at for step in steps]):
        return ""
    for step in steps:
        words = with_references(draft, step.at, step.words)
        if before is not None and (
            (before.at.guards, before.at.loops) == (step.at.guards, step.at.loops)
        ):
            told[-1] += f", then {words}"
        else:
            where = where_told(step.at, heads, before.at if before else None)
            if where is None:
                return ""
            told.append(f"{where}{words}")
        before = step
    spoken = " ".join(re.findall(r"`([^`]*)`", " ".join(told)))
    names, dark = explain(function, reading, spoken)
    names = {name: value for name, value in names.items() if name not in named}
    if dark - STATUSES - named - _declared_for(function, steps):
        return ""
    lead = draft.choose(
        "In this order it has to do the following: ", "Its steps, none of which may change places: ",
        "From its first line to its last it does this: ", salt="protocol",
    )  # fmt: skip
    text = lead + "; ".join(f"({n}) {one}" for n, one in enumerate(told, 1)) + "." + here(names)
    own = {p.name for p in reading.parameters} | {d.name for d in reading.definitions}
    own |= set(template_parameters(function)) | named
    text += named_by_macros(re.findall(r"`([^`]*)`", text), own) + settled_early(reading, text)
    return text if len(text) <= _LONGEST else ""


def _declared_for(function: FunctionView, steps: list[Step]) -> set[str]:
    """Names that a call fills or a step sets."""
    words = " ".join(step.words for step in steps)
    return set(re.findall(r"which fills (.*?)(?:, then|$)", words)) | {
        name for part in re.findall(r"fills ((?:`\w+`(?:, | and )?)+)", words)
        for name in re.findall(r"`(\w+)`", part)
    }  # fmt: skip


def _steps(function: FunctionView, reading: FunctionReading) -> tuple[list[Step], set[str]]:
    """Steps in the order of the text, and names that they give a value."""
    own = {p.name for p in reading.parameters} | set(template_parameters(function))
    found: list[Step] = []
    named: set[str] = set()
    outer = [c for c in reading.calls if not _ACCESSOR.fullmatch(c.name)]
    outer = [
        c for c in outer
        if not any(
            c is not o and o.first <= c.first and c.last <= o.last and c.text in o.text
            and len(c.text) < len(o.text) and not o.name.startswith(("RETURN_IF", "ROCBLAS_CHECK"))
            for o in outer
        )
        and not c.name.startswith(("RETURN_IF", "ROCBLAS_CHECK"))
    ]  # fmt: skip

    filled = _filled(function, reading)
    alone = dict(held(function.text, reading.definitions))

    def told(call: Call) -> str:
        return _call(reading, call, filled)

    handed = []
    for back in reading.returns:
        value = re.sub(r"\s+", " ", back.text.removeprefix("return").rstrip(";").strip())
        call = next(
            (c for c in outer if back.first <= c.first and c.last <= back.last
             and re.match(rf"(?:\w+(?:->|\.)|[A-Z]\w*\()?{re.escape(c.name)}\b", value)), None,
        )  # fmt: skip
        if call is not None:
            handed.append(call)
            found.append(Step(back, f"{told(call)} and return what it gives"))
        elif len(value) < _LONGEST_VALUE:
            found.append(Step(back, f"return {code(value)}" if value else "return"))
    for call in outer:
        if call in handed:
            continue
        made = _definition(reading, call)
        if made in alone and call not in filled.values():
            found.append(Step(made, alone[made]))
        elif made is not None:
            value = re.sub(r"\s+", " ", made.value)
            once = sum(d.name == made.name for d in reading.definitions) == 1
            brief = once and len(value) <= _LONGEST_VALUE and made.name not in STATUSES
            if brief and call not in filled.values():
                continue  # told with the names
            named.add(made.name)
            found.append(Step(call, f"{told(call)} and keep what it gives as {code(made.name)}"))
        elif not _in_test(reading, call):
            kept = _kept_as(function, call)
            named |= {kept} - {""}
            words = f" and keep what it gives as {code(kept)}" if kept else ""
            found.append(Step(call, f"{told(call)}{words}"))
    for store in reading.stores:
        value = re.sub(r"\s+", " ", store.value)
        if store.base in own and len(value) <= _LONGEST_VALUE:
            target = re.sub(r"\s+", " ", store.text.split("=")[0].rstrip("+-*/ "))
            found.append(Step(store, f"set {code(target)} to {code(value)}"))
        elif store.base in own:
            return [], set()
    found += [Step(at, words) for at, words, _name in _allocations(function)]
    named |= {name for _at, _words, name in _allocations(function)}
    found.sort(key=lambda step: (step.at.first, step.at.last))
    return found, named


def _allocations(function: FunctionView) -> list[tuple[Statement, str, str]]:
    """Memory of the handle that is asked for at the top of the body, and what its parts are."""
    assert function.span is not None
    found = []
    for match in _ALLOCATION.finditer(function.text):
        before = function.text[: match.start()]
        if before.count("{") - before.count("}") != 1:
            continue
        line = function.span.start_line + before.count("\n")
        last = line + match[0].count("\n")
        text = re.sub(r"\s+", " ", match[0].strip().rstrip(";"))
        name = match[1] or match[2]
        parts = re.findall(
            rf"\b(\w+)\s*=\s*(?:\([^()]*\)\s*)?{name}\[(\d+)\]", function.text[match.end() :]
        )
        words = f"allocate with {code(text)}"
        if parts:
            words += "; of it " + listed([f"{code(n)} is {code(f'{name}[{k}]')}" for n, k in parts])
        found.append(
            (Statement(line, last, match[0], (), ()), words.replace("; of it", ", of which"), name)
        )
    return found


def _definition(reading: FunctionReading, call: Call) -> Definition | None:
    return next(
        (d for d in reading.definitions
         if d.first <= call.first and call.last <= d.last and call.text in d.value), None,
    )  # fmt: skip


def _in_test(reading: FunctionReading, call: Call) -> bool:
    return any(
        b.first <= call.first <= b.consequence[0] and call.text in b.condition
        for b in reading.branches
    )


def _kept_as(function: FunctionView, call: Call) -> str:
    """The name that is set to what a call gives; empty where there is none."""
    assert function.span is not None
    rows = function.text.split("\n")
    first = call.first - function.span.start_line
    head = re.match(r"[\w:]+", call.text)
    at = re.search(rf"(?<![\w:]){re.escape(head[0])}\b", rows[first]) if head else None
    if at is None:
        return ""
    above = rows[first - 1] if first else ""
    match = re.search(r"\b(\w+)\s*=\s*$", f"{above}\n{rows[first][: at.start()]}")
    return match[1] if match else ""


def _filled(function: FunctionView, reading: FunctionReading) -> dict[str, Call]:
    """Variables that nothing but a call by reference can give a value, and the first such call."""
    found: dict[str, Call] = {}
    for name in sorted(declared(function.text)):
        if times_set(function.text, name) == 0:
            calls = [call for call in reading.calls if name in call.arguments]
            if calls:
                found[name] = min(calls, key=lambda call: (call.first, len(call.text)))
    return found


def _call(reading: FunctionReading, call: Call, by_reference: Mapping[str, Call]) -> str:
    """A call with what it is given."""
    passed = [_settled(reading, call, re.sub(r"\s+", " ", one).strip()) for one in call.arguments]
    filled = [
        a.removeprefix("&") for a in passed
        if re.fullmatch(r"&\w+", a) or by_reference.get(a) is call
    ]  # fmt: skip
    words = around(call, reading.calls)
    words += f"{'log it with' if _LOGS.fullmatch(call.name) else 'call'} {code(with_template(call.name, call.text))}"
    words += given(passed, [p.name for p in reading.parameters])
    return words + (f", which fills {listed([code(a) for a in filled])}" if filled else "")


def _settled(reading: FunctionReading, call: Call, argument: str) -> str:
    """An argument; its value where a flag of this name is made again for each call."""
    rows = [d for d in reading.definitions if d.name == argument]
    before = [d for d in rows if d.last <= call.first]
    return before[-1].value if len(rows) > 1 and before and len(before[-1].value) < 9 else argument
