"""Keeps those traces of an entry point that show something new."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.trace.records import Trace

Shape = tuple[str, ...]

_LONG = 64
"""Cases with more lines than this are kept only for kernels that no shorter one launches."""


def ways(trace: Trace) -> Shape:
    """Which kernels ran, by their first time: what tells two ways through the host side apart."""
    return (trace.status, *dict.fromkeys(launch.symbol for launch in trace.launches))


def shape(trace: Trace) -> Shape:
    """As ``ways``, and with each launch's block and use of dynamic LDS."""
    launches = (f"{x.symbol} {x.block} {x.shared_bytes > 0}" for x in trace.launches)
    return (trace.status, *dict.fromkeys(launches))


def choose(
    groups: Iterable[list[Trace]], budget: int, kept_always: Iterable[set[str]] = ()
) -> list[Trace]:
    """The traces worth keeping, in the order in which they were made.

    First those that together launch every kernel, the one with the most new kernels first, then
    those whose sequence of kernels is new, then those with a new block, then those that differ by
    architecture, then the plainest.

    Args:
        groups: For each case its traces, one for each group of architectures.
        budget: Most cases.
        kept_always: Sets of kernels; of each, a case that launches one of them is kept, be there
            room or not.
    """
    found = list(groups)
    kernels = [{x.symbol for trace in traces for x in trace.launches} for traces in found]
    long = [sum(len(trace.launches) for trace in traces) > _LONG for traces in found]
    kept = _cover([set() if long[n] else each for n, each in enumerate(kernels)])
    covered = {symbol for number in kept for symbol in kernels[number]}
    kept += _cover([each - covered for each in kernels])
    for measure in (ways, shape):
        known = {measure(trace) for number in kept for trace in found[number]}
        for number, traces in enumerate(found):
            if long[number]:
                continue
            shapes = {measure(trace) for trace in traces}
            if number not in kept and shapes - known:
                known |= shapes
                kept.append(number)
    kept += [n for n, t in enumerate(found) if len(t) > 1 and n not in kept and not long[n]]
    kept += [n for n in range(len(found)) if n not in kept and not long[n]]
    chosen = kept[:budget]
    for wanted in kept_always:
        if all(wanted.isdisjoint(kernels[number]) for number in chosen):
            having = [n for n, each in enumerate(kernels) if not wanted.isdisjoint(each)]
            chosen += sorted(having, key=lambda n: (long[n], len(found[n][0].launches)))[:1]
    return [trace for number in sorted(chosen) for trace in found[number]]


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
