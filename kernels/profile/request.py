"""What is timed: one case of a task, made as large as its sizes allow."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from extractor.errors import UserError
from kernels.task.expression import evaluate
from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Parameter, Task

_MAGIC = 0x31305150_52515221
_KINDS = {"scalar": 0, "buffer": 1, "stream": 2}
_GENERATED = 3
# The order of enum Content in kernels/native/profiler.hpp.
_CONTENT = (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "bool",
)  # fmt: skip
_REAL = {"complex64": "float32", "complex128": "float64"}
_LARGEST_BYTES = 256 << 20
_MOST_THREADS = 1 << 24
"""What is timed on a card is run once on the CPU runtime, to be counted."""
_LARGEST_SIZE = 1 << 26


@dataclass(frozen=True)
class Request:
    """One call to be timed.

    Attributes:
        case: Scalars of the call.
        geometry: Grid, block and bytes of dynamic LDS.
        bytes: What it has to move at least: inputs once, outputs once, what is both twice.
        flops: Operations by the definition; 0 where the task does not say.
        grown: Whether sizes beyond the task's own cases were chosen.
    """

    case: Case
    geometry: tuple[int, ...]
    bytes: int
    flops: int
    grown: bool


def choose_request(task: Task) -> Request:
    """What the task has for it, else its largest case, or a larger one where sizes are expressions.

    Raises:
        UserError: The task has no case that can be launched.
    """
    usable = [case for case in task.cases if 0 not in _geometry(task, case)[:6]]
    if not usable:
        raise UserError(f"task {task.task} has no case that can be launched")
    case = max(usable, key=lambda one: _moved(task, one))
    grown = _grown(task, case)
    if task.timed and _moved(task, task.timed) > _moved(task, grown or case):
        grown = task.timed
    chosen = grown or case
    flops = evaluate(task.flops, chosen.scalars) if task.flops else 0
    return Request(chosen, _geometry(task, chosen), _moved(task, chosen), flops, grown is not None)


def request_bytes(task: Task, request: Request) -> bytes:
    """The call as ``kernels/native/profiler.hpp`` reads it; buffers are generated over there.

    A buffer of whole numbers keeps its content from the task: it may hold indices.
    """
    parts = [struct.pack("<9Q", _MAGIC, *request.geometry, len(task.parameters))]
    small = request.case.model_copy()
    values = None
    for place, parameter in enumerate(task.parameters):
        if parameter.kind == "buffer" and parameter.element.family != "int":
            size = _elements(parameter, request.case) * parameter.element.bytes
            content = _CONTENT.index(_REAL.get(parameter.type, parameter.type))
            numbers = struct.pack("<Qdd", content, float(parameter.low), float(parameter.high))
            parts.append(struct.pack("<2Q", _GENERATED, size) + numbers)
            continue
        values = values or make_inputs(task, small)
        data = values[place].data
        parts.append(struct.pack("<2Q", _KINDS[parameter.kind], len(data)) + data)
    return b"".join(parts)


def _geometry(task: Task, case: Case) -> tuple[int, ...]:
    return task.geometry(case)


def _elements(parameter: Parameter, case: Case) -> int:
    count = case.extents.get(parameter.name)
    if count is None:
        count = evaluate(parameter.extent, case.scalars)
    return count * parameter.components


def _moved(task: Task, case: Case) -> int:
    total = 0
    for parameter in task.parameters:
        if parameter.kind == "buffer":
            size = _elements(parameter, case) * parameter.element.bytes
            total += size * (2 if parameter.role == "inout" else 1)
    return total


def _grown(task: Task, case: Case) -> Case | None:
    """The same case with its sizes doubled as long as all buffers together stay affordable."""
    buffers = [p for p in task.parameters if p.kind == "buffer"]
    if any(not p.extent for p in buffers):
        return None
    names = _sizes(task)
    grown = None
    factor = 1
    while names and factor < _LARGEST_SIZE:
        factor *= 2
        scalars = {n: v * factor if n in names else v for n, v in case.scalars.items()}
        larger = case.model_copy(update={"scalars": scalars, "name": f"{case.name} x{factor}"})
        try:
            geometry = _geometry(task, larger)
            fits = _moved(task, larger) <= _LARGEST_BYTES
        except UserError:
            break
        if not fits or max(scalars[n] for n in names) > _LARGEST_SIZE or geometry[0] >= 1 << 31:
            break
        if (
            prod(geometry[:6]) > _MOST_THREADS
            or max(geometry[1:3]) > 65535
            or geometry[3] * geometry[4] * geometry[5] > 1024
        ):
            break
        grown = larger
    return grown


def _sizes(task: Task) -> Sequence[str]:
    """Whole scalars that vary from case to case."""
    found = []
    for parameter in task.parameters:
        if parameter.kind == "scalar" and parameter.element.family == "int":
            values = {case.scalars[parameter.name] for case in task.cases}
            if len(values) > 2 and all(v >= 0 for v in values):
                found.append(parameter.name)
    return found
