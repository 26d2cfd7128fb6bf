"""Arrays in LDS whose index passes them, shown by threads that do it.

Nothing is said where anything that decides is open: a parameter in the index or beside a thread's
number in a condition (the host side may keep it small), a condition that is not resolved, memory
that is read, a loop that can be left early. What is said is found by trying threads one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.concrete import Concrete, Negative, Unwritable
from extractor.facts.device.kernel import KernelReader
from extractor.facts.device.loop_shape import leaves_early
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Access, Loop
from extractor.facts.device.values import Memory

MOST_THREADS = 1024
"""Threads of the largest block there is."""

_MOST_TRIED = 1_500
"""Threads and turns of loops that are tried for one access."""

MOST_IN_ALL = 10_000
"""The same for all accesses of a kernel: behind that many nothing more is looked for."""

_AXES = ("threadIdx.x", "threadIdx.y", "threadIdx.z")
_COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "!=": lambda a, b: a != b,
}


def passing(reader: KernelReader, access: Access) -> dict[str, Any] | None:
    """How an access to LDS passes its array.

    Returns:
        ``bytes`` of the array, ``reaches`` (end of the first access beyond it, in bytes) and
        ``threads``: the smallest ``[x, y, z]`` that do it, none of them below another one on all
        axes, so that a block does it where it holds one of them. ``None`` where none was found.
    """
    place = access.place
    if not isinstance(place, Memory) or access.after_loop_return:
        return None
    array = reader.record.arrays.get(place.pointer.buffer.declaration)
    if array is None:
        return None
    size = reader.types[array[0][n.TYPE]].size
    unit = place.pointer.size
    width = reader.types[access.type].size if access.type >= 0 and not place.member else unit
    if size <= 0 or unit <= 0 or width <= 0:
        return None
    if reader.tried > MOST_IN_ALL:
        return None
    try:
        search = _Search(reader, access, place.pointer.offset)
    except Unwritable:
        return None
    found = search.found(size, unit, width)
    reader.tried += search.tried
    return found


class _Search:
    """Tries threads of a block and turns of the loops around an access."""

    def __init__(self, reader: KernelReader, access: Access, index: Polynomial) -> None:
        self._concrete = Concrete(reader.symbols, reader.record.constants)
        self._loops = {loop.symbol: loop for loop in access.loops}
        self.tried, self._width = 0, MOST_THREADS
        conditions = []
        for condition in access.path:
            if condition.value is None:
                raise Unwritable(condition.text)
            conditions += parts(reader, condition.value)
        leaves = self._concrete.leaves([index])
        chosen, deciding = self._decided(leaves, conditions)
        self._counters = self._ordered(chosen - set(_AXES))
        self._axes = [axis for axis in _AXES if axis in chosen]
        self._index = self._concrete.function(index)
        self._conditions = [self._concrete.function(one) for one in deciding]

    def _decided(
        self, leaves: set[str], conditions: list[Polynomial]
    ) -> tuple[set[str], list[Polynomial]]:
        """What has to be tried, and the conditions that say something of it.

        A condition on something else, such as an argument alone, is taken to hold in some call;
        where it can be tried, it is.
        """
        chosen: set[str] = set()
        self._close(leaves, chosen)
        deciding: list[Polynomial] = []
        left = [(condition, self._concrete.leaves([condition])) for condition in conditions]
        count = -1
        while count != len(left):
            count = len(left)
            for condition, own in list(left):
                grown = set(chosen)
                try:
                    self._close(own, grown)
                except Unwritable:
                    if own & chosen:
                        raise
                    continue
                left.remove((condition, own))
                deciding.append(condition)
                chosen |= grown
        return chosen, deciding

    def _close(self, leaves: set[str], chosen: set[str]) -> None:
        for name in leaves - chosen:
            if name in _AXES:
                chosen.add(name)
                continue
            loop = self._loops.get(name)
            if loop is None or not _counts(loop):
                raise Unwritable(name)
            chosen.add(name)
            of = _parts_of(loop)
            self._close(self._concrete.leaves(of) - {name}, chosen)

    def _ordered(self, names: set[str]) -> list[tuple[Loop, Any, Any, Any]]:
        """The loops tried, outermost first, with functions for start, limit and step."""
        found = []
        for symbol, loop in self._loops.items():
            if symbol in names:
                start, limit, step = map(self._concrete.function, _parts_of(loop))
                found.append((loop, start, limit, step))
        return found

    def found(self, size: int, unit: int, width: int) -> dict[str, Any] | None:
        """The smallest threads whose access ends behind the array, or begins before it."""
        corners: list[tuple[int, int, int]] = []
        reaches = 0
        for thread in self._threads():
            self.tried += 1
            for index in self._indices(dict(zip(_AXES, thread, strict=True))):
                if index < 0 or index * unit + width > size:
                    reaches = reaches or index * unit + width
                    corners.append(thread)
                    self._width = thread[0]  # what is behind it on all axes says no more
                    break
            if self.tried > _MOST_TRIED:
                # Those found are there; smaller ones of other axes may be missing.
                break
        if not corners:
            return None
        return {"bytes": size, "reaches": reaches, "threads": [list(one) for one in corners]}

    def _threads(self) -> Iterator[tuple[int, int, int]]:
        counts = [MOST_THREADS if axis in self._axes else 1 for axis in _AXES]
        for z in range(min(counts[2], 64)):
            for y in range(counts[1]):
                for x in range(counts[0]):
                    if x >= self._width or (x + 1) * (y + 1) * (z + 1) > MOST_THREADS:
                        break
                    yield x, y, z

    def _indices(self, numbers: dict[str, int], depth: int = 0) -> Iterator[int]:
        self.tried += 1
        if depth == len(self._counters):
            try:
                if all(holds(numbers) for holds in self._conditions):
                    yield self._index(numbers)
            except Negative:
                pass
            return
        loop, start, limit, step = self._counters[depth]
        try:
            at, by = start(numbers), step(numbers)
            if by == 0:
                return
            while self.tried <= _MOST_TRIED:
                inner = {**numbers, loop.symbol: at}
                if not _COMPARE[loop.compare](at, limit(inner)):
                    return
                yield from self._indices(inner, depth + 1)
                at += by
        except Negative:
            return


def parts(reader: KernelReader, condition: Polynomial) -> list[Polynomial]:
    """What has to hold for a conjunction to hold."""
    atom = reader.symbols.atoms[condition.single] if condition.single else None
    if atom is None or atom.operation != "&&":
        return [condition]
    return [part for operand in atom.operands for part in parts(reader, operand)]


def _parts_of(loop: Loop) -> tuple[Polynomial, Polynomial, Polynomial]:
    """Start, limit and step of a loop that counts."""
    assert loop.start is not None
    assert loop.limit is not None
    assert loop.step is not None
    return loop.start, loop.limit, loop.step


def _counts(loop: Loop) -> bool:
    return (
        loop.node[n.KIND] != n.DO
        and not leaves_early(loop.node)
        and loop.compare in _COMPARE
        and None not in (loop.start, loop.limit, loop.step)
    )
