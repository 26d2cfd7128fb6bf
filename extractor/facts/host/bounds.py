"""Whether conditions exclude each other, where their numbers have to be weighed to see it.

Comparisons of whole numbers become linear inequalities; what is not linear is a symbol of its
own, the same one wherever it is written the same. Choices, minima and ``||`` are looked at case by
case, and a case is out where its inequalities leave no numbers (Fourier and Motzkin). A verdict is
given only on what was looked at to the end: too many cases are no contradiction. As everywhere in
facts, signed arithmetic and that of 64 bits is taken not to overflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction
from extractor.facts.host.expression import Expression
from extractor.facts.host.inequalities import Linear, added, infeasible

_MOST_CASES = 160
_LARGEST, _LONGEST = 12_000, 3_000
"""Nodes of a conjunction, and of one of its conditions, that are looked at."""
_WRAPPING = ("u8", "u16", "u32")
Parts = frozenset[tuple[Expression, int]]


def contradictory(conditions: Conjunction) -> bool:
    """Whether no numbers can make all conditions hold.

    Example:
        >>> n = ("v", 0, "n", "i32")
        >>> four = ("b", ">", "b", n, ex.integer(4))
        >>> none = ("b", "==", "b", ("fn", "min", "i32", (n, ex.integer(9))), ex.integer(0))
        >>> contradictory((four, none))
        True
    """
    # Without a condition that is too long to look at, less is known, and what is told still holds.
    left, kept = _LARGEST, []
    for condition in reversed(conditions):
        size = ex.nodes(condition, min(left, _LONGEST))
        if size is not None:
            left -= size
            kept.append(condition)
    return bool(kept) and _decided(tuple(reversed(kept)))


@lru_cache(maxsize=20_000)
def _decided(conditions: Conjunction) -> bool:
    search = _Search()
    try:
        return not search.possible(_Case(), list(conditions))
    except _TooMany:
        return False


class _TooMany(Exception):
    """More cases than are looked at."""


@dataclass
class _Case:
    """What is supposed so far.

    Attributes:
        signs: Truth of conditions that are no inequalities.
        rows: Inequalities ``linear >= 0``.
        known: Symbols that were described.
        splits: Alternatives that were not looked at yet, the latest last.
        least: By the parts of a row, its smallest constant.
    """

    signs: dict[Expression, bool] = field(default_factory=dict)
    rows: list[Linear] = field(default_factory=list)
    known: set[Expression] = field(default_factory=set)
    splits: list[tuple[tuple[Expression, ...], ...]] = field(default_factory=list)

    least: dict[Parts, int] = field(default_factory=dict)

    def copy(self) -> _Case:
        """A case that goes its own way."""
        return _Case(
            dict(self.signs), list(self.rows), set(self.known), list(self.splits),
            dict(self.least),
        )  # fmt: skip

    def add(self, row: Linear) -> None:
        """Supposes that a row is at least zero."""
        self.rows.append(row)
        parts = frozenset(row.parts.items())
        self.least[parts] = min(row.constant, self.least.get(parts, row.constant))


class _Search:
    def __init__(self) -> None:
        self._cases = 0

    def possible(self, case: _Case, conditions: list[Expression]) -> bool:
        """Whether some case is left; ``case`` is used up."""
        self._cases += 1
        if self._cases > _MOST_CASES:
            raise _TooMany
        forced: list[Expression] | None = conditions
        while forced:
            if not all(self._suppose(case, condition) for condition in forced):
                return False
            forced = self._forced(case)
        if forced is None:
            return False
        rows = list(case.rows)
        for symbol in dict.fromkeys(name for row in case.rows for name in row.parts):
            rows += _limits(symbol)
        if infeasible(rows):
            return False
        if not case.splits:
            return True
        # Two ways before three, and of these what was said last: it is what a new condition adds.
        chosen = min(
            range(len(case.splits)), key=lambda number: (len(case.splits[number]), -number)
        )
        split = case.splits.pop(chosen)
        return any(self.possible(case.copy(), list(way)) for way in split)

    def _forced(self, case: _Case) -> list[Expression] | None:
        """What the only way left of a split asks for; ``None`` where no way is left."""
        forced: list[Expression] = []
        kept = []
        for split in case.splits:
            left = tuple(way for way in split if not self._refuted(case, way))
            if not left:
                return None
            if len(left) == 1:
                forced += left[0]
            elif not any(all(self._implied(case, c) for c in way) for way in left):
                kept.append(left)
        case.splits = kept
        return forced

    def _refuted(self, case: _Case, way: Iterable[Expression]) -> bool:
        """Whether one of several conditions is plainly against what is supposed."""
        return any(self._known(case, condition) is False for condition in way)

    def _implied(self, case: _Case, condition: Expression) -> bool:
        return self._known(case, condition) is True

    def _known(self, case: _Case, condition: Expression) -> bool | None:
        """Truth of a condition, where a look at what is supposed shows it."""
        value = ex.value_of(condition)
        if value is not None:
            return bool(value)
        if condition[0] == "b" and condition[1] in ("&&", "||"):
            sides = [self._known(case, side) for side in condition[3:5]]
            decides = condition[1] == "||"
            if decides in sides:
                return bool(decides)
            return None if None in sides else not decides
        if condition[0] == "u" and condition[1] == "!":
            inner = self._known(case, ex.boolean(condition[3]))
            return None if inner is None else not inner
        if condition[0] == "b" and condition[1] in ex.COMPARISONS:
            _, op, _, left, right = condition
            if not (_whole(left) and _whole(right)):
                if op not in ("==", "!="):
                    return case.signs.get(condition)
                same = case.signs.get(_equality(left, right))
                return same if same is None or op == "==" else not same
            difference = added(_plain(left), _plain(right), -1)
            return _compared(case, op, difference)
        return case.signs.get(condition)

    def _suppose(self, case: _Case, condition: Expression) -> bool:
        """Adds a condition; false where it cannot be."""
        value = ex.value_of(condition)
        if value is not None:
            return bool(value)
        tag = condition[0]
        if tag == "b" and condition[1] == "&&":
            return self._suppose(case, condition[3]) and self._suppose(case, condition[4])
        if tag == "b" and condition[1] == "||":
            case.splits.append(tuple((way,) for way in _ways(condition)))
            return True
        if tag == "?":
            test, yes, no = condition[2:5]
            case.splits.append(((test, yes), (ex.negated(test), no)))
            return True
        if tag == "u" and condition[1] == "!":
            return _sign(case, ex.boolean(condition[3]), False)
        if tag == "b" and condition[1] in ex.COMPARISONS:
            return self._compared(case, condition)
        return _sign(case, condition, True)

    def _compared(self, case: _Case, condition: Expression) -> bool:
        _, op, _, left, right = condition
        if not (_whole(left) and _whole(right)):
            for side, other, mirrored in ((left, right, False), (right, left, True)):
                if side[0] == "?":
                    test, yes, no = side[2:5]
                    ways = [
                        ex.binary(op, "b", other, x) if mirrored else ex.binary(op, "b", x, other)
                        for x in (yes, no)
                    ]
                    case.splits.append(((test, ways[0]), (ex.negated(test), ways[1])))
                    return True
            if op in ("!=", "=="):
                return _sign(case, _equality(left, right), op == "==")
            return _sign(case, condition, True)
        difference = added(self._linear(case, left), self._linear(case, right), -1)
        if op == "!=":
            if not difference.parts:
                return difference.constant != 0
            case.splits.append(
                (
                    (("b", "<", "b", left, right),),
                    (("b", ">", "b", left, right),),
                )
            )
            return True
        for row in _rows(op, difference):
            case.add(row)
        return True

    def _linear(self, case: _Case, x: Expression) -> Linear:
        result = _plain(x)
        for symbol in result.parts:
            if symbol not in case.known:
                case.known.add(symbol)
                self._described(case, symbol)
        return result

    def _described(self, case: _Case, x: Expression) -> None:
        """What is known of a symbol that stands for something not linear."""
        if x[0] == "?":
            test, yes, no = x[2:5]
            case.splits.append(
                ((test, ("b", "==", "b", x, yes)), (ex.negated(test), ("b", "==", "b", x, no)))
            )
        elif x[0] == "fn" and x[1] in ("min", "max") and len(x[3]) == 2:
            one, other = x[3]
            op, opposite = ("<=", ">") if x[1] == "min" else (">=", "<")
            case.splits.append(
                (
                    (("b", op, "b", one, other), ("b", "==", "b", x, one)),
                    (("b", opposite, "b", one, other), ("b", "==", "b", x, other)),
                )
            )
        elif x[0] == "b" and x[1] in "/%":
            self._divided(case, x)
        elif x[0] == "c" and ex.limits(x[1]) and _whole(x[3]):
            low, high = ex.limits(x[1]) or (0, 0)
            first, last = ex.integer(low, "i64"), ex.integer(high, "i64")
            inner = x[3]
            case.splits.append(
                (
                    (
                        ("b", ">=", "b", inner, first),
                        ("b", "<=", "b", inner, last),
                        ("b", "==", "b", x, inner),
                    ),
                    (("b", "<", "b", inner, first),),
                    (("b", ">", "b", inner, last),),
                )
            )

    def _divided(self, case: _Case, x: Expression) -> None:
        by = ex.value_of(x[4])
        if by is None or by <= 0 or not _whole(x[3]):
            return
        quotient = ("b", "/", *x[2:])
        rest = ("b", "%", *x[2:])
        case.known |= {quotient, rest}
        whole = self._linear(case, x[3])
        sum_ = Linear({quotient: by, rest: 1}, 0)
        difference = added(whole, sum_, -1)
        for row in (difference, difference.times(-1)):
            case.add(row)
        most = Linear({rest: -1}, by - 1)
        zero = ex.integer(0, "i64")
        if (ex.limits(ex.type_of(x[3])) or (-1, 0))[0] >= 0:
            case.add(most)
            case.add(Linear({rest: 1}, 0))
            return
        case.add(most)
        case.add(Linear({rest: 1}, by - 1))
        case.splits.append(
            (
                (("b", ">=", "b", x[3], zero), ("b", ">=", "b", rest, zero)),
                (("b", "<", "b", x[3], zero), ("b", "<=", "b", rest, zero)),
            )
        )


@lru_cache(maxsize=100_000)
def _plain(x: Expression) -> Linear:
    """An expression as a sum; what is not linear is a symbol."""
    value = ex.value_of(x)
    if value is not None:
        return Linear({}, value)
    if x[0] == "b" and x[1] in ("+", "-", "*", "<<") and x[2] not in _WRAPPING:
        left, right = _plain(x[3]), _plain(x[4])
        if x[1] in "+-":
            return added(left, right, 1 if x[1] == "+" else -1)
        if x[1] == "<<" and not right.parts and 0 <= right.constant < 64:
            return left.times(1 << right.constant)
        if x[1] == "*" and not right.parts:
            return left.times(right.constant)
        if x[1] == "*" and not left.parts:
            return right.times(left.constant)
    elif x[0] == "u" and x[1] == "-" and x[2] not in _WRAPPING:
        return _plain(x[3]).times(-1)
    return Linear({x: 1}, 0)


def _rows(op: str, difference: Linear) -> list[Linear]:
    """Rows that are at least zero where a difference compares so with zero."""
    if op == "==":
        return [difference, difference.times(-1)]
    if op in (">", ">="):
        return [difference.plus(-1 if op == ">" else 0)]
    return [difference.times(-1).plus(-1 if op == "<" else 0)]


def _compared(case: _Case, op: str, difference: Linear) -> bool | None:
    if op == "!=":
        same = _compared(case, "==", difference)
        return None if same is None else not same
    truths = [_positive(case, row) for row in _rows(op, difference)]
    if False in truths:
        return False
    return True if all(truths) else None


def _positive(case: _Case, row: Linear) -> bool | None:
    """Whether a row is at least zero, as far as single rows tell."""
    low, high = _extent(case, row), _extent(case, row.times(-1))
    if low is not None and low >= 0:
        return True
    return False if high is not None and high > 0 else None


def _extent(case: _Case, row: Linear) -> int | None:
    """What a row is at least."""
    if not row.parts:
        return row.constant
    found = []
    known = case.least.get(frozenset(row.parts.items()))
    if known is not None:
        found.append(row.constant - known)
    if len(row.parts) == 1:
        ((symbol, factor),) = row.parts.items()
        found += [
            row.constant - limit.constant * abs(factor)
            for limit in _limits(symbol)
            if (limit.parts[symbol] > 0) == (factor > 0)
        ]
    return max(found, default=None)


def _equality(left: Expression, right: Expression) -> Expression:
    pair = sorted((left, right), key=repr)
    return ("b", "==", "b", *pair)


def _ways(condition: Expression) -> Iterator[Expression]:
    if condition[0] == "b" and condition[1] == "||":
        yield from _ways(condition[3])
        yield from _ways(condition[4])
    else:
        yield condition


def _sign(case: _Case, condition: Expression, holds: bool) -> bool:
    value = ex.value_of(condition)
    if value is not None:
        return bool(value) == holds
    return case.signs.setdefault(condition, holds) == holds


def _whole(x: Expression) -> bool:
    kind = ex.type_of(x).lstrip("&")
    return kind != "b" and ex.limits(kind) is not None


@lru_cache(maxsize=50_000)
def _limits_of(symbol: Expression) -> tuple[int, int] | None:
    return ex.limits(ex.type_of(symbol).lstrip("&"))


def _limits(symbol: Expression) -> Iterable[Linear]:
    bounds = _limits_of(symbol)
    if symbol[0] == "v" and isinstance(symbol[1], tuple) and symbol[1][0] == "at" and bounds:
        # A variable that only grows in a loop: never less than it was before.
        bounds = (max(bounds[0], *symbol[1][2:]), bounds[1]) if symbol[1][2:] else bounds
    if bounds is None:
        return ()
    return (Linear({symbol: 1}, -bounds[0]), Linear({symbol: -1}, bounds[1]))
