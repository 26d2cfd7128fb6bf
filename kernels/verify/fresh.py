"""Inputs that no task names, so that nobody can prepare answers to them.

They follow on the task's own inputs in the same process: a candidate that is right for its first
calls and wrong later, or that remembers results by the address or by the look of its arguments, is
called often enough, with new content in the same memory, to be seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from extractor.errors import UserError
from kernels.task.model import Case, Number, Task
from kernels.verify.boundaries import consistent

_CALLS_AT_LEAST = 24


def fresh_cases(task: Task, seed: int) -> list[tuple[int, Case]]:
    """Cases with new content, and where the task has sizes for everything, with new sizes.

    Args:
        task: The task.
        seed: Decides what they are; the same seed gives the same cases.

    Returns:
        For each the number of the task's case that it follows, and the case.
    """
    count = max(len(task.cases), _CALLS_AT_LEAST - len(task.cases)) if task.cases else 0
    found = []
    for number in range(count):
        place = number % len(task.cases)
        base = task.cases[place]
        round_number = number // len(task.cases)
        name = f"fresh {seed}.{round_number} of {base.name}"
        scalars = base.scalars
        if round_number % 2 == 1:
            scalars = _other_sizes(task, base, f"{seed}/{number}")
        case = base.model_copy(
            update={"name": name, "seed": _number(f"{seed}/{number}/content"), "scalars": scalars}
        )
        found.append((place, case))
    return found


def _other_sizes(task: Task, base: Case, label: str) -> dict[str, Number]:
    """Values between the least and the largest of the cases, where sizes follow from them."""
    measured = any(p.kind == "buffer" and not p.extent for p in task.parameters)
    if measured or base.launch is not None:
        return base.scalars
    changed = dict(base.scalars)
    for name, low, high in _spans(task):
        changed[name] = low + _number(f"{label}/{name}") % (high - low + 1)
    changed = consistent(task, changed)
    try:
        if task.launch and 0 in task.launch.values(changed)[:6]:
            return base.scalars
    except UserError:
        return base.scalars
    return changed


def _spans(task: Task) -> Iterator[tuple[str, int, int]]:
    for parameter in task.parameters:
        if parameter.kind != "scalar" or parameter.element.family != "int":
            continue
        values = {case.scalars[parameter.name] for case in task.cases}
        if len(values) > 2 and all(isinstance(value, int) and value >= 0 for value in values):
            yield parameter.name, int(min(values)), int(max(values))


def _number(label: str) -> int:
    return int.from_bytes(hashlib.sha256(label.encode()).digest()[:6], "little")
