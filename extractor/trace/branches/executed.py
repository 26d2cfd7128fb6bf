"""What one call executed: how often each part of the host code ran, and how its tests came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Place = tuple[int, int, int, int]
"""First line and column, last line and the column behind it, counted from 1."""


@dataclass(frozen=True)
class Region:
    """A part of a function and how often it ran; parts within it may have run less often."""

    file: str
    place: Place
    count: int


@dataclass(frozen=True)
class Test:
    """An operand of a test, how often it held and how often it failed.

    One that the compiler decides has neither.
    """

    file: str
    place: Place
    held: int
    failed: int


@dataclass(frozen=True)
class Function:
    """An instantiation that ran.

    Attributes:
        symbol: Its mangled name.
        regions: Parts of it, those around others first.
        tests: Operands of its tests, in the order of the source.
    """

    symbol: str
    regions: tuple[Region, ...]
    tests: tuple[Test, ...]

    @property
    def count(self) -> int:
        """How often it was called."""
        return self.regions[0].count if self.regions else 0

    def runs(self, file: str, line: int, column: int) -> int | None:
        """How often the code at a place ran; ``None`` where the function has none there.

        Args:
            file: Path below the library's root.
            line: Counted from 1.
            column: Counted from 1.
        """
        around = [r for r in self.regions if r.file == file and _holds(r.place, (line, column))]
        return min(around, key=_size).count if around else None


@dataclass(frozen=True)
class Executed:
    """What one call executed.

    Attributes:
        functions: Instantiations that ran, by symbol.
    """

    functions: tuple[Function, ...]

    def data(self) -> list[Any]:
        """As JSON has it."""
        return [
            [
                one.symbol,
                [[r.file, *r.place, r.count] for r in one.regions],
                [[t.file, *t.place, t.held, t.failed] for t in one.tests],
            ]
            for one in self.functions
        ]

    @classmethod
    def read(cls, data: Iterable[Sequence[Any]]) -> Executed:
        """From what ``data`` gave."""
        return cls(
            tuple(
                Function(
                    symbol,
                    tuple(Region(file, (a, b, c, d), n) for file, a, b, c, d, n in regions),
                    tuple(Test(file, (a, b, c, d), n, m) for file, a, b, c, d, n, m in tests),
                )
                for symbol, regions, tests in data
            )
        )


def joined(rows: Iterable[Function]) -> tuple[Function, ...]:
    """Functions by symbol, copies of one added up; a macro's parts are added up as well."""
    grouped: dict[str, list[Function]] = {}
    for row in rows:
        grouped.setdefault(row.symbol, []).append(row)
    found = []
    for symbol, group in sorted(grouped.items()):
        runs: Counter[tuple[str, Place]] = Counter()
        held: Counter[tuple[str, Place]] = Counter()
        failed: Counter[tuple[str, Place]] = Counter()
        for function in group:
            for region in function.regions:
                runs[region.file, region.place] += region.count
            for test in function.tests:
                held[test.file, test.place] += test.held
                failed[test.file, test.place] += test.failed
        regions = [Region(file, place, count) for (file, place), count in runs.items()]
        tests = [Test(file, place, held[file, place], failed[file, place]) for file, place in held]
        found.append(
            Function(symbol, tuple(regions), tuple(sorted(tests, key=lambda t: (t.file, t.place))))
        )
    return tuple(found)


def _holds(place: Place, at: tuple[int, int]) -> bool:
    return place[:2] <= at < place[2:]


def _size(region: Region) -> tuple[int, int]:
    first, column, last, end = region.place
    return last - first, end - column
