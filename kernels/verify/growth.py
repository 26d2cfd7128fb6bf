"""Extents of inputs that no task knows, measured by letting the baseline's buffers grow."""

from __future__ import annotations

from collections.abc import Sequence

from kernels.backends.model import Program
from kernels.isolation import Limits
from kernels.isolation.sandbox import Sandbox
from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Task
from kernels.verify.runs import run_cases

_RESERVED_BYTES = 64 << 20
_MOST_BYTES = 8 << 20
_SETTINGS = {"HIPCPU_MEASURE": str(_RESERVED_BYTES), "HIPCPU_POISON": "0"}


def grown_cases(
    task: Task, cases: Sequence[Case], baseline: Program, limits: Limits, sandbox: Sandbox
) -> list[Case | None]:
    """The cases with extents in whole pages; ``None`` for one that fails, or takes too much.

    Args:
        task: The task.
        cases: Cases whose buffers have extents that need not hold.
        baseline: The task's own program.
        limits: Of each process.
        sandbox: What it runs in.
    """
    buffers = [p for p in task.parameters if p.kind == "buffer"]
    found: list[Case | None] = []
    for case in cases:
        # One at a time: addresses that a buffer could have grown to stay taken.
        smallest = case.model_copy(update={"extents": {p.name: 1 for p in buffers}})
        call = (task.geometry(case), make_inputs(task, smallest))
        (run,) = run_cases(baseline, [call], _SETTINGS, limits, sandbox)
        grown = [one for one in run.findings if one.get("kind") == "extent"]
        sound = run.buffers is not None and len(grown) == len(run.findings) == len(buffers)
        sizes = {
            p.name: int(one["bytes"]) // (p.element.bytes * p.components)
            for p, one in zip(buffers, grown, strict=False)
        }
        small = sum(int(one["bytes"]) for one in grown) <= _MOST_BYTES
        found.append(case.model_copy(update={"extents": sizes}) if sound and small else None)
    return found
