"""LAPACK: solving linear systems and least squares."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as changed
from typing import Any

from kernels.reference.factorisations import (
    INFO,
    dominant,
    lu_decomposed,
    lu_factors,
    rows_swapped,
    whole_numbers,
)
from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.shapes import applied, mirrored, triangle
from kernels.reference.sizes import m_of, n_of
from kernels.task.element_types import numpy


def _nrhs(p: Parameters) -> int:
    return int(p.nrhs)


def _residual(i: Instance, a: Any, size: Any, name: str = "B") -> Iterator[Problem]:
    """``|b - A x| <= gamma_3n |L| |U| |x|`` (Higham, Theorem 9.4).

    Where diagonal blocks are inverted, the condition of the factors comes in; ``size`` is squared
    through the inverse for it.
    """
    np = numpy()
    x, b = i.after[name], i.before[name]
    if 0 in b.shape:
        return
    plain = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    growth = float((abs(np.linalg.inv(plain)) @ size).sum(axis=1).max())
    bound = i.gamma(i.p.n + 8) * growth * (size @ abs(x)) + i.gamma(2) * abs(b)
    yield from i.within(name, "residual b - A x", abs(b - a @ x), bound)


def _getrs(i: Instance) -> Iterator[Problem]:
    if not i.p.n:
        return
    lower, upper = lu_factors(i.before["A"])
    a, size = lower @ upper, abs(lower) @ abs(upper)
    if "ipiv" in i.before:
        pivots = whole_numbers(i.before["ipiv"])
        a = rows_swapped(a, pivots, backwards=True)
        size = rows_swapped(size, pivots, backwards=True)
    if i.p.trans != "N":
        a, size = applied(a, i.p.trans), size.T
    yield from _residual(i, a, size)


def _gesv(i: Instance) -> Iterator[Problem]:
    np = numpy()
    info = whole_numbers(i.after["info"])[0]
    if not i.p.n or not i.p.nrhs:
        # LAPACK factors A without right-hand sides, too; rocSOLVER documents a quick return.
        return
    lower, upper = lu_factors(i.after["A"])
    zeros = np.flatnonzero(np.diagonal(upper) == 0)
    expected = int(zeros[0]) + 1 if len(zeros) else 0
    yield from i.exactly("info", "info", expected, info)
    pivots = whole_numbers(i.after["ipiv"])
    if any(not place < pivot <= i.p.n for place, pivot in enumerate(pivots)):
        yield from i.exactly("ipiv", "every pivot names a row below", True, False)
        return
    swapped = rows_swapped(i.before["A"], pivots)
    size = abs(lower) @ abs(upper)
    bound = i.gamma(4 * i.p.n + 8) * size
    yield from i.within("A", "residual P A - L U", abs(swapped - lower @ upper), bound)
    if not expected:
        size = rows_swapped(size, pivots, backwards=True)
        yield from _residual(i, i.before["A"], size)


def _potrs(i: Instance) -> Iterator[Problem]:
    if not i.p.n:
        return
    factor = triangle(i.before["A"], i.p.uplo)
    left, right = (factor.conj().T, factor) if i.p.uplo == "U" else (factor, factor.conj().T)
    yield from _residual(i, left @ right, abs(left) @ abs(right))


def _posv(i: Instance) -> Iterator[Problem]:
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not i.p.n or not i.p.nrhs:
        return  # see _gesv
    np = numpy()
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
    factor = triangle(i.after["A"], i.p.uplo)
    left, right = (factor.conj().T, factor) if i.p.uplo == "U" else (factor, factor.conj().T)
    size = abs(left) @ abs(right)
    error = np.where(i.parts["A"], abs(left @ right - a), 0)
    yield from i.within("A", "residual A - L L^H", error, i.gamma(4 * i.p.n + 8) * size)
    yield from _residual(i, a, size)


def _gels(i: Instance) -> Iterator[Problem]:
    """Least squares: the residual is orthogonal to the columns; least norm: it is zero."""
    np = numpy()
    p = i.p
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not min(p.m, p.n, p.nrhs):
        return
    a = applied(i.before["A"], p.trans)
    rows, cols = a.shape
    x, b = i.after["B"][:cols], i.before["B"][:rows]
    norm = np.sqrt((abs(a) ** 2).sum())
    scale = norm * np.sqrt((abs(x) ** 2).sum(axis=0)) + np.sqrt((abs(b) ** 2).sum(axis=0))
    limit = i.gamma(20 * (p.m + p.n)) * 4
    residual = b - a @ x
    if rows > cols:
        measure = np.sqrt((abs(a.conj().T @ residual) ** 2).sum(axis=0))
        yield from i.within("B", "A^H (b - A x)", measure, limit * norm * scale)
    else:
        measure = np.sqrt((abs(residual) ** 2).sum(axis=0))
        yield from i.within("B", "b - A x", measure, limit * scale)


def _with_pivots(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    np = numpy()
    stored, pivots = lu_decomposed(arrays["A"] + 2 * np.eye(len(arrays["A"])))
    return {**arrays, "A": stored, "ipiv": np.array(pivots, dtype=np.float64)}


def _regular(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    np = numpy()
    return {**arrays, "A": arrays["A"] + 3 * np.eye(*arrays["A"].shape)}


def _block(name: str) -> Operand:
    cols = {"A": 0, "B": 1, "C": 0}[name]

    def columns(p: Parameters) -> int:
        return int(p.nb * (p.nblocks if cols else max(p.nblocks - 1, 0)))

    return Operand(name, lambda p: int(p.nb), columns, "inout")


def _read_block(name: str) -> Operand:
    return changed(_block(name), direction="in")


def _blocks(values: Any, nb: int) -> list[Any]:
    return [values[:, k : k + nb] for k in range(0, values.shape[1], nb)] if nb else []


def _geblttrf(i: Instance) -> Iterator[Problem]:
    """``M = L U`` of a block tridiagonal matrix: L has A and factored B, U has I and new C."""
    nb = i.p.nb
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not nb or not i.p.nblocks:
        return
    lower = _blocks(i.before["A"], nb)
    middle, factored = _blocks(i.before["B"], nb), _blocks(i.after["B"], nb)
    right, changed = _blocks(i.before["C"], nb), _blocks(i.after["C"], nb)
    limit = i.gamma(32 * nb + 64)
    for k in range(i.p.nblocks):
        left, upper = lu_factors(factored[k])
        whole, size = left @ upper, abs(left) @ abs(upper)
        target = middle[k]
        if k:
            target = target - lower[k - 1] @ changed[k - 1]
            size = size + abs(lower[k - 1]) @ abs(changed[k - 1])
        yield from i.within("B", f"residual of block {k}", abs(whole - target), limit * size)
        if k < i.p.nblocks - 1:
            error = abs(whole @ changed[k] - right[k])
            bound = limit * (abs(left) @ abs(upper) @ abs(changed[k]) + abs(right[k]))
            yield from i.within("C", f"residual of block {k} of C", error, bound)


def _geblttrs(i: Instance) -> Iterator[Problem]:
    """``M X = R`` with M as geblttrf leaves it; blocks of X lie one after the other."""
    np = numpy()
    nb, count, nrhs = i.p.nb, i.p.nblocks, i.p.nrhs
    if not nb or not count or not nrhs:
        return
    below, above = _blocks(i.before["A"], nb), _blocks(i.before["C"], nb)
    order = nb * count
    left = np.zeros((order, order), dtype=i.before["B"].dtype)
    upper, size = np.eye(order, dtype=left.dtype), np.zeros((order, order), dtype=np.longdouble)
    places = [slice(k * nb, (k + 1) * nb) for k in range(count)]
    for k, stored in enumerate(_blocks(i.before["B"], nb)):
        factors = lu_factors(stored)
        left[places[k], places[k]] = factors[0] @ factors[1]
        size[places[k], places[k]] = abs(factors[0]) @ abs(factors[1])
        if k:
            left[places[k], places[k - 1]] = below[k - 1]
            size[places[k], places[k - 1]] = abs(below[k - 1])
            upper[places[k - 1], places[k]] = above[k - 1]

    def stacked(values: Any) -> Any:
        return np.vstack([values[:, k * nrhs : (k + 1) * nrhs] for k in range(count)])

    x, r = stacked(i.after["X"]), stacked(i.before["X"])
    size = size @ abs(upper)
    a = left @ upper
    plain = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    growth = float((abs(np.linalg.inv(plain)) @ size).sum(axis=1).max())
    bound = i.gamma(8 * nb + 16) * growth * (size @ abs(x)) + i.gamma(2) * abs(r)
    yield from i.within("X", "residual R - M X", abs(r - a @ x), bound)


def _factored_blocks(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    """B holds an LU of every block, and C is small enough that solutions stay so."""
    np = numpy()
    nb, b = p.nb, arrays["B"]
    if nb and b.size:
        wide = [part + (1 + nb) * np.eye(nb) for part in _blocks(b, nb)]
        b = np.hstack([lu_decomposed(part, pivot=False)[0] for part in wide])
    return {**arrays, "B": b, "C": arrays["C"] / (1 + nb)}


def _outweighing(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    np = numpy()
    nb = p.nb
    b = arrays["B"]
    if nb and b.size:
        b = b + (2 + 3 * nb) * np.tile(np.eye(nb), (1, p.nblocks))
    return {**arrays, "B": b}


_A, _B = Operand("A", n_of, n_of, "inout"), Operand("B", n_of, _nrhs, "inout")
_PIVOTS = Operand("ipiv", n_of, direction="out")

OPERATIONS = (
    Operation(
        ("getrs",), (Operand("A", n_of, n_of), Operand("ipiv", n_of), _B), _getrs,
        prepare=_with_pivots,
    ),
    Operation(("getrs_npvt",), (Operand("A", n_of, n_of), _B), _getrs, prepare=dominant),
    Operation(("gesv",), (_A, _PIVOTS, _B, INFO), _gesv, prepare=_regular),
    Operation(
        ("potrs",), (Operand("A", n_of, n_of, "in", "triangle", "triangular"), _B), _potrs
    ),
    Operation(
        ("posv",), (Operand("A", n_of, n_of, "inout", "triangle", "definite"), _B, INFO), _posv
    ),
    Operation(
        ("gels",),
        (
            Operand("A", m_of, n_of, "free"),
            Operand("B", lambda p: int(max(p.m, p.n)), _nrhs, "inout"), INFO,
        ),
        _gels, prepare=_regular, flags={"trans": ("N", "C")},
    ),
    Operation(
        ("geblttrf_npvt",), (Operand("A", lambda p: int(p.nb),
                             lambda p: int(p.nb * max(p.nblocks - 1, 0))),
                             _block("B"), _block("C"), INFO),
        _geblttrf, prepare=_outweighing,
    ),
    Operation(
        ("geblttrs_npvt",),
        (
            _read_block("A"), _read_block("B"), _read_block("C"),
            Operand("X", lambda p: int(p.nb), lambda p: int(p.nblocks * p.nrhs), "inout"),
        ),
        _geblttrs, prepare=_factored_blocks,
    ),
)  # fmt: skip
