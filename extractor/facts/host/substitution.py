"""An expression with other expressions in the place of its symbols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from extractor.facts.host import expression as ex
from extractor.facts.host.expression import Expression

_LARGEST_CHOICE = 60
"""Nodes of a choice among a table's elements beyond which nobody reads it."""


def substitute(x: Expression, values: Mapping[Any, Expression]) -> Expression:
    """Replaces each ``v`` whose key is among ``values``, and folds what becomes constant."""
    return Substitution(values).of(x)


class Substitution:
    """Replaces symbols; shared parts of expressions are looked at once.

    Args:
        values: By key of a symbol, what takes its place.
    """

    def __init__(self, values: Mapping[Any, Expression]) -> None:
        self._values = values
        self._known: dict[int, tuple[Expression, Expression]] = {}

    def of(self, x: Expression) -> Expression:
        """An expression with its symbols replaced."""
        known = self._known.get(id(x))
        if known is not None:
            return known[1]
        result = self._made(x)
        # The operand is kept as well, so that its identity is not given away.
        self._known[id(x)] = (x, result)
        return result

    def _made(self, x: Expression) -> Expression:
        tag = x[0]
        if tag == "v":
            return self._values.get(x[1], x)
        if tag == "b":
            return ex.binary(x[1], x[2], self.of(x[3]), self.of(x[4]))
        if tag == "u":
            return ex.unary(x[1], x[2], self.of(x[3]))
        if tag == "?":
            return ex.conditional(self.of(x[2]), self.of(x[3]), self.of(x[4]), x[1])
        if tag == "c":
            return ex.converted(x[1], x[2], self.of(x[3]))
        if tag == "m":
            base = self.of(x[3]) if x[3] is not None else None
            return member(x[1], x[2], base)
        if tag == "i":
            return element(x[1], self.of(x[2]), self.of(x[3]))
        if tag == "call":
            base = self.of(x[4]) if x[4] is not None else None
            arguments = tuple(self.of(a) for a in x[3])
            return (*x[:3], arguments, base, *x[5:])
        if tag == "fn":
            arguments = tuple(self.of(a) for a in x[3])
            return standard(x[1], x[2], arguments) or ("fn", x[1], x[2], arguments)
        if tag == "g" and x[1] == "this":
            return self._values.get("this", x)
        if tag == "dim":
            return ("dim", *(self.of(part) for part in x[1:]))
        return x


def member(name: str, kind: str, base: Expression | None) -> Expression:
    """``base.name``; a part of a ``dim3`` is known."""
    if base is not None and base[0] == "dim" and name in "xyz":
        return tuple(base[1 + "xyz".index(name)])
    return ("m", name, kind, base)


def element(kind: str, base: Expression, index: Expression) -> Expression:
    """``base[index]``; of an array of constants it is one of them, or a choice of them."""
    at = ex.value_of(index)
    if not _row(base):
        return ("i", kind, base, index)
    if base[0] == "?":
        yes, no = (element(kind, side, index) for side in base[3:5])
        return _chosen(base[2], yes, no, kind, base, index)
    if base[0] == "k" and at == 0:
        return base  # the initialiser of a row of one element
    if base[0] == "list" and at is not None and 0 <= at < len(base) - 1:
        return tuple(base[1 + at])
    if index[0] == "?":
        yes, no = (element(kind, base, side) for side in index[3:5])
        return _chosen(index[2], yes, no, kind, base, index)
    if index[0] == "c":
        inner = element(kind, base, index[3])
        return inner if inner[0] != "i" else ("i", kind, base, index)
    return ("i", kind, base, index)


def _chosen(
    condition: Expression,
    yes: Expression,
    no: Expression,
    kind: str,
    base: Expression,
    index: Expression,
) -> Expression:
    if "x" in (yes[0], no[0]) or ex.size(yes) + ex.size(no) > _LARGEST_CHOICE:
        # Its identity goes with it: it equals itself and no other.
        return ("x", "an element of a large table", kind, crc32(repr((base, index)).encode()))
    return ex.conditional(condition, yes, no, kind)


def _row(x: Expression) -> bool:
    """Whether an expression is an array of constants, or a choice of such."""
    if x[0] == "?":
        return _row(x[3]) and _row(x[4])
    return bool(x[0] == "list" or (x[0] == "k" and x[2] != "p"))


def standard(name: str, kind: str, arguments: tuple[Expression, ...]) -> Expression | None:
    """Functions of the standard library whose values are folded; ``None`` for others."""
    kind = kind.lstrip("&")
    values = [ex.value_of(a) for a in arguments]
    if name in ("min", "max") and len(arguments) == 2:
        a, b = values
        if a is not None and b is not None:
            return ex.integer(min(a, b) if name == "min" else max(a, b), kind)
        if arguments[0] == arguments[1]:
            return arguments[0]
    if name == "abs" and len(arguments) == 1 and values[0] is not None:
        return ex.integer(abs(values[0]), kind)
    return None
