"""LAPACK: reductions to bidiagonal, tridiagonal and standard form."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.reference.eigenproblems import both_twins, in_double
from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Problem
from kernels.reference.reflectors import limit_of, norm, reflector, unitary
from kernels.reference.shapes import mirrored, triangle
from kernels.reference.sizes import below_least, below_n, least_of, m_of, n_of
from kernels.task.element_types import numpy


def _gebrd(i: Instance) -> Iterator[Problem]:
    """``A = Q B P^H`` with B bidiagonal: upper for m >= n, else lower (LAPACK, gebrd)."""
    np = numpy()
    m, n = i.p.m, i.p.n
    least = min(m, n)
    if not least:
        return
    stored, a = i.after["A"], i.before["A"]
    upper = m >= n
    d, e = i.after["D"].real, i.after["E"].real
    b = np.zeros((m, n), dtype=np.longdouble)
    b[range(least), range(least)] = d
    if least > 1 and upper:
        b[range(least - 1), range(1, least)] = e
    elif least > 1:
        b[range(1, least), range(least - 1)] = e
    q, p = np.eye(m, dtype=stored.dtype), np.eye(n, dtype=stored.dtype)
    for j in range(least):
        first = j if upper else j + 1
        if first < m:
            v = np.zeros(m, dtype=stored.dtype)
            v[first] = 1
            v[first + 1 :] = stored[first + 1 :, j]
            q = q @ reflector(v, i.after["tauq"][j])
        first = j + 1 if upper else j
        if first < n:
            v = np.zeros(n, dtype=stored.dtype)
            v[first] = 1
            # A row holds the vector itself or its conjugate by convention; LAPACK: conjugate.
            v[first + 1 :] = stored[j, first + 1 :].conj()
            p = p @ reflector(v, i.after["taup"][j])
    error = norm(q @ b @ p.conj().T - a)
    yield from i.within("A", "residual A - Q B P^H", error, limit_of(i, m, n) * norm(a))
    yield from unitary(i, "tauq", q, m, n)
    yield from unitary(i, "taup", p, m, n)


def _sytrd(i: Instance) -> Iterator[Problem]:
    """``A = Q T Q^H`` with T tridiagonal (LAPACK, sytrd)."""
    np = numpy()
    n = i.p.n
    if not n:
        return
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
    stored, tau = i.after["A"], i.after["tau"]
    t = np.diag(i.after["D"].real)
    if n > 1:
        e = i.after["E"].real
        t = t + np.diag(e, 1) + np.diag(e, -1)
    q = np.eye(n, dtype=stored.dtype)
    for j in range(n - 1):
        v = np.zeros(n, dtype=stored.dtype)
        if i.p.uplo == "L":
            v[j + 1] = 1
            v[j + 2 :] = stored[j + 2 :, j]
            q = q @ reflector(v, tau[j])
        else:
            v[j] = 1
            v[:j] = stored[:j, j + 1]
            q = reflector(v, tau[j]) @ q
    error = norm(q @ t @ q.conj().T - a)
    yield from i.within("A", "residual A - Q T Q^H", error, limit_of(i, n, n) * norm(a))
    yield from unitary(i, "tau", q, n, n)


def _sygst(i: Instance) -> Iterator[Problem]:
    """``inv(U^H) A inv(U)``, or ``U A U^H`` for types 2 and 3 (LAPACK, sygst)."""
    np = numpy()
    if not i.p.n:
        return
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
    c = mirrored(i.after["A"], i.p.uplo, hermitian=True)
    t = triangle(i.before["B"], i.p.uplo)
    # B = L L^H = U^H U
    lower = t if i.p.uplo == "L" else t.conj().T
    limit = limit_of(i, 4 * i.p.n)
    if i.p.itype == "1":
        inverse = np.linalg.inv(in_double(lower))
        growth = norm(inverse) * norm(lower)
        error = norm(lower @ c @ lower.conj().T - a)
        yield from i.within("A", "L C L^H - A", error, limit * growth**2 * norm(a))
    else:
        expected = lower.conj().T @ a @ lower
        size = abs(lower).T @ abs(a) @ abs(lower)
        yield from i.compare("A", expected, limit * (size + size.max()))


def _reductions() -> Iterator[Operation]:
    yield Operation(
        ("gebrd", "gebd2"),
        (
            Operand("A", m_of, n_of, "inout"), Operand("D", least_of, direction="out"),
            Operand("E", below_least, direction="out"),
            Operand("tauq", least_of, direction="out"), Operand("taup", least_of, direction="out"),
        ),
        _gebrd, values=UNEVEN,
    )  # fmt: skip
    yield Operation(
        both_twins("trd", "td2"),
        (
            Operand("A", n_of, n_of, "inout", "triangle", "real_diagonal"),
            Operand("D", n_of, direction="out"), Operand("E", below_n, direction="out"),
            Operand("tau", below_n, direction="out"),
        ),
        _sytrd, values=UNEVEN,
    )  # fmt: skip
    yield Operation(
        both_twins("gst", "gs2"),
        (
            Operand("A", n_of, n_of, "inout", "triangle", "real_diagonal"),
            Operand("B", n_of, n_of, "in", "triangle", "triangular", outside="free"),
        ),
        _sygst,
    )  # fmt: skip


OPERATIONS = tuple(_reductions())
