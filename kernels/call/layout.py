"""Where the elements of an operand lie in a buffer, and what the buffer holds before the call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kernels.call.roles import Array
from kernels.reference.operation import Parameters
from kernels.reference.shapes import part_of
from kernels.task.element_types import ELEMENT_TYPES, numpy, to_storage

_POISON = 0xFF


@dataclass(frozen=True)
class Placement:
    """One array of one call.

    Attributes:
        array: Its parameters.
        rows: Rows of one member.
        cols: Columns of one member.
        leading: Distance of columns, in elements.
        increment: Distance of elements of a vector.
        stride: Distance of members, in elements.
        members: How many there are.
        elements: Elements of one buffer.
        buffers: 1, or one for each member.
        part: Which elements of a member the definition speaks of; rows by columns.
        present: Whether it is there at all.
    """

    array: Array
    rows: int
    cols: int
    leading: int
    increment: int
    stride: int
    members: int
    elements: int
    buffers: int
    part: Any
    present: bool

    def places(self, member: int) -> Any:
        """Index of each element of a member in its buffer; rows by columns."""
        np = numpy()
        first = 0 if self.buffers > 1 else member * self.stride
        if self.array.operand.cols is None:
            step = abs(self.increment)
            line = np.arange(self.rows) * step
            if self.increment < 0:
                line = line[::-1]
            return (first + line)[:, None]
        return first + np.arange(self.cols)[None, :] * self.leading + np.arange(self.rows)[:, None]

    def buffer_of(self, member: int) -> int:
        """In which of its buffers a member lies."""
        return member if self.buffers > 1 else 0


def place(array: Array, values: Mapping[str, Any], batch: int) -> Placement:
    """Lays out an array for one set of parameters.

    Args:
        array: The array.
        values: Sizes and flags by the definition's names, and ``ld:``, ``inc:`` and ``gap:`` of
            arrays by name: extra rows, increment, and extra distance of members (-1 for stride 0).
        batch: Members; 1 without a batch.
    """
    np = numpy()
    operand = array.operand
    p = Parameters(values)
    rows = max(operand.rows(p), 0)
    cols = 1 if operand.cols is None else max(operand.cols(p), 0)
    increment = int(values.get(f"inc:{array.name}", 1)) if array.increment else 1
    leading = max(rows, 1) + int(values.get(f"ld:{array.name}", 0)) if array.leading else rows
    if operand.cols is None:
        used = 1 + (rows - 1) * abs(increment) if rows else 0
        whole = rows * abs(increment)
    else:
        used = leading * (cols - 1) + rows if rows and cols else 0
        whole = leading * cols
    gap = int(values.get(f"gap:{array.name}", 0))
    if array.pointers == 2:
        stride, members, buffers = 0, batch, batch
    elif array.stride:
        stride = 0 if gap < 0 else whole + gap
        members, buffers = batch, 1
    else:
        stride, buffers = used, 1
        members = batch if operand.each else 1
    elements = used if buffers > 1 or not members else used + stride * (members - 1)
    if not used:
        elements = 0
    part = (
        part_of(operand.part, rows, cols, dict(values))
        if rows and cols
        else np.ones((rows, cols), dtype=bool)
    )
    present = operand.present is None or operand.present(p)
    return Placement(
        array, rows, cols, leading, increment, stride, members, elements, max(buffers, 1), part,
        present,
    )  # fmt: skip


def poisoned(placement: Placement, *, finite: bool) -> list[Any]:
    """Buffers before anything is put into them, full of what no definition speaks of.

    NaN in every floating type, and -1 in whole numbers, show up in a result that was made from
    them. What is added to a NaN leaves it as it was, so there are finite numbers as well, which
    show that something was written.

    Args:
        placement: Of the array.
        finite: Whether they hold numbers between 1 and 2.
    """
    np = numpy()
    element = ELEMENT_TYPES[placement.array.element]
    if finite and element.family in ("float", "complex"):
        numbers = 1 + (np.arange(placement.elements) % 251) / 256
        data = np.frombuffer(to_storage(numbers, element), dtype=np.uint8)
        return [data.copy() for _ in range(placement.buffers)]
    size = placement.elements * element.bytes
    return [np.full(size, _POISON, dtype=np.uint8) for _ in range(placement.buffers)]
