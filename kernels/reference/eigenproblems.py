"""LAPACK: reductions to condensed form, eigenvalues and singular values.

Decompositions are held to their residual, to the orthogonality of their vectors and to the order of
their values; values alone to those of numpy, from which they may differ by the backward error times
the norm (Weyl's theorem). Constants follow from counts of rotations and reflections, as in Higham,
section 19.6; iterations count as 30 sweeps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kernels.reference.factorisations import INFO, whole_numbers
from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.reflectors import limit_of, norm, reflector, unitary
from kernels.reference.shapes import mirrored, triangle
from kernels.task.element_types import numpy

_SWEEPS = 30


def _m(p: Parameters) -> int:
    return int(p.m)


def _n(p: Parameters) -> int:
    return int(p.n)


def _below_n(p: Parameters) -> int:
    return int(max(p.n - 1, 0))


def _least(p: Parameters) -> int:
    return int(min(p.m, p.n))


def _below_least(p: Parameters) -> int:
    return int(max(min(p.m, p.n) - 1, 0))


def _one(_: Parameters) -> int:
    return 1


def _size(name: str) -> Callable[[Parameters], int]:
    return lambda p: int(getattr(p, name))


def _plain(a: Any) -> Any:
    np = numpy()
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def _limit(i: Instance, n: int) -> float:
    return float(_SWEEPS * i.gamma(n + 10))


def _no_failure(i: Instance) -> Iterator[Problem]:
    if "info" in i.after:
        yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])


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


def _ascending(i: Instance, name: str, values: Any) -> Iterator[Problem]:
    rising = bool((values[1:] >= values[:-1]).all())
    yield from i.exactly(name, "the values ascend", True, rising)


def _spectrum(
    i: Instance, a: Any, values: Any, vectors: Any, name: str, kept: str
) -> Iterator[Problem]:
    """Values and, where there are some, vectors of a Hermitian matrix."""
    np = numpy()
    n = len(a)
    if not n:
        return
    size = norm(a)
    yield from _ascending(i, name, values)
    if vectors is not None:
        error = norm(a @ vectors - vectors * values, 0)
        yield from i.within(kept, "residual A z - lambda z", error, _limit(i, n) * size)
        yield from i.within(
            kept, "Z^H Z - I", norm(vectors.conj().T @ vectors - np.eye(n)), _limit(i, n)
        )
    exact = np.linalg.eigvalsh(_plain(a))
    yield from i.within(name, "error of the values", abs(np.sort(values) - exact),
                        _limit(i, n) * size)  # fmt: skip


def _tridiagonal(i: Instance) -> Any:
    np = numpy()
    t = np.diag(i.before["D"].real)
    if i.p.n > 1:
        e = i.before["E"].real
        t = t + np.diag(e, 1) + np.diag(e, -1)
    return t


def _sterf(i: Instance) -> Iterator[Problem]:
    yield from _no_failure(i)
    if i.p.n:
        yield from _spectrum(i, _tridiagonal(i), i.after["D"].real, None, "D", "C")


def _steqr(i: Instance) -> Iterator[Problem]:
    """Tridiagonal eigenproblem; with evect V the given orthogonal matrix is multiplied."""
    np = numpy()
    yield from _no_failure(i)
    if not i.p.n:
        return
    t, values = _tridiagonal(i), i.after["D"].real
    vectors = None
    if i.p.evect == "I":
        vectors = i.after["C"]
    elif i.p.evect == "V":
        # C was orthogonal: C^H of the result are the vectors of T.
        vectors = i.before["C"].conj().T @ i.after["C"]
    yield from _spectrum(i, t.astype(np.longdouble), values, vectors, "D", "C")


def _syev(values: str) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        yield from _no_failure(i)
        if not i.p.n:
            return
        a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
        found = i.after[values].real
        if i.p.get("esort") == "N":
            np = numpy()
            order = np.argsort(found)
        else:
            order = slice(None)
        vectors = i.after["A"][:, order] if i.p.evect == "V" else None
        yield from _spectrum(i, a, found[order], vectors, values, "A")

    return check


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
        inverse = np.linalg.inv(_plain(lower))
        growth = norm(inverse) * norm(lower)
        error = norm(lower @ c @ lower.conj().T - a)
        yield from i.within("A", "L C L^H - A", error, limit * growth**2 * norm(a))
    else:
        expected = lower.conj().T @ a @ lower
        size = abs(lower).T @ abs(a) @ abs(lower)
        yield from i.compare("A", expected, limit * (size + size.max()))


def _sygv(values: str) -> Any:
    """``A z = lambda B z`` and the two other forms (LAPACK, sygv)."""

    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        yield from _no_failure(i)
        n = i.p.n
        if not n:
            return
        a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
        b = mirrored(i.before["B"], i.p.uplo, hermitian=True)
        found = i.after[values].real
        yield from _ascending(i, values, found)
        lower = np.linalg.cholesky(_plain(b))
        inverse = np.linalg.inv(lower)
        if i.p.itype == "1":
            plain = inverse @ _plain(a) @ inverse.conj().T
        else:
            plain = lower.conj().T @ _plain(a) @ lower
        exact = np.linalg.eigvalsh((plain + plain.conj().T) / 2)
        growth = (norm(lower) * norm(inverse)) ** 2
        limit = _limit(i, n) * growth
        size = norm(plain)
        error = abs(np.sort(found) - exact)
        yield from i.within(values, "error of the values", error, limit * size)
        if i.p.evect == "V":
            z = i.after["A"]
            scale = norm(a) * norm(b) * norm(z) * growth
            left, right = {
                "1": (a @ z, b @ z * found), "2": (a @ b @ z, z * found),
                "3": (b @ a @ z, z * found),
            }[i.p.itype]  # fmt: skip
            yield from i.within("A", "residual", norm(left - right), limit * (scale + norm(z)))

    return check


def _bidiagonal(i: Instance) -> Any:
    np = numpy()
    b = np.diag(i.before["D"].real)
    if i.p.n > 1:
        b = b + np.diag(i.before["E"].real, 1 if i.p.uplo == "U" else -1)
    return b


def _bdsqr(i: Instance) -> Iterator[Problem]:
    """Singular values of a bidiagonal matrix; V, U and C are multiplied (LAPACK, bdsqr)."""
    np = numpy()
    yield from _no_failure(i)
    n = i.p.n
    if not n:
        return
    b, s = _bidiagonal(i), i.after["D"].real
    limit = _limit(i, n + i.p.nv + i.p.nu + i.p.nc)
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


def _gesvd() -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        """``A = U S V^H``; the array V holds V^H (LAPACK, gesvd)."""
        np = numpy()
        yield from _no_failure(i)
        m, n = i.p.m, i.p.n
        least = min(m, n)
        if not least:
            return
        a, s = i.before["A"], i.after["S"].real[:least]
        limit, size = _limit(i, m + n), norm(i.before["A"])
        yield from _descending(i, "S", s)
        exact = np.linalg.svd(_plain(a), compute_uv=False)
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
            yield from i.within("U", "U^H U - I", error, limit)
        if v is not None:
            error = norm(v @ v.conj().T - np.eye(v.shape[0]))
            yield from i.within("V", "V V^H - I", error, limit)
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


def _orthonormal_c(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    np = numpy()
    if "C" not in arrays or not arrays["C"].size:
        return arrays
    return {**arrays, "C": np.linalg.qr(arrays["C"] + np.eye(len(arrays["C"])))[0]}


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


_A = Operand("A", _m, _n, "inout", outside="free")
_D, _E = Operand("D", _n, direction="out"), Operand("E", _below_n, direction="free")
_HERMITIAN = Operand("A", _n, _n, "inout", "triangle", "hermitian", outside="free")
_POSITIVE = Operand("B", _n, _n, "free", "triangle", "definite", outside="free")
_RESIDUAL = Operand("residual", _one, direction="free")
_SWEPT = Operand("n_sweeps", _one, direction="free")
_W = Operand("W", _n, direction="out")
_U = Operand("U", _m, _u_cols, "out", present=_has_u)
_V = Operand("V", _v_rows, _n, "out", present=_has_v)
_S = Operand("S", _least, direction="out")


def _families(*stems: str) -> tuple[str, ...]:
    return tuple(first + stem for stem in stems for first in ("sy", "he"))


def _reductions() -> Iterator[Operation]:
    yield Operation(
        ("gebrd", "gebd2"),
        (
            Operand("A", _m, _n, "inout"), Operand("D", _least, direction="out"),
            Operand("E", _below_least, direction="out"),
            Operand("tauq", _least, direction="out"), Operand("taup", _least, direction="out"),
        ),
        _gebrd,
    )  # fmt: skip
    yield Operation(
        _families("trd", "td2"),
        (
            Operand("A", _n, _n, "inout", "triangle", "hermitian"),
            Operand("D", _n, direction="out"), Operand("E", _below_n, direction="out"),
            Operand("tau", _below_n, direction="out"),
        ),
        _sytrd,
    )  # fmt: skip
    yield Operation(
        _families("gst", "gs2"),
        (
            Operand("A", _n, _n, "inout", "triangle", "hermitian"),
            Operand("B", _n, _n, "in", "triangle", "triangular", outside="free"),
        ),
        _sygst,
    )  # fmt: skip


def _eigenvalues() -> Iterator[Operation]:
    d = Operand("D", _n, direction="inout")
    yield Operation(("sterf",), (d, _E, INFO), _sterf, values=("random", "integers", "zeros"))
    vectors = Operand("C", _n, _n, "inout", present=lambda p: bool(p.evect != "N"))
    yield Operation(
        ("steqr", "stedc"), (d, _E, vectors, INFO), _steqr, prepare=_orthonormal_c,
        values=("random", "integers", "zeros"),
    )  # fmt: skip
    yield Operation(
        _families("ev", "evd", "evdj"), (_HERMITIAN, _D, _E, INFO), _syev("D"),
        values=("random", "integers", "zeros"), flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        _families("evj"), (_HERMITIAN, _RESIDUAL, _SWEPT, _W, INFO), _syev("W"),
        flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        _families("gv", "gvd", "gvdj"), (_HERMITIAN, _POSITIVE, _D, _E, INFO), _sygv("D"),
        flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        _families("gvj"), (_HERMITIAN, _POSITIVE, _RESIDUAL, _SWEPT, _W, INFO), _sygv("W"),
        flags={"evect": ("V", "N")},
    )  # fmt: skip


def _singular_values() -> Iterator[Operation]:
    yield Operation(
        ("bdsqr",),
        (
            Operand("D", _n, direction="inout"), _E,
            Operand("V", _n, _size("nv"), "inout"), Operand("U", _size("nu"), _n, "inout"),
            Operand("C", _n, _size("nc"), "inout"), INFO,
        ),
        _bdsqr,
    )  # fmt: skip
    free_e = Operand("E", _below_least, direction="free")
    yield Operation(
        ("gesvd",), (_A, _S, _U, _V, free_e, INFO), _gesvd(), settle=_not_both_in_place,
        values=("random", "integers", "zeros"),
    )  # fmt: skip
    yield Operation(
        ("gesdd",), (_A, _S, _U, _V, INFO), _gesvd(),
        flags={"left_svect": ("S", "N"), "right_svect": ("S", "N")},
    )  # fmt: skip
    yield Operation(
        ("gesvdj",), (_A, _RESIDUAL, _SWEPT, _S, _U, _V, INFO), _gesvd(),
        flags={"left_svect": ("S", "A", "N"), "right_svect": ("S", "A", "N")},
    )  # fmt: skip


OPERATIONS = (*_reductions(), *_eigenvalues(), *_singular_values())
