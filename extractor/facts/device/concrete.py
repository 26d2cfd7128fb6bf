"""Expressions of a kernel with numbers in place of their atoms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import Symbols

Numbers = Mapping[str, int]

OPEN = frozenset({"loaded", "loop-carried", "result", "condition", "iteration"})
"""Kinds of atoms that no number can be given."""


class Unwritable(Exception):
    """An expression that numbers cannot be put into."""


class Negative(Exception):
    """An operand below zero: in an unsigned type of the machine it would be a large number."""


class Concrete:
    """Turns expressions into functions of the numbers of their leaves.

    Args:
        symbols: The atoms.
        constants: Values of the template's constants.
    """

    def __init__(self, symbols: Symbols, constants: Numbers) -> None:
        self._symbols, self._constants = symbols, constants
        self._made: dict[str, Callable[[Numbers], int]] = {}

    def leaves(self, values: Iterable[Polynomial]) -> set[str]:
        """Atoms that have to be given a number: all but constants and operations.

        Raises:
            Unwritable: One of them has none.
        """
        found: set[str] = set()
        stack = [name for value in values for name in value.atoms()]
        while stack:
            name = stack.pop()
            if name in found or self._constant(name) is not None:
                continue
            atom = self._symbols.atoms[name]
            if atom.kind in OPEN or atom.depends & {"lane"}:
                raise Unwritable(name)
            if atom.kind == "operation":
                stack += [inner for operand in atom.operands for inner in operand.atoms()]
                continue
            found.add(name)
        return found

    def function(self, value: Polynomial) -> Callable[[Numbers], int]:
        """The value as a function of its leaves' numbers.

        Raises:
            Unwritable: It has an operation that is not known here.
        """
        known = self._made.get(value.text)
        if known is None:
            scope: dict[str, Any] = {
                "divided": _divided, "positive": _positive, "min": min, "max": max, "abs": abs
            }  # fmt: skip
            source = f"lambda n: {self._source(value)}"
            known = self._made[value.text] = eval(source, {"__builtins__": {}, **scope})  # own text
        return known

    def _constant(self, name: str) -> int | None:
        known = self._constants.get(name)
        if known is None and self._symbols.atoms[name].kind == "template constant":
            known = self._symbols.atoms[name].info.get("value")
        return known

    def _source(self, value: Polynomial) -> str:
        terms = []
        for monomial, coefficient in value.terms.items():
            terms.append("*".join([str(coefficient), *map(self._leaf, monomial)]))
        return f"({' + '.join(terms) or '0'})"

    def _leaf(self, name: str) -> str:
        known = self._constant(name)
        if known is not None:
            return f"({known})"
        atom = self._symbols.atoms[name]
        if atom.kind != "operation":
            return f"n[{name!r}]"
        operands = [self._source(operand) for operand in atom.operands]
        operator = atom.operation
        if operator in ("<", "<=", "==", "!=", "&", "|", "^", "<<", ">>", "&&", "||"):
            written = {"&&": "and", "||": "or"}.get(operator, operator)
            if operator not in ("&&", "||"):
                operands = [f"positive({operand})" for operand in operands]
            return (
                f"(1 if {operands[0]} {written} {operands[1]} else 0)"
                if (operator in ("<", "<=", "==", "!=", "&&", "||"))
                else f"({operands[0]} {written} {operands[1]})"
            )
        if operator in ("/", "%"):
            sign = "//" if operator == "/" else "%"
            return f"divided({operands[0]}, {operands[1]}, {sign!r})"
        if operator == "!":
            return f"(0 if {operands[0]} else 1)"
        if operator in ("min", "max", "abs"):
            return f"{operator}({', '.join(f'positive({one})' for one in operands)})"
        if operator == "select":
            return f"({operands[1]} if {operands[0]} else {operands[2]})"
        raise Unwritable(operator)


def _positive(value: int) -> int:
    if value < 0:
        raise Negative
    return value


def _divided(a: int, b: int, operator: str) -> int:
    if a < 0 or b <= 0:
        raise Negative
    return a // b if operator == "//" else a % b
