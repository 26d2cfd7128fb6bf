"""Finds out how many elements of each buffer a baseline touches, by running it on the CPU runtime.

First every buffer may grow while the kernel runs, which gives its extent in whole pages. Then it
is tried with as few elements as that allows and a guard page right behind it: the address of a
fault says how many it takes at least. Threads run from the last to the first, so the first fault
is most often the last element. Trials by halves follow where that is not so.
"""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from extractor.errors import UserError
from kernels.backends.cpu import CpuBackend
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Parameter, Task
from kernels.verify.program import build_runner
from kernels.verify.runs import CaseRun, run_cases

_RESERVED_BYTES = 128 << 20
_CASES_AT_ONCE = 4
"""Addresses that a buffer could have grown to stay taken until its process ends."""
_DIRECT_TRIALS = 3
# Whether a barrier may be left out by ending is no question here.
_ALLOWED = {"HIPCPU_EXITED": "allow"}
_ORDER = {"HIPCPU_SCHEDULE": "descending", **_ALLOWED}


def measure_extents(
    task: Task,
    source: Path,
    unknown: Sequence[str],
    arguments: Sequence[str] = (),
    absent: Mapping[str, Collection[str]] = {},
    failures: dict[str, str] | None = None,
) -> Task:
    """Fills in the extents of some buffers, case by case.

    Args:
        task: With any extents for these buffers.
        source: The baseline.
        unknown: Names of the buffers.
        arguments: Compiler arguments.
        absent: By case, buffers for which it passes a null pointer.
        failures: Gets the cases in which the baseline does not run, with the reason, and the task
            comes without them; where there is none, the first such case is an error.

    Raises:
        UserError: The baseline does not build or does not run, so nothing can be measured.
    """
    with tempfile.TemporaryDirectory(prefix="rocquarry-measure-") as work:
        try:
            program = build_runner(
                task.entry, source, CpuBackend(), Path(work), "baseline", arguments
            )
        except BuildError as error:
            raise UserError(f"{source.name} does not build: {error}") from error

        def runs(cases: Sequence[Case], settings: Mapping[str, str]) -> list[CaseRun]:
            calls = []
            for case in cases:
                calls.append((task.geometry(case), make_inputs(task, case)))
            return run_cases(program, calls, settings, EXECUTION, best_sandbox())

        return _Search(task, unknown, runs, absent, failures).task()


class _Search:
    """Upper and lower bounds of every extent, brought together."""

    def __init__(
        self,
        task: Task,
        unknown: Sequence[str],
        runs: Callable[[Sequence[Case], Mapping[str, str]], list[CaseRun]],
        absent: Mapping[str, Collection[str]],
        failures: dict[str, str] | None,
    ) -> None:
        self._task, self._runs, self._absent, self._failures = task, runs, absent, failures
        self._buffers = [p for p in task.parameters if p.name in unknown]
        self._cases = [case for case in task.cases if self._can_run(case)]

    def task(self) -> Task:
        """The task with what was found."""
        page = mmap.PAGESIZE
        high = self._whole_pages()
        sizes = {p.name: _size(p) for p in self._buffers}
        # The last page is accessed, unless it is the one that every buffer begins with.
        low = [
            {
                name: (most - page) // sizes[name] + 1 if most > page else 0
                for name, most in ((name, n * sizes[name]) for name, n in bounds.items())
            }
            for bounds in high
        ]
        for buffer in self._buffers:
            self._halve(buffer, low, high)
        found = {case.name: bounds for case, bounds in zip(self._cases, high, strict=True)}
        cases = []
        for case in self._task.cases:
            if self._failures and case.name in self._failures:
                continue
            nothing = {p.name: 0 for p in self._buffers}
            extents = {**case.extents, **found.get(case.name, nothing)}
            cases.append(case.model_copy(update={"extents": extents}))
        return self._task.model_copy(update={"cases": tuple(cases)})

    def _can_run(self, case: Case) -> bool:
        return 0 not in self._task.geometry(case)[:6]

    def _null(self, case: Case) -> frozenset[str]:
        return frozenset(self._absent.get(case.name, ()))

    def _with(self, number: int, sizes: Mapping[str, int]) -> Case:
        return self._cases[number].model_copy(update={"extents": dict(sizes)})

    def _whole_pages(self) -> list[dict[str, int]]:
        """Extents in whole pages, as elements."""
        # One element each, so that every buffer exists and can grow.
        cases = [
            self._with(n, {p.name: int(p.name not in self._null(case)) for p in self._buffers})
            for n, case in enumerate(self._cases)
        ]
        bounds, kept = [], []
        settings = {"HIPCPU_MEASURE": str(_RESERVED_BYTES), "HIPCPU_POISON": "0", **_ALLOWED}
        made = [
            run
            for start in range(0, len(cases), _CASES_AT_ONCE)
            for run in self._runs(cases[start : start + _CASES_AT_ONCE], settings)
        ]
        for number, (case, run) in enumerate(zip(cases, made, strict=True)):
            extents = [f for f in run.findings if f.get("kind") == "extent"]
            faults = [f for f in run.findings if f.get("kind") != "extent"]
            if run.buffers is None or faults:
                said = f"{self._task.entry.name} fails in case {case.name}: {run.error}"
                if self._failures is None:
                    raise UserError(said)
                self._failures[case.name] = run.error
                if len(self._failures) == len(cases):
                    raise UserError(said)
                continue
            kept.append(self._cases[number])
            # In the order in which they are freed, which is that of the parameters.
            null = self._null(case)
            sized = [p for p in self._task.parameters if p.kind == "buffer" and p.name not in null]
            sizes = dict.fromkeys(null & {p.name for p in self._buffers}, 0)
            for parameter, finding in zip(sized, extents, strict=False):
                if parameter in self._buffers:
                    sizes[parameter.name] = int(finding["bytes"]) // _size(parameter)
            bounds.append(sizes)
        self._cases = kept
        return bounds

    def _halve(
        self, buffer: Parameter, low: list[dict[str, int]], high: list[dict[str, int]]
    ) -> None:
        name, step = buffer.name, _size(buffer)
        settings = {"HIPCPU_ALIGN": str(min(16, step & -step)), **_ORDER}
        open_cases = [n for n in range(len(high)) if low[n][name] < high[n][name]]
        rounds = 0
        while open_cases:
            rounds += 1
            direct = rounds <= _DIRECT_TRIALS
            trials = [
                self._with(
                    n,
                    {
                        **high[n],
                        name: low[n][name] if direct else (low[n][name] + high[n][name]) // 2,
                    },
                )
                for n in open_cases
            ]
            for n, trial, run in zip(open_cases, trials, self._runs(trials, settings), strict=True):
                if run.error or run.buffers is None:
                    least = max(trial.extents[name], _accessed(run) // step) + 1
                    low[n][name] = min(least, high[n][name])
                else:
                    high[n][name] = trial.extents[name]
            open_cases = [n for n in open_cases if low[n][name] < high[n][name]]


def _size(buffer: Parameter) -> int:
    return buffer.element.bytes * buffer.components


def _accessed(run: CaseRun) -> int:
    """Offset in bytes of the access that ended a run; -1 where it is not known."""
    return max((int(f.get("offset", -1)) for f in run.findings), default=-1)
