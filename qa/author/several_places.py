"""A launch that a call made at several places of one function: how often at each, and under what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from extractor.records import Span
from qa.author.came_by import launch_at, passed_tests
from qa.author.draft import Draft, code, listed
from qa.author.outline import loop_heads
from qa.author.ways import Asked
from qa.executed import Run
from qa.reading.function import read_function
from qa.scope_view import Site

_MOST_PLACES, _MOST_TESTS = 4, 3
_LONGEST, _LONGEST_HEAD = 100, 110
_TIMES = {1: "once", 2: "twice"}


def tell_places(
    draft: Draft, runs: Mapping[str, Run], sites: Sequence[Site], known: Collection[Asked]
) -> bool:
    """Says at which places of a function a call made a launch, each with how often and by what.

    Args:
        draft: The entry.
        runs: The call as it ran, by architecture.
        sites: Where it made the launch, all in one function.
        known: Tests that are told already.

    Returns:
        Whether it could be told of every place.
    """
    function, kernel = sites[0].caller, sites[0].callee
    if function.span is None or not 1 < len(sites) <= _MOST_PLACES:
        return False
    reading = read_function(function.text, function.span.start_line)
    heads = loop_heads(function, reading)
    told: list[str] = []
    spans: list[Span] = []
    counts: list[int] = []
    rows = []
    for site in sites:
        place = launch_at(site)
        if place is None:
            return False
        tests = passed_tests(draft.view, draft.ground, runs, function, place, ())
        rows.append((site, place, [t for t in tests if (t.condition, t.negated) not in known]))
    shared = set.intersection(*({(t.condition, t.negated) for t in row} for *_rest, row in rows))
    for site, place, row in rows:
        made = {run.count(function, site.at.start_line, kernel.name) or 0 for run in runs.values()}
        own = [t for t in row if (t.condition, t.negated) not in shared]
        head = heads.get(place.loops[-1], "") if place.loops else ""
        if (
            len(made) != 1
            or len(own) > _MOST_TESTS
            or any(len(t.condition) > _LONGEST for t in own)
            or len(head) > _LONGEST_HEAD
            or (place.loops and not head)
        ):
            return False
        count = made.pop()
        counts.append(count)
        parts = [f"in the rounds of {code(head)}"] if head else []
        parts += [
            f"where {code(t.condition)} {'fails' if t.negated else 'holds'}" for t in own
        ]  # fmt: skip
        told.append(f"{_TIMES.get(count, f'{count} times')} {listed(parts)}".strip())
        spans += [site.at, *[t.span for t in own], *[draft.lines(function, n) for n in place.loops]]
    how = "; ".join(told) if len(set(told)) > 1 else f"{told[0]} at each"
    draft.say(
        f"This call makes the launch of {code(kernel.name)} at {len(sites)} places of {code(function.name)}: {how}.",
        *spans, draft.head(function), draft.head(kernel), "trace",
    )  # fmt: skip
    for number in {len(sites), *(n for n in counts if n not in _TIMES)}:
        draft.claim("number", str(number), number, "recompute")
    return True
