"""Expressions of a kernel's effect: typed, made of its scalar arguments and a thread's place.

An expression is a list that JSON can hold: operator, letter of its type as ``struct`` has it, and
operands. Leaves are ``["k", letter, number]``, ``["i", "I", name]`` (``threadIdx.x``, …, or a
turn of a loop) and ``["p", letter, parameter, byte]``, a part of an argument.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Any

Expression = list[Any]

BITS = {"?": 8, "b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
"""Bits of the integers by letter."""
SIGNED = frozenset("bhiq")
INDEX_NAMES = tuple(
    f"{name}.{axis}" for name in ("threadIdx", "blockIdx", "blockDim", "gridDim") for axis in "xyz"
)
"""The variables that place a thread."""


def size_of(form: str) -> int:
    """Bytes of an element: of a letter of ``struct``, or ``t`` for bfloat16, or several."""
    return sum(2 if letter == "t" else struct.calcsize(letter) for letter in form)


def wrapped(letter: str, value: float) -> float:
    """A number as a value of a type, as a conversion in C gives it."""
    if letter == "?":
        return int(value != 0)
    bits = BITS.get(letter)
    if bits is None:
        if letter == "d":
            return float(value)
        if letter == "f":
            return ctypes.c_float(value).value
        return _half(value) if letter == "e" else _brain(value)
    whole = int(value) & ((1 << bits) - 1)
    return whole - (1 << bits) if letter in SIGNED and whole >> (bits - 1) else whole


def _half(value: float) -> float:
    try:
        return float(struct.unpack("e", struct.pack("e", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _brain(value: float) -> float:
    (bits,) = struct.unpack("I", struct.pack("f", ctypes.c_float(value).value))
    if not math.isnan(value):
        bits += 0x7FFF + ((bits >> 16) & 1)  # to the nearest, ties to even
    return float(struct.unpack("f", struct.pack("I", bits & 0xFFFF0000))[0])


def _quotient(a: float, b: float) -> float:
    if isinstance(a, int) and isinstance(b, int):
        whole = abs(a) // abs(b)
        return whole if (a < 0) == (b < 0) else -whole
    return a / b


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _quotient,
    "%": lambda a, b: a - b * _quotient(a, b),
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
    "!": lambda a: not a,
    "~": lambda a: ~a,
    "neg": lambda a: -a,
    "min": min,
    "max": max,
    "?:": lambda c, a, b: a if c else b,
    "cast": lambda a: a,
}
"""What each operator computes before its result becomes a value of its type."""


def number(letter: str, value: float) -> Expression:
    """A constant."""
    return ["k", letter, wrapped(letter, value)]


def made(operator: str, letter: str, *operands: Expression) -> Expression:
    """An operation, computed where its operands are known.

    Raises:
        ArithmeticError: It is a division by zero.
    """
    if operator == "cast" and operands[0][1] == letter:
        return operands[0]
    if operator in ("&&", "||"):
        # One side alone can decide.
        for one, other in (operands, operands[::-1]):
            if one[0] == "k":
                return number("?", one[2]) if bool(one[2]) == (operator == "||") else other
    if operator == "?:" and operands[0][0] == "k":
        return operands[1] if operands[0][2] else operands[2]
    if all(operand[0] == "k" for operand in operands):
        return number(letter, OPERATIONS[operator](*(operand[2] for operand in operands)))
    return [operator, letter, *operands]


def evaluated(
    expression: Expression, place: dict[str, int], argument: Callable[[str, int, int], float]
) -> float:
    """The value of an expression.

    Args:
        expression: It.
        place: Values of the leaves that place a thread.
        argument: Gives a part of an argument: letter, parameter, byte.

    Raises:
        ArithmeticError: It divides by zero, or is no number.
        ValueError: The same.
    """
    operator, letter, *rest = expression
    if operator == "k":
        return float(rest[0]) if letter in "fdet" else rest[0]
    if operator == "i":
        return place[rest[0]]
    if operator == "p":
        return argument(letter, rest[0], rest[1])
    if operator == "?:":
        chosen = 1 if evaluated(rest[0], place, argument) else 2
        return wrapped(letter, evaluated(rest[chosen], place, argument))
    if operator in ("&&", "||"):
        first = bool(evaluated(rest[0], place, argument))
        if first == (operator == "||"):
            return int(first)
        return int(bool(evaluated(rest[1], place, argument)))
    values = [evaluated(operand, place, argument) for operand in rest]
    return wrapped(letter, OPERATIONS[operator](*values))


Linear = tuple[int, dict[str, int]]
"""A constant and the factor of each leaf that places a thread."""


def linear(
    expression: Expression, known: dict[str, int], argument: Callable[[str, int, int], float]
) -> Linear | None:
    """An integer expression as a sum, over mathematical integers; ``None`` where it is none.

    Args:
        expression: It.
        known: Values of leaves that are the same for all threads.
        argument: As for ``evaluated``.
    """
    operator, letter, *rest = expression
    if operator == "i" and rest[0] not in known:
        return 0, {rest[0]: 1}
    if operator in ("k", "i", "p"):
        return int(evaluated(expression, known, argument)), {}
    parts = [linear(operand, known, argument) for operand in rest]
    if any(part is None for part in parts):
        return None
    sums = [part for part in parts if part is not None]
    if all(not factors for _, factors in sums):
        return int(evaluated(expression, known, argument)), {}
    if operator == "cast" and letter in BITS and letter != "?":
        base, factors = sums[0]
        if letter in SIGNED:
            return _near(letter, base), {name: _near(letter, one) for name, one in factors.items()}
        return sums[0]
    if operator in ("+", "-"):
        sign = 1 if operator == "+" else -1
        factors = dict(sums[0][1])
        for name, factor in sums[1][1].items():
            factors[name] = factors.get(name, 0) + sign * factor
        return sums[0][0] + sign * sums[1][0], factors
    if operator == "*":
        for (base, factors), (times, others) in (sums, sums[::-1]):
            if not others:
                return base * times, {name: one * times for name, one in factors.items()}
    return None


def _near(letter: str, value: int) -> int:
    # A factor of -1 that went through an unsigned type.
    return int(wrapped(letter, value))
