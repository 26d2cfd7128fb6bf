"""LAPACK: reductions to condensed form, eigenvalues and singular values.

Decompositions are held to their residual, to the orthogonality of their vectors and to the order of
their values; values alone to those of numpy, from which they may differ by the backward error times
the norm (Weyl's theorem). Constants follow from counts of rotations and reflections, as in Higham,
section 19.6; iterations count as 30 sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kernels.reference.factorisations import INFO, whole_numbers
from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Parameters, Problem
from kernels.reference.reflectors import norm
from kernels.reference.shapes import mirrored
from kernels.reference.sizes import below_n, n_of, one_of
from kernels.task.element_types import numpy

_SWEEPS = 30


def in_double(a: Any) -> Any:
    """Values as numpy decomposes them."""
    np = numpy()
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def iteration_limit(i: Instance, n: int) -> float:
    """Relative error that an iteration over n rows may have."""
    return float(_SWEEPS * i.gamma(n + 10))


def no_failure(i: Instance) -> Iterator[Problem]:
    """``info`` is zero where the routine has one."""
    if "info" in i.after:
        yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])


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
        yield from i.within(kept, "residual A z - lambda z", error, iteration_limit(i, n) * size)
        yield from i.within(
            kept, "Z^H Z - I", norm(vectors.conj().T @ vectors - np.eye(n)), iteration_limit(i, n)
        )
    exact = np.linalg.eigvalsh(in_double(a))
    yield from i.within(name, "error of the values", abs(np.sort(values) - exact),
                        iteration_limit(i, n) * size)  # fmt: skip


def _tridiagonal(i: Instance) -> Any:
    np = numpy()
    t = np.diag(i.before["D"].real)
    if i.p.n > 1:
        e = i.before["E"].real
        t = t + np.diag(e, 1) + np.diag(e, -1)
    return t


def _sterf(i: Instance) -> Iterator[Problem]:
    yield from no_failure(i)
    if i.p.n:
        yield from _spectrum(i, _tridiagonal(i), i.after["D"].real, None, "D", "C")


def _steqr(i: Instance) -> Iterator[Problem]:
    """Tridiagonal eigenproblem; with evect V the given orthogonal matrix is multiplied."""
    np = numpy()
    yield from no_failure(i)
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
        yield from no_failure(i)
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


@dataclass(frozen=True)
class Pencil:
    """A generalised problem and its standard form, with B = L L^H (LAPACK, sygst).

    Attributes:
        a: The Hermitian matrix.
        b: The positive definite one.
        values: Eigenvalues, ascending.
        size: Norm of the standard form.
        growth: Square of L's condition.
        limit: What an error may be, relative to a norm.
    """

    a: Any
    b: Any
    values: Any
    size: float
    growth: float
    limit: float

    def sides(self, form: str, z: Any, values: Any) -> tuple[Any, Any]:
        """Both sides of ``A z = w B z``, ``A B z = w z`` or ``B A z = w z``."""
        if form == "1":
            return self.a @ z, self.b @ z * values
        return (self.a @ self.b if form == "2" else self.b @ self.a) @ z, z * values


def pencil(i: Instance) -> Pencil:
    """The problem that an instance poses."""
    np = numpy()
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True)
    b = mirrored(i.before["B"], i.p.uplo, hermitian=True)
    lower = np.linalg.cholesky(in_double(b))
    inverse = np.linalg.inv(lower)
    if i.p.itype == "1":
        plain = inverse @ in_double(a) @ inverse.conj().T
    else:
        plain = lower.conj().T @ in_double(a) @ lower
    growth = (norm(lower) * norm(inverse)) ** 2
    return Pencil(
        a, b, np.linalg.eigvalsh((plain + plain.conj().T) / 2), norm(plain), growth,
        iteration_limit(i, i.p.n) * growth,
    )  # fmt: skip


def _sygv(values: str) -> Any:
    """``A z = lambda B z`` and the two other forms (LAPACK, sygv)."""

    def check(i: Instance) -> Iterator[Problem]:
        yield from no_failure(i)
        if not i.p.n:
            return
        found = i.after[values].real
        yield from _ascending(i, values, found)
        posed = pencil(i)
        error = abs(numpy().sort(found) - posed.values)
        yield from i.within(values, "error of the values", error, posed.limit * posed.size)
        if i.p.evect == "V":
            z = i.after["A"]
            left, right = posed.sides(i.p.itype, z, found)
            scale = norm(posed.a) * norm(posed.b) * norm(z) * posed.growth + norm(z)
            yield from i.within("A", "residual", norm(left - right), posed.limit * scale)

    return check


def _orthonormal_c(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    np = numpy()
    if "C" not in arrays or not arrays["C"].size:
        return arrays
    return {**arrays, "C": np.linalg.qr(arrays["C"] + np.eye(len(arrays["C"])))[0]}


_D, E_FREE = Operand("D", n_of, direction="out"), Operand("E", below_n, direction="free")
_HERMITIAN = Operand("A", n_of, n_of, "inout", "triangle", "real_diagonal", outside="free")
_POSITIVE = Operand("B", n_of, n_of, "free", "triangle", "definite", outside="free")
RESIDUAL = Operand("residual", one_of, direction="free")
SWEPT = Operand("n_sweeps", one_of, direction="free")
_W = Operand("W", n_of, direction="out")


def both_twins(*stems: str) -> tuple[str, ...]:
    """Names of the real and of the complex form."""
    return tuple(first + stem for stem in stems for first in ("sy", "he"))


def _eigenvalues() -> Iterator[Operation]:
    d = Operand("D", n_of, direction="inout")
    yield Operation(("sterf",), (d, E_FREE, INFO), _sterf, values=UNEVEN)
    vectors = Operand("C", n_of, n_of, "inout", present=lambda p: bool(p.evect != "N"))
    yield Operation(
        ("steqr", "stedc"), (d, E_FREE, vectors, INFO), _steqr, prepare=_orthonormal_c,
        values=UNEVEN,
    )  # fmt: skip
    yield Operation(
        both_twins("ev", "evd", "evdj"), (_HERMITIAN, _D, E_FREE, INFO), _syev("D"),
        values=UNEVEN, flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        both_twins("evj"), (_HERMITIAN, RESIDUAL, SWEPT, _W, INFO), _syev("W"),
        values=UNEVEN, flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        both_twins("gv", "gvd", "gvdj"), (_HERMITIAN, _POSITIVE, _D, E_FREE, INFO), _sygv("D"),
        values=UNEVEN, flags={"evect": ("V", "N")},
    )  # fmt: skip
    yield Operation(
        both_twins("gvj"), (_HERMITIAN, _POSITIVE, RESIDUAL, SWEPT, _W, INFO), _sygv("W"),
        values=UNEVEN, flags={"evect": ("V", "N")},
    )  # fmt: skip


OPERATIONS = tuple(_eigenvalues())
