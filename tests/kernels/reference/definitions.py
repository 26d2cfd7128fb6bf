"""Asks a definition about arrays before and after a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernels.reference import Instance, find_operation
from kernels.reference.operation import Parameters
from kernels.reference.precision import wide
from kernels.reference.shapes import part_of


def problems(name: str, values: dict[str, Any], before: dict[str, Any], after: dict[str, Any]):
    """What the definition of an operation says to arrays before and after a call."""
    operation = find_operation(name, sorted({*before, *after}))
    assert operation, name
    p = Parameters(values)
    elements, parts, olds, news = {}, {}, {}, {}
    for key in {*before, *after}:
        operand = operation.operand(key)
        assert operand, key
        old = np.asarray(before.get(key, after.get(key)))
        new = np.asarray(after.get(key, old))
        olds[operand.name], news[operand.name] = wide(old), wide(new)
        elements[operand.name] = old.dtype.name
        rows, cols = (*old.shape, 1)[:2]
        mask = part_of(operand.part, rows, cols, values)
        parts[operand.name] = mask[:, 0] if old.ndim == 1 else mask
    return list(operation.check(Instance(p, olds, news, elements, parts)))
