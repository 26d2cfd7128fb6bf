"""How a call that was made again came to a launcher: the tests of the functions above it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from extractor.records import Span
from qa.author.came_by import passed_tests, place_of, twins_of
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, tell_constants
from qa.author.outline import loop_heads
from qa.author.passed_values import Within, not_denied, way_of, within
from qa.author.settled import (
    Settled,
    failing_words,
    holding_words,
    key_of,
    nearest,
    not_implied,
    settle,
    shown_code,
    tell_meanings,
)
from qa.author.told_values import tell_passed
from qa.author.unfolded import tell_unfolded
from qa.reading.function import Call, Loop, read_function
from qa.scope_view import FunctionView, Site

_MOST_TESTS, _MOST_FUNCTIONS = 3, 2
_LONGEST_HEAD, _MOST_LOOPS = 110, 2


@dataclass(frozen=True)
class Passage:
    """How a call came from one function to the next on its way.

    Attributes:
        function: Who calls.
        following: Who is called.
        at: Where.
        call: The call as written.
        inside: What the names of the function are.
        held: Tests that held, outermost first.
        failed: Tests that failed.
        count: How often the call was made; 0 where that is not one number of one place.
    """

    function: FunctionView
    following: FunctionView
    at: Span
    call: Call
    inside: Within
    held: tuple[Settled, ...]
    failed: tuple[Settled, ...]
    count: int


def tell_above(
    draft: Draft,
    trace: Trace,
    launch: Mapping[str, Any],
    sites: Sequence[Site],
    told: set[str],
    most: int = _MOST_FUNCTIONS,
) -> bool:
    """Says by which tests the functions above a launcher came to call the next one.

    Only tests that lead to the launcher and not to other work are told.

    Args:
        draft: The entry.
        trace: The call, which was made again.
        launch: One of its launches.
        sites: Where that was made.
        told: Tests and names that are told already; what is told here is added.
        most: So many functions are told of, those nearest to the launcher.

    Returns:
        Whether there was anything to say.
    """
    rows = [
        row for row in _passages(draft, trace, launch, sites, told)
        if row.held or row.failed or _rounds(row)
    ]  # fmt: skip
    for row in rows[-most:]:
        _tell(draft, trace, row, told)
    return bool(rows)


def _passages(
    draft: Draft, trace: Trace, launch: Mapping[str, Any], sites: Sequence[Site], told: set[str]
) -> list[Passage]:
    view, ground = draft.view, draft.ground
    runs = ground.runs(view, trace)
    way = way_of(view, ground, trace, launch["symbol"], sites[0].caller.id)
    rows = []
    for (identity, _at), (below, at) in list(pairwise(way))[:-1]:
        function, following = view.owner[identity], view.owner[below]
        if function.span is None or at is None or at.file != function.file:
            continue
        call = place_of(function, following.name, at.start_line)
        key = f"above: {function.id} {following.id} {at.start_line}"
        if call is None or key in told:
            continue
        told.add(key)
        inside = within(view, ground, trace, below, function)
        twins = twins_of(view, function, following)
        tests = passed_tests(view, ground, runs, function, call, twins)
        settled = [settle(draft, test, inside, trace) for test in tests]
        kept = [r for r in settled if key_of(r.test) not in told and r.can_be_told()]
        reading = read_function(function.text, function.span.start_line)
        held = nearest([r for r in kept if not r.test.negated], reading, None)
        failed = not_implied(held, [r for r in kept if r.test.negated])
        failed = nearest(failed, reading, None)[-_MOST_TESTS:]
        counts = {run.count(function, at.start_line, following.name) or 0 for run in runs.values()}
        made = {
            twin.first for twin in twins
            if any(run.count(function, twin.first, following.name) for run in runs.values())
        }  # fmt: skip
        # Of several places one count is not how often the function is called.
        count = counts.pop() if len(counts) == 1 and len(made) == 1 else 0
        rows.append(
            Passage(
                function, following, at, call, inside, tuple(held[-_MOST_TESTS:]), tuple(failed),
                count,
            )
        )  # fmt: skip
    return rows


def _tell(draft: Draft, trace: Trace, row: Passage, told: set[str]) -> None:
    function, following = code(row.function.name), code(row.following.name)
    tests = (*row.held, *row.failed)
    for one in tests:
        told.update((one.test.condition, key_of(one.test)))
    heads = (row.at, draft.head(row.function), draft.head(row.following))
    if tests:
        draft.say(
            _why(draft, function, following, row),
            *[one.test.span for one in tests],
            *heads,
            "trace",
        )
    shown = " ".join(shown_code(one) for one in tests)
    if loops := _rounds(row):
        inner = f", and within each in those of {code(loops[1].head)}" if len(loops) > 1 else ""
        draft.say(
            f"{function} {'makes that call' if tests else f'calls {following}'} {row.count} times, in the rounds of {code(loops[0].head)}{inner}.",
            *[draft.lines(row.function, loop.first) for loop in loops], *heads, "trace",
        )  # fmt: skip
        draft.claim("number", str(row.count), row.count, "recompute")
        shown += " ".join(["", *(loop.head for loop in loops)])
    _tests, others = not_denied([one.test for one in tests], row.inside, draft.ground)
    for name, passed in others.items():
        key = f"{name} of {row.function.name}"
        if re.search(rf"\b{name}\b", shown) and name in trace["args"] and key not in told:
            told.add(key)
            tell_passed(draft, name, row.function, passed, row.inside.runs)
    meanings = tell_meanings(draft, row.function, shown, row.inside, told)
    tell_unfolded(draft, row.function, " ".join((shown, *meanings)), row.inside.runs, told)
    tell_constants(draft, row.function, [shown, *meanings], told)


def _rounds(row: Passage) -> list[Loop]:
    """The loops around a call that had several rounds, outermost first.

    None where the call is made once, or where the rounds do not account for all of its times.
    """
    if row.count < 2 or not row.call.loops:
        return []
    assert row.function.span is not None
    reading = read_function(row.function.text, row.function.span.start_line)
    heads = loop_heads(row.function, reading)
    found = []
    product = 1.0
    for loop in reading.loops:
        if loop.first not in row.call.loops or not loop.condition:
            continue
        counts = {
            run.rounds(row.function, loop.condition, loop.first) for run in row.inside.runs.values()
        }
        held, ended = counts.pop() if len(counts) == 1 else (0, 0)
        if held > ended > 0:
            found.append(loop)
            product *= held / ended
    told = len(found) <= _MOST_LOOPS and all(
        0 < len(heads.get(x.first, "")) <= _LONGEST_HEAD for x in found
    )
    return found if told and product == row.count else []


def _why(draft: Draft, function: str, following: str, row: Passage) -> str:
    """How a function above the launcher came to call the next one."""
    parts = [part for one in row.held for part in holding_words(one)]
    holds = f"{listed(parts)} {'hold' if len(parts) > 1 else 'holds'}" if parts else ""
    fails = failing_words(list(row.failed)) if row.failed else ""
    why = f"{holds} and {fails}" if holds and fails else holds or fails
    return draft.choose(
        f"{function} goes on to {following} because {why}.",
        f"In {function} {why}, so that {following} is called.",
        f"{function} calls {following} here, since {why}.",
        salt=f"above{function}{following}",
    )
