"""Which launches of a library make a task's cases: few, quick, each unlike the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kernels.launches.capture import CapturedLaunch

_LEAST_CASES, _MOST_CASES = 8, 14
_THREADS = 1 << 16
_LARGEST = 1 << 20
_WAVEFRONT = 64


def choose_launches(captured: Sequence[CapturedLaunch]) -> list[CapturedLaunch]:
    """Launches that a CPU can run, each of which shows something that those before it do not.

    Small ones come first. What is looked at: whether each number is negative, zero, one, a
    multiple of a wavefront; which numbers are equal; the number of blocks along each axis; which
    pointers are null.

    Args:
        captured: Launches of one kernel.
    """
    different = {_key(one): one for one in reversed(captured)}
    ordered = sorted(different.values(), key=lambda one: (_cost(one), one.call))
    quick = [one for one in ordered if _cost(one) <= _THREADS and _reach(one) <= _LARGEST]
    left = quick or ordered[:1]
    seen: set[tuple[object, ...]] = set()
    chosen: list[CapturedLaunch] = []
    while left and len(chosen) < _MOST_CASES:
        best = max(left, key=lambda one: (len(_shows(one) - seen), -_cost(one)))
        new = _shows(best) - seen
        if not new and len(chosen) >= _LEAST_CASES:
            break
        seen |= new
        chosen.append(best)
        left.remove(best)
    return sorted(chosen, key=lambda one: (_cost(one), one.call))


def _key(one: CapturedLaunch) -> tuple[object, ...]:
    return (one.geometry, tuple(sorted(one.scalars.items())), one.absent)


def _cost(one: CapturedLaunch) -> int:
    x, y, z, a, b, c = one.geometry[:6]
    return x * y * z * a * b * c


def _reach(one: CapturedLaunch) -> int:
    return max((abs(int(v)) for v in one.scalars.values() if isinstance(v, int)), default=0)


def _shows(one: CapturedLaunch) -> set[tuple[object, ...]]:
    numbers = {name: value for name, value in one.scalars.items() if isinstance(value, int)}
    found: set[tuple[object, ...]] = {("null", name) for name in one.absent}
    found |= {("blocks", axis, min(count, 3)) for axis, count in enumerate(one.geometry[:3])}
    found |= {("value", name, kind) for name, v in one.scalars.items() for kind in _kinds(v)}
    found |= set(_relations(numbers.items()))
    return found


def _kinds(value: float) -> Iterator[str]:
    if value in (0, 1, -1):
        yield str(int(value))
    elif value < 0:
        yield "negative"
    elif isinstance(value, int):
        yield "whole wavefronts" if value % _WAVEFRONT == 0 else "remainder"
        yield "beyond a wavefront" if value > _WAVEFRONT else "within a wavefront"
    else:
        yield "other"


def _relations(numbers: Iterable[tuple[str, int]]) -> Iterator[tuple[object, ...]]:
    """Pairs of sizes, those that order them differently apart."""
    rows = [(name, value) for name, value in numbers if value > 1]
    for place, (one, a) in enumerate(rows):
        for other, b in rows[place + 1 :]:
            yield ("order", one, other, (a > b) - (a < b))
