"""Whether conditions exclude each other, where their numbers have to be weighed to see it.

Conditions are put to an SMT solver (z3). Whole numbers are mathematical integers within the limits
of their types, pointers are integers without limits; what is neither a sum, a division by a
constant, a choice, a minimum nor a conversion of these is a symbol of its own, the same one
wherever it is written the same. A verdict is given only where the solver finds one within a fixed
number of its steps, which is the same on every machine. As everywhere in facts, signed arithmetic
and that of 64 bits is taken not to overflow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction
from extractor.facts.host.expression import Expression

_STEPS = 2_000_000
"""Of the solver, by its own count (``rlimit``)."""
_LARGEST, _LONGEST = 24_000, 6_000
"""Nodes of a conjunction, and of one of its conditions, that are looked at."""
_WRAPPING = ("u8", "u16", "u32")


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
    import z3

    formulas = Formulas()
    made = [formulas.truth(condition) for condition in conditions]
    solver = z3.SolverFor("QF_UFLIA", ctx=formulas.context)
    solver.set("rlimit", _STEPS)
    solver.set("random_seed", 0)
    solver.add(*formulas.limits, *made)
    return bool(solver.check() == z3.unsat)


class Formulas:
    """Expressions as the solver takes them.

    Attributes:
        limits: What holds of every symbol made so far.
        context: The solver's, of its own for each conjunction, so that no verdict hangs on those
            before it.
    """

    def __init__(self) -> None:
        import z3

        self._z3: Any = z3
        self.context = z3.Context()
        self.limits: list[Any] = []
        self._truths: dict[int, Any] = {}
        self._numbers: dict[int, Any] = {}
        self._symbols: dict[tuple[str, Expression], Any] = {}

    def truth(self, x: Expression) -> Any:
        """A condition."""
        if id(x) not in self._truths:
            self._truths[id(x)] = (self._truth(x), x)
        return self._truths[id(x)][0]

    def number(self, x: Expression) -> Any:
        """A whole number or pointer."""
        if id(x) not in self._numbers:
            # The operand is kept as well, so that its identity is not given away.
            self._numbers[id(x)] = (self._number(x), x)
        return self._numbers[id(x)][0]

    def _truth(self, x: Expression) -> Any:
        z3, value = self._z3, ex.value_of(x)
        if value is not None:
            return z3.BoolVal(bool(value), self.context)
        tag = x[0]
        if tag == "b" and x[1] in ("&&", "||"):
            return (z3.And if x[1] == "&&" else z3.Or)(self.truth(x[3]), self.truth(x[4]))
        if tag == "u" and x[1] == "!":
            return z3.Not(self.truth(ex.boolean(x[3])))
        if tag == "?":
            return z3.If(self.truth(x[2]), self.truth(x[3]), self.truth(x[4]))
        if tag == "b" and x[1] in ex.COMPARISONS:
            return self._comparison(x[1], x[3], x[4])
        if ex.type_of(x).lstrip("&") != "b":
            made = ex.boolean(x)
            if made != x:
                return self.truth(made)
        return self._symbol("truth", x)

    def _comparison(self, op: str, left: Expression, right: Expression) -> Any:
        folded = ex.value_of(ex.binary(op, "b", left, right))
        if folded is not None:
            return self._z3.BoolVal(bool(folded), self.context)
        if _countable(left) and _countable(right):
            x, y = self.number(left), self.number(right)
            if op in ("==", "!="):
                return x == y if op == "==" else x != y
            return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op]
        for side, other in ((left, right), (right, left)):
            if side[0] == "?":
                ways = [(x, other) if side is left else (other, x) for x in side[3:5]]
                yes, no = (self._comparison(op, *way) for way in ways)
                return self._z3.If(self.truth(side[2]), yes, no)
        if op in ("==", "!="):
            pair = sorted((_one_spelling(left), _one_spelling(right)), key=repr)
            same = self._symbol("truth", ("b", "==", "b", *pair))
            return same if op == "==" else self._z3.Not(same)
        return self._symbol("truth", ("b", op, "b", left, right))

    def _number(self, x: Expression) -> Any:
        z3, value = self._z3, ex.value_of(x)
        if value is not None:
            return z3.IntVal(value, self.context)
        tag = x[0]
        if ex.type_of(x).lstrip("&") == "b":
            one, none = z3.IntVal(1, self.context), z3.IntVal(0, self.context)
            return z3.If(self.truth(x), one, none)
        if tag == "?" and _countable(x[3]) and _countable(x[4]):
            return z3.If(self.truth(x[2]), self.number(x[3]), self.number(x[4]))
        if tag == "fn" and x[1] in ("min", "max") and len(x[3]) == 2 and all(map(_whole, x[3])):
            one, other = map(self.number, x[3])
            return z3.If(one <= other if x[1] == "min" else one >= other, one, other)
        if tag == "c" and ex.limits(x[1]) and _whole(x[3]):
            return self._converted(x[1], x, self.number(x[3]))
        made = None
        if tag == "u" and x[1] in ("-", "~") and _whole(x[3]):
            made = -self.number(x[3]) - (x[1] == "~")
        elif tag == "b" and _whole(x[3]) and _whole(x[4]):
            made = self._arithmetic(x)
        if made is None:
            return self._symbol("number", x)
        return self._converted(x[2], x, made) if x[2] in _WRAPPING else made

    def _arithmetic(self, x: Expression) -> Any:
        """A sum, or a product or quotient with a constant; ``None`` for anything else."""
        _, op, _, left, right = x
        if op in ("+", "-"):
            one, other = self.number(left), self.number(right)
            return one + other if op == "+" else one - other
        first, second = ex.value_of(left), ex.value_of(right)
        if op == "*" and (first is not None or second is not None):
            return self.number(left) * self.number(right)
        if second is None:
            return None
        if op == "<<" and 0 <= second < 64:
            return self.number(left) * (1 << second)
        if op == ">>" and 0 <= second < 64:
            return self.number(left) / (1 << second)
        if op == "&" and second >= 0 and (second & (second + 1)) == 0:
            return self.number(left) % (second + 1)
        if op in ("/", "%") and second > 0:
            whole = self.number(left)
            # The solver rounds down, C++ towards zero.
            quotient = self._z3.If(whole >= 0, whole / second, -(-whole / second))
            return quotient if op == "/" else whole - quotient * second
        return None

    def _converted(self, kind: str, x: Expression, inner: Any) -> Any:
        """A number as a type holds it: itself within its limits, else any number within them."""
        low, high = ex.limits(kind) or (0, 0)
        within = self._z3.And(inner >= low, inner <= high)
        return self._z3.If(within, inner, self._symbol("number", x))

    def _symbol(self, what: str, x: Expression) -> Any:
        known = self._symbols.get((what, x))
        if known is None:
            name = f"{what}{len(self._symbols)}"
            make = self._z3.Bool if what == "truth" else self._z3.Int
            known = self._symbols[what, x] = make(name, self.context)
            bounds = _limits(x) if what == "number" else None
            if bounds is not None:
                self.limits += [known >= bounds[0], known <= bounds[1]]
        return known


def _one_spelling(x: Expression) -> Expression:
    """A number that something is compared with which is no integer: 0 and 0.0 are the same."""
    value = ex.value_of(x)
    return x if value is None or ex.type_of(x) == "p" else ("f", float(value))


def _whole(x: Expression) -> bool:
    """Whether an expression is an integer or a truth value."""
    return ex.limits(ex.type_of(x).lstrip("&")) is not None


def _countable(x: Expression) -> bool:
    return _whole(x) or ex.type_of(x).lstrip("&") == "p"


def _limits(symbol: Expression) -> tuple[int, int] | None:
    bounds = ex.limits(ex.type_of(symbol).lstrip("&"))
    if symbol[0] == "v" and isinstance(symbol[1], tuple) and symbol[1][0] == "at" and bounds:
        # A variable that only grows in a loop: never less than it was before.
        bounds = (max(bounds[0], *symbol[1][2:]), bounds[1]) if symbol[1][2:] else bounds
    array = symbol
    while array[0] == "i":
        array = array[2]
    if array is not symbol and array[0] == "g" and len(array) == 5:
        return int(array[3]), int(array[4])
    return bounds
