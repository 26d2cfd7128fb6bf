"""Makes the inputs of a case: the same bytes on every machine, for every candidate."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from kernels.task.element_types import numpy, to_storage
from kernels.task.expression import evaluate
from kernels.task.model import Case, Parameter, Task

_POISON = 0xFF
_VALUES_PER_WORD = 1 << 53
_EVERY_BIT = 1 - 1e-6


@dataclass(frozen=True)
class Value:
    """One argument of one case.

    Attributes:
        parameter: What it is for.
        data: Bytes of the scalar, or what the buffer holds at the start; empty for a stream.
    """

    parameter: Parameter
    data: bytes


def make_inputs(task: Task, case: Case, *, worn: bool = False) -> list[Value]:
    """The arguments of a case, in the order of the parameters.

    An output holds bytes that are NaN in every floating-point type, so that what a candidate left
    unwritten cannot pass for a result.

    Args:
        task: The task.
        case: One of its cases, or one like them.
        worn: An output holds numbers, as memory does that was used before: a candidate must not
            tell by its look what is still to be written.

    Raises:
        UserError: An extent cannot be evaluated for this case.
    """
    values = []
    for parameter in task.parameters:
        if parameter.kind == "stream":
            values.append(Value(parameter, b""))
        elif parameter.kind == "scalar":
            values.append(Value(parameter, _scalar(parameter, case)))
        else:
            elements = case.extents.get(parameter.name)
            if elements is None:
                elements = evaluate(parameter.extent, case.scalars)
            count = elements * parameter.components
            values.append(Value(parameter, _content(parameter, count, case, worn=worn)))
    return values


def _scalar(parameter: Parameter, case: Case) -> bytes:
    np = numpy()
    value = np.array([case.scalars[parameter.name]] * parameter.components)
    if parameter.element.family == "complex":
        value = value + 0j
    return to_storage(value, parameter.element)


def _content(parameter: Parameter, count: int, case: Case, *, worn: bool) -> bytes:
    element = parameter.element
    if parameter.role == "output" and not worn:
        return bytes([_POISON]) * (count * element.bytes)
    np = numpy()
    # One stream of numbers for each buffer; a generator of its own, since those of numpy may
    # change from version to version.
    label = f"{case.name}/{case.seed}/{parameter.name}".encode()
    start = int.from_bytes(hashlib.sha256(label).digest()[:8], "little")
    uniform = _uniform(np, start, count * (2 if element.family == "complex" else 1))
    low, high = parameter.low, parameter.high
    if element.family == "bool":
        return to_storage(uniform < 0.5, element)
    if element.family == "int":
        whole = np.floor(low + uniform * (high - low + 1))
        return to_storage(whole, element)
    scaled = between(low, high, uniform)
    if element.family == "complex":
        scaled = scaled[0::2] + 1j * scaled[1::2]
    return to_storage(scaled, element)


def between(low: float, high: float, uniform: Any) -> Any:
    """Numbers in [0, 1) taken to a range, with every bit of a double in use.

    Between -1 and 1 they would be multiples of 2**-52 otherwise: no number's last bit set, and
    what only goes wrong where a midpoint or a quotient is rounded the other way is never met.
    """
    return numpy().clip((low + uniform * (high - low)) * _EVERY_BIT, low, high)


def _uniform(np: Any, start: int, count: int) -> Any:
    """Numbers in [0, 1) by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    with np.errstate(over="ignore"):
        z = np.uint64(start) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
            0x9E3779B97F4A7C15
        )
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / _VALUES_PER_WORD
