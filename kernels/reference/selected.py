"""LAPACK: some of the eigenvalues or singular values of a matrix, by index or within an interval.

How values and vectors are judged stands in :mod:`kernels.reference.eigenproblems`. How many lie in
a half-open interval is not well-posed where one lies at its end within its error: any number that
some such small change gives is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.eigenproblems import (
    both_twins,
    in_double,
    iteration_limit,
    pencil,
)
from kernels.reference.factorisations import INFO, whole_numbers
from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Parameters, Problem
from kernels.reference.reflectors import norm
from kernels.reference.shapes import mirrored
from kernels.reference.sizes import below_n, least_of, m_of, n_of, one_of
from kernels.task.element_types import numpy


def _wanted(p: Parameters) -> int:
    """Columns that vectors have room for."""
    order = int(p.n if p.get("m") is None else min(p.m, p.n))
    kind = p.get("erange") or p.get("srange")
    return int(max(p.iu - p.il + 1, 0)) if kind == "I" else order


def _range_within(*sizes: str) -> Any:
    def settle(values: dict[str, Any]) -> dict[str, Any]:
        most = min(int(values[name]) for name in sizes)
        if not most:
            return {**values, "il": 1, "iu": 0}
        low = min(max(int(values["il"]), 1), most)
        return {**values, "il": low, "iu": min(max(int(values["iu"]), low), most)}

    return settle


def _chosen(
    i: Instance, exact: Any, limit: Any, kind: str, name: str, *, falling: bool = False
) -> Iterator[Problem]:
    """The number of values that were found; then those values.

    Args:
        i: The call.
        exact: All values, ascending.
        limit: Absolute error of a value.
        kind: A for all, V for those in the interval, I for those with an index.
        name: Operand that says how many there are.
        falling: Values are found, and counted, from the largest on.
    """
    np = numpy()
    ordered = exact[::-1] if falling else exact
    count = whole_numbers(i.after[name])[0]
    first = 0
    if kind == "I":
        first, least, most = i.p.il - 1, i.p.iu - i.p.il + 1, i.p.iu - i.p.il + 1
    elif kind == "V":
        low, high = float(i.p.vl), float(i.p.vu)
        sure = (exact > low + limit) & (exact < high - limit)
        maybe = (exact > low - limit) & (exact < high + limit)
        least, most = int(sure.sum()), int(maybe.sum())
    else:
        least = most = len(exact)
    if not least <= count <= most:
        yield from i.exactly(name, "how many values were found", f"{least} to {most}", str(count))
        return
    values_name = "S" if falling else "W"
    got = np.sort(i.after[values_name].real[:count])
    got = got[::-1] if falling else got
    if kind == "V":
        # Those that are found are next to each other; where they begin is as uncertain as the end.
        inside = np.flatnonzero((ordered > float(i.p.vl) - limit)
                                & (ordered < float(i.p.vu) + limit))  # fmt: skip
        starts = [inside[0] + k for k in range(most - count + 1)] if count else [0]
        errors = [abs(ordered[s : s + count] - got).max(initial=0) for s in starts]
        first = int(starts[int(np.argmin(errors))])
    error = abs(ordered[first : first + count] - got)
    yield from i.within(values_name, "error of the values", error, limit)


def _vectors(i: Instance, left: Any, right: Any, vectors: Any, scale: Any) -> Iterator[Problem]:
    limit = iteration_limit(i, len(left))
    yield from i.within("Z", "residual of the vectors", norm(left - right), limit * scale)


def _syevx(i: Instance) -> Iterator[Problem]:
    np = numpy()
    n = i.p.n
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not n:
        yield from i.exactly("nev", "nev", 0, whole_numbers(i.after["nev"])[0])
        return
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
    limit = iteration_limit(i, n) * norm(a)
    exact = np.linalg.eigvalsh(in_double(a))
    wrong = list(_chosen(i, exact, float(limit), i.p.erange, "nev"))
    yield from wrong
    count = whole_numbers(i.after["nev"])[0]
    if wrong or not count:
        return
    found = i.after["W"].real[:count]
    rising = bool((found[1:] >= found[:-1]).all())
    yield from i.exactly("W", "the values ascend", True, rising)
    if i.p.evect == "V":
        z = i.after["Z"][:, :count]
        yield from _vectors(i, a @ z, z * found, z, norm(a))
        error = norm(z.conj().T @ z - np.eye(count))
        yield from i.within("Z", "Z^H Z - I", error, iteration_limit(i, n) * max(count, 1) ** 0.5)


def _sygvx(i: Instance) -> Iterator[Problem]:
    """``A z = lambda B z`` and the two other forms (LAPACK, sygvx)."""
    np = numpy()
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not i.p.n:
        return
    posed = pencil(i)
    room = float(posed.limit * posed.size)
    wrong = list(_chosen(i, posed.values, room, i.p.erange, "nev"))
    yield from wrong
    count = whole_numbers(i.after["nev"])[0]
    if wrong or not count or i.p.evect != "V":
        return
    found, z = i.after["W"].real[:count], i.after["Z"][:, :count]
    left, right = posed.sides(i.p.itype, z, found)
    scale = (norm(posed.a) * norm(posed.b) + 1) * norm(z) * posed.growth
    yield from _vectors(i, left, right, z, scale)
    # Z^H B Z = I, or Z^H inv(B) Z = I for the third form.
    weight = np.linalg.inv(in_double(posed.b)) if i.p.itype == "3" else posed.b
    error = norm(z.conj().T @ weight @ z - np.eye(count))
    yield from i.within("Z", "Z^H B Z - I", error, posed.limit * norm(weight) * norm(z) ** 2)


def _stebz(i: Instance) -> Iterator[Problem]:
    """Eigenvalues of a tridiagonal matrix by bisection (LAPACK, stebz)."""
    np = numpy()
    n = i.p.n
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not n:
        return
    t = np.diag(i.before["D"].real)
    if n > 1:
        e = i.before["E"].real
        t = t + np.diag(e, 1) + np.diag(e, -1)
    exact = np.linalg.eigvalsh(in_double(t))
    limit = float(iteration_limit(i, n) * norm(t))
    wrong = list(_chosen(i, exact, limit, i.p.erange, "nev"))
    yield from wrong
    count = whole_numbers(i.after["nev"])[0]
    if wrong or not count or i.p.get("eorder") != "E":
        return
    found = i.after["W"].real[:count]
    rising = bool((found[1:] >= found[:-1]).all())
    yield from i.exactly("W", "the values ascend", True, rising)


def _gesvdx(i: Instance) -> Iterator[Problem]:
    """Some singular values, from the largest on; V holds ``V^H`` (LAPACK, gesvdx)."""
    np = numpy()
    m, n = i.p.m, i.p.n
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not min(m, n):
        return
    a = i.before["A"]
    exact = np.sort(np.linalg.svd(in_double(a), compute_uv=False))
    limit = float(iteration_limit(i, m + n) * norm(a))
    wrong = list(_chosen(i, exact, limit, i.p.srange, "nsv", falling=True))
    yield from wrong
    count = whole_numbers(i.after["nsv"])[0]
    if wrong or not count:
        return
    s = i.after["S"].real[:count]
    u = i.after["U"][:, :count] if i.p.left_svect == "S" else None
    v = i.after["V"][:count] if i.p.right_svect == "S" else None
    own = iteration_limit(i, m + n) * max(count, 1) ** 0.5
    if u is not None:
        yield from i.within("U", "U^H U - I", norm(u.conj().T @ u - np.eye(count)), own)
    if v is not None:
        yield from i.within("V", "V V^H - I", norm(v @ v.conj().T - np.eye(count)), own)
    if u is not None and v is not None:
        yield from i.within("U", "A V - U S", norm(a @ v.conj().T - u * s), limit)
    elif u is not None:
        yield from i.within("U", "lengths of A^H U", abs(norm(a.conj().T @ u, 0) - s), limit)
    elif v is not None:
        yield from i.within("V", "lengths of A V", abs(norm(a @ v.conj().T, 0) - s), limit)


_A = Operand("A", n_of, n_of, "inout", "triangle", "real_diagonal", outside="free")
_B = Operand("B", n_of, n_of, "free", "triangle", "definite", outside="free")
_W = Operand("W", n_of, direction="out")
_Z = Operand("Z", n_of, _wanted, "out", present=lambda p: bool(p.evect == "V"))
_NEV = Operand("nev", one_of, direction="out")
_IFAIL = Operand("ifail", n_of, direction="free")
_FLAGS = {"evect": ("V", "N"), "erange": ("A", "V", "I")}
_SVECT = {"left_svect": ("S", "N"), "right_svect": ("S", "N"), "srange": ("A", "V", "I")}


def _selected() -> Iterator[Operation]:
    whole = _range_within("n")
    yield Operation(
        both_twins("evx"),
        (_A, _NEV, _W, _Z, _IFAIL, INFO),
        _syevx,
        settle=whole,
        values=UNEVEN,
        flags=_FLAGS,
    )
    yield Operation(
        both_twins("evdx"),
        (_A, _NEV, _W, _Z, INFO),
        _syevx,
        settle=whole,
        values=UNEVEN,
        flags=_FLAGS,
    )
    yield Operation(
        both_twins("gvx"), (_A, _B, _NEV, _W, _Z, _IFAIL, INFO), _sygvx, settle=whole,
        values=UNEVEN, flags=_FLAGS,
    )  # fmt: skip
    yield Operation(
        both_twins("gvdx"),
        (_A, _B, _NEV, _W, _Z, INFO),
        _sygvx,
        settle=whole,
        values=UNEVEN,
        flags=_FLAGS,
    )
    yield Operation(
        ("stebz",),
        (
            Operand("D", n_of), Operand("E", below_n), _NEV,
            Operand("nsplit", one_of, direction="free"), _W,
            Operand("iblock", n_of, direction="free"),
            Operand("isplit", n_of, direction="free"), INFO,
        ),
        _stebz, settle=whole, values=UNEVEN,
        flags={"erange": ("A", "V", "I"), "eorder": ("E",)},
    )  # fmt: skip
    yield Operation(
        ("gesvdx",),
        (
            Operand("A", m_of, n_of, "inout", outside="free"),
            Operand("nsv", one_of, direction="out"), Operand("S", least_of, direction="out"),
            Operand("U", m_of, _wanted, "out", present=lambda p: bool(p.left_svect == "S")),
            Operand("V", _wanted, n_of, "out", present=lambda p: bool(p.right_svect == "S")),
            Operand("ifail", least_of, direction="free"), INFO,
        ),
        _gesvdx, settle=_range_within("m", "n"), values=UNEVEN, flags=_SVECT,
    )  # fmt: skip


OPERATIONS = tuple(_selected())
