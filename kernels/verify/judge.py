"""Builds a task's baseline and a candidate, runs both on the task's inputs, and compares."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from extractor.errors import UserError
from kernels.backends.model import Backend, Program
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION, Limits
from kernels.isolation.sandbox import best_sandbox
from kernels.task.folder import BASELINE
from kernels.task.inputs import Value, make_inputs
from kernels.task.model import Task
from kernels.verify.cheat import find_cheat
from kernels.verify.compare import first_difference, zeros_would_pass
from kernels.verify.conditions import Call, Conditions, Setting, find_conditions
from kernels.verify.fresh import fresh_cases
from kernels.verify.program import build_runner
from kernels.verify.record import Failure, Verdict
from kernels.verify.runs import CaseRun, run_cases

_REUSE = {"ROCQUARRY_REUSE": "1"}


@dataclass(frozen=True)
class Inputs:
    """The cases of a task and fresh ones, made once for baseline and candidate.

    Attributes:
        names: Of the cases.
        calls: Their geometry and arguments.
        skipped: Cases that cannot be launched, with the reason.
        fresh: Numbers of those that the task does not name.
    """

    names: tuple[str, ...]
    calls: tuple[Call, ...]
    skipped: tuple[str, ...]
    fresh: frozenset[int]


def verify(
    task: Task,
    folder: Path,
    candidate: Path,
    backend: Backend,
    limits: Limits = EXECUTION,
    arguments: Sequence[str] = (),
    seed: int | None = None,
) -> Verdict:
    """Judges a candidate.

    Args:
        task: What it must do.
        folder: The task's folder.
        candidate: HIP file that defines the task's entry.
        backend: What builds and runs it.
        limits: Of each process that runs it.
        arguments: Compiler arguments for both.
        seed: Of fresh inputs; nobody can know it beforehand when ``None``.

    Raises:
        UserError: The backend cannot be used, or the baseline itself does not build or run.
    """
    begin = time.monotonic()
    backend.require_usable()
    hardware = backend.availability().hardware
    seed = secrets.randbelow(1 << 31) if seed is None else seed
    cheat = find_cheat(candidate, folder / BASELINE)
    if cheat:
        return Verdict(
            task.task, False, False, backend.name, hardware, cheat=cheat,
            inputs_skipped=tuple(f"{case.name}: not run, {cheat}" for case in task.cases),
            diagnostics=f"the candidate's text {cheat}", seconds=time.monotonic() - begin,
        )  # fmt: skip
    if not backend.executes:
        made = backend.compile(candidate, arguments)
        return Verdict(
            task.task, made.built, None, backend.name, hardware,
            inputs_skipped=tuple(f"{case.name}: nothing is run" for case in task.cases),
            diagnostics=made.diagnostics, resources=made.resources,
            seconds=time.monotonic() - begin,
        )  # fmt: skip
    inputs = _inputs(task, seed)
    sandbox = replace(best_sandbox(), devices=backend.uses_devices)
    if backend.uses_devices:
        limits = replace(limits, memory_bytes=0)

    def run(program: Program, calls: Sequence[Call], setting: Setting) -> Sequence[CaseRun]:
        return run_cases(program, calls, {**setting, **_REUSE}, limits, sandbox)

    with tempfile.TemporaryDirectory(prefix="rocquarry-verify-") as work:

        def build(source: Path, builder: Backend, name: str) -> Program:
            return build_runner(task.entry, source, builder, Path(work), name, arguments)

        try:
            conditions = find_conditions(task, inputs.calls, folder / BASELINE, backend, build, run)
        except BuildError as error:
            raise UserError(f"the baseline of {task.task} does not build: {error}") from error
        try:
            program = build(candidate, conditions.backend, "candidate")
        except BuildError as error:
            return Verdict(
                task.task, False, False, backend.name, hardware,
                diagnostics=error.outcome.stderr or str(error), seconds=time.monotonic() - begin,
            )  # fmt: skip
        skipped, failures = _compare(
            task, inputs, conditions, lambda calls, setting: run(program, calls, setting)
        )
    named = {name for number, name in enumerate(inputs.names) if number not in inputs.fresh}
    failed = {failure.input for failure in failures}
    lost = {text.partition(": the baseline")[0] for text in skipped}
    passed = len(named - failed - lost)
    telling = any(
        one.buffers is not None and not zeros_would_pass(task, call[1], one.buffers)
        for call, one in zip(inputs.calls, conditions.expected, strict=True)
    )
    notes = conditions.notes
    if not telling:
        notes = (*notes, "no input of the task tells a right result from zeros: nothing is proved")
    return Verdict(
        task.task, True, not failures and passed > 0 and telling, backend.name, hardware,
        inputs_passed=passed, inputs_skipped=(*inputs.skipped, *skipped), failures=failures,
        notes=notes, seconds=time.monotonic() - begin, seed=seed,
        fresh_passed=len(set(inputs.names) - named - failed - lost),
        tolerance={name: one.model_dump() for name, one in task.tolerance.items()},
        settings=tuple(_words(setting) for setting in conditions.settings),
    )  # fmt: skip


def _inputs(task: Task, seed: int) -> Inputs:
    """The task's cases, each with the fresh ones that have its shape behind it."""
    names: list[str] = []
    calls: list[Call] = []
    skipped, fresh = [], set()
    following = fresh_cases(task, seed)
    for number, case in enumerate(task.cases):
        geometry = task.launch.values(case.scalars) if task.launch else (1, 1, 1, 1, 1, 1, 0)
        if 0 in geometry[:6]:
            skipped.append(f"{case.name}: an empty grid cannot be launched")
            continue
        for one in (case, *(more for place, more in following if place == number)):
            if one is not case:
                fresh.add(len(names))
            geometry = task.launch.values(one.scalars) if task.launch else geometry
            names.append(one.name)
            calls.append((geometry, make_inputs(task, one)))
    return Inputs(tuple(names), tuple(calls), tuple(skipped), frozenset(fresh))


def _words(setting: Setting) -> str:
    return " ".join(f"{key}={value}" for key, value in setting.items())


def _compare(
    task: Task,
    inputs: Inputs,
    conditions: Conditions,
    run_candidate: Callable[[Sequence[Call], Setting], Sequence[CaseRun]],
) -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    """The inputs that cannot be judged, and those on which the candidate fails."""
    expected = conditions.expected
    skipped = []
    left = []
    for number, name in enumerate(inputs.names):
        if expected[number].buffers is None or expected[number].error:
            skipped.append(f"{name}: the baseline itself fails there: {expected[number].error}")
        else:
            left.append(number)
    failures: dict[int, Failure] = {}
    for setting in conditions.settings:
        # An input that failed once needs no other setting to show it.
        left = [number for number in left if number not in failures]
        runs = run_candidate([inputs.calls[number] for number in left], setting) if left else ()
        for number, got in zip(left, runs, strict=True):
            failure = _judge(
                task, inputs.calls[number][1], expected[number], got, inputs.names[number], setting
            )
            if failure:
                failures[number] = failure
    return tuple(skipped), tuple(failures[number] for number in sorted(failures))


def _judge(
    task: Task,
    values: Sequence[Value],
    want: CaseRun,
    got: CaseRun,
    name: str,
    setting: Setting,
) -> Failure | None:
    reproducer = f"{_words(setting)} case {name}".strip()
    if got.error or got.buffers is None:
        return Failure(name, "", "", got.error or "no result", reproducer, got.findings)
    assert want.buffers is not None
    difference = first_difference(task, values, want.buffers, got.buffers)
    if difference is None:
        return None
    return Failure(
        name, difference.expected, difference.got, difference.sentence(), reproducer, got.findings
    )
