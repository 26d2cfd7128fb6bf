"""Expressions of host code as nested tuples, folded by the rules of C++.

Forms, the type code last but for the operands:

==========================================  =====================================================
``("k", value, type, name)``                integer, truth value or null pointer; name as written
``("e", name, value)``                      enumerator
``("f", value)``                            floating constant
``("v", key, name, type)``                  parameter, loop variable or value that is not known
``("g", name, type)``                       variable with global storage; of an array of constants
                                            the smallest and the largest of them follow
``("m", name, type, base)``                 member
``("u", op, type, x)``                      ``- ~ ! * &``
``("b", op, type, x, y)``                   arithmetic, comparison, ``&& ||``
``("?", type, condition, x, y)``            conditional
``("c", to, from, x)``                      conversion that may change the value
``("call", name, type, arguments, base)``   call of a function that has no summary
``("fn", name, type, arguments)``           ``min``, ``max`` and the like
``("i", type, x, index)``                   element
``("x", text, type)``                       anything else, as written
``("dim", x, y, z)``                        a ``dim3``
``("list", x, ...)``                        an array of constants
==========================================  =====================================================

Type codes: ``b``, ``i8`` to ``i64``, ``u8`` to ``u64``, ``f16`` to ``f64``, ``p`` pointer; an ``e``
before an integer's code marks an enumeration.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

Expression = tuple[Any, ...]

TRUE: Expression = ("k", 1, "b", "")
FALSE: Expression = ("k", 0, "b", "")

COMPARISONS = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
"""Operator: its negation."""

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def integer(value: int, kind: str = "i32", name: str = "") -> Expression:
    """An integer constant."""
    return ("k", value, kind, name)


def truth(value: bool) -> Expression:
    """A truth value."""
    return TRUE if value else FALSE


def type_of(expression: Expression) -> str:
    """Type code of an expression; ``?`` where it is none of the codes."""
    tag = expression[0]
    if tag == "k":
        return str(expression[2])
    if tag == "e":
        return "ei32"
    if tag == "f":
        return "f64"
    if tag in ("v", "x"):
        return str(expression[3] if tag == "v" else expression[2])
    if tag in ("g", "m", "u", "b", "call", "fn"):
        return str(expression[2])
    if tag in ("?", "c", "i"):
        return str(expression[1])
    return "?"


def value_of(expression: Expression) -> int | None:
    """Value of an integer constant or enumerator, else ``None``."""
    if expression[0] == "k":
        return int(expression[1])
    if expression[0] == "e":
        return int(expression[2])
    return None


@cache
def limits(kind: str) -> tuple[int, int] | None:
    """Smallest and largest value of an integer type; ``None`` for others."""
    kind = kind.lstrip("&e")
    if kind == "b":
        return (0, 1)
    if kind[:1] in "iu" and kind[1:].isdigit():
        bits = int(kind[1:])
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    return None


def wrapped(value: int, kind: str) -> int:
    """A value as an integer type holds it."""
    bounds = limits(kind)
    if bounds is None:
        return value
    if kind.lstrip("&e") == "b":
        return int(value != 0)
    low, high = bounds
    return (value - low) % (high - low + 1) + low


def divided(x: int, y: int) -> int:
    """C++ division: towards zero."""
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def converted(to: str, source: str, x: Expression) -> Expression:
    """A conversion; nothing where every value stays what it is."""
    to, source = to.lstrip("&"), source.lstrip("&")
    value = value_of(x)
    if to == "b":
        return boolean(x)
    if value is not None and limits(to) is not None:
        if x[0] == "e" and wrapped(value, to) == value:
            return x
        kept = wrapped(value, to)
        return ("k", kept, to, x[3] if kept == value and x[0] == "k" else "")
    if x[0] == "f" and limits(to) is not None:
        return integer(int(x[1]), to)
    have, want = limits(source), limits(to)
    if have and want and want[0] <= have[0] and have[1] <= want[1]:
        return x
    if have and want and _spread(to) == _spread(source) and "e" in to + source:
        return x  # an enumeration and its integer
    if to == source or to == "?" or source == "?" or (to == "p" and source == "p"):
        return x
    if to[0] == "f" and source[0] == "f":
        return x
    if value == 0 and to == "p":
        return ("k", 0, "p", "nullptr")
    if x[0] == "?":
        return conditional(x[2], converted(to, source, x[3]), converted(to, source, x[4]), to)
    return ("c", to, source, x)


def _spread(kind: str) -> str:
    return kind.lstrip("e")[1:]


def boolean(x: Expression) -> Expression:
    """The condition that a value is not zero."""
    value = value_of(x)
    if value is not None:
        return truth(value != 0)
    if type_of(x).lstrip("&") == "b":
        return x
    if x[0] == "c" and limits(x[1]) and limits(x[2]) and not _narrows(x):
        return boolean(x[3])
    if x[0] == "?":
        return conditional(x[2], boolean(x[3]), boolean(x[4]), "b")
    zero = ("k", 0, "p", "nullptr") if type_of(x) == "p" else integer(0, type_of(x))
    return ("b", "!=", "b", x, zero)


def _narrows(x: Expression) -> bool:
    return int(x[1].lstrip("e")[1:] or 0) < int(x[2].lstrip("e")[1:] or 0)


def negated(x: Expression) -> Expression:
    """The condition that another does not hold."""
    if x[0] == "k":
        return truth(not x[1])
    if x[0] == "u" and x[1] == "!":
        return boolean(x[3])
    if x[0] == "b":
        op = x[1]
        if op in COMPARISONS and (op in ("==", "!=") or not _floating(x)):
            return ("b", COMPARISONS[op], "b", x[3], x[4])
        if op in ("&&", "||"):
            # Folded already, as the sides are.
            other = "||" if op == "&&" else "&&"
            return ("b", other, "b", negated(x[3]), negated(x[4]))
    if x[0] == "?":
        return conditional(x[2], negated(x[3]), negated(x[4]), "b")
    return ("u", "!", "b", x)


def _floating(x: Expression) -> bool:
    # A comparison with a NaN is false either way.
    kinds = (type_of(x[3]), type_of(x[4]))
    return any(limits(kind) is None and kind != "p" for kind in kinds)


def conditional(condition: Expression, x: Expression, y: Expression, kind: str) -> Expression:
    """``condition ? x : y``."""
    value = value_of(condition)
    if value is not None:
        return x if value else y
    if x == y:
        return x
    if kind.lstrip("&") == "b":
        a, b = value_of(x), value_of(y)
        if a is not None:
            return (
                binary("||", "b", condition, y) if a else binary("&&", "b", negated(condition), y)
            )
        if b is not None:
            return (
                binary("||", "b", negated(condition), x) if b else binary("&&", "b", condition, x)
            )
    if x[0] == "?" and x[2] == condition:
        x = x[3]
    if y[0] == "?" and y[2] == condition:
        y = y[4]
    if y[0] == "?" and y[3] == x:
        return conditional(binary("||", "b", condition, y[2]), x, y[4], kind)
    return ("?", kind, condition, x, y)


def unary(op: str, kind: str, x: Expression) -> Expression:
    """``op x``."""
    kind = kind.lstrip("&")
    if op == "!":
        return negated(boolean(x))
    value = value_of(x)
    if value is not None and op in "-~":
        return integer(wrapped(-value if op == "-" else ~value, kind), kind)
    if x[0] == "f" and op == "-":
        return ("f", -x[1])
    if op == "*" and x[0] == "?":
        return conditional(x[2], unary(op, kind, x[3]), unary(op, kind, x[4]), kind)
    if op == "*" and x[0] == "u" and x[1] == "&":
        return tuple(x[3])
    if op == "&" and x[0] == "u" and x[1] == "*":
        return tuple(x[3])
    result = ("u", op, kind, x)
    if op == "-" and kind[:1] == "u":
        return ("c", kind, "i64", ("u", op, "i64", x))
    return result


_ARITHMETIC = {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"}


def binary(op: str, kind: str, x: Expression, y: Expression) -> Expression:
    """``x op y``, folded."""
    kind = kind.lstrip("&")
    if op in ("&&", "||"):
        return _logical(op, boolean(x), boolean(y))
    a, b = value_of(x), value_of(y)
    if op in COMPARISONS:
        return _comparison(op, x, y, a, b)
    if op in _ARITHMETIC and a is not None and b is not None and limits(kind):
        folded = arithmetic(op, a, b)
        if folded is not None:
            return integer(wrapped(folded, kind), kind)
    if limits(kind):
        if (b == 0 and op in ("+", "-", "<<", ">>", "|", "^")) or (b == 1 and op in ("*", "/")):
            return x
        if (a == 0 and op in ("+", "|", "^")) or (a == 1 and op == "*"):
            return y
        if (a == 0 and op in ("*", "/", "%", "&")) or (b == 0 and op in ("*", "&")):
            return integer(0, kind)
    if op == ",":
        return y
    for side, other in ((x, y), (y, x)):
        # A choice between constants is folded on both sides.
        if side[0] == "?" and value_of(other) is not None and _constant_leaf(side):
            return conditional(
                side[2],
                binary(op, kind, *((side[3], other) if side is x else (other, side[3]))),
                binary(op, kind, *((side[4], other) if side is x else (other, side[4]))),
                kind,
            )
    return ("b", op, kind, x, y)


def _constant_leaf(x: Expression) -> bool:
    if x[0] == "?":
        return _constant_leaf(x[3]) or _constant_leaf(x[4])
    return value_of(x) is not None


def arithmetic(op: str, a: int, b: int) -> int | None:
    """Integers by the rules of C++, without overflow; ``None`` where the result is not defined."""
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op in "/%":
        if b == 0:
            return None
        return divided(a, b) if op == "/" else a - divided(a, b) * b
    if op in ("<<", ">>"):
        if not 0 <= b < 64:
            return None
        return a << b if op == "<<" else a >> b
    return {"&": a & b, "|": a | b, "^": a ^ b}.get(op)


def _logical(op: str, x: Expression, y: Expression) -> Expression:
    for one, other in ((x, y), (y, x)):
        value = value_of(one)
        if value is not None:
            return other if bool(value) == (op == "&&") else truth(op == "||")
    if x == y:
        return x
    if x == negated(y):
        return truth(op == "||")
    return ("b", op, "b", x, y)


_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


def _number(x: Expression) -> float | None:
    return x[1] if x[0] == "f" else value_of(x)


def _comparison(op: str, x: Expression, y: Expression, a: int | None, b: int | None) -> Expression:
    left, right = _number(x), _number(y)
    if left is not None and right is not None:
        return truth(_COMPARED[op](left, right))
    if a is not None:
        x, y, a, b, op = y, x, b, a, _MIRRORED[op]
    if b is not None:
        if x[0] == "?" and _constant_leaf(x):
            return conditional(x[2], binary(op, "b", x[3], y), binary(op, "b", x[4], y), "b")
        if type_of(x) == "b" and op in ("==", "!=") and b in (0, 1):
            return boolean(x) if (b == 1) == (op == "==") else negated(boolean(x))
        if x[0] == "c" and limits(x[1]) and limits(x[2]):
            # The comparison with a constant that both types hold needs no widening.
            have, want = limits(x[2]), limits(x[1])
            assert have is not None
            assert want is not None
            if have[0] <= b <= have[1] and want[0] <= have[0] and have[1] <= want[1]:
                return binary(op, "b", x[3], integer(b, x[2]))
        bounds = limits(type_of(x))
        if bounds and type_of(x)[0] not in "e":
            low, high = bounds
            always = {"<": b > high, "<=": b >= high, ">": b < low, ">=": b <= low}.get(op)
            never = {"<": b <= low, "<=": b < low, ">": b >= high, ">=": b > high}.get(op)
            if always:
                return TRUE
            if never:
                return FALSE
    if x == y and not _floating(("b", op, "b", x, y)) and pure(x):
        return truth(op in ("==", "<=", ">="))
    return ("b", op, "b", x, y)


def pure(x: Expression) -> bool:
    """Whether a second look at the expression gives the same value."""
    return x[0] not in ("x", "call") and all(
        pure(part) for part in x if isinstance(part, tuple) and part and isinstance(part[0], str)
    )


@lru_cache(maxsize=100_000)
def size(x: Any) -> int:
    """Number of nodes."""
    if not isinstance(x, tuple):
        return 0
    return 1 + sum(size(part) for part in x)


def nodes(x: Any, most: int) -> int | None:
    """Number of nodes, which takes no longer than there are; ``None`` where more than ``most``."""
    stack = [x]
    for count in range(most):
        if not stack:
            return count
        stack.extend(inner for inner in stack.pop() if isinstance(inner, tuple))
    return None


def symbols(x: Any) -> set[Expression]:
    """Every ``v`` in an expression."""
    found: set[Expression] = set()
    stack = [x]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            if part and part[0] == "v":
                found.add(part)
            else:
                stack.extend(part)
    return found


@lru_cache(maxsize=100_000)
def holds_call(x: Any) -> bool:
    """Whether the value of some call or of unresolved text is part of an expression."""
    if not isinstance(x, tuple):
        return False
    if x and x[0] in ("call", "x"):
        return True
    return any(holds_call(part) for part in x)
