"""Whether a mutant that no verification found wrong can be believed to change nothing.

It and its baseline run on a set of small inputs that the verification does not know, built so that
every access to memory is seen. Where both leave the same in every buffer, and no two threads of
either touch the same element between two barriers with one of them writing, the two are equal on
that input in every order of threads, not only in those that were run: whatever a thread reads was
written by itself or before the last barrier. What lies beyond the set is not proved.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kernels.backends.cpu import CpuBackend
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.mutants.domain import Domain, small_inputs
from kernels.task.folder import BASELINE
from kernels.task.model import Task
from kernels.verify import Standard
from kernels.verify.compare import first_difference
from kernels.verify.program import build_runner
from kernels.verify.runs import CaseRun, run_cases

MOST = 600
"""Inputs at most, for each kernel."""
_SETTINGS = {"ROCQUARRY_RACES": "1", "HIPCPU_SCHEDULE": "descending"}


@dataclass(frozen=True)
class Evidence:
    """What a comparison on small inputs says of a mutant.

    Attributes:
        inputs: How many the baseline takes, free of races; the mutant was run on all of them.
        of: How many there are; where it is more than ``drawn``, so many were drawn.
        drawn: How many were tried.
        differs: The first input on which results differ; empty where there is none.
        races: Inputs on which threads of the mutant touch the same element without a barrier
            between.
        equal_bits: Inputs on which results are the same to the last bit.
        why_not: Why nothing can be said; empty where something can.
    """

    inputs: int = 0
    of: int = 0
    drawn: int = 0
    differs: str = ""
    races: int = 0
    equal_bits: int = 0
    why_not: str = ""

    @property
    def harmless(self) -> bool:
        """Whether it changed nothing on any of them, in any order of threads."""
        return self.inputs > 0 and not self.differs and not self.races and not self.why_not

    def sentence(self) -> str:
        """It in words."""
        if self.why_not:
            return self.why_not
        if self.differs:
            return f"another result for {self.differs}"
        if self.races:
            return f"threads that no barrier orders touch the same element on {self.races} inputs"
        drawn = f"{self.drawn} drawn of {self.of}" if self.of > self.drawn else "all"
        bits = "to the last bit" if self.equal_bits == self.inputs else "within the tolerance"
        return (
            f"equal {bits} and free of races on all {self.inputs} small inputs that the baseline "
            f"takes ({drawn})"
        )


class Comparison:
    """A baseline on small inputs, to which mutants are held.

    Args:
        standard: Of its task.
        most: Inputs at most.
    """

    def __init__(self, standard: Standard, most: int = MOST) -> None:
        self._task, self._why_not = standard.task, ""
        self._domain: Domain = small_inputs(standard.task, most)
        self._drawn = min(most, self._domain.of)
        self._runs: list[CaseRun] = []
        baseline = standard.folder / BASELINE
        backend = standard.conditions.backend
        if isinstance(backend, CpuBackend) and backend.lockstep:
            self._why_not = "the baseline counts on lockstep: no order of accesses can be shown"
        elif "atomic" in baseline.read_text(encoding="utf-8"):
            self._why_not = "atomic operations are not seen, so no order of accesses can be shown"
        elif not self._domain.calls:
            self._why_not = "its sizes are not known as expressions, so no inputs can be made"
        else:
            self._runs = self._run(baseline)
        self._taken = [k for k, run in enumerate(self._runs) if _sound(run)]

    def evidence(self, source: Path) -> Evidence:
        """What is to be said of one mutant."""
        if self._why_not:
            return Evidence(why_not=self._why_not)
        try:
            runs = self._run(source, self._taken)
        except BuildError as error:
            return Evidence(why_not=f"it does not build so that accesses are seen: {error}")
        differs, races, equal = "", 0, 0
        for number, run in zip(self._taken, runs, strict=True):
            if not differs and not _same(self._task, self._domain, number, self._runs[number], run):
                differs = self._domain.names[number]
            races += bool(_races(run))
            equal += run.buffers == self._runs[number].buffers
        return Evidence(len(self._taken), self._domain.of, self._drawn, differs, races, equal)

    def _run(self, source: Path, places: Sequence[int] | None = None) -> list[CaseRun]:
        calls = self._domain.calls
        chosen = [calls[k] for k in places] if places is not None else list(calls)
        limits = replace(EXECUTION, memory_bytes=0, wall_seconds=300, cpu_seconds=300)
        with tempfile.TemporaryDirectory(prefix="rocquarry-evidence-") as work:
            program = build_runner(
                self._task.entry, source, CpuBackend(counted=True), Path(work), "counted", ()
            )
            inputs = [(call.geometry, call.values) for call in chosen]
            return run_cases(program, inputs, _SETTINGS, limits, best_sandbox())


def _races(run: CaseRun) -> int:
    return sum(int(one.get("races", 0)) for one in run.findings if one.get("kind") == "counted")


def _sound(run: CaseRun) -> bool:
    faults = [one for one in run.findings if one.get("kind") != "counted"]
    return run.buffers is not None and not faults and not _races(run)


def _same(task: Task, domain: Domain, number: int, want: CaseRun, have: CaseRun) -> bool:
    faults = [one for one in have.findings if one.get("kind") != "counted"]
    if want.buffers is None or have.buffers is None or faults:
        return False
    return first_difference(task, domain.calls[number].values, want.buffers, have.buffers) is None
