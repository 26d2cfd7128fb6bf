"""What buffers hold beside plain random numbers, so that what only some values reach is reached.

| content | what it reaches |
|---|---|
| ``nan:NAME``, ``infinity:NAME`` | whether one such element goes where the baseline lets it go |
| ``overwritten`` | whether what is only overwritten is read: NaN in everything written |
| ``ties`` | equal pivots and extrema: -1, 0 and 1 alone |
| ``zeros`` | zero pivots, early ends |
| ``dominant`` | factorisations that go on to the end: a heavy diagonal |
| ``mixed`` | members of a batch of which some end early: every third is zero, others dominant |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kernels.task.element_types import from_storage, numpy, to_storage
from kernels.task.inputs import Value
from kernels.task.model import Case
from kernels.verify.roles import role_of

SHARED = ("ties", "zeros", "dominant")
UNLIKE = ("ties", "mixed")
"""Where members of a batch need not take the same way."""
_FEW = 16
"""So few elements are one for each member of a batch."""


def refilled(values: Sequence[Value], content: str, case: Case) -> list[Value]:
    """The arguments of a case with other content; scalars and whole numbers stay.

    Args:
        values: As the task makes them.
        content: See the module; as they are when empty.
        case: Whose leading dimensions and strides say where a diagonal is.
    """
    kind, _, name = content.partition(":")
    found = []
    for value in values:
        parameter = value.parameter
        numbers = parameter.kind == "buffer" and parameter.element.family in ("float", "complex")
        if not content or not numbers or parameter.role == "output" or not value.data:
            found.append(value)
            continue
        other = name not in ("", parameter.name)
        if other or (kind == "overwritten" and parameter.role == "input"):
            found.append(value)
            continue
        array = from_storage(value.data, parameter.element).copy()
        found.append(
            Value(
                parameter, to_storage(_filled(array, kind, case, parameter.name), parameter.element)
            )
        )
    return found


def _filled(array: Any, kind: str, case: Case, name: str) -> Any:
    np = numpy()
    if kind in ("nan", "infinity"):
        # Neither at the start nor at the end, where a guard in the code might meet it alone.
        array[(len(array) * 2) // 5] = np.nan if kind == "nan" else np.inf
    elif kind == "overwritten":
        array[:] = np.nan
    elif kind == "zeros":
        array[:] = 0
    elif kind == "ties":
        array[:] = np.sign(np.round(array.real * 1.6))
    elif kind in ("dominant", "mixed"):
        places = _diagonal(len(array), case, name)
        array[places] = abs(array[places]) + max(4.0, float(len(places)))
        if kind == "mixed":
            array[np.arange(len(array)) // _period(len(array), case, name) % 3 == 0] = 0
    return array


def _diagonal(count: int, case: Case, name: str) -> Any:
    """Elements on the diagonal of a column-major matrix, of each one of a batch.

    The distance of columns is a leading dimension if there is one, else the largest size.
    """
    np = numpy()
    whole = {k: int(v) for k, v in case.scalars.items() if isinstance(v, int) and v > 0}
    leading = [v for k, v in whole.items() if role_of(k) == "leading"]
    sizes = [v for k, v in whole.items() if role_of(k) == "size"]
    step = (leading or [max(sizes, default=1)])[0] + 1
    places = np.arange(0, count)
    return places[(places % _period(count, case, name, step)) % step == 0]


def _period(count: int, case: Case, name: str, least: int = 1) -> int:
    """Elements from one member of a batch to the next; what is short has one for each."""
    if count <= _FEW and least == 1:
        return 1
    strides = {
        k: int(v) for k, v in case.scalars.items()
        if isinstance(v, int) and role_of(k) == "stride" and v >= max(least, 1)
    }  # fmt: skip
    own = [v for k, v in strides.items() if k.lower().endswith(name.lower())]
    return (own or [*strides.values()] or [max(count, 1)])[0]
