"""All operations that have a reference, by name."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence

from kernels.reference.operation import Operation


@functools.cache
def _catalogue() -> Mapping[str, Sequence[Operation]]:
    from kernels.reference import (
        eigenproblems,
        factorisations,
        level1,
        level2,
        level3,
        panels,
        reduced,
        reductions,
        reflectors,
        rotations,
        selected,
        singular_values,
        solvers,
    )

    modules = (
        level1, level2, level3, factorisations, solvers, reflectors, reductions, eigenproblems,
        singular_values, reduced, panels, rotations, selected,
    )  # fmt: skip
    found: dict[str, list[Operation]] = {}
    for module in modules:
        for operation in module.OPERATIONS:
            for name in operation.names:
                found.setdefault(name, []).append(operation)
    return found


def find_operation(name: str, arrays: Iterable[str]) -> Operation | None:
    """The operation of a name without precision, such as ``gemv``.

    Args:
        name: The name.
        arrays: Names of the pointer parameters that a prototype has; they choose between forms of
            an operation, such as in place and not.

    Returns:
        ``None`` where there is no reference, or none with these arrays.
    """
    given = list(arrays)
    fitting = []
    for operation in _catalogue().get(name, ()):
        taken = [operation.operand(array) for array in given]
        known = {one.name for one in taken if one}
        unknown = [a for a, one in zip(given, taken, strict=True) if one is None]
        missing = [one.name for one in operation.operands if one.name not in known]
        if all(a in operation.scalars for a in unknown) and not set(missing) - {"E", "info"}:
            fitting.append((len(missing), operation))
    return min(fitting, key=lambda pair: pair[0])[1] if fitting else None


def operation_names() -> list[str]:
    """Names of every operation that has a reference."""
    return sorted(_catalogue())
