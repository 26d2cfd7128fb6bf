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
from kernels.verify.contents import SHARED, UNLIKE
from kernels.verify.roles import role_of

_FACTORS = (0, 1, -1)
_SIZES = (0, 1, 2, 31, 63, 64, 65, 130, 257, 1025, 4099, 70001)
"""Around wavefronts and tiles; the last two, where they are cheap, so that threads take several
elements, and that a block that sums up what others left has more of it than threads."""
_RECTANGLE = (33, 17, 70, 5)
_INCREMENTS = (-1, 2, -3)
_BATCHES = (0, 1, 2, 3, 5)
_BASE_BYTES = 1 << 18
_MOST_BYTES = 1 << 22
_MOST_THREADS = 1 << 18
_MOST_FAR = 2
_MOST_BASES = 4
_FEW_VALUES = 4
_LETTERS = b"NTCULRnt"
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
    bases = _bases(task)
    found: dict[tuple[object, ...], Boundary] = {}
    changes = [
        (base, change)
        for number, base in enumerate(bases)
        for change in (_factored(task, base) if number else _changes(task, base))
    ]
    for base in _far_bases(task):
        changes += [(base, change) for change in _far(task, base)]
        changes += [(base, (one, base.scalars, one, False)) for one in UNLIKE]
    for base, (label, scalars, content, far) in changes:
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
        key = (tuple(scalars.items()), content, far, case.launch)
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


def _bases(task: Task) -> list[Case]:
    """The largest case that is small, and others that take other ways through the code.

    What has few values in all cases is taken for what chooses a way: a triangle, a side, whether a
    matrix is transposed, the sign of an increment.
    """
    usable = list(_launchable(task))
    small = [one for one in usable if one[0] <= _BASE_BYTES] or sorted(usable, key=_first)[:1]
    if not small:
        return []
    values: dict[str, set[Number]] = {}
    for _, case in small:
        for name, value in case.scalars.items():
            values.setdefault(name, set()).add(value)
    few = [name for name, known in values.items() if len(known) <= _FEW_VALUES]

    def shows(case: Case) -> set[tuple[str, Number]]:
        return {(name, case.scalars[name]) for name in few}

    chosen = [max(small, key=_first)[1]]
    while len(chosen) < _MOST_BASES:
        seen = set().union(*(shows(case) for case in chosen))
        best = max(small, key=lambda one: (len(shows(one[1]) - seen), one[0]))[1]
        if not shows(best) - seen:
            break
        chosen.append(best)
    return chosen


def _launchable(task: Task) -> Iterator[tuple[int, Case]]:
    """Cases with a grid that is not empty, and the bytes of their buffers."""
    for case in task.cases:
        try:
            if 0 not in task.geometry(case)[:6]:
                yield _bytes(task, case), case
        except UserError:
            continue


def _first(pair: tuple[int, Case]) -> int:
    return pair[0]


_Change = tuple[str, Mapping[str, Number], str, bool]
"""Label, scalars, content and whether it is far."""


def _factored(task: Task, base: Case) -> Iterator[_Change]:
    """Factors of zero and one, and what must not be read then."""
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


def _changes(task: Task, base: Case) -> Iterator[_Change]:
    yield from _factored(task, base)
    for parameter in task.parameters:
        if parameter.kind != "scalar":
            continue
        name = parameter.name
        if parameter.element.family == "bool":
            yield f"{name} turned", {**base.scalars, name: int(not base.scalars[name])}, "", False
        if parameter.element.family == "int" and parameter.element.bytes == 1:
            for letter in _LETTERS if int(base.scalars[name]) in _LETTERS else ():
                yield f"{name}={chr(letter)}", {**base.scalars, name: letter}, "", False
    for parameter in _numbers(task):
        for content in ("nan", "infinity"):
            text = f"{content}:{parameter.name}"
            yield f"{content} in {parameter.name}", base.scalars, text, False
    for content in SHARED:
        yield content, base.scalars, content, False
    by_role = _by_role(task)
    if base.launch is None:
        yield from _resized(task, base, by_role)
        yield from _laid_out(task, base, by_role)
        yield from _repeated(task, base, by_role)
    else:
        # With the grid of another launch, other sizes would be no call that anybody makes; where
        # elements lie has nothing to do with a grid.
        yield from _laid_out(task, base, by_role)


def _by_role(task: Task) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for parameter in task.parameters:
        if _is_whole(parameter):
            found.setdefault(role_of(parameter.name), []).append(parameter.name)
    return found


def _changed(task: Task, base: Case, values: Mapping[str, Number]) -> dict[str, Number]:
    return consistent(task, {**base.scalars, **values})


def _resized(task: Task, base: Case, by_role: Mapping[str, Sequence[str]]) -> Iterator[_Change]:
    """Other sizes."""
    sizes = by_role.get("size", ())
    for name in sizes:
        for size in _SIZES:
            yield f"{name}={size}", _changed(task, base, {name: size}), "", False
    if len(sizes) > 1:
        for turn in range(2):
            order = sizes[::-1] if turn else sizes
            values = {n: _RECTANGLE[k % len(_RECTANGLE)] for k, n in enumerate(order)}
            for content in ("", "dominant"):
                label = f"rectangle {turn} {content}".strip()
                yield label, _changed(task, base, values), content, False


def _laid_out(task: Task, base: Case, by_role: Mapping[str, Sequence[str]]) -> Iterator[_Change]:
    """The same elements at other places."""
    increments = by_role.get("increment", ())
    most = max([int(base.scalars[n]) for n in by_role.get("size", ())], default=1)
    for name in increments:
        for increment in _INCREMENTS:
            values = {name: increment}
            yield f"{name}={increment}", _changed(task, base, values), "", False
            # A kernel gets its vector's first element, or the place of it.
            vector = name.lower().replace("inc", "").strip("_")
            for offset in by_role.get("offset", ()) if increment < 0 and vector else ():
                if offset.lower().endswith(vector):
                    shifted = {**values, offset: most * -increment}
                    label = f"{name}={increment}, {offset}={shifted[offset]}"
                    yield label, _changed(task, base, shifted), "", False
    if increments:
        values = dict.fromkeys(increments, -2)
        yield "increments=-2", _changed(task, base, values), "", False
    for role, more in (("leading", (1, 7)), ("stride", (9,)), ("offset", (3,))):
        for name in by_role.get(role, ()):
            for extra in more:
                wider = {name: int(base.scalars[name]) + extra}
                yield f"{name}+{extra}", _changed(task, base, wider), "", False


def _repeated(task: Task, base: Case, by_role: Mapping[str, Sequence[str]]) -> Iterator[_Change]:
    """Other numbers of members of a batch."""
    increments = by_role.get("increment", ())
    uneven = {n: _RECTANGLE[k % len(_RECTANGLE)] for k, n in enumerate(by_role.get("size", ()))}
    for name in by_role.get("batch", ()):
        for count in _BATCHES:
            yield f"{name}={count}", _changed(task, base, {name: count}), "", False
        # Threads that have nothing to do for one matrix are needed for the next.
        yield f"{name}=5, uneven", _changed(task, base, {**uneven, name: 5}), "", False
        for content in UNLIKE:
            yield f"{name}=5, {content}", _changed(task, base, {name: 5}), content, False
        for increment in (2, -2) if increments else ():
            several = {name: 3, **dict.fromkeys(increments, increment)}
            label = f"{name}=3, increments={increment}"
            yield label, _changed(task, base, several), "", False


def _far_bases(task: Task) -> list[Case]:
    """The cases of which parts can lie far apart: of own launches those with most to count."""
    bases = _bases(task)[:1]
    if not bases or bases[0].launch is None:
        return bases
    small = [case for size, case in _launchable(task) if size <= _BASE_BYTES] or bases
    batches = _by_role(task).get("batch", [])
    several = max(small, key=lambda case: _members(task, case, batches))
    return bases if several == bases[0] else [*bases, several]


def _members(task: Task, case: Case, batches: Sequence[str]) -> int:
    """Members of a batch: what is counted, or what the grid has beyond its first axis."""
    counted = [int(case.scalars[name]) for name in batches]
    return max([1, *counted]) if counted else max(task.geometry(case)[1:3])


def _far(task: Task, base: Case) -> Iterator[_Change]:
    """Distances such that the last part of a buffer lies past 2^31 elements."""
    by_role = _by_role(task)
    batches = dict.fromkeys(by_role.get("batch", []), 3)
    members = 3 if batches else 1
    if base.launch is not None:
        members, batches = _members(task, base, list(batches)), {}
    sizes = sorted({int(base.scalars[n]) for n in by_role.get("size", [])} - {0}) or [1]
    wide = {p.name for p in task.parameters if _is_whole(p) and p.element.bytes == 8}
    for name in by_role.get("stride", []) if members > 1 else ():
        distance = max(2 * _FAR // (members - 1), 1) + 16
        if distance < 2 * _FAR or name in wide:
            yield f"{name} far", {**base.scalars, **batches, name: distance}, "", True
    for name in (*by_role.get("leading", []), *by_role.get("increment", [])):
        for size in sizes[: _MOST_FAR if base.launch is None else 2 * _MOST_FAR]:
            for total, more in ((_FAR, batches), (2 * _FAR, {})):
                distance = total // max(size - 1, 1) + 16
                if distance >= 2 * _FAR and name not in wide:
                    continue
                # Backwards, the first element is the one far away.
                backwards = name in by_role.get("increment", ()) and not more
                for signed in (distance, -distance) if backwards else (distance,):
                    label = f"{name}={signed}, far"
                    yield label, {**base.scalars, **more, name: signed}, "", True


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
