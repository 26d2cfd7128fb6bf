"""Linear inequalities over whole numbers, and whether they leave any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from extractor.facts.host.expression import Expression

_MOST_ROWS = 240
_MOST_SYMBOLS = 40
_Key = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Linear:
    """A sum of symbols with factors, and a constant.

    Attributes:
        parts: Factor by symbol.
        constant: Added to them.
    """

    parts: dict[Expression, int]
    constant: int

    def times(self, factor: int) -> Linear:
        """Each part multiplied."""
        if not factor:
            return Linear({}, 0)
        return Linear({s: c * factor for s, c in self.parts.items()}, self.constant * factor)

    def plus(self, number: int) -> Linear:
        """A number added."""
        return Linear(self.parts, self.constant + number)


def added(x: Linear, y: Linear, factor: int) -> Linear:
    """``x + factor * y``."""
    parts = dict(x.parts)
    for symbol, count in y.parts.items():
        together = parts.get(symbol, 0) + factor * count
        if together:
            parts[symbol] = together
        else:
            parts.pop(symbol, None)
    return Linear(parts, x.constant + factor * y.constant)


def infeasible(rows: Sequence[Linear]) -> bool:
    """Whether no whole numbers make every row at least zero.

    Symbols are removed one after the other, each time by adding rows in which it has opposite
    signs; a row without symbols that is negative shows that there are none. Where that takes too
    many rows, nothing is said.

    Example:
        >>> n = ("v", 0, "n", "i32")
        >>> infeasible([Linear({n: 2}, -3), Linear({n: -2}, 3)])  # 2n = 3
        True
    """
    numbers: dict[Expression, int] = {}
    table: dict[_Key, int] = {}
    for row in rows:
        parts = {numbers.setdefault(s, len(numbers)): c for s, c in row.parts.items()}
        if not _put(table, parts, row.constant):
            return True
    if len(numbers) > _MOST_SYMBOLS:
        return False
    left = set(range(len(numbers)))
    while left:
        counts = {symbol: [0, 0] for symbol in left}
        largest = dict.fromkeys(left, 1)
        for key in table:
            for symbol, factor in key:
                counts[symbol][factor > 0] += 1
                largest[symbol] = max(largest[symbol], abs(factor))
        # Where all its factors are one, no whole number is lost with a symbol.
        symbol = min(
            left,
            key=lambda s: (largest[s], counts[s][0] * counts[s][1] - sum(counts[s]), s),
        )
        left.discard(symbol)
        above: list[tuple[_Key, int, int]] = []
        below: list[tuple[_Key, int, int]] = []
        rest: dict[_Key, int] = {}
        for key, constant in table.items():
            factor = dict(key).get(symbol, 0)
            if factor:
                (above if factor > 0 else below).append((key, constant, factor))
            else:
                rest[key] = constant
        if len(rest) + len(above) * len(below) > _MOST_ROWS:
            return False
        table = rest
        for one, low, a in above:
            for other, high, b in below:
                parts = {s: -b * c for s, c in one}
                for s, c in other:
                    parts[s] = parts.get(s, 0) + a * c
                if not _put(table, parts, -b * low + a * high):
                    return True
    return False


def _put(table: dict[_Key, int], parts: dict[int, int], constant: int) -> bool:
    """Adds a row, in its smallest whole numbers; false where it can never be."""
    kept = {symbol: factor for symbol, factor in parts.items() if factor}
    if not kept:
        return constant >= 0
    common = math.gcd(*kept.values())
    key = tuple(sorted((symbol, factor // common) for symbol, factor in kept.items()))
    bound = constant // common
    table[key] = min(bound, table.get(key, bound))
    return True
