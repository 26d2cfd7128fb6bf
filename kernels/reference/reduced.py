"""LAPACK: the orthogonal matrices of a reduction to tridiagonal or bidiagonal form.

orgtr and ormtr have the reflections of sytrd, orgbr and ormbr those of gebrd; each begins one row
below the diagonal where the reduction left one beside it. Bounds are those of
:mod:`kernels.reference.reflectors`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.reflectors import (
    limit_of,
    norm,
    product_of,
    unitary_factors,
    vectors_of,
)
from kernels.reference.sizes import below_n, m_of, n_of
from kernels.task.element_types import numpy


def _order(p: Parameters) -> int:
    return int(p.m if p.side == "L" else p.n)


def _bordered(q: Any, *, first: bool) -> Any:
    """A matrix with a row and a column of the identity before or behind it."""
    np = numpy()
    n = len(q) + 1
    whole = np.eye(n, dtype=q.dtype)
    if first:
        whole[1:, 1:] = q
    else:
        whole[:-1, :-1] = q
    return whole


def _tridiagonal(stored: Any, tau: Any, uplo: str) -> Any:
    """Q of sytrd: for L the vectors stand below the first subdiagonal, for U above the first
    superdiagonal."""
    n = len(stored)
    if uplo == "L":
        return _bordered(product_of(stored[1:, : n - 1], tau, "qr", n - 1), first=True)
    return _bordered(product_of(stored[: n - 1, 1:], tau, "ql", n - 1), first=False)


def _orgtr(i: Instance) -> Iterator[Problem]:
    n = i.p.n
    if not n:
        return
    q = _tridiagonal(i.before["A"], i.before["ipiv"], i.p.uplo)
    yield from i.compare("A", q, limit_of(i, n, n) + 0 * abs(q))


def _ormtr(i: Instance) -> Iterator[Problem]:
    c = i.before["C"]
    if 0 in c.shape:
        return
    yield from _multiplied(i, _tridiagonal(i.before["A"], i.before["ipiv"], i.p.uplo))


def _orgbr(i: Instance) -> Iterator[Problem]:
    """``Q`` of a reduction of an m by k matrix, or ``P^H`` of one of a k by n matrix."""
    m, n, k = i.p.m, i.p.n, i.p.k
    if not m or not n:
        return
    stored, tau = i.before["A"], i.before["ipiv"]
    if i.p.storev == "C":
        if m >= k:
            q = product_of(stored[:, :k], tau, "qr", k)[:, :n]
        else:
            q = _bordered(product_of(stored[1:, : m - 1], tau, "qr", m - 1), first=True)
    elif n > k:
        q = product_of(stored[:k], tau, "lq", k)[:m]
    else:
        q = _bordered(product_of(stored[: n - 1, 1:], tau, "lq", n - 1), first=True)
    yield from i.compare("A", q, limit_of(i, m, n, k) + 0 * abs(q))


def _ormbr(i: Instance) -> Iterator[Problem]:
    """Multiplies with ``Q``, or with ``P`` where the vectors stand in rows."""
    c = i.before["C"]
    if 0 in c.shape:
        return
    order, k = _order(i.p), i.p.k
    stored, tau = i.before["A"], i.before["ipiv"]
    if i.p.storev == "C":
        if order >= k:
            q = product_of(stored[:, :k], tau, "qr", k)
        else:
            q = _bordered(product_of(stored[1:, : order - 1], tau, "qr", order - 1), first=True)
    elif order > k:
        q = product_of(stored[:k], tau, "lq", k).conj().T
    else:
        inner = product_of(stored[: order - 1, 1:], tau, "lq", order - 1)
        q = _bordered(inner, first=True).conj().T
    yield from _multiplied(i, q)


def _multiplied(i: Instance, q: Any) -> Iterator[Problem]:
    c = i.before["C"]
    q = q if i.p.trans == "N" else q.conj().T
    left = i.p.side == "L"
    expected = q @ c if left else c @ q
    size = norm(c, 0)[None, :] if left else norm(c, 1)[:, None]
    yield from i.compare("C", expected, limit_of(i, *q.shape) * size + 0 * abs(expected))


def _of_tridiagonal(p: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
    a = arrays["A"]
    n = len(a)
    if n < 2:
        return arrays
    if p.uplo == "L":
        vectors = vectors_of(a[1:, : n - 1], "qr", n - 1)
    else:
        vectors = vectors_of(a[: n - 1, 1:], "ql", n - 1)
    return {**arrays, "ipiv": unitary_factors(vectors, random, arrays["ipiv"].dtype)}


def _of_bidiagonal(p: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
    a, k = arrays["A"], int(p.k)
    order = _order(p) if "C" in arrays else int(p.m if p.storev == "C" else p.n)
    if not order:
        return arrays
    if p.storev == "C":
        inside = order >= k
        held, kind = (a[:, :k], "qr") if inside else (a[1:, : order - 1], "qr")
    else:
        inside = order > k
        held, kind = (a[:k], "lq") if inside else (a[: order - 1, 1:], "lq")
    count = k if inside else order - 1
    vectors = vectors_of(held, kind, count)
    factors = arrays["ipiv"].copy()
    # One more is stored than there are reflections where they begin one row or column further on.
    factors[:count] = unitary_factors(vectors, random, factors.dtype)
    return {**arrays, "ipiv": factors}


def _columns_or_rows(values: dict[str, Any]) -> dict[str, Any]:
    """``m >= n >= min(m, k)`` for columns, ``n >= m >= min(n, k)`` for rows (LAPACK, orgbr)."""
    m, n, k = (int(values[name]) for name in ("m", "n", "k"))
    if values["storev"] == "C":
        m = max(m, n)
        return {**values, "m": m, "n": min(max(n, min(m, k)), m)}
    n = max(m, n)
    return {**values, "n": n, "m": min(max(m, min(n, k)), n)}


def _held(p: Parameters) -> int:
    return int(min(_order(p), p.k))


def _below(p: Parameters) -> int:
    return max(_order(p) - 1, 0)


def _kept(p: Parameters) -> int:
    order = int(p.m if p.storev == "C" else p.n)
    return int(min(order, p.k))


OPERATIONS = (
    Operation(
        ("orgtr", "ungtr"), (Operand("A", n_of, n_of, "inout"), Operand("ipiv", below_n)),
        _orgtr, prepare=_of_tridiagonal,
    ),
    Operation(
        ("ormtr", "unmtr"),
        (
            Operand("A", _order, _order), Operand("ipiv", _below),
            Operand("C", m_of, n_of, "inout"),
        ),
        _ormtr, prepare=_of_tridiagonal, flags={"trans": ("N", "C")},
    ),
    Operation(
        ("orgbr", "ungbr"), (Operand("A", m_of, n_of, "inout"), Operand("ipiv", _kept)),
        _orgbr, prepare=_of_bidiagonal, settle=_columns_or_rows,
    ),
    Operation(
        ("ormbr", "unmbr"),
        (
            Operand("A", lambda p: _order(p) if p.storev == "C" else _held(p),
                    lambda p: _held(p) if p.storev == "C" else _order(p)),
            Operand("ipiv", _held), Operand("C", m_of, n_of, "inout"),
        ),
        _ormbr, prepare=_of_bidiagonal, flags={"trans": ("N", "C")},
    ),
)  # fmt: skip
