"""Sentences on what a function further down a way has under a name of the public call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import tell_constants
from qa.author.passed_values import Passed
from qa.executed import Run
from qa.reading.function import FunctionReading, read_function
from qa.scope_view import FunctionView

_LONGEST_GUARD, _LONGEST_VALUE, _LONGEST_HEAD = 90, 90, 90
_MOST_VALUES = 3


def tell_passed(
    draft: Draft,
    name: str,
    function: FunctionView,
    passed: Passed,
    runs: Mapping[str, Run] = MappingProxyType({}),
) -> None:
    """Says that a name of a function need not be the argument of the call with that name.

    Args:
        draft: The entry.
        name: The name.
        function: Whose parameter it is.
        passed: What is given for it.
        runs: The call as it ran: what it did not come to sets nothing.
    """
    given = listed([code(one) for one in passed.texts], "or")
    caller = code(passed.function.name)
    lead = f"The {code(name)} of {code(function.name)} is"
    guard = passed.guards[-1] if passed.guards else None
    told = guard is not None and len(guard.condition) <= _LONGEST_GUARD
    if passed.own and guard is not None and told:
        verb = "fails" if guard.negated else "holds"
        text = f"{lead} that of {caller} where {code(guard.condition)} {verb} there; else {caller} passes {given}."
    elif passed.own:
        text = f"{lead} not the same at every place where {caller} calls it: {code(name)} itself, {given} is what it passes."
    else:
        text = f"{lead} not that of the call, but the {given} that {caller} passes down."
    draft.say(
        text,
        *[draft.lines(passed.function, *place) for place in passed.lines],
        *([draft.lines(passed.function, guard.line)] if guard is not None else []),
        draft.head(passed.function), draft.head(function),
    )  # fmt: skip
    if guard is not None and told:
        tell_constants(draft, passed.function, [guard.condition])
    _tell_set(draft, passed, runs)


def _tell_set(draft: Draft, passed: Passed, runs: Mapping[str, Run]) -> None:
    """What the function that calls makes the passed names from, and whether a loop changes them."""
    function = passed.function
    if function.span is None:
        return
    reading = read_function(function.text, function.span.start_line)
    for name in passed.texts:
        at = _given_at(reading, passed, name)
        counting = [x for x in reading.loops if x.variable == name]
        around = [x for x in counting if all(x.first <= line <= x.last for line in at)]
        if any(x.first <= line <= x.last for x in counting for line in at) and not around:
            continue  # the counter at one place, an earlier value at another
        counted = [x for x in around if len(x.head) <= _LONGEST_HEAD]
        if around and not counted:
            continue
        if counted:
            draft.say(
                f"There {code(name)} is the counter of {listed([code(h) for h in dict.fromkeys(x.head for x in counted[:2])])}.",
                *[draft.lines(function, x.first) for x in counted[:2]], draft.head(function),
            )  # fmt: skip
            continue
        values = _values_at(function, reading, name, at)
        if runs:
            values = {
                text: line for text, line in values.items()
                if all(run.count(function, line, name) for run in runs.values())
            }  # fmt: skip
        if not 0 < len(values) <= _MOST_VALUES or any(len(v) > _LONGEST_VALUE for v in values):
            continue
        lines = [draft.lines(function, line) for line in values.values()]
        texts = listed([code(value) for value in values], "or")
        heads: list[str] = []
        spans: list[Span] = []
        for loop in reading.loops:
            inside = any(loop.first <= line <= loop.last for line in values.values())
            moves = any(re.search(rf"\b{re.escape(loop.variable)}\b", v) for v in values)
            if loop.variable and inside and moves and len(loop.head) <= _LONGEST_HEAD:
                heads.append(loop.head)
                spans.append(draft.lines(function, loop.first))
        anew = f", anew in each round of {code(heads[-1])}" if heads else ""
        draft.say(
            f"There {code(name)} is set to {texts}{anew}.", *lines, *spans, draft.head(function)
        )


def _given_at(reading: FunctionReading, passed: Passed, name: str) -> list[int]:
    """The lines on which the calls begin that are given a name."""
    places = {first for first, _last in passed.lines}
    calls = [call for call in reading.calls if call.first in places and name in call.arguments]
    return sorted({call.first for call in calls}) or sorted(places)


def _values_at(
    function: FunctionView, reading: FunctionReading, name: str, at: list[int]
) -> dict[str, int]:
    """What a name may be where the calls stand: nothing where its value at one of them is unsure.

    An assignment behind a call counts only where a loop leads back from it to the call.
    """
    found: dict[str, int] = {}
    if not at or function.span is None:
        return set_to(function, name)

    def reaches(line: int) -> bool:
        around = [x for x in reading.loops if x.first <= line <= x.last]
        return line <= at[-1] or any(x.first <= at[0] <= x.last for x in around)

    for match in re.finditer(
        rf"(?<![\w.>]){re.escape(name)}\s*(?:[-+*/%]=|\+\+|--)|(?:\+\+|--){re.escape(name)}\b",
        function.text,
    ):
        if reaches(function.span.start_line + function.text.count("\n", 0, match.start())):
            return {}
    for value, line in set_to(function, name).items():
        back = any(x.first <= line <= x.last and x.first <= at[0] <= x.last for x in reading.loops)
        if line <= at[0] or back:
            found[value] = line
        elif line < at[-1]:
            return {}
    plain = [
        d.first for d in reading.definitions
        if d.name == name and d.first <= at[0] and not d.guards and not d.loops
    ]  # fmt: skip
    return {value: line for value, line in found.items() if not plain or line >= max(plain)}


def set_to(function: FunctionView, name: str) -> dict[str, int]:
    """What a local name of a function is set to, by the text, with the line of each."""
    if function.span is None or not name.isidentifier():
        return {}
    text = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), function.text)
    found: dict[str, int] = {}
    for match in re.finditer(rf"(?<![\w.>]){re.escape(name)}\s*=(?!=)\s*([^;,]+);", text):
        value = re.sub(r"\s+", " ", match[1]).strip()
        found.setdefault(value, function.span.start_line + text.count("\n", 0, match.start()))
    # A value with a comma in its brackets is the declaration's as it was read.
    for one in read_function(function.text, function.span.start_line).definitions:
        if one.name == name and "," in one.value:
            found.setdefault(re.sub(r"\s+", " ", one.value).strip(), one.first)
    return found
