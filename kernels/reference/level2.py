"""BLAS level 2: a matrix and vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kernels.reference.operation import Direction, Instance, Operand, Operation, Parameters, Problem
from kernels.reference.shapes import applied, from_band, mirrored, packed_places, triangle, unpacked
from kernels.reference.sizes import m_of, n_of
from kernels.task.element_types import numpy

Matrix = Callable[[Instance], Any]


def _packed(p: Parameters) -> int:
    return int(p.n * (p.n + 1) // 2)


def _band(p: Parameters) -> int:
    return int(p.k) + 1


def _columns(p: Parameters) -> int:
    return int(p.n if p.trans == "N" else p.m)


def _rows(p: Parameters) -> int:
    return int(p.m if p.trans == "N" else p.n)


def _nothing(p: Parameters) -> bool:
    return bool(p.get("alpha") == 0)


def _overwritten(p: Parameters) -> bool:
    return bool(p.get("beta") == 0)


def _times_vector(matrix: Matrix, *, transposes: bool, stored: Matrix | None = None) -> Any:
    """``y = alpha op(A) x + beta y``; bound by Higham, (3.11), on each element.

    Args:
        matrix: The whole matrix.
        transposes: Whether the call says how it is applied.
        stored: Which of its elements are stored; the others take no part, whatever x holds.
    """

    def check(i: Instance) -> Iterator[Problem]:
        y, alpha, beta = i.before["y"], i.p.alpha, i.p.beta
        expected, size = 0 * y.real, 0 * y.real
        expected[:], size[:] = 0, 0
        terms = 0
        if alpha != 0:
            a = matrix(i)
            if transposes:
                a = applied(a, i.p.trans)
            terms = a.shape[1]
            x = i.before["x"]
            if stored is None:
                product, sizes = a @ x, abs(a) @ abs(x)
            else:
                there = stored(i).T if transposes and i.p.trans != "N" else stored(i)
                parts = a * numpy().where(there, x, 0)
                product, sizes = parts.sum(axis=1), abs(parts).sum(axis=1)
            expected, size = alpha * product, abs(alpha) * sizes
        if beta != 0:
            expected = expected + beta * y
            size = size + abs(beta * y)
        if 0 in (i.p.n, i.p.get("m", 1)):
            # Nothing is done then, not even the scaling of y.
            expected, size = y, 0
        yield from i.compare("y", expected, i.gamma(terms + 3) * size)

    return check


def _general(i: Instance) -> Any:
    return i.before["A"]


def _general_band(i: Instance) -> Any:
    return from_band(i.before["A"], i.p.m, i.p.n, i.p.kl, i.p.ku)


def _in_band(i: Instance) -> Any:
    ones = numpy().ones_like(i.before["A"].real)
    return from_band(ones, i.p.m, i.p.n, i.p.kl, i.p.ku) == 1


def _mirrored(*, hermitian: bool) -> Matrix:
    return lambda i: mirrored(i.before["A"], i.p.uplo, hermitian=hermitian)


def _mirrored_packed(*, hermitian: bool) -> Matrix:
    def whole(i: Instance) -> Any:
        return mirrored(unpacked(i.before["A"], i.p.n, i.p.uplo), i.p.uplo, hermitian=hermitian)

    return whole


def _band_triangle(i: Instance) -> Any:
    below, above = (0, i.p.k) if i.p.uplo == "U" else (i.p.k, 0)
    return from_band(i.before["A"], i.p.n, i.p.n, below, above)


def _mirrored_band(*, hermitian: bool) -> Matrix:
    return lambda i: mirrored(_band_triangle(i), i.p.uplo, hermitian=hermitian)


def _triangle(i: Instance) -> Any:
    return triangle(i.before["A"], i.p.uplo, i.p.diag)


def _triangle_packed(i: Instance) -> Any:
    return triangle(unpacked(i.before["A"], i.p.n, i.p.uplo), i.p.uplo, i.p.diag)


def _triangle_band(i: Instance) -> Any:
    return triangle(_band_triangle(i), i.p.uplo, i.p.diag)


def _rank_one(conjugate: str) -> Any:
    """``A = A + alpha x y^T``; ``conjugate`` says which factor is conjugated."""

    def check(i: Instance) -> Iterator[Problem]:
        y = i.before["y"].conj() if conjugate == "y" else i.before["y"]
        product = i.p.alpha * numpy().outer(i.before["x"], y)
        if i.p.alpha == 0:
            product = numpy().zeros(product.shape, dtype=product.dtype)
        bound = i.gamma(3) * (abs(product) + abs(i.before["A"]))
        yield from i.compare("A", i.before["A"] + product, bound)

    return check


def _update(*, hermitian: bool, two: bool, packed: bool) -> Any:
    """``A = A + alpha x x^H``, or with ``alpha x y^H + conj(alpha) y x^H``."""

    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        x, a = i.before["x"], i.before["A"]
        y = i.before["y"] if two else x
        left = i.p.alpha * np.outer(x, y.conj() if hermitian else y)
        change, size = left, abs(left)
        if two:
            change = left + (left.conj().T if hermitian else left.T)
            size = size + size.T
        if i.p.alpha == 0:
            change = np.zeros(change.shape, dtype=change.dtype)
            size = abs(change)
        if hermitian and i.p.alpha != 0:
            np.fill_diagonal(change, np.diagonal(change).real)
            a = _real_diagonal(a, i.p.n, i.p.uplo, packed=packed)
        if packed:
            rows, cols = packed_places(i.p.n, i.p.uplo)
            change, size = change[rows, cols], size[rows, cols]
        yield from i.compare("A", a + change, i.gamma(4) * (size + abs(a)))

    return check


def _real_diagonal(a: Any, n: int, uplo: str, *, packed: bool) -> Any:
    np = numpy()
    a = a.copy()
    if packed:
        rows, cols = packed_places(n, uplo)
        a[rows == cols] = a[rows == cols].real
    else:
        np.fill_diagonal(a, np.diagonal(a).real)
    return a


def _multiply(matrix: Matrix) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        a = applied(matrix(i), i.p.trans)
        x = i.before["x"]
        yield from i.compare("x", a @ x, i.gamma(i.p.n + 1) * (abs(a) @ abs(x)))

    return check


def _solve(matrix: Matrix) -> Any:
    """``|b - T x| <= gamma_n |T| |x|``, Higham, Theorem 8.5; inverted blocks cost a condition."""

    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        a, b, x = applied(matrix(i), i.p.trans), i.before["x"], i.after["x"]
        if not i.p.n:
            return
        inverse = np.linalg.inv(a.astype(np.complex128 if a.dtype.kind == "c" else np.float64))
        growth = float((abs(a) @ abs(inverse)).sum(axis=1).max())
        limit = i.gamma(i.p.n + 4) * growth * (abs(a) @ abs(x)) + i.gamma(2) * abs(b)
        yield from i.within("x", "residual b - op(A) x", abs(a @ x - b), limit)

    return check


_X, _Y = Operand("x", n_of, blank=_nothing), Operand("y", n_of, blank=_nothing)
_XW, _YW = Operand("x", n_of, direction="inout"), Operand("y", n_of, direction="inout")
_YB = Operand("y", n_of, direction="inout", blank=_overwritten)
_GENERAL = Operand("A", m_of, n_of, blank=_nothing)
_VALUES = ("random", "integers", "nan")


def _stored(part: str, content: str = "random", direction: Direction = "in") -> Operand:
    rows, cols = {
        "packed": (_packed, None), "unit_packed": (_packed, None),
        "triangle_band": (_band, n_of), "unit_triangle_band": (_band, n_of),
    }.get(part, (n_of, n_of))  # fmt: skip
    kept = "full" if part == "packed" else part
    blank = _nothing if content != "triangular" and direction == "in" else None
    return Operand("A", rows, cols, direction, kept, content, blank=blank)


def _products() -> Iterator[Operation]:
    x = Operand("x", _columns, blank=_nothing)
    y = Operand("y", _rows, direction="inout", blank=_overwritten)
    yield Operation(
        ("gemv",), (_GENERAL, x, y), _times_vector(_general, transposes=True), values=_VALUES
    )
    band = Operand("A", lambda p: int(p.kl + p.ku + 1), n_of, part="band", blank=_nothing)
    yield Operation(
        ("gbmv",),
        (band, x, y),
        _times_vector(_general_band, transposes=True, stored=_in_band),
        values=_VALUES,
    )
    for hermitian in (False, True):
        content = "hermitian" if hermitian else "random"
        first = "h" if hermitian else "s"
        for name, part, matrix in (
            ("hemv" if hermitian else "symv", "triangle", _mirrored(hermitian=hermitian)),
            (first + "pmv", "packed", _mirrored_packed(hermitian=hermitian)),
            (first + "bmv", "triangle_band", _mirrored_band(hermitian=hermitian)),
        ):
            yield Operation(
                (name,), (_stored(part, content), _X, _YB),
                _times_vector(matrix, transposes=False), values=("random", "integers"),
            )  # fmt: skip


def _updates() -> Iterator[Operation]:
    x = Operand("x", m_of, blank=_nothing)
    written = Operand("A", m_of, n_of, direction="inout")
    for names, conjugate in ((("ger", "geru"), ""), (("gerc",), "y")):
        yield Operation(names, (x, _Y, written), _rank_one(conjugate), values=_VALUES)
    for hermitian in (False, True):
        content = "hermitian" if hermitian else "random"
        for two in (False, True):
            for packed in (False, True):
                first = ("hpr" if hermitian else "spr") if packed else "her" if hermitian else "syr"
                part = "packed" if packed else "triangle"
                operands = (_X, *((_Y,) if two else ()), _stored(part, content, "inout"))
                check = _update(hermitian=hermitian, two=two, packed=packed)
                yield Operation(
                    (first + ("2" if two else ""),), operands, check, values=("random", "integers")
                )


def _triangles() -> Iterator[Operation]:
    for first, part, matrix in (
        ("tr", "unit_triangle", _triangle),
        ("tp", "unit_packed", _triangle_packed),
        ("tb", "unit_triangle_band", _triangle_band),
    ):
        stored = _stored(part, "triangular")
        yield Operation((first + "mv",), (stored, _XW), _multiply(matrix))
        yield Operation((first + "sv",), (stored, _XW), _solve(matrix))


OPERATIONS = (*_products(), *_updates(), *_triangles())
