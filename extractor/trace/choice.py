"""Keeps those traces of an entry point that show something new."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.trace.records import Trace

Shape = tuple[str, ...]


def ways(trace: Trace) -> Shape:
    """Which kernels ran in which order: what tells two ways through the host side apart."""
    return (trace.status, *(launch.symbol for launch in trace.launches))


def shape(trace: Trace) -> Shape:
    """As ``ways``, and with each launch's block and use of dynamic LDS."""
    launches = (f"{x.symbol} {x.block} {x.shared_bytes > 0}" for x in trace.launches)
    return (trace.status, *launches)


def choose(groups: Iterable[list[Trace]], budget: int) -> list[Trace]:
    """The traces worth keeping, in the order in which they were made.

    First those that together launch every kernel, the one with the most new kernels first, then
    those whose sequence of kernels is new, then those with a new block, then those that differ by
    architecture, then the plainest.

    Args:
        groups: For each case its traces, one for each group of architectures.
        budget: Most cases.
    """
    found = list(groups)
    kept = _cover([{x.symbol for trace in traces for x in trace.launches} for traces in found])
    for measure in (ways, shape):
        known = {measure(trace) for number in kept for trace in found[number]}
        for number, traces in enumerate(found):
            shapes = {measure(trace) for trace in traces}
            if number not in kept and shapes - known:
                known |= shapes
                kept.append(number)
    kept += [n for n, traces in enumerate(found) if len(traces) > 1 and n not in kept]
    kept += [n for n in range(len(found)) if n not in kept]
    return [trace for number in sorted(kept[:budget]) for trace in found[number]]


def _cover(sets: list[set[str]]) -> list[int]:
    """Numbers of sets that together have everything: each time the one with most that is new."""
    left = [set(each) for each in sets]
    taken: list[int] = []
    while best := max(map(len, left), default=0):
        number = next(n for n, each in enumerate(left) if len(each) == best)
        new = left[number].copy()
        taken.append(number)
        left = [each - new for each in left]
    return taken
