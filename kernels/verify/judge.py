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
from kernels.isolation.sandbox import Sandbox, best_sandbox
from kernels.task.folder import BASELINE
from kernels.task.inputs import Value
from kernels.task.model import Task
from kernels.verify.cheat import find_cheat
from kernels.verify.compare import first_difference, zeros_would_pass
from kernels.verify.conditions import Call, Conditions, Setting, find_conditions
from kernels.verify.inputs import Inputs, gather_inputs
from kernels.verify.program import build_runner
from kernels.verify.record import Failure, Verdict
from kernels.verify.runs import CaseRun, run_cases

_REUSE = {"ROCQUARRY_REUSE": "1"}


@dataclass(frozen=True)
class Standard:
    """What candidates of one task are held to; made once, used for any number of them.

    Attributes:
        task: What they must do.
        folder: The task's folder.
        backend: What builds and runs them.
        inputs: What they are called with.
        conditions: How they are built and run, and what the baseline gave.
        telling: Whether some input tells a right result from zeros.
        seed: Of the fresh inputs.
        limits: Of each process.
        sandbox: What it runs in.
        arguments: Compiler arguments.
    """

    task: Task
    folder: Path
    backend: Backend
    inputs: Inputs
    conditions: Conditions
    telling: bool
    seed: int
    limits: Limits
    sandbox: Sandbox
    arguments: tuple[str, ...] = ()


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
    standard = set_standard(task, folder, backend, limits, arguments, seed)
    return replace(judge(standard, candidate), seconds=time.monotonic() - begin)


def set_standard(
    task: Task,
    folder: Path,
    backend: Backend,
    limits: Limits = EXECUTION,
    arguments: Sequence[str] = (),
    seed: int = 0,
) -> Standard:
    """Runs a baseline; the parameters are those of :func:`verify`.

    Raises:
        UserError: The baseline does not build.
    """
    inputs = gather_inputs(task, seed)
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
    telling = any(
        one.buffers is not None and not zeros_would_pass(task, call[1], one.buffers)
        for call, one in zip(inputs.calls, conditions.expected, strict=True)
    )
    return Standard(
        task, folder, backend, inputs, conditions, telling, seed, limits, sandbox,
        tuple(arguments),
    )  # fmt: skip


def judge(standard: Standard, candidate: Path) -> Verdict:
    """Holds one candidate to a standard."""
    begin = time.monotonic()
    task, inputs, conditions = standard.task, standard.inputs, standard.conditions
    backend, hardware = standard.backend, standard.backend.availability().hardware
    # The baseline's program is gone by now: there is nothing of it left to call.
    with tempfile.TemporaryDirectory(prefix="rocquarry-verify-") as work:
        try:
            program = build_runner(
                task.entry, candidate, conditions.backend, Path(work), "candidate",
                standard.arguments,
            )  # fmt: skip
        except BuildError as error:
            return Verdict(
                task.task, False, False, backend.name, hardware,
                diagnostics=error.outcome.stderr or str(error), seconds=time.monotonic() - begin,
            )  # fmt: skip

        def run(calls: Sequence[Call], setting: Setting) -> Sequence[CaseRun]:
            return run_cases(
                program, calls, {**setting, **_REUSE}, standard.limits, standard.sandbox
            )

        skipped, failures = _compare(task, inputs, conditions, run)
    named = {name for number, name in enumerate(inputs.names) if number not in inputs.fresh}
    failed = {failure.input for failure in failures}
    lost = {text.partition(": the baseline")[0] for text in skipped}
    passed = len(named - failed - lost)
    notes = conditions.notes
    if not standard.telling:
        notes = (*notes, "no input of the task tells a right result from zeros: nothing is proved")
    return Verdict(
        task.task, True, not failures and passed > 0 and standard.telling, backend.name, hardware,
        inputs_passed=passed, inputs_skipped=(*inputs.skipped, *skipped), failures=failures,
        notes=notes, seconds=time.monotonic() - begin, seed=standard.seed,
        fresh_passed=len(set(inputs.names) - named - failed - lost),
        tolerance={name: one.model_dump() for name, one in task.tolerance.items()},
        settings=tuple(_words(setting) for setting in conditions.settings),
    )  # fmt: skip


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
