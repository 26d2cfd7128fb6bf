"""What a call does by its definition: the operations and the traffic of the baseline, counted.

The baseline runs once on the CPU runtime with the very call that is timed. Operations are those
that it executes; traffic is every byte of its buffers that it reads, and every one that it writes,
once each: no implementation that keeps its inputs and outputs in memory moves less.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from kernels.backends.cpu import CpuBackend
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.profile.request import Request
from kernels.task.inputs import make_inputs
from kernels.task.model import Task
from kernels.verify.program import build_runner
from kernels.verify.runs import run_cases

_SECONDS = 120
_SETTINGS = {"HIPCPU_EXITED": "allow", "HIPCPU_POISON": "0"}


@dataclass(frozen=True)
class Counts:
    """One call.

    Attributes:
        operations: Floating-point operations, a fused multiply-add as two.
        read: Bytes of device memory that are read, each counted once.
        written: Bytes that are written.
    """

    operations: int
    read: int
    written: int


def count(task: Task, source: Path, request: Request) -> Counts | str:
    """Counts one call of a baseline, or says why that cannot be done here.

    Args:
        task: The task.
        source: Its baseline.
        request: The call.
    """
    limits = replace(EXECUTION, wall_seconds=_SECONDS, cpu_seconds=_SECONDS, memory_bytes=0)
    with tempfile.TemporaryDirectory(prefix="rocquarry-count-") as work:
        try:
            program = build_runner(
                task.entry, source, CpuBackend(counted=True), Path(work), "counted", ()
            )
        except BuildError as error:
            return f"it does not build for the cpu: {error}"
        call = (request.geometry, make_inputs(task, request.case))
        (run,) = run_cases(program, [call], _SETTINGS, limits, best_sandbox())
    for one in run.findings:
        if one.get("kind") == "counted" and run.buffers is not None:
            return Counts(int(one["operations"]), int(one["read"]), int(one["written"]))
    return run.error or "it ended before it was done"
