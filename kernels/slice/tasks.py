"""Task folders from slices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from extractor import __version__
from extractor.errors import RocQuarryError, UserError
from extractor.records import Scope
from extractor.slice_record import SliceRecord
from kernels.slice.cases import make_cases
from kernels.slice.folder import BASELINE
from kernels.slice.geometry import find_contract, traced_contract, usual_contract
from kernels.slice.instantiation import spelling_of
from kernels.slice.launch_facts import LaunchFacts, TracedLaunches
from kernels.slice.parameters import KernelParameter, read_parameters
from kernels.task.binding_source import binding_source
from kernels.task.element_types import ELEMENT_TYPES
from kernels.task.folder import save_task
from kernels.task.measure import measure_extents
from kernels.task.model import Entry, Launch, Parameter, Provenance, Task, Tolerance


@dataclass(frozen=True)
class Seeded:
    """What came of making a task from a slice.

    Attributes:
        kernel: Name of the task.
        folder: The task; ``None`` where there is none.
        cases: How many inputs it has.
        notes: What was chosen because the source does not say it.
        reason: Why there is no task; empty where there is one.
    """

    kernel: str
    folder: str | None
    cases: int = 0
    notes: tuple[str, ...] = ()
    reason: str = ""


def seed_slice(
    folder: Path,
    record: SliceRecord,
    launches: tuple[Scope, LaunchFacts] | None,
    traces: TracedLaunches,
    out: Path,
) -> Seeded:
    """Makes a task of a slice, its buffers' extents measured on the cpu backend.

    Args:
        folder: The slice.
        record: Its record.
        launches: A scope that reaches the kernel, whose launches say grid and block, and the facts
            of these launches.
        traces: Where no launch can be read, a traced one says it.
        out: Folder of tasks.
    """
    name = folder.name
    if not record.sliced:
        return Seeded(name, None, reason=f"not sliced: {record.reason}")
    try:
        task, notes = _task(folder, record, launches, traces)
    except RocQuarryError as error:
        return Seeded(name, None, reason=str(error))
    target = out / name
    text = (folder / BASELINE).read_text(encoding="utf-8")
    save_task(task, target, text, binding_source(task))
    return Seeded(name, str(target), len(task.cases), notes)


def _task(
    folder: Path,
    record: SliceRecord,
    launches: tuple[Scope, LaunchFacts] | None,
    traces: TracedLaunches,
) -> tuple[Task, tuple[str, ...]]:
    file = (folder / BASELINE).resolve()
    text = file.read_text(encoding="utf-8")
    parameters = read_parameters(text, file, record.instantiation)
    for one in parameters:
        if one.why:
            raise UserError(f"parameter '{one.declared.name}' {one.why}")
    names = [one.declared.name for one in parameters]
    scalars = [one.declared.name for one in parameters if one.declared.kind == "scalar"]
    symbol = record.instantiation
    contract = launches and find_contract(launches[0], symbol, names, scalars, launches[1])
    contract = contract or traced_contract(traces, symbol) or usual_contract(scalars)
    buffers = [one.declared.name for one in parameters if one.declared.kind == "buffer"]
    types = {one.declared.type for one in parameters if one.declared.kind == "buffer"}
    task = Task(
        task=folder.name,
        tool_version=__version__,
        entry=Entry(kind="kernel", name=spelling_of(record.instantiation).name),
        parameters=tuple(map(_parameter, parameters)),
        launch=Launch(grid=contract.grid, block=contract.block, shared_bytes=contract.shared_bytes),
        cases=make_cases(parameters, buffers),
        tolerance={
            name: Tolerance(
                relative=ELEMENT_TYPES[name].tolerance[0],
                absolute=ELEMENT_TYPES[name].tolerance[1],
            )
            for name in sorted(types)
        },
        source=Provenance(
            origin=record.project,
            name=record.function,
            version=record.source.version,
            commit=record.source.commit,
            license=record.source.license,
            sha256=record.sha256,
        ),
    )
    if buffers:
        task = measure_extents(task, file, buffers)
        if not any(any(case.extents.values()) for case in task.cases):
            raise UserError("it touches no buffer on the cpu backend, so no result can be judged")
    return task, contract.notes


def _parameter(one: KernelParameter) -> Parameter:
    declared = one.declared
    if declared.kind == "stream":
        return Parameter(name=declared.name, kind="stream")
    whole = ELEMENT_TYPES[declared.type].family == "int"
    return Parameter.model_validate(
        {
            "name": declared.name, "kind": declared.kind, "type": declared.type,
            "components": declared.components,
            "role": "inout" if declared.written else "input",
            "low": 0 if whole else -1, "high": 9 if whole else 1,
        }
    )  # fmt: skip
