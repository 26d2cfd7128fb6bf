"""LAPACK: a sequence of plane rotations applied to a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.sizes import m_of, n_of
from kernels.task.element_types import numpy


def _planes(p: Parameters) -> int:
    return int(max((p.m if p.side == "L" else p.n) - 1, 0))


def _lasr(i: Instance) -> Iterator[Problem]:
    """``P A``, or ``A P^T`` from the right (LAPACK, lasr).

    Forward, the first rotation is the first that is applied. The plane of rotation k is (k, k+1),
    with a pivot at the top (1, k+1), at the bottom (k, last). The error is a share of the norm of
    what is rotated together: a column from the left, a row from the right (Higham, Lemma 19.9).
    """
    np = numpy()
    p = i.p
    if not p.m or not p.n:
        return
    a = i.before["A"].copy() if p.side == "L" else i.before["A"].T.copy()
    cosines, sines = i.before["C"].real, i.before["S"].real
    steps = range(len(cosines))
    for k in steps if p.direct == "F" else reversed(steps):
        first = 0 if p.pivot == "T" else k
        second = len(a) - 1 if p.pivot == "B" else k + 1
        one, two = a[first].copy(), a[second].copy()
        a[first] = cosines[k] * one + sines[k] * two
        a[second] = cosines[k] * two - sines[k] * one
    size = np.sqrt((abs(a) ** 2).sum(axis=0, keepdims=True))
    bound = i.gamma(6 * len(cosines) + 4) * (size + np.zeros(a.shape))
    left = p.side == "L"
    yield from i.compare("A", a if left else a.T, bound if left else bound.T)


def _rotations(_: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
    np = numpy()
    angles = random.uniform(-np.pi, np.pi, arrays["C"].shape)
    # Some turn nothing, some a quarter: code has cases of their own for them.
    angles = np.where(random.uniform(0, 1, angles.shape) < 0.2, 0, angles)
    return {**arrays, "C": np.cos(angles), "S": np.sin(angles)}


OPERATIONS = (
    Operation(
        ("lasr",),
        (Operand("C", _planes), Operand("S", _planes), Operand("A", m_of, n_of, "inout")),
        _lasr, prepare=_rotations,
        flags={"side": ("L", "R"), "pivot": ("V", "T", "B"), "direct": ("F", "B")},
    ),
)  # fmt: skip
