"""Where two recorded calls part on their way to different launches."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from qa.author.decisions import tests_of_call
from qa.author.draft import Draft, code
from qa.author.launch_prose import Trace
from qa.author.passed_values import way_of, within
from qa.author.sites import shared_tests
from qa.reading.function import read_function

Made = tuple[Trace, Mapping[str, Any]]


def tell_parting(draft: Draft, one: Made, two: Made, told: set[str]) -> None:
    """Says which test above the launchers sends two calls to different functions.

    Nothing is said unless the test comes out differently for the numbers of the two calls.
    """
    view, ground = draft.view, draft.ground
    ways = [way_of(view, ground, trace, launch["symbol"]) for trace, launch in (one, two)]
    shared = 0
    for (first, _a), (second, _b) in zip(*ways, strict=False):
        if first != second:
            break
        shared += 1
    if not 0 < shared < min(map(len, ways)):
        return
    function = view.owner[ways[0][shared - 1][0]]
    if function.span is None:
        return
    reading = read_function(function.text, function.span.start_line)
    for way, mine, other in ((ways[0], one, two), (ways[1], two, one)):
        identity, at = way[shared]
        following = view.owner[identity]
        if at is None or at.file != function.file:
            continue
        here, there = (
            within(view, ground, trace, identity, function) for trace, _launch in (mine, other)
        )
        for test in tests_of_call(ground, function, reading, following.name, at):
            truths = [inside.truth(test.condition, ground) for inside in (here, there)]
            if truths != [not test.negated, test.negated] or test.condition in told:
                continue
            told.add(test.condition)
            draft.say(
                f"The two calls part in {code(function.name)}, which calls {code(following.name)} only where {code(test.condition)} {'fails' if test.negated else 'holds'}.",
                test.span, at, draft.head(function), draft.head(following), "recompute",
            )  # fmt: skip
            return


def tell_turn(draft: Draft, made: Made, other: Trace, told: set[str]) -> bool:
    """Says which test on the way to a launch only one of two calls passes; whether there is one.

    Args:
        draft: The entry.
        made: The call with the launch, and the launch.
        other: The call that is without it.
        told: Tests that are told already; what is told here is added.
    """
    view, ground = draft.view, draft.ground
    trace, launch = made
    way = way_of(view, ground, trace, launch["symbol"])
    for (identity, _at), (below, at) in pairwise(way):
        function, following = view.owner[identity], view.owner[below]
        if function.span is None or at is None or at.file != function.file:
            continue
        reading = read_function(function.text, function.span.start_line)
        last = below == way[-1][0]
        sites = [
            site for site in view.launches
            if not site.dead and site.caller.id == function.id and site.callee.id == following.id
        ]  # fmt: skip
        tests = (
            shared_tests(ground, sites) if last
            else tests_of_call(ground, function, reading, following.name, at)
        )  # fmt: skip
        here, there = (within(view, ground, t, below, function) for t in (trace, other))
        for test in tests:
            truths = [inside.truth(test.condition, ground) for inside in (here, there)]
            if truths != [not test.negated, test.negated]:
                continue
            if test.condition in told:
                return True
            told.add(test.condition)
            verb = "launches" if last else "calls"
            draft.say(
                f"{code(function.name)} {verb} {code(following.name)} only where {code(test.condition)} {'fails' if test.negated else 'holds'}, as it does for the one call and not for the other.",
                test.span, at, draft.head(function), draft.head(following), "recompute",
            )  # fmt: skip
            return True
    return False
