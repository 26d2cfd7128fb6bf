"""Inputs at the borders of what a task's cases allow, made for any task out of one of its cases.

A task's own cases are few, and often leave factors, increments and layouts as they are. What a
kernel does otherwise for a zero factor, for the last block, for the second matrix of a batch, or
past the range of 32 bits, only inputs of their own show. The baseline says which of them are
allowed: one on which it fails is not judged, and listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from extractor.errors import UserError
from kernels.task.expression import evaluate
from kernels.task.model import Case, Number, Parameter, Task
from kernels.verify.contents import SHARED
from kernels.verify.roles import role_of

_FACTORS = (0, 1, -1)
_SIZES = (0, 1, 2, 31, 63, 64, 65, 130, 257, 1025, 4099)
"""Around wavefronts and tiles; the last so that threads take several elements where it is cheap."""
_RECTANGLE = (33, 17, 70, 5)
_INCREMENTS = (-1, 2, -3)
_BATCHES = (1, 2, 3, 5)
_BASE_BYTES = 1 << 18
_MOST_BYTES = 1 << 22
_MOST_THREADS = 1 << 18
_MOST_FAR = 2
_FAR = 1 << 30
"""Elements between two parts of a buffer such that twice as many do not count in 32 bits."""


@dataclass(frozen=True)
class Boundary:
    """One such input.

    Attributes:
        case: Its scalars; extents where the task has none are those of its base.
        content: What its buffers hold: see :mod:`kernels.verify.contents`.
        far: Whether its buffers have parts that lie beyond what 32 bits count.
        measured: Whether its extents have to be measured before it can be run.
        lenient: Whether it asks only that NaN does not spread: see
            :class:`kernels.verify.conditions.Call`.
    """

    case: Case
    content: str = ""
    far: bool = False
    measured: bool = False
    lenient: bool = False


def boundaries(task: Task) -> list[Boundary]:
    """All of them, for a task that has a case that can be launched; none else."""
    base = _base(task)
    if base is None:
        return []
    found: dict[tuple[tuple[tuple[str, Number], ...], str, bool], Boundary] = {}
    for label, scalars, content, far in _changes(task, base):
        sized = any(scalars[k] != v for k, v in base.scalars.items() if _whole(task, k))
        unknown = any(p.kind == "buffer" and not p.extent for p in task.parameters)
        case = base.model_copy(
            update={"name": f"boundary {label} of {base.name}", "scalars": scalars}
        )
        if far:
            # Its buffers have the base's elements and grow where they are accessed.
            case = case.model_copy(update={"extents": _counts(task, base)})
        elif not _affordable(task, case):
            continue
        key = (tuple(scalars.items()), content, far)
        zero = any(scalars[name] == 0 for name in _factors(task))
        lenient = zero and content.startswith(("nan", "overwritten"))
        found.setdefault(key, Boundary(case, content, far, unknown and sized, lenient))
    return list(found.values())


def consistent(task: Task, scalars: Mapping[str, Number]) -> dict[str, Number]:
    """Scalars with leading dimensions and strides that hold the sizes beside them."""
    names = [p.name for p in task.parameters if _is_whole(p)]
    sizes = [int(scalars[n]) for n in names if role_of(n) == "size"]
    most = max(sizes, default=1)
    changed = dict(scalars)
    for name in names:
        if role_of(name) == "leading":
            changed[name] = max(int(scalars[name]), most, 1)
    leading = max([int(changed[n]) for n in names if role_of(n) == "leading"], default=most)
    steps = [abs(int(changed[n])) for n in names if role_of(n) == "increment"]
    for name in names:
        if role_of(name) == "stride" and int(scalars[name]) > 0:
            least = max(leading, max(steps, default=1)) * most
            changed[name] = max(int(scalars[name]), least)
    return changed


def _base(task: Task) -> Case | None:
    usable = []
    for case in task.cases:
        try:
            if 0 not in task.geometry(case)[:6]:
                usable.append((_bytes(task, case), case))
        except UserError:
            continue
    small = [one for one in usable if one[0] <= _BASE_BYTES] or sorted(usable, key=_first)[:1]
    return max(small, key=_first)[1] if small else None


def _first(pair: tuple[int, Case]) -> int:
    return pair[0]


def _changes(task: Task, base: Case) -> Iterator[tuple[str, Mapping[str, Number], str, bool]]:
    """Label, scalars, content and whether it is far."""
    scalars = [p for p in task.parameters if p.kind == "scalar"]
    factors = _factors(task)
    for name in factors:
        for value in _FACTORS:
            yield f"{name}={value}", {**base.scalars, name: value}, "", False
        zero = {**base.scalars, name: 0}
        yield f"{name}=0 and NaN", zero, "overwritten", False
        for parameter in _numbers(task):
            yield f"{name}=0, NaN in {parameter.name}", zero, f"nan:{parameter.name}", False
    if len(factors) > 1:
        yield "factors=0", {**base.scalars, **dict.fromkeys(factors, 0)}, "", False
    for parameter in scalars:
        if parameter.element.family == "bool":
            name = parameter.name
            yield f"{name} turned", {**base.scalars, name: int(not base.scalars[name])}, "", False
    for parameter in _numbers(task):
        for content in ("nan", "infinity"):
            text = f"{content}:{parameter.name}"
            yield f"{content} in {parameter.name}", base.scalars, text, False
    for content in SHARED:
        yield content, base.scalars, content, False
    if base.launch is None:
        # With the grid of another launch, other sizes would be no call that anybody makes.
        yield from _resized(task, base)


def _resized(task: Task, base: Case) -> Iterator[tuple[str, Mapping[str, Number], str, bool]]:
    by_role: dict[str, list[str]] = {}
    for parameter in task.parameters:
        if _is_whole(parameter):
            by_role.setdefault(role_of(parameter.name), []).append(parameter.name)
    sizes = by_role.get("size", [])
    increments = by_role.get("increment", [])
    batches = by_role.get("batch", [])

    def changed(values: Mapping[str, Number]) -> dict[str, Number]:
        return consistent(task, {**base.scalars, **values})

    for name in sizes:
        for size in _SIZES:
            yield f"{name}={size}", changed({name: size}), "", False
    if len(sizes) > 1:
        for turn in range(2):
            order = sizes[::-1] if turn else sizes
            values = {n: _RECTANGLE[k % len(_RECTANGLE)] for k, n in enumerate(order)}
            for content in ("", "dominant"):
                yield f"rectangle {turn} {content}".strip(), changed(values), content, False
    for name in increments:
        for increment in _INCREMENTS:
            yield f"{name}={increment}", changed({name: increment}), "", False
    yield "increments=-2", changed(dict.fromkeys(increments, -2)), "", False
    for role, more in (("leading", (1, 7)), ("stride", (9,)), ("offset", (3,))):
        for name in by_role.get(role, []):
            for extra in more:
                wider = {name: int(base.scalars[name]) + extra}
                yield f"{name}+{extra}", changed(wider), "", False
    uneven = {n: _RECTANGLE[k % len(_RECTANGLE)] for k, n in enumerate(sizes)}
    for name in batches:
        for count in _BATCHES:
            yield f"{name}={count}", changed({name: count}), "", False
        # Threads that have nothing to do for one matrix are needed for the next.
        yield f"{name}=5, uneven", changed({**uneven, name: 5}), "", False
        for increment in (2, -2) if increments else ():
            several = {name: 3, **dict.fromkeys(increments, increment)}
            yield f"{name}=3, increments={increment}", changed(several), "", False
    yield from _far(task, base, by_role)


def _far(
    task: Task, base: Case, by_role: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Mapping[str, Number], str, bool]]:
    """Distances such that the last part of a buffer lies past 2^31 elements."""
    batches = dict.fromkeys(by_role.get("batch", []), 3)
    sizes = sorted({int(base.scalars[n]) for n in by_role.get("size", [])} - {0}) or [1]
    wide = {p.name for p in task.parameters if _is_whole(p) and p.element.bytes == 8}
    for name in by_role.get("stride", []) if batches else ():
        yield f"{name} far", {**base.scalars, **batches, name: _FAR + 16}, "", True
    for name in (*by_role.get("leading", []), *by_role.get("increment", [])):
        for size in sizes[:_MOST_FAR]:
            for total, more in ((_FAR, batches), (2 * _FAR, {})):
                distance = total // max(size - 1, 1) + 16
                if distance < 2 * _FAR or name in wide:
                    label = f"{name}={distance}, far"
                    yield label, {**base.scalars, **more, name: distance}, "", True


def _factors(task: Task) -> list[str]:
    return [
        p.name for p in task.parameters
        if p.kind == "scalar" and p.element.family in ("float", "complex")
    ]  # fmt: skip


def _numbers(task: Task) -> list[Parameter]:
    return [
        p for p in task.parameters
        if p.kind == "buffer" and p.role != "output" and p.element.family in ("float", "complex")
    ]  # fmt: skip


def _is_whole(parameter: Parameter) -> bool:
    if parameter.kind != "scalar" or parameter.element.family != "int":
        return False
    return parameter.element.bytes >= 4


def _whole(task: Task, name: str) -> bool:
    return any(p.name == name and _is_whole(p) for p in task.parameters)


def _counts(task: Task, case: Case) -> dict[str, int]:
    """Elements of every buffer."""
    found = {}
    for p in task.parameters:
        if p.kind == "buffer":
            count = case.extents.get(p.name)
            found[p.name] = evaluate(p.extent, case.scalars) if count is None else count
    return found


def _bytes(task: Task, case: Case) -> int:
    counts = _counts(task, case)
    sizes = {p.name: p.components * p.element.bytes for p in task.parameters if p.name in counts}
    return sum(count * sizes[name] for name, count in counts.items())


def _affordable(task: Task, case: Case) -> bool:
    """Whether it can be launched at all, and cheaply; nothing is said where its size is unknown."""
    try:
        x, y, z, a, b, c, _ = task.geometry(case)
        if not 0 < x * y * z * a * b * c <= _MOST_THREADS:
            return False
        return _bytes(task, case) <= _MOST_BYTES
    except UserError:
        return False
