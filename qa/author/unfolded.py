"""What helpers that tests ask gave in a call that was made again: the return that they came to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from qa.author.draft import Draft, code, listed
from qa.executed import Run
from qa.reading.deciding import deciding
from qa.reading.function import Call, Definition, FunctionReading, Guard, Statement, read_function
from qa.scope_view import FunctionView
from qa.text.brackets import split_at, unwrapped

_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*(?:<[^<>()]*>)?\s*\(")
_MOST, _MOST_TESTS, _LONGEST, _LONGEST_VALUE = 2, 3, 90, 110
_LONGEST_MADE, _MOST_LINES = 60, 12
_NAME = re.compile(r"[A-Za-z_]\w*")
_KINDS = ("host", "launcher")


def tell_unfolded(
    draft: Draft, function: FunctionView, shown: str, runs: Mapping[str, Run], told: set[str]
) -> None:
    """Says to which return the helpers came whose results a function's tests ask for.

    Nothing is said of a helper that came to several of its returns.

    Args:
        draft: The entry.
        function: Whose tests they are.
        shown: Code of tests and of what their names are made from.
        runs: The call as it ran, by architecture.
        told: What is told already; helpers that are told here are added.
    """
    count = 0
    assert function.span is not None
    calls = read_function(function.text, function.span.start_line).calls
    for name in dict.fromkeys(_CALLED.findall(shown)):
        key = f"unfolded: {name}"
        helpers = [
            f for f in draft.view.by_name.get(name, ())
            if f.kind in _KINDS and f.span is not None and f.id != function.id
            and all(run.ran(f) for run in runs.values())
        ]  # fmt: skip
        if key in told or len(helpers) != 1 or count >= _MOST:
            continue
        call = next((c for c in calls if c.name == name), None)
        if call is not None and _tell(draft, helpers[0], function, call, runs):
            told.add(key)
            count += 1


def _tell(
    draft: Draft, helper: FunctionView, caller: FunctionView, call: Call, runs: Mapping[str, Run]
) -> bool:
    assert helper.span is not None
    reading = read_function(helper.text, helper.span.start_line)
    came_to = [
        back for back in reading.returns
        if all(run.count(helper, back.first, "return") for run in runs.values())
    ]  # fmt: skip
    if len(came_to) != 1 or reading.broken:
        return False
    back = came_to[0]
    value = re.sub(r"\s+", " ", back.text).removeprefix("return").strip(" ;")
    guards = back.guards
    at = [draft.lines(helper, back.first, back.last)]
    if value.isidentifier():
        last = _last_set(helper, reading, value, runs)
        if last is None:
            return False
        value, guards = last[0], (*guards, *last[1].guards)
        at.append(draft.lines(helper, last[1].first, last[1].last))
    value, asked = _chosen(helper, value, runs)
    parts, held = _parts(helper, value, runs) if len(reading.returns) == 1 else ([], None)
    tests = _tests(helper, guards, runs)
    tests = [*tests, asked] if tests is not None and asked else tests
    if tests is None or len(value) > _LONGEST_VALUE or not (tests or parts):
        return False
    outcome = f"returns {code(value)}"
    if parts and held is not None:
        verb = "hold" if held else "fail"
        outcome += f", where {listed([code(p) for p in parts])} {verb}{'s' * (len(parts) == 1)}"
    since = f" since {' and '.join(tests)}" if tests else ""
    words = " ".join((value, *tests, *parts))
    other = [
        f"{code(p.name)} is {code(given)}"
        for p, given in zip(reading.parameters, call.arguments, strict=False)
        if given != p.name and re.search(rf"\b{re.escape(p.name)}\b", words) and len(given) <= 40
    ]
    named = f", whose {listed(other)}," if other else ""
    made = _made_of(helper, reading, value, runs)
    at += [draft.lines(helper, d.first, d.last) for d in made]
    where = (
        f", where {listed([f'{code(d.name)} is {code(d.value)}' for d in made])}" if made else ""
    )
    draft.say(
        f"{code(helper.name)}{named} {outcome} here{since}{where}.",
        *at, *[draft.lines(helper, *reading.lines_of_test(g.line, _MOST_LINES)) for g in guards], draft.head(helper),
        draft.lines(caller, call.first, call.last), "trace",
    )  # fmt: skip
    return True


def _last_set(
    helper: FunctionView, reading: FunctionReading, name: str, runs: Mapping[str, Run]
) -> tuple[str, Statement] | None:
    """What a local name was set to last, and where; nothing where that is not one plain value."""
    if any(p.name == name for p in reading.parameters):
        return None
    made = [d for d in reading.definitions if d.name == name]
    every = [a for a in reading.assigned if a.name == name]
    ran = [a for a in every if all(run.count(helper, a.first, name) for run in runs.values())]
    partly = [a for a in every if any(run.count(helper, a.first, name) for run in runs.values())]
    if len(made) > 1 or ran != partly or any(a.operator != "=" or a.loops for a in ran):
        return None
    if ran:
        return re.sub(r"\s+", " ", ran[-1].value).strip(), ran[-1]
    return (made[0].value, made[0]) if made and made[0].value else None


def _made_of(
    helper: FunctionView, reading: FunctionReading, value: str, runs: Mapping[str, Run]
) -> list[Definition]:
    """The local names in a value with what they are, each the only one of its name that was made."""
    found = []
    for name in dict.fromkeys(_NAME.findall(value)):
        ran = [
            d
            for d in reading.definitions
            if d.name == name and all(run.count(helper, d.first, name) for run in runs.values())
        ]
        if len(ran) == 1 and 0 < len(ran[0].value) <= _LONGEST_MADE:
            found.append(ran[0])
    return found[:_MOST]


def _chosen(helper: FunctionView, value: str, runs: Mapping[str, Run]) -> tuple[str, str]:
    """What a value with ``?`` came to, where its test came out one way, and the test in words."""
    condition, found, rest = value.partition("?")
    first, colon, second = rest.partition(":")
    if not found or not colon or "?" in rest or "::" in rest:
        return value, ""
    truths = {run.truth(helper, condition.strip()) for run in runs.values()}
    if truths not in ({True}, {False}):
        return value, ""
    test = code(unwrapped(condition.strip()))
    if True in truths:
        return first.strip(), f"{test} holds"
    return second.strip(), f"{test} fails"


def _tests(
    helper: FunctionView, guards: Sequence[Guard], runs: Mapping[str, Run]
) -> list[str] | None:
    """Tests as they came out; nothing where one is too long or came out both ways."""
    held: list[str] = []
    failed: list[str] = []
    for guard in guards:
        truths = {run.truth(helper, guard.condition, guard.line) for run in runs.values()}
        if len(guard.condition) > _LONGEST or (truths != {not guard.negated} and truths != {None}):
            return None
        if truths == {None} and any(run.asks(helper, guard.condition) for run in runs.values()):
            return None
        (failed if guard.negated else held).append(code(guard.condition))
    if len(held) + len(failed) > _MOST_TESTS:
        failed = failed[-1:] if held else failed[-_MOST_TESTS:]
        held = held[-_MOST_TESTS:]
    words = []
    if held:
        words.append(f"{listed(held)} {'holds' if len(held) == 1 else 'hold'}")
    if failed:
        words.append(f"{listed(failed)} {'fails' if len(failed) == 1 else 'fail'}")
    return words


def _parts(
    helper: FunctionView, value: str, runs: Mapping[str, Run]
) -> tuple[list[str], bool | None]:
    """The parts of a returned condition that settled it, and whether it held."""
    pieces = [one for part in split_at(unwrapped(value), "||") for one in split_at(part, "&&")]
    if len(pieces) < 2:
        return [], None
    truths = {run.truth(helper, value) for run in runs.values()}
    held = truths.pop() if len(truths) == 1 else None
    if held is None:
        return [], None

    def known(text: str) -> bool | None:
        found = {run.truth(helper, text) for run in runs.values()}
        return found.pop() if len(found) == 1 else None

    parts = [text for text, _holds in deciding(value, held, known)]
    return (parts if all(len(p) <= _LONGEST for p in parts) else []), held
