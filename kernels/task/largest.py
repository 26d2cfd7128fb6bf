"""The largest of some cases that a task's baseline can be given: what is timed on a card.

A case is run once on the CPU runtime with buffers that may grow, which says how many elements each
needs, in whole pages. What would take too long there, or too much memory, is not taken: by its
sizes, not by a clock, so that a task is the same on every machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from kernels.backends.cpu import CpuBackend
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Task
from kernels.verify.program import build_runner
from kernels.verify.roles import role_of
from kernels.verify.runs import run_cases

_MOST_BYTES = 256 << 20
_MOST_THREADS = 1 << 24
_MOST_STEPS = 1 << 26
"""Product of the sizes: a multiplication of matrices takes so many steps, most kernels fewer."""
_SETTINGS = {
    "HIPCPU_MEASURE": str(2 * _MOST_BYTES), "HIPCPU_POISON": "0", "HIPCPU_EXITED": "allow",
}  # fmt: skip


def largest_case(
    task: Task, source: Path, cases: Sequence[Case], absent: Mapping[str, Collection[str]]
) -> Case | None:
    """The last of some cases that runs, with extents; ``None`` where not even the first does.

    Args:
        task: The task.
        source: Its baseline.
        cases: Ever larger ones, without extents.
        absent: By case, buffers for which it passes a null pointer.
    """
    buffers = [p for p in task.parameters if p.kind == "buffer"]
    limits = replace(EXECUTION, memory_bytes=0)
    best = None
    with tempfile.TemporaryDirectory(prefix="rocquarry-largest-") as work:
        try:
            program = build_runner(task.entry, source, CpuBackend(), Path(work), "baseline", ())
        except BuildError:
            return None
        for case in cases:
            x, y, z, a, b, c, _ = task.geometry(case)
            if not 0 < x * y * z * a * b * c <= _MOST_THREADS or _steps(cases, case) > _MOST_STEPS:
                break
            null = set(absent.get(case.name, ()))
            extents = {p.name: int(p.name not in null) for p in buffers}
            call = (
                task.geometry(case),
                make_inputs(task, case.model_copy(update={"extents": extents})),
            )
            (run,) = run_cases(program, [call], _SETTINGS, limits, best_sandbox())
            grown = [f for f in run.findings if f.get("kind") == "extent"]
            there = [p for p in buffers if p.name not in null]
            sound = run.buffers is not None and len(grown) == len(run.findings) == len(there)
            if not sound or sum(int(f["bytes"]) for f in grown) > _MOST_BYTES:
                break
            extents |= {
                p.name: int(f["bytes"]) // (p.element.bytes * p.components)
                for p, f in zip(there, grown, strict=True)
            }
            best = case.model_copy(update={"extents": extents})
    return best


def _steps(cases: Sequence[Case], case: Case) -> int:
    """The product of what grows from case to case and is a size by its name."""
    return prod(
        int(value)
        for name, value in case.scalars.items()
        if isinstance(value, int) and value != cases[0].scalars[name] and role_of(name) == "size"
    )
