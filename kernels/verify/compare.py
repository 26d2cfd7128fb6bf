"""Compares what two kernels left in their buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernels.task.element_types import from_storage, numpy
from kernels.task.inputs import Value
from kernels.task.model import Task


@dataclass(frozen=True)
class Difference:
    """The first place where a result is not what was expected."""

    parameter: str
    index: int
    expected: str
    got: str
    wrong: int
    of: int

    def sentence(self) -> str:
        """It in words."""
        many = f"{self.wrong} of {self.of} elements"
        return f"'{self.parameter}' differs at {many}, first at {self.index}"


def first_difference(
    task: Task,
    values: Sequence[Value],
    expected: Sequence[bytes],
    got: Sequence[bytes],
    *,
    lenient: bool = False,
) -> Difference | None:
    """Where two results differ by more than the task's tolerance; ``None`` where they agree.

    NaN agrees with NaN, an infinity with the same one. Inputs must come back bit for bit.

    Args:
        task: Says the tolerance.
        values: What the buffers held at the start.
        expected: What they hold.
        got: What they hold after the other.
        lenient: Where NaN is expected, anything may be.
    """
    np = numpy()
    buffers = [value for value in values if value.parameter.kind == "buffer"]
    for value, want, have in zip(buffers, expected, got, strict=True):
        if want == have:
            continue
        parameter = value.parameter
        left, right = from_storage(have, parameter.element), from_storage(want, parameter.element)
        limit = task.tolerance.get(parameter.type)
        if (
            parameter.role == "input"
            or limit is None
            or parameter.element.family in ("int", "bool")
        ):
            bad = left != right
            if parameter.element.family in ("float", "complex"):
                bad &= ~(np.isnan(left) & np.isnan(right))
        else:
            wide = np.complex128 if parameter.element.family == "complex" else np.float64
            close = _close(
                left.astype(wide), right.astype(wide), limit.relative,
                limit.absolute * _scale(right, value),
            )  # fmt: skip
            bad = ~close & ~np.isnan(right) if lenient else ~close
        where = np.flatnonzero(bad)
        if len(where):
            first = int(where[0])
            return Difference(
                parameter.name, first, str(right[first]), str(left[first]), len(where), len(right)
            )
    return None


def _close(got: Any, expected: Any, relative: float, absolute: float) -> Any:
    """Where numbers agree; of a complex one that is not finite, each component for itself."""
    np = numpy()

    def near(one: Any, other: Any) -> Any:
        return np.isclose(one, other, rtol=relative, atol=absolute, equal_nan=True)

    close = near(got, expected)
    if not np.iscomplexobj(expected):
        return close
    odd = ~np.isfinite(expected)
    close[odd] = near(got.real[odd], expected.real[odd]) & near(got.imag[odd], expected.imag[odd])
    return close


def zeros_would_pass(task: Task, values: Sequence[Value], expected: Sequence[bytes]) -> bool:
    """Whether an input cannot tell a right result from zeros, or from buffers left alone."""
    buffers = [value for value in values if value.parameter.kind == "buffer"]
    kept = [value.data for value in buffers]
    zeros = [
        value.data if value.parameter.role == "input" else bytes(len(value.data))
        for value in buffers
    ]
    return any(first_difference(task, values, expected, given) is None for given in (kept, zeros))


def _scale(expected: Any, value: Value) -> float:
    """What the absolute tolerance is worth: less where all that is there is small.

    A fixed one would let zeros pass for any result that is small enough.
    """
    np = numpy()
    with np.errstate(all="ignore"):
        sizes = [np.abs(expected)]
        if value.parameter.role != "output":
            sizes.append(np.abs(from_storage(value.data, value.parameter.element)))
        known = [one[np.isfinite(one)] for one in sizes]
        largest = max((float(one.max()) for one in known if one.size), default=0.0)
    return min(1.0, largest)
