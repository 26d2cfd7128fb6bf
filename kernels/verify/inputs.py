"""The inputs of one verification: a task's own and fresh ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Task
from kernels.verify.boundaries import Boundary, boundaries
from kernels.verify.conditions import Call
from kernels.verify.contents import refilled
from kernels.verify.fresh import fresh_cases


@dataclass(frozen=True)
class Inputs:
    """The cases of a task and fresh ones, made once for baseline and candidate.

    Attributes:
        names: Of the cases.
        calls: Their geometry and arguments.
        skipped: Cases that cannot be launched, with the reason.
        fresh: Numbers of those that the task does not name.
        tried: Numbers of those of which only the baseline says whether they are allowed.
    """

    names: tuple[str, ...]
    calls: tuple[Call, ...]
    skipped: tuple[str, ...]
    fresh: frozenset[int]
    tried: frozenset[int] = frozenset()


Measure = Callable[[Sequence[Case]], Sequence[Case | None]]
"""Fills in extents that nobody knows; ``None`` for a case on which the baseline fails."""

_FAR_BYTES = 56 << 30


def gather_inputs(task: Task, seed: int, measure: Measure | None = None) -> Inputs:
    """The task's cases, each with the fresh ones that have its shape behind it, and boundaries.

    Args:
        task: The task.
        seed: Of fresh inputs.
        measure: Measures extents; where there is none, inputs that need it are left out, and so
            are those whose buffers grow.
    """
    names: list[str] = []
    calls: list[Call] = []
    skipped, fresh = [], set()
    following = fresh_cases(task, seed)
    for number, case in enumerate(task.cases):
        geometry = task.geometry(case)
        if 0 in geometry[:6]:
            skipped.append(f"{case.name}: an empty grid cannot be launched")
            continue
        for one in (case, *(more for place, more in following if place == number)):
            if one is not case:
                fresh.add(len(names))
            geometry = task.geometry(one)
            names.append(one.name)
            worn = one is not case and len(names) % 2 == 0
            calls.append(Call(geometry, make_inputs(task, one, worn=worn)))
    first = len(names)
    for made in _boundaries(task, measure):
        names.append(made.case.name)
        inputs = make_inputs(task, made.case, worn=len(names) % 2 == 0)
        values = refilled(inputs, made.content, made.case)
        reserve = _FAR_BYTES if made.far else 0
        calls.append(Call(task.geometry(made.case), values, reserve, made.lenient))
    tried = frozenset(range(first, len(names)))
    return Inputs(tuple(names), tuple(calls), tuple(skipped), frozenset(fresh) | tried, tried)


def _boundaries(task: Task, measure: Measure | None) -> list[Boundary]:
    """Those that can be made here, with their extents."""
    made = boundaries(task)
    if not measure:
        return [one for one in made if not one.measured and not one.far]
    unknown = [one for one in made if one.measured and not one.far]
    extents = dict(zip(map(id, unknown), measure([one.case for one in unknown]), strict=True))
    found = []
    for one in made:
        case = extents.get(id(one), one.case)
        if case is not None:
            found.append(replace(one, case=case))
    return found
