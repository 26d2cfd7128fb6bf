"""LAPACK: the first columns of a reduction, with what brings the rest of the matrix up to date.

Both routines leave the rest as it was, so what it becomes is put together here out of W, or of X
and Y, and the whole is held to ``A = Q T Q^H`` or ``A = Q B P^H`` in norm.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Problem
from kernels.reference.reflectors import limit_of, norm, reflector, unitary
from kernels.reference.shapes import mirrored
from kernels.reference.sizes import below_n, k_of, m_of, n_of
from kernels.task.element_types import numpy


def _latrd(i: Instance) -> Iterator[Problem]:
    """k columns to tridiagonal form, the first or the last; ``A - V W^H - W V^H`` is the rest."""
    np = numpy()
    n, k = i.p.n, i.p.k
    if not n or not k:
        return
    lower = i.p.uplo == "L"
    a, stored = mirrored(i.before["A"], i.p.uplo, hermitian=True), i.after["A"]
    q, t = np.eye(n, dtype=stored.dtype), np.zeros((n, n), dtype=stored.dtype)
    v = np.zeros((n, k), dtype=stored.dtype)
    for j in range(k) if lower else range(n - 1, n - k - 1, -1):
        t[j, j] = stored[j, j].real
        beside = j + 1 if lower else j - 1
        if not 0 <= beside < n:
            continue
        at, column = min(j, beside), j if lower else j - (n - k)
        rest = slice(j + 2, n) if lower else slice(0, j - 1)
        v[beside, column], v[rest, column] = 1, stored[rest, j]
        t[beside, j] = t[j, beside] = i.after["E"][at].real
        q = q @ reflector(v[:, column], i.after["tau"][at])
    left = slice(k, n) if lower else slice(0, n - k)
    update = v[left] @ i.after["W"][left].conj().T
    t[left, left] = a[left, left] - update - update.conj().T
    error = norm(q @ t @ q.conj().T - a)
    yield from i.within("W", "residual A - Q T Q^H", error, limit_of(i, n, n) * norm(a))
    yield from unitary(i, "tau", q, n, n)


def _labrd(i: Instance) -> Iterator[Problem]:
    """k rows and columns to bidiagonal form; ``A - V Y^H - X U^H`` is the rest."""
    np = numpy()
    m, n, k = i.p.m, i.p.n, i.p.k
    if not k:
        return
    a, stored, upper = i.before["A"], i.after["A"], m >= n
    b = np.zeros((m, n), dtype=stored.dtype)
    q, p = np.eye(m, dtype=stored.dtype), np.eye(n, dtype=stored.dtype)
    v, u = np.zeros((m, k), dtype=stored.dtype), np.zeros((n, k), dtype=stored.dtype)
    for j in range(k):
        b[j, j] = i.after["D"][j].real
        row, column = (j, j + 1) if upper else (j + 1, j)
        if row < m and column < n:
            b[row, column] = i.after["E"][j].real
        if row < m:
            v[row, j], v[row + 1 :, j] = 1, stored[row + 1 :, j]
            q = q @ reflector(v[:, j], i.after["tauq"][j])
        if column < n:
            u[column, j], u[column + 1 :, j] = 1, stored[j, column + 1 :].conj()
            p = p @ reflector(u[:, j], i.after["taup"][j])
    x, y = i.after["X"], i.after["Y"]
    b[k:, k:] = a[k:, k:] - v[k:] @ y[k:].conj().T - x[k:] @ u[k:].conj().T
    error = norm(q @ b @ p.conj().T - a)
    yield from i.within("X", "residual A - Q B P^H", error, limit_of(i, m, n) * norm(a))
    yield from unitary(i, "tauq", q, m, n)
    yield from unitary(i, "taup", p, m, n)


def _no_more_than(*sizes: str) -> Any:
    def settle(values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "k": min(int(values[name]) for name in ("k", *sizes))}

    return settle


def _out(name: str, rows: Any, cols: Any = None) -> Operand:
    return Operand(name, rows, cols, "out")


def _panels() -> Iterator[Operation]:
    yield Operation(
        ("latrd",),
        (
            Operand("A", n_of, n_of, "inout", "triangle", "real_diagonal"), _out("E", below_n),
            _out("tau", below_n), _out("W", n_of, k_of),
        ),
        _latrd, settle=_no_more_than("n"), values=UNEVEN,
    )  # fmt: skip
    yield Operation(
        ("labrd",),
        (
            Operand("A", m_of, n_of, "inout"), _out("D", k_of), _out("E", k_of), _out("tauq", k_of),
            _out("taup", k_of), _out("X", m_of, k_of), _out("Y", n_of, k_of),
        ),
        _labrd, settle=_no_more_than("m", "n"), values=UNEVEN,
    )  # fmt: skip


OPERATIONS = tuple(_panels())
