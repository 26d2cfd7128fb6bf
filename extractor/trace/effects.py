"""What a launch of a kernel with a closed effect wrote to some bytes of device memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from extractor.trace.effect_values import (
    INDEX_NAMES,
    Expression,
    evaluated,
    linear,
    size_of,
    wrapped,
)

Effect = dict[str, Any]
"""As ``extractor.trace.closed_kernels`` reads it."""

_MOST_BYTES = 1 << 16
_MOST_PLACES = 1 << 17
"""Threads, and turns of loops, that are looked at for one copy."""

Argument = Callable[[str, int, int], float]


class TooMuch(Exception):
    """The bytes are too many, or what is written to them cannot be computed."""


def written(
    effect: Effect,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: bytes,
    begin: int,
    size: int,
) -> list[tuple[int, bytes]]:
    """What a launch wrote to some bytes; nothing outside of them is looked at.

    Args:
        effect: Of the kernel.
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        arguments: Bytes of all arguments, one after the other.
        begin: First address.
        size: How many bytes.

    Returns:
        Address and bytes of each piece.

    Raises:
        TooMuch: It cannot be said.
    """
    if size > _MOST_BYTES:
        raise TooMuch
    launch = _Launch(effect, grid, block, arguments, begin, size)
    try:
        for store in effect["stores"]:
            launch.carry_out(store)
    except (ArithmeticError, ValueError, struct.error) as error:
        raise TooMuch from error
    return list(launch.pieces())


class _Launch:
    def __init__(
        self,
        effect: Effect,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: bytes,
        begin: int,
        size: int,
    ) -> None:
        starts = [0]
        for each in effect["sizes"]:
            starts.append(starts[-1] + each)

        def argument(letter: str, parameter: int, byte: int) -> float:
            return _unpacked(letter, arguments, starts[parameter] + byte)

        self._argument: Argument = argument
        self._begin, self._end = begin, begin + size
        self._data, self._mask = bytearray(size), bytearray(size)
        self._extents = dict(zip(INDEX_NAMES[:6], (*block, *grid), strict=True))
        self._known = dict(zip(INDEX_NAMES[6:], (*block, *grid), strict=True))
        self._left = _MOST_PLACES

    def carry_out(self, store: dict[str, Any]) -> None:
        """Does what one store of the kernel does."""
        used: set[str] = set()
        for expression in (
            store["offset"],
            *(value for _, _, value in store["values"]),
            *(condition for _, condition in store["loops"]),
            *(condition for some in store["guards"] for condition in some),
        ):
            _leaves(expression, used)
        base = int(self._argument("Q", store["parameter"], 0))
        width = sum(size_of(letter) for _, letter, _ in store["values"])
        found = linear(store["offset"], self._known, self._argument)
        # The address is base + offset; of an offset that is no sum every thread is looked at.
        low, high = self._begin - width + 1 - base, self._end - 1 - base
        factors: dict[str, int] = {}
        if found is None or store["loops"]:
            low = high = 0
        else:
            low, high, factors = low - found[0], high - found[0], found[1]
        spans = [(n, self._extents[n], factors.get(n, 0)) for n in self._extents if n in used]
        spans.sort(key=lambda span: -abs(span[2]))
        for place in _places(spans, low, high):
            self._turn(store, 0, {**self._known, **place}, base)

    def _turn(self, store: dict[str, Any], depth: int, place: dict[str, int], base: int) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooMuch
        if not all(evaluated(c, place, self._argument) for c in store["guards"][depth]):
            return
        if depth == len(store["loops"]):
            offset = int(wrapped("q", evaluated(store["offset"], place, self._argument)))
            for byte, letter, value in store["values"]:
                number = evaluated(value, place, self._argument)
                self._put(base + offset + byte, _packed(letter, number))
            return
        name, condition = store["loops"][depth]
        for turn in count():
            inner = {**place, name: turn}
            if not evaluated(condition, inner, self._argument):
                return
            self._turn(store, depth + 1, inner, base)

    def _put(self, address: int, data: bytes) -> None:
        for at, byte in enumerate(data, start=address - self._begin):
            if 0 <= at < len(self._data):
                self._data[at], self._mask[at] = byte, 1

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Address and bytes of each piece that was written."""
        at = self._mask.find(1)
        while at >= 0:
            end = self._mask.find(0, at)
            end = len(self._mask) if end < 0 else end
            yield self._begin + at, bytes(self._data[at:end])
            at = self._mask.find(1, end)


def _places(spans: Sequence[tuple[str, int, int]], low: int, high: int) -> Iterator[dict[str, int]]:
    """All places whose sum of factors times index lies between two numbers.

    Args:
        spans: Name, extent and factor of each index, those of large factors first.
        low: The least sum.
        high: The largest.
    """
    if not spans:
        if low <= 0 <= high:
            yield {}
        return
    (name, extent, factor), *rest = spans
    first, last = 0, extent - 1
    if factor:
        least = sum(min(0, f * (n - 1)) for _, n, f in rest)
        most = sum(max(0, f * (n - 1)) for _, n, f in rest)
        bounds = (low - most, high - least)
        if factor < 0:
            bounds = (-bounds[1], -bounds[0])
        first = max(first, -(-bounds[0] // abs(factor)))
        last = min(last, bounds[1] // abs(factor))
    for index in range(first, last + 1):
        for place in _places(rest, low - factor * index, high - factor * index):
            yield {name: index, **place}


def _leaves(expression: Expression, found: set[str]) -> None:
    if expression[0] == "i":
        found.add(expression[2])
    elif expression[0] not in ("k", "p"):
        for operand in expression[2:]:
            _leaves(operand, found)


def _packed(letter: str, value: float) -> bytes:
    if letter == "t":
        return struct.pack("<f", value)[2:]
    return struct.pack(f"<{letter}", value)


def _unpacked(letter: str, data: bytes, at: int) -> float:
    if letter == "t":
        return float(struct.unpack("<f", b"\0\0" + data[at : at + 2])[0])
    (value,) = struct.unpack_from(f"<{letter}", data, at)
    number: float = value
    return number
