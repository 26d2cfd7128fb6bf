"""Task folders from slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from extractor import __version__
from extractor.errors import RocQuarryError, UserError
from extractor.records import Scope
from extractor.slice_record import SliceRecord
from kernels.launches.capture import CapturedLaunch, Captures
from kernels.launches.selection import choose_launches
from kernels.slice.cases import cases_of, make_cases
from kernels.slice.folder import BASELINE
from kernels.slice.geometry import (
    Contract,
    captured_contract,
    find_contracts,
    fitted_contract,
    reproduces,
    traced_contract,
    usual_contract,
)
from kernels.slice.instantiation import spelling_of
from kernels.slice.launch_facts import LaunchFacts, TracedLaunches
from kernels.slice.parameters import KernelParameter, read_parameters
from kernels.task.binding_source import binding_source
from kernels.task.element_types import ELEMENT_TYPES
from kernels.task.folder import save_task
from kernels.task.largest import largest_case
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
        launch: What says grid and block: ``launches+text``, ``launches+fit`` or ``launches`` where
            cases are the library's own launches, and the source's formula gives them, another that
            fits all of them, or none;
            ``text``, ``facts``, ``traces`` or ``guess`` where no launch was captured.
    """

    kernel: str
    folder: str | None
    cases: int = 0
    notes: tuple[str, ...] = ()
    reason: str = ""
    launch: str = ""


@dataclass(frozen=True)
class LaunchSources:
    """What is known about the launches of a kernel.

    Attributes:
        scope: A scope that reaches it, whose launches say grid and block.
        facts: Facts of that scope's launches.
        captures: Has the library launch it; ``None`` where that cannot be done.
        traces: Traced launches, asked where no launch can be captured or read.
        why: Why nothing can be captured; empty where it can.
    """

    scope: Scope | None
    facts: LaunchFacts | None
    captures: Captures | None
    traces: TracedLaunches
    why: str = ""


def seed_slice(folder: Path, record: SliceRecord, sources: LaunchSources, out: Path) -> Seeded:
    """Makes a task of a slice, its buffers' extents measured on the cpu backend.

    Args:
        folder: The slice.
        record: Its record.
        sources: What says how it is launched.
        out: Folder of tasks.
    """
    name = folder.name
    if not record.sliced:
        return Seeded(name, None, reason=f"not sliced: {record.reason}")
    try:
        task, contract, launch = _task(folder, record, sources)
    except RocQuarryError as error:
        return Seeded(name, None, reason=str(error))
    target = out / name
    text = (folder / BASELINE).read_text(encoding="utf-8")
    save_task(task, target, text, binding_source(task))
    notes = contract.notes + ((sources.why,) if sources.why else ())
    return Seeded(name, str(target), len(task.cases), notes, launch=launch)


def _task(folder: Path, record: SliceRecord, sources: LaunchSources) -> tuple[Task, Contract, str]:
    file = (folder / BASELINE).resolve()
    text = file.read_text(encoding="utf-8")
    parameters = read_parameters(text, file, record.instantiation)
    for one in parameters:
        if one.why:
            raise UserError(f"parameter '{one.declared.name}' {one.why}")
    names = [one.declared.name for one in parameters]
    scalars = [one.declared.name for one in parameters if one.declared.kind == "scalar"]
    symbol = record.instantiation
    captures = sources.captures
    captured = captures.of(symbol, [one.declared for one in parameters]) if captures else []
    contract = _contract(sources, symbol, names, scalars, captured)
    buffers = [one.declared.name for one in parameters if one.declared.kind == "buffer"]
    chosen = choose_launches(captured)
    types = {one.declared.type for one in parameters if one.declared.kind == "buffer"}
    task = Task(
        task=folder.name,
        tool_version=__version__,
        entry=Entry(kind="kernel", name=spelling_of(record.instantiation).name),
        parameters=tuple(map(_parameter, parameters)),
        launch=Launch(grid=contract.grid, block=contract.block, shared_bytes=contract.shared_bytes),
        cases=(
            cases_of(chosen, buffers, own_geometry=contract.origin == "launches")
            if chosen
            else make_cases(parameters, buffers)
        ),
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
        absent = {one.call: one.absent for one in chosen}
        failures: dict[str, str] = {}
        task = measure_extents(task, file, buffers, absent=absent, failures=failures)
        if failures:
            first = next(iter(failures.values()))
            text = f"{len(failures)} cases left out, in which the kernel fails: {first}"
            contract = replace(contract, notes=(*contract.notes, text))
        if not any(any(case.extents.values()) for case in task.cases):
            raise UserError("it touches no buffer on the cpu backend, so no result can be judged")
        if captures and chosen:
            larger = captures.larger(symbol, [one.declared for one in parameters])
            cases = cases_of(larger, buffers, own_geometry=True)
            null = {one.call: one.absent for one in larger}
            task = task.model_copy(update={"timed": largest_case(task, file, cases, null)})
    own = chosen and contract.origin != "launches"
    return task, contract, f"launches+{contract.origin}" if own else contract.origin


def _contract(
    sources: LaunchSources,
    symbol: str,
    names: Sequence[str],
    scalars: Sequence[str],
    captured: Sequence[CapturedLaunch],
) -> Contract:
    """A formula that gives every captured launch, else these as they are; without any, what is
    written, stated or usual."""
    scope, facts = sources.scope, sources.facts
    traced = traced_contract(sources.traces, symbol)
    # Facts take long: they are asked only where the library cannot be called.
    asked = None if sources.captures or traced else facts
    for contract in find_contracts(scope, symbol, names, scalars, asked) if scope else ():
        if all(reproduces(contract, one) for one in captured):
            # What holds for all launches was not assumed.
            return replace(contract, notes=()) if captured else contract
    if captured:
        return fitted_contract(captured) or captured_contract(captured[0])
    return traced or usual_contract(scalars)


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
            "low": 0 if whole else -1, "high": one.largest if whole else 1,
        }
    )  # fmt: skip
