"""Small inputs of a task, chosen by nothing but what its scalars are for.

They know nothing of a verification's own inputs, nor of a fault: a set to measure both by. All
values of each scalar are combined with all of the others'; where that is too many, so many are
drawn, the same ones every time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from extractor.errors import UserError
from kernels.task.inputs import make_inputs
from kernels.task.model import Case, Number, Parameter, Task
from kernels.verify.boundaries import consistent
from kernels.verify.conditions import Call
from kernels.verify.contents import SHARED, refilled
from kernels.verify.roles import role_of

_SIZES: Sequence[Sequence[Number]] = (
    (),
    (*range(69), 127, 128, 129, 200, 255, 256, 257, 300, 511, 512, 513, 1030),
    (0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 70, 130),
    (0, 1, 2, 3, 7, 8, 9, 16, 17, 33, 65),
    (0, 1, 2, 3, 5, 9, 17, 34),
)
"""By how many sizes a task has: the more, the fewer of each."""
_OTHERS: dict[str, Sequence[Number]] = {
    "increment": (-2, -1, 1, 3), "batch": (0, 1, 2, 5), "offset": (0, 2), "stride": (0, 11),
    "leading": (0, 3),
}  # fmt: skip
_FACTORS = (0, 1, -1, 1.5)
_CONTENTS = ("", *SHARED)
_MOST_THREADS, _MOST_BYTES = 1 << 15, 1 << 21


@dataclass(frozen=True)
class Domain:
    """Inputs.

    Attributes:
        calls: Their geometry and arguments.
        names: What their scalars are.
        of: How many there are altogether; more than calls where they were drawn.
    """

    calls: tuple[Call, ...]
    names: tuple[str, ...]
    of: int


def small_inputs(task: Task, most: int) -> Domain:
    """At most so many of them; none for a task whose sizes are not known as expressions."""
    axes = {p.name: _values(task, p) for p in task.parameters if p.kind == "scalar"}
    if any(p.kind == "buffer" and not p.extent for p in task.parameters) or not task.cases:
        return Domain((), (), 0)
    total = prod(len(values) for values in axes.values()) * len(_CONTENTS)
    calls, names = [], []
    seen: set[tuple[object, ...]] = set()
    for number in _numbers(total, most, task.task):
        rest, content = divmod(number, len(_CONTENTS))
        chosen: dict[str, Number] = {}
        for name, values in axes.items():
            rest, place = divmod(rest, len(values))
            chosen[name] = values[place]
        scalars = _laid_out(task, chosen)
        key = (*scalars.items(), content)
        call = _call(task, scalars, _CONTENTS[content])
        if call is None or key in seen:
            continue
        seen.add(key)
        calls.append(call)
        words = ", ".join(f"{k}={v}" for k, v in scalars.items())
        names.append(f"{words} {_CONTENTS[content]}".strip())
    return Domain(tuple(calls), tuple(names), total)


def _values(task: Task, parameter: Parameter) -> Sequence[Number]:
    family = parameter.element.family
    if family == "bool":
        return (0, 1)
    if family in ("float", "complex"):
        return _FACTORS
    known = {case.scalars[parameter.name] for case in task.cases}
    role = role_of(parameter.name)
    if role != "size":
        return _OTHERS[role]
    if parameter.element.bytes == 1 or known <= {0, 1}:
        return tuple(sorted({*known, 0, 1} if known <= {0, 1} else known))
    sizes = [
        p for p in task.parameters
        if p.kind == "scalar" and p.element.family == "int" and role_of(p.name) == "size"
        and not {case.scalars[p.name] for case in task.cases} <= {0, 1}
    ]  # fmt: skip
    return _SIZES[min(len(sizes), len(_SIZES) - 1)]


def _numbers(total: int, most: int, label: str) -> Iterator[int]:
    if total <= most:
        yield from range(total)
        return
    for turn in range(most):
        digest = hashlib.sha256(f"{label}/{turn}".encode()).digest()
        yield int.from_bytes(digest[:8], "little") % total


def _laid_out(task: Task, chosen: dict[str, Number]) -> dict[str, Number]:
    """Leading dimensions and strides as far as the sizes want them, and as much more as chosen."""
    whole = [
        p.name for p in task.parameters
        if p.kind == "scalar" and p.element.family == "int" and p.element.bytes >= 4
    ]  # fmt: skip
    found = dict(chosen)
    for role in ("leading", "stride"):
        # Strides have to hold the leading dimensions that were chosen.
        names = [n for n in whole if role_of(n) == role]
        found = consistent(task, {**found, **dict.fromkeys(names, 1)})
        found |= {n: found[n] + chosen[n] for n in names}
    return found


def _call(task: Task, scalars: dict[str, Number], content: str) -> Call | None:
    case = Case(name="small", scalars=scalars, seed=1)
    try:
        geometry = task.geometry(case)
        x, y, z, a, b, c, _ = geometry
        if 0 in geometry[:6] or min(geometry) < 0 or x * y * z * a * b * c > _MOST_THREADS:
            return None
        values = make_inputs(task, case)
    except (UserError, ValueError):
        return None
    if sum(len(value.data) for value in values) > _MOST_BYTES:
        return None
    return Call(geometry, refilled(values, content, case))
