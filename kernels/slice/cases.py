"""Inputs for a kernel of a BLAS or LAPACK library, by the names such libraries give arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernels.launches.capture import CapturedLaunch
from kernels.slice.parameters import KernelParameter
from kernels.task.element_types import ELEMENT_TYPES
from kernels.task.model import Case, Number

_SIZES = (1, 64, 65, 130)
_MIDDLE = 65
_RECTANGLE = (65, 33, 17)
_LARGEST = max(_SIZES)
_PADDING = 3


def make_cases(parameters: Sequence[KernelParameter], buffers: Sequence[str]) -> tuple[Case, ...]:
    """Sizes around a wavefront, a rectangle, increments, a batch of two, factors of zero, and every
    value of an enumeration.

    Args:
        parameters: Of the kernel.
        buffers: Buffers whose extents are measured for each case.
    """
    scalars = [p for p in parameters if p.declared.kind == "scalar"]
    rows: dict[str, dict[str, Number]] = {}

    def add(name: str, sizes: Sequence[int], **changed: Number) -> None:
        values = _values(scalars, sizes)
        values.update({key: value for key, value in changed.items() if key in values})
        if values not in rows.values():
            rows[name] = values

    for size in _SIZES:
        add(f"size={size}", (size,))
    add("rectangle", _RECTANGLE)
    names = [p.declared.name for p in scalars]
    add("increments=2", (_MIDDLE,), **{n: 2 for n in names if _role(n) == "increment"})
    add("batch=2", (_MIDDLE,), **{n: 2 for n in names if _role(n) == "batch"})
    for one in scalars:
        name = one.declared.name
        family = ELEMENT_TYPES[one.declared.type].family
        if family in ("float", "complex"):
            add(f"{name}=0", (_MIDDLE,), **{name: 0})
        if family == "bool":
            add(f"{name}=1", (_MIDDLE,), **{name: 1})
        for value in one.choices[1:]:
            add(f"{name}={value}", (_MIDDLE,), **{name: value})
    return tuple(
        Case(name=name, scalars=values, seed=number, extents=dict.fromkeys(buffers, 0))
        for number, (name, values) in enumerate(rows.items())
    )


def cases_of(
    launches: Sequence[CapturedLaunch], buffers: Sequence[str], *, own_geometry: bool
) -> tuple[Case, ...]:
    """A case for each of a library's own launches.

    Args:
        launches: They.
        buffers: Buffers whose extents are measured for each case.
        own_geometry: Each case keeps the launch's grid, block and LDS.
    """
    return tuple(
        Case.model_validate(
            {
                "name": one.call, "scalars": one.scalars, "seed": number,
                "extents": dict.fromkeys(buffers, 0),
                "launch": one.geometry if own_geometry else None,
            }
        )
        for number, one in enumerate(launches)
    )  # fmt: skip


def _values(scalars: Sequence[KernelParameter], sizes: Sequence[int]) -> dict[str, Number]:
    values: dict[str, Number] = {}
    place = 0
    for one in scalars:
        name = one.declared.name
        family = ELEMENT_TYPES[one.declared.type].family
        if one.choices:
            values[name] = one.choices[0]
        elif family == "bool":
            values[name] = 0
        elif family != "int":
            values[name] = 1.5
        elif (role := _role(name)) == "size":
            values[name] = sizes[place % len(sizes)]
            place += 1
        else:
            values[name] = _FIXED[role] if role in _FIXED else max(sizes) + _PADDING
    return values


# Matrices of a batch lie behind one another, those of the largest size as well.
_FIXED: Mapping[str, int] = {
    "increment": 1, "batch": 1, "offset": 0,
    "stride": (_LARGEST + _PADDING) * (_LARGEST + _PADDING) + 1,
}  # fmt: skip


def _role(name: str) -> str:
    lower = name.lower()
    if "stride" in lower:
        return "stride"
    if "offset" in lower or "shift" in lower:
        return "offset"
    if "batch" in lower:
        return "batch"
    if lower.startswith("inc"):
        return "increment"
    if lower.startswith("ld"):
        return "leading dimension"
    return "size"
