"""Unit roundoffs, and the error constants that are built from them."""

from __future__ import annotations

import math
from typing import Any

from kernels.task.element_types import numpy

_UNIT = {
    "float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53,
    "complex64": 2.0**-24, "complex128": 2.0**-53,
}  # fmt: skip
_SMALLEST = {
    "float16": 2.0**-24, "bfloat16": 2.0**-126, "float32": 2.0**-126, "float64": 2.0**-1022,
    "complex64": 2.0**-126, "complex128": 2.0**-1022,
}  # fmt: skip
_LARGEST_SHARE = 0.5


def unit_roundoff(element: str) -> float:
    """Half the distance from 1 to the next number; 0 for whole numbers."""
    return _UNIT.get(element, 0.0)


def underflow(element: str) -> float:
    """What a product may lose to underflow: the smallest normal number (results may be flushed)."""
    return _SMALLEST.get(element, 0.0)


def gamma(terms: float, unit: float) -> float:
    """``n u / (1 - n u)``: relative error of a sum of products of ``n`` roundings.

    Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, Lemma 3.1. Where ``n u``
    gets near 1, in half precision, the probabilistic form with ``8 sqrt(n)`` stands for ``n``
    (Higham and Mary, SIAM J. Sci. Comput. 41, 2019, Theorem 2.4, with lambda = 8).
    """
    used = float(terms)
    if used * unit > _LARGEST_SHARE:
        used = min(used, 8 * math.sqrt(used))
    used = min(used * unit, _LARGEST_SHARE)
    return used / (1 - used)


def wide(values: Any) -> Any:
    """Values in extended precision: ``longdouble``, or its complex form."""
    np = numpy()
    array = np.asarray(values)
    return array.astype(np.clongdouble if array.dtype.kind == "c" else np.longdouble)
