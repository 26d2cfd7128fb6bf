"""Builds a task's baseline and a candidate, runs both on the task's inputs, and compares."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from extractor.errors import UserError
from kernels.backends.cpu import CpuBackend
from kernels.backends.model import Backend, Program
from kernels.building.constants import Constants, require_defined, with_constants
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION, Limits
from kernels.isolation.sandbox import Sandbox, best_sandbox
from kernels.task.folder import BASELINE
from kernels.task.model import Case, Task
from kernels.verify.cheat import find_cheat
from kernels.verify.compare import first_difference, zeros_would_pass
from kernels.verify.conditions import Call, Conditions, Setting, find_conditions
from kernels.verify.growth import grown_cases
from kernels.verify.inputs import Inputs, gather_inputs
from kernels.verify.program import build_runner
from kernels.verify.record import Failure, Verdict
from kernels.verify.runs import NOT_RUN, CaseRun, run_cases

_REUSE = {"ROCQUARRY_REUSE": "1"}
_WRAPPING = "-fwrapv"
_MOST_ENDS = 3
"""Processes of a candidate that may end in a fault, or never: each takes up to the time limit."""


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
        constants: Compile-time constants that have another value.
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
    constants: Constants = field(default_factory=dict)


def verify(
    task: Task,
    folder: Path,
    candidate: Path,
    backend: Backend,
    limits: Limits = EXECUTION,
    arguments: Sequence[str] = (),
    seed: int | None = None,
    constants: Constants = MappingProxyType({}),
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
        constants: Compile-time constants of both that get another value.

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
    standard = set_standard(task, folder, backend, limits, arguments, seed, constants)
    return replace(judge(standard, candidate), seconds=time.monotonic() - begin)


def set_standard(
    task: Task,
    folder: Path,
    backend: Backend,
    limits: Limits = EXECUTION,
    arguments: Sequence[str] = (),
    seed: int = 0,
    constants: Constants = MappingProxyType({}),
) -> Standard:
    """Runs a baseline; the parameters are those of :func:`verify`.

    Raises:
        UserError: The baseline does not build.
    """
    _, defined = with_constants((folder / BASELINE).read_text(encoding="utf-8"), constants)
    require_defined(constants, defined, f"the baseline of {task.task}")
    sandbox = replace(best_sandbox(), devices=backend.uses_devices)
    if backend.uses_devices:
        limits = replace(limits, memory_bytes=0)

    def run(program: Program, calls: Sequence[Call], setting: Setting) -> Sequence[CaseRun]:
        return _run(program, calls, setting, limits, sandbox)

    with tempfile.TemporaryDirectory(prefix="rocquarry-verify-") as work:

        def build(source: Path, builder: Backend, name: str) -> Program:
            return build_runner(task.entry, source, builder, Path(work), name, arguments, constants)

        baseline = folder / BASELINE

        def measure(cases: Sequence[Case]) -> Sequence[Case | None]:
            plain = build(baseline, CpuBackend(), "baseline-grown")
            return grown_cases(task, cases, plain, limits, sandbox)

        try:
            inputs = gather_inputs(task, seed, measure if backend.name == "cpu" else None)
            conditions = find_conditions(
                task, inputs.calls, baseline, backend, build, run, inputs.tried
            )
            far = _far(inputs, conditions)
            if far:
                wrapping = build_runner(
                    task.entry, baseline, conditions.backend, Path(work), "baseline-wrapping",
                    (*arguments, _WRAPPING), constants,
                )  # fmt: skip
                runs = run(wrapping, [inputs.calls[k] for k in far], conditions.settings[0])
                conditions = _without_luck(
                    task, inputs, conditions, dict(zip(far, runs, strict=True))
                )
        except BuildError as error:
            raise UserError(f"the baseline of {task.task} does not build: {error}") from error
    telling = any(
        one.buffers is not None and not zeros_would_pass(task, call[1], one.buffers)
        for call, one in zip(inputs.calls, conditions.expected, strict=True)
    )
    return Standard(
        task, folder, backend, inputs, conditions, telling, seed, limits, sandbox,
        tuple(arguments), constants,
    )  # fmt: skip


def _far(inputs: Inputs, conditions: Conditions) -> list[int]:
    """Numbers of inputs with parts beyond what 32 bits count, on which the baseline has a value."""
    return [
        k for k in sorted(inputs.tried)
        if inputs.calls[k].reserve and conditions.expected[k].buffers is not None
    ]  # fmt: skip


def _without_luck(
    task: Task, inputs: Inputs, conditions: Conditions, wrapping: Mapping[int, CaseRun]
) -> Conditions:
    """Without the inputs on which the baseline is right by luck alone.

    Where its own indices overflow, a compiler may calculate them in 64 bits, and need not do so for
    a candidate that is written the same way.

    Args:
        task: The task.
        inputs: All of them.
        conditions: What the baseline gave.
        wrapping: What it gave, by number, with indices that wrap round.
    """
    expected = list(conditions.expected)
    for number, got in wrapping.items():
        want, have = expected[number].buffers, got.buffers
        values = inputs.calls[number].values
        if (
            got.error or want is None or have is None
            or first_difference(task, values, want, have) is not None
        ):  # fmt: skip
            expected[number] = CaseRun(None, "the baseline's own indices overflow there")
    return replace(conditions, expected=tuple(expected))


def judge(standard: Standard, candidate: Path) -> Verdict:
    """Holds one candidate to a standard."""
    begin = time.monotonic()
    task, conditions = standard.task, standard.conditions
    backend, hardware = standard.backend, standard.backend.availability().hardware
    # The baseline's program is gone by now: there is nothing of it left to call.
    with tempfile.TemporaryDirectory(prefix="rocquarry-verify-") as work:
        try:
            program = build_runner(
                task.entry, candidate, conditions.backend, Path(work), "candidate",
                standard.arguments, standard.constants,
            )  # fmt: skip
        except BuildError as error:
            return Verdict(
                task.task, False, False, backend.name, hardware,
                diagnostics=error.outcome.stderr or str(error), seconds=time.monotonic() - begin,
            )  # fmt: skip

        skipped, failures = compare_program(standard, program)
    return _verdict(standard, skipped, failures, begin)


def compare_program(
    standard: Standard,
    program: Program,
    more: Setting = MappingProxyType({}),
    *,
    first: bool = False,
) -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    """Inputs that cannot be judged, and those on which a built candidate fails.

    Args:
        standard: What it is held to.
        program: The candidate's.
        more: Environment beside that of each setting.
        first: Stop after the first setting with a failure.
    """

    def run(calls: Sequence[Call], setting: Setting) -> Sequence[CaseRun]:
        return _run(program, calls, {**setting, **more}, standard.limits, standard.sandbox,
                    1 if first else _MOST_ENDS)  # fmt: skip

    return _compare(standard.task, standard.inputs, standard.conditions, run, first=first)


def _run(
    program: Program,
    calls: Sequence[Call],
    setting: Setting,
    limits: Limits,
    sandbox: Sandbox,
    most_ends: int = 0,
) -> list[CaseRun]:
    """Calls in their order; those whose buffers grow get memory of their own."""
    found: dict[int, CaseRun] = {}
    for reserve in sorted({call.reserve for call in calls}):
        places = [k for k, call in enumerate(calls) if call.reserve == reserve]
        chosen = [(calls[k].geometry, calls[k].values) for k in places]
        settings = setting if reserve else {**setting, **_REUSE}
        runs = run_cases(program, chosen, settings, limits, sandbox, reserve, most_ends)
        found |= dict(zip(places, runs, strict=True))
    return [found[k] for k in range(len(calls))]


def _verdict(
    standard: Standard, skipped: tuple[str, ...], failures: tuple[Failure, ...], begin: float
) -> Verdict:
    task, inputs, conditions = standard.task, standard.inputs, standard.conditions
    backend, hardware = standard.backend, standard.backend.availability().hardware
    named = {name for number, name in enumerate(inputs.names) if number not in inputs.fresh}
    failed = {failure.input for failure in failures}
    lost = {text.partition(": ")[0] for text in skipped} | {
        name for name, one in zip(inputs.names, conditions.expected, strict=True)
        if one.error or one.buffers is None
    }  # fmt: skip
    passed = len(named - failed - lost)
    notes = conditions.notes
    if standard.constants:
        notes = (*notes, f"with other constants: {_words(standard.constants)}")
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
    *,
    first: bool,
) -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    """The inputs that cannot be judged, and those on which the candidate fails."""
    expected = conditions.expected
    skipped, refused, left = [], [], []
    for number, name in enumerate(inputs.names):
        if expected[number].buffers is None or expected[number].error:
            if number in inputs.tried:
                refused.append(name)
                continue
            skipped.append(f"{name}: the baseline itself fails there: {expected[number].error}")
        else:
            left.append(number)
    if refused:
        skipped.append(
            f"{len(refused)} inputs that the baseline does not take: {'; '.join(refused)}"
        )
    failures: dict[int, Failure] = {}
    unrun: set[int] = set()
    for setting in conditions.settings:
        if first and failures:
            break
        # An input that failed once needs no other setting to show it; after too many ends of the
        # program there is nothing more to learn.
        left = [number for number in left if number not in failures and number not in unrun]
        runs = run_candidate([inputs.calls[number] for number in left], setting) if left else ()
        for number, got in zip(left, runs, strict=True):
            if got.error == NOT_RUN:
                unrun.add(number)
                continue
            failure = _judge(
                task, inputs.calls[number], expected[number], got, inputs.names[number], setting
            )
            if failure:
                failures[number] = failure
    skipped += [f"{inputs.names[number]}: {NOT_RUN}" for number in sorted(unrun)]
    return tuple(skipped), tuple(failures[number] for number in sorted(failures))


def _judge(
    task: Task,
    call: Call,
    want: CaseRun,
    got: CaseRun,
    name: str,
    setting: Setting,
) -> Failure | None:
    reproducer = f"{_words(setting)} case {name}".strip()
    if got.error or got.buffers is None:
        return Failure(name, "", "", got.error or "no result", reproducer, got.findings)
    assert want.buffers is not None
    difference = first_difference(
        task, call.values, want.buffers, got.buffers, lenient=call.lenient
    )
    if difference is None:
        return None
    return Failure(
        name, difference.expected, difference.got, difference.sentence(), reproducer, got.findings
    )
