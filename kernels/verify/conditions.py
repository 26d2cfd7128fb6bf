"""Under which conditions a baseline is one thing, so that a candidate can be held to it.

On the CPU runtime a kernel is run in several orders of its threads. A baseline that gives one
result in all of them is judged in all of them. Some kernels of production libraries do not: they
leave out barriers because the lanes of a wavefront run in lockstep, or because wavefronts are never
far apart. Such a baseline is built to run in lockstep, and a candidate is judged in the orders in
which the baseline agrees with itself then. What that says of the baseline goes into the verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kernels.backends.cpu import CpuBackend
from kernels.backends.model import Backend, Program
from kernels.task.inputs import Value
from kernels.task.model import Task
from kernels.verify.compare import first_difference
from kernels.verify.runs import CaseRun


class Call(NamedTuple):
    """One call of a task's entry.

    Attributes:
        geometry: Grid, block and bytes of dynamic LDS.
        values: Arguments.
        reserve: Bytes to which each buffer may grow where it is accessed; 0 where a buffer has the
            size it has.
        lenient: Whether anything may be where NaN is expected: BLAS does not read what a factor of
            zero makes needless, a baseline may, and both are right.
    """

    geometry: Sequence[int]
    values: Sequence[Value]
    reserve: int = 0
    lenient: bool = False


Setting = Mapping[str, str]
Build = Callable[[Path, Backend, str], Program]
Run = Callable[[Program, Sequence[Call], Setting], Sequence[CaseRun]]

PLAIN: tuple[Setting, ...] = (
    {"HIPCPU_SCHEDULE": "ascending"},
    {"HIPCPU_SCHEDULE": "descending", "HIPCPU_GUARD": "start", "HIPCPU_POISON": "0x7b"},
    {"HIPCPU_SCHEDULE": "random:1"},
    {"HIPCPU_SCHEDULE": "ahead"},
    {"HIPCPU_SCHEDULE": "behind", "HIPCPU_POISON": "0x7b"},
    {"HIPCPU_SCHEDULE": "random:2", "HIPCPU_GUARD": "start"},
)
"""Orders of threads, sides of a buffer and fills of fresh memory under which results must agree."""

_ALLOWED = {"HIPCPU_EXITED": "allow"}
"""On the hardware a barrier does not wait for lanes that have ended."""

LOCKSTEP: tuple[Setting, ...] = (
    {"HIPCPU_SCHEDULE": "together", **_ALLOWED},
    {"HIPCPU_SCHEDULE": "together", "HIPCPU_GUARD": "start", "HIPCPU_POISON": "0x7b", **_ALLOWED},
    {"HIPCPU_SCHEDULE": "ascending", **_ALLOWED},
    {"HIPCPU_SCHEDULE": "descending", **_ALLOWED},
    {"HIPCPU_SCHEDULE": "random:1", **_ALLOWED},
    {"HIPCPU_SCHEDULE": "ahead", **_ALLOWED},
)
"""The same for kernels that are built to run in lockstep; the first is nearest to the hardware."""


@dataclass(frozen=True)
class Conditions:
    """How a candidate is built and run.

    Attributes:
        backend: What builds it.
        settings: Under which it must be right.
        expected: What the baseline gave, case by case.
        notes: What there is to say of the baseline.
    """

    backend: Backend
    settings: tuple[Setting, ...]
    expected: tuple[CaseRun, ...]
    notes: tuple[str, ...] = ()


def find_conditions(
    task: Task,
    calls: Sequence[Call],
    baseline: Path,
    backend: Backend,
    build: Build,
    run: Run,
    tried: Collection[int] = (),
) -> Conditions:
    """Finds the conditions for a task.

    Args:
        task: The task.
        calls: Its inputs.
        baseline: File of the baseline.
        backend: What builds it.
        build: Builds it.
        run: Runs it.
        tried: Numbers of inputs that say nothing about the baseline: one on which it does not
            agree with itself is none that it takes.

    Raises:
        BuildError: The baseline does not build.
    """
    program = build(baseline, backend, "baseline")
    if not isinstance(backend, CpuBackend):
        return Conditions(backend, ({},), tuple(run(program, calls, {})))
    expected, agreeing = _agreeing(task, calls, program, PLAIN, run, tried)
    if len(agreeing) == len(PLAIN):
        return Conditions(backend, PLAIN, expected)
    lockstep = CpuBackend(backend.wavefront, lockstep=True)
    program = build(baseline, lockstep, "baseline-lockstep")
    expected, agreeing = _agreeing(task, calls, program, LOCKSTEP, run, tried)
    notes = ["the baseline counts on the lanes of a wavefront running in lockstep"]
    lost = [s["HIPCPU_SCHEDULE"] for s in LOCKSTEP if s not in agreeing]
    if lost:
        notes.append(f"the baseline is not itself when its wavefronts run {', '.join(lost)}")
    return Conditions(lockstep, tuple(agreeing), expected, tuple(notes))


def _agreeing(
    task: Task,
    calls: Sequence[Call],
    program: Program,
    settings: Sequence[Setting],
    run: Run,
    tried: Collection[int],
) -> tuple[tuple[CaseRun, ...], list[Setting]]:
    """What a program gives under the first setting, and the settings under which it gives that."""
    expected = list(run(program, calls, settings[0]))
    # What fails once is no call to judge by; each failure costs a process.
    sound = [k for k, want in enumerate(expected) if not want.error and want.buffers is not None]
    agreeing = [settings[0]]
    for setting in settings[1:]:
        got = run(program, [calls[k] for k in sound], setting)
        differing = {
            k for k, have in zip(sound, got, strict=True)
            if not _same(task, calls[k], expected[k], have)
        }  # fmt: skip
        for k in differing & set(tried):
            expected[k] = CaseRun(None, "the baseline does not agree with itself there")
        sound = [k for k in sound if k not in differing or k not in tried]
        if differing <= set(tried):
            agreeing.append(setting)
    return tuple(expected), agreeing


def _same(task: Task, call: Call, want: CaseRun, have: CaseRun) -> bool:
    if have.error or have.buffers is None or want.buffers is None:
        return False
    return first_difference(task, call[1], want.buffers, have.buffers) is None
