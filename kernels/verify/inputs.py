"""The inputs of one verification: a task's own and fresh ones."""

from __future__ import annotations

from dataclasses import dataclass

from kernels.task.inputs import make_inputs
from kernels.task.model import Task
from kernels.verify.conditions import Call
from kernels.verify.fresh import fresh_cases


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


def gather_inputs(task: Task, seed: int) -> Inputs:
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
