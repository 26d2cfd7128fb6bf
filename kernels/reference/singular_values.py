"""LAPACK: singular values; how they are judged stands in :mod:`kernels.reference.eigenproblems`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.eigenproblems import (
    E_FREE,
    RESIDUAL,
    SWEPT,
    in_double,
    iteration_limit,
    no_failure,
)
from kernels.reference.factorisations import INFO
from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Parameters, Problem
from kernels.reference.reflectors import norm
from kernels.reference.sizes import below_least, least_of, m_of, n_of, size_of
from kernels.task.element_types import numpy


def _bidiagonal(i: Instance) -> Any:
    np = numpy()
    b = np.diag(i.before["D"].real)
    if i.p.n > 1:
        b = b + np.diag(i.before["E"].real, 1 if i.p.uplo == "U" else -1)
    return b


def _bdsqr(i: Instance) -> Iterator[Problem]:
    """Singular values of a bidiagonal matrix; V, U and C are multiplied (LAPACK, bdsqr)."""
    np = numpy()
    yield from no_failure(i)
    n = i.p.n
    if not n:
        return
    b, s = _bidiagonal(i), i.after["D"].real
    limit = iteration_limit(i, n + i.p.nv + i.p.nu + i.p.nc)
    yield from _descending(i, "D", s)
    exact = np.linalg.svd(b.astype(np.float64), compute_uv=False)
    yield from i.within("D", "error of the values", abs(s - exact), limit * norm(b))
    # B = Q S P^H; U becomes U Q, V becomes P^H V, C becomes Q^H C. What they were is random.
    if i.p.nu and i.p.nv:
        left = i.before["U"] @ b @ i.before["V"]
        right = (i.after["U"] * s) @ i.after["V"]
        size = norm(i.before["U"]) * norm(b) * norm(i.before["V"])
        yield from i.within("U", "U B V - U' S V'", norm(left - right), limit * size)
    for name, count, columns in (("U", i.p.nu, True), ("V", i.p.nv, False), ("C", i.p.nc, False)):
        if count:
            old, new = i.before[name], i.after[name]
            left, right = (
                (old @ old.conj().T, new @ new.conj().T)
                if columns
                else (old.conj().T @ old, new.conj().T @ new)
            )
            error = norm(left - right)
            yield from i.within(name, f"{name} kept its lengths", error, limit * norm(old) ** 2)


def _descending(i: Instance, name: str, values: Any) -> Iterator[Problem]:
    falling = bool((values[1:] <= values[:-1]).all() and (values >= 0).all())
    yield from i.exactly(name, "the values descend and none is negative", True, falling)


def _of_square(exact: Any, limit: float) -> float:
    """Relative error where vectors are those of ``A^H A``, as the header of gesvdj and gesdd says.

    Columns of ``A V`` are then orthogonal to ``limit |A|^2`` alone: what the factor R of ``A V``
    has off its diagonal is at most that over the one singular value, and at most the other.
    """
    part = exact / max(exact[0], 1e-300)
    return float(max(min(x, limit / max(x, limit)) for x in part) * len(part) + limit)


def _gesvd(*, squared: bool = False) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        """``A = U S V^H``; the array V holds V^H (LAPACK, gesvd)."""
        np = numpy()
        yield from no_failure(i)
        m, n = i.p.m, i.p.n
        least = min(m, n)
        if not least:
            return
        a, s = i.before["A"], i.after["S"].real[:least]
        limit, size = iteration_limit(i, m + n), norm(i.before["A"])
        yield from _descending(i, "S", s)
        exact = np.linalg.svd(in_double(a), compute_uv=False)
        small = limit
        limit = _of_square(exact, small) if squared else small
        yield from i.within("S", "error of the values", abs(s - exact), limit * size)
        u = v = None
        if i.p.left_svect in ("A", "S"):
            u = i.after["U"]
        elif i.p.left_svect == "O":
            u = i.after["A"][:, :least]
        if i.p.right_svect in ("A", "S"):
            v = i.after["V"]
        elif i.p.right_svect == "O":
            v = i.after["A"][:least]
        if u is not None:
            error = norm(u.conj().T @ u - np.eye(u.shape[1]))
            yield from i.within("U", "U^H U - I", error, small)
        if v is not None:
            error = norm(v @ v.conj().T - np.eye(v.shape[0]))
            yield from i.within("V", "V V^H - I", error, small)
        if u is not None and v is not None:
            error = norm((u[:, :least] * s) @ v[:least] - a)
            yield from i.within("A", "residual A - U S V^H", error, limit * size)
        elif u is not None:
            error = norm(abs(norm(u[:, :least].conj().T @ a, 1)) - s)
            yield from i.within("U", "lengths of U^H A against S", error, limit * size)
        elif v is not None:
            error = norm(abs(norm(a @ v[:least].conj().T, 0)) - s)
            yield from i.within("V", "lengths of A V against S", error, limit * size)

    return check


def _not_both_in_place(values: dict[str, Any]) -> dict[str, Any]:
    if values["left_svect"] == values["right_svect"] == "O":
        return {**values, "right_svect": "N"}
    return values


def _u_cols(p: Parameters) -> int:
    return int(p.m if p.left_svect == "A" else min(p.m, p.n))


def _v_rows(p: Parameters) -> int:
    return int(p.n if p.right_svect == "A" else min(p.m, p.n))


def _has_u(p: Parameters) -> bool:
    return p.left_svect in ("A", "S")


def _has_v(p: Parameters) -> bool:
    return p.right_svect in ("A", "S")


_A = Operand("A", m_of, n_of, "inout", outside="free")
_U = Operand("U", m_of, _u_cols, "out", present=_has_u)
_V = Operand("V", _v_rows, n_of, "out", present=_has_v)
_S = Operand("S", least_of, direction="out")


def _singular_values() -> Iterator[Operation]:
    yield Operation(
        ("bdsqr",),
        (
            Operand("D", n_of, direction="inout"), E_FREE,
            Operand("V", n_of, size_of("nv"), "inout"), Operand("U", size_of("nu"), n_of, "inout"),
            Operand("C", n_of, size_of("nc"), "inout"), INFO,
        ),
        _bdsqr, values=UNEVEN,
    )  # fmt: skip
    free_e = Operand("E", below_least, direction="free")
    yield Operation(
        ("gesvd",), (_A, _S, _U, _V, free_e, INFO), _gesvd(), settle=_not_both_in_place,
        values=UNEVEN,
    )  # fmt: skip
    yield Operation(
        ("gesdd",), (_A, _S, _U, _V, INFO), _gesvd(squared=True), values=UNEVEN,
        flags={"left_svect": ("S", "N"), "right_svect": ("S", "N")},
    )  # fmt: skip
    yield Operation(
        ("gesvdj",), (_A, RESIDUAL, SWEPT, _S, _U, _V, INFO), _gesvd(squared=True), values=UNEVEN,
        flags={"left_svect": ("S", "A", "N"), "right_svect": ("S", "A", "N")},
    )  # fmt: skip


OPERATIONS = tuple(_singular_values())
