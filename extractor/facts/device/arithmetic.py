"""Operators on integers and addresses, and the choice between two values."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.node import Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.reading import FLOAT, ZERO, Reading
from extractor.facts.device.record import Lanes
from extractor.facts.device.symbols import THREAD, Atom
from extractor.facts.device.values import (
    UNSET,
    Buffer,
    Memory,
    Nowhere,
    Pointer,
    Unknown,
    Value,
    Variable,
)


class Arithmetic(Reading):
    """Operators and choices."""

    def negated(self, value: Polynomial) -> Polynomial:
        """The opposite of a condition."""
        if value.constant is not None:
            return Polynomial.number(int(value.constant == 0))
        name = value.single
        if name is not None:
            atom = self.symbols.atoms[name]
            if atom.operation == "!":
                return atom.operands[0]
            if atom.operation in _OPPOSITE:
                operator, swap = _OPPOSITE[atom.operation]
                operands = atom.operands[::-1] if swap else atom.operands
                return self.symbols.operation(operator, *operands)
        return self.symbols.operation("!", value)

    def combine(self, operator: str, left: Value, right: Value, node: Node) -> Value:
        """The value of a binary operator."""
        if isinstance(left, Pointer) or isinstance(right, Pointer):
            return self._address(operator, left, right)
        kind = self.type_of(node)
        if not (isinstance(left, Polynomial) and isinstance(right, Polynomial)):
            for side in (left, right):
                if isinstance(side, Unknown) and side.reason != FLOAT:
                    return self.unresolved(side.reason, left, right)
            return self.unresolved(FLOAT, left, right)
        if kind is not None and not kind.integer and not (left.constant is not None):
            return self.unresolved(FLOAT, left, right)
        self.observe(operator, left, right, node)
        result = self.integer(operator, left, right)
        if operator == "*" and kind is not None and kind.size == _NARROW:
            self.products[node[n.FILE], node[n.BEGIN], node[n.END]] = result
        return result

    def observe(self, operator: str, left: Polynomial, right: Polynomial, node: Node) -> None:
        """Records where a thread's number is split by a number of lanes."""
        count = right.constant
        width = None if count is None else _LANES.get((operator, count))
        if width is None or self.rehearsal or not self.symbols.depends(left) & THREAD:
            return
        how = f"{operator} {right.constant} on the number of a thread"
        self.record.lanes.append(Lanes(node, self.frame.function, how, (str(width),), self.through))

    def integer(self, operator: str, left: Polynomial, right: Polynomial) -> Polynomial:
        """The value of an operator on integers."""
        if operator == "+":
            return left + right
        if operator == "-":
            return left - right
        if operator == "*":
            return left * right
        if operator in (">", ">="):
            operator, left, right = {">": "<", ">=": "<="}[operator], right, left
        a, b = left.constant, right.constant
        if a is not None and b is not None:
            result = _computed(operator, a, b)
            if result is not None:
                return Polynomial.number(result)
        if operator == "<<" and b is not None and 0 <= b < 63:
            return left * Polynomial.number(1 << b)
        if operator in ("/", "%") and right.terms:
            exact = left.divided(right)
            if exact is not None:
                return exact if operator == "/" else ZERO
        return self.symbols.operation(operator, left, right)

    def _address(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(left, Pointer) and isinstance(right, Polynomial) and operator in ("+", "-"):
            step = self._units(left, right)
            if step is None:
                return self.unresolved("a pointer cast to another element size", left, right)
            moved = left.offset + step if operator == "+" else left.offset - step
            return Pointer(left.buffer, moved, left.type, left.size)
        if isinstance(right, Pointer) and isinstance(left, Polynomial) and operator == "+":
            return self._address("+", right, left)
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            if operator == "-" and left.buffer == right.buffer and left.size == right.size:
                return left.offset - right.offset
            if operator in ("==", "!="):
                text = f"({left.buffer.name} {operator} {right.buffer.name})"
                return self.symbols.named(text, Atom("parameter"))
        other = right if isinstance(left, Pointer) else left
        reason = other.reason if isinstance(other, Unknown) else "arithmetic on an address"
        return self.unresolved(reason, left, right)

    def _units(self, pointer: Pointer, count: Polynomial) -> Polynomial | None:
        """What a number of elements is in units of the pointer's offset."""
        size = self.types[pointer.type].size if pointer.type >= 0 else pointer.size
        if size <= 0 or pointer.size <= 0 or size == pointer.size:
            return count
        if size % pointer.size:
            return None
        return count * Polynomial.number(size // pointer.size)

    @abstractmethod
    def source(self, node: Node) -> str:
        """Text of a node as it is written, on one line."""

    def opaque_condition(self, node: Node, value: Value) -> Value:
        """A condition that is not made of integers, as a symbol of its own."""
        if isinstance(value, Pointer):
            return value
        info = {"text": self.source(node)}
        atom = Atom("condition", self.depends(value), info=info)
        return self.symbols.fresh(f"condition@{node[n.LINE]}", atom)

    def select(self, condition: Value, first: Value, second: Value) -> Value:
        """The one value or the other."""
        if first == second or second == UNSET:
            return first
        if first == UNSET:
            return second
        if isinstance(first, Pointer) and isinstance(second, Pointer):
            return self._either(condition, first, second)
        if isinstance(condition, Polynomial):
            if condition.constant is not None:
                return first if condition.constant else second
            if isinstance(first, Polynomial) and isinstance(second, Polynomial):
                return self.symbols.operation("select", condition, first, second)
        for side in (first, second):
            if isinstance(side, Unknown):
                return self.unresolved(side.reason, condition, first, second)
        return self.unresolved(
            "a choice by a condition that is not resolved", condition, first, second
        )

    def _either(self, condition: Value, first: Pointer, second: Pointer) -> Value:
        if first.buffer.kind == "null":
            return second
        if second.buffer.kind == "null":
            return first
        if first.buffer.kind != second.buffer.kind or first.size != second.size:
            return self.unresolved("a pointer into one of two memories", condition, first, second)
        if not isinstance(condition, Polynomial):
            reason = "a pointer chosen by a condition that is not resolved"
            return self.unresolved(reason, condition, first, second)
        buffer = first.buffer
        if first.buffer != second.buffer:
            name = f"select({condition.text}, {first.buffer.name}, {second.buffer.name})"
            names = sorted(
                {*first.buffer.parameter.split("|"), *second.buffer.parameter.split("|")}
            )
            buffer = Buffer(first.buffer.kind, name, "|".join(names))
        offset = self.select(condition, first.offset, second.offset)
        assert isinstance(offset, Polynomial)
        return Pointer(buffer, offset, first.type, first.size)

    def merge(self, condition: Value, taken: dict[Any, Any]) -> None:
        """Joins the variables of a branch that was taken with those of the other one."""
        for key, other in self.variables.items():
            if key not in taken or taken[key] is other or taken[key] == other:
                continue
            first = taken[key]
            if isinstance(first, Variable | Memory | Nowhere) or isinstance(
                other, Variable | Memory | Nowhere
            ):
                self.variables[key] = Nowhere("a reference to one of two things")
                continue
            self.variables[key] = self.select(condition, first, other)


_NARROW = 4
"""Bytes of the integers whose products pass their largest value for sizes that occur."""

_LANES = {
    ("%", 64): 64,
    ("/", 64): 64,
    ("&", 63): 64,
    (">>", 6): 64,
    ("%", 32): 32,
    ("/", 32): 32,
    ("&", 31): 32,
    (">>", 5): 32,
}
_OPPOSITE = {"<": ("<=", True), "<=": ("<", True), "==": ("!=", False), "!=": ("==", False)}


def _computed(operator: str, a: int, b: int) -> int | None:
    if operator in ("/", "%"):
        if b == 0:
            return None
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - quotient * b
    if operator in ("<<", ">>"):
        if not 0 <= b < 64:
            return None
        return a << b if operator == "<<" else a >> b
    return {
        "<": int(a < b),
        "<=": int(a <= b),
        "==": int(a == b),
        "!=": int(a != b),
        "&": a & b,
        "|": a | b,
        "^": a ^ b,
    }.get(operator)
