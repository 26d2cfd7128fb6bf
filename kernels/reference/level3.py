"""BLAS level 3, and its usual extensions: matrices.

Products are held to ``gamma_{k+3} (|alpha| |A| |B| + |beta| |C|)``, element by element (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, (3.13)).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.shapes import applied, mirrored, triangle, triangular_inverse
from kernels.reference.sizes import m_of, n_of
from kernels.task.element_types import numpy


def _side(p: Parameters) -> int:
    return int(p.m if p.side == "L" else p.n)


def _outer(first: str, second: str, flag: str) -> Any:
    """Rows of an operand that is ``first`` by ``second`` as it enters the product."""

    def rows(p: Parameters) -> int:
        return int(getattr(p, first if getattr(p, flag) == "N" else second))

    def cols(p: Parameters) -> int:
        return int(getattr(p, second if getattr(p, flag) == "N" else first))

    return rows, cols


def _no_product(p: Parameters) -> bool:
    return bool(p.get("alpha") == 0)


def _overwritten(p: Parameters) -> bool:
    return bool(p.get("beta") == 0)


def _sum(i: Instance, name: str, product: Any, size: Any, terms: int) -> Iterator[Problem]:
    """``name = product + beta name``."""
    beta, before = i.p.beta, i.before[name]
    if beta != 0:
        product, size = product + beta * before, size + abs(beta * before)
    yield from i.compare(name, product, i.gamma(terms + 3) * size)


def _product(i: Instance, a: Any, b: Any, rows: int, cols: int) -> tuple[Any, Any]:
    """``alpha a b`` and the size of its terms; nothing is read where alpha is zero."""
    np = numpy()
    if i.p.alpha == 0 or 0 in a.shape:
        kind = np.result_type(a.dtype, b.dtype)
        return np.zeros((rows, cols), dtype=kind), np.zeros((rows, cols), dtype=np.longdouble)
    return i.p.alpha * (a @ b), abs(i.p.alpha) * (abs(a) @ abs(b))


def _gemm(i: Instance) -> Iterator[Problem]:
    a, b = applied(i.before["A"], i.p.transA), applied(i.before["B"], i.p.transB)
    rows, cols = i.before["C"].shape
    product, size = _product(i, a, b, rows, cols)
    yield from _sum(i, "C", product, size, i.p.k)


def _symm(*, hermitian: bool) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        a = mirrored(i.before["A"], i.p.uplo, hermitian=hermitian)
        b = i.before["B"]
        left, right = (a, b) if i.p.side == "L" else (b, a)
        product, size = _product(i, left, right, i.p.m, i.p.n)
        yield from _sum(i, "C", product, size, left.shape[1])

    return check


def _rank_k(*, hermitian: bool, two: bool, other: bool) -> Any:
    """syrk, syr2k, syrkx and their Hermitian forms."""

    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        n = i.p.n
        a = i.before["A"]
        b = i.before["B"] if two or other else a
        if i.p.trans != "N":
            a, b = (a.conj().T, b.conj().T) if hermitian else (a.T, b.T)

        def turn(x: Any) -> Any:
            return x.conj().T if hermitian else x.T

        product, size = _product(i, a, turn(b), n, n)
        if two:
            product, size = product + turn(product), size + size.T
        before = i.before["C"]
        idle = i.p.k == 0 or i.p.alpha == 0
        if hermitian and not (idle and i.p.beta == 1):
            i.before = {**i.before, "C": _real_diagonal(before)}
            product = _real_diagonal(product) if not other else product
        terms = i.p.k * (2 if two else 1)
        if n and other and hermitian:
            # The definition speaks of results that are Hermitian; here only some are.
            part = i.parts["C"] & ~np.eye(n, dtype=bool)
            beta = i.p.beta
            scaled = beta * before if beta != 0 else 0 * product
            bound = i.gamma(terms + 3) * (size + abs(scaled))
            yield from i.compare("C", product + scaled, bound, part=part)
            return
        yield from _sum(i, "C", product, size, terms)

    return check


def _real_diagonal(a: Any) -> Any:
    np = numpy()
    a = a.copy()
    np.fill_diagonal(a, np.diagonal(a).real)
    return a


def _trmm(i: Instance) -> Iterator[Problem]:
    a = applied(triangle(i.before["A"], i.p.uplo, i.p.diag), i.p.trans)
    target = "C" if "C" in i.before else "B"
    b = i.before["B"]
    left, right = (a, b) if i.p.side == "L" else (b, a)
    product, size = _product(i, left, right, i.p.m, i.p.n)
    yield from i.compare(target, product, i.gamma(a.shape[0] + 3) * size)


def _trsm(i: Instance) -> Iterator[Problem]:
    """Residual of a triangular system with many right-hand sides.

    ``|alpha B - op(A) X| <= gamma_n |A| |X|`` for substitution (Higham, Theorem 8.5). Inverting
    diagonal blocks first, as GPUs do, puts ``|A| |A^-1|`` before it (Higham, section 14.2).
    """
    np = numpy()
    if i.p.alpha == 0:
        yield from i.compare("B", 0 * abs(i.after["B"].real).clip(0, 0), 0)
        return
    a = applied(triangle(i.before["A"], i.p.uplo, i.p.diag), i.p.trans)
    b, x = i.p.alpha * i.before["B"], i.after["B"]
    if 0 in b.shape:
        return
    if i.p.side == "R":
        a, b, x = a.T, b.T, x.T
    plain = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
    growth = float((abs(plain) @ abs(np.linalg.inv(plain))).sum(axis=1).max())
    limit = i.gamma(a.shape[0] + 4) * growth * (abs(a) @ abs(x)) + i.gamma(2) * abs(b)
    error = abs(a @ x - b)
    if i.p.side == "R":
        error, limit = error.T, limit.T
    yield from i.within("B", "residual alpha B - op(A) X", error, limit)


def inverse_problems(i: Instance, source: str, target: str) -> Iterator[Problem]:
    """The inverse of a triangle: ``|X - T^-1| <= c u |T^-1| |T| |T^-1|`` (Higham, section 14.2)."""
    if not i.p.n:
        return
    a = triangle(i.before[source], i.p.uplo, i.p.get("diag", "N"))
    inverse = triangular_inverse(a, i.p.uplo)
    bound = i.gamma(2 * i.p.n + 8) * (abs(inverse) @ abs(a) @ abs(inverse))
    yield from i.compare(target, inverse, bound)


def _trtri(i: Instance) -> Iterator[Problem]:
    yield from inverse_problems(i, "A", "invA")


def _geam(i: Instance) -> Iterator[Problem]:
    parts = []
    for name, factor, trans in (("A", i.p.alpha, i.p.transA), ("B", i.p.beta, i.p.transB)):
        if factor != 0:
            parts.append(factor * applied(i.before[name], trans))
    shape = i.after["C"].shape
    total: Any = sum(parts) if parts else numpy().zeros(shape)
    yield from i.compare("C", total, i.gamma(2) * sum((abs(x) for x in parts), 0 * abs(total)))


def _dgmm(i: Instance) -> Iterator[Problem]:
    x = i.before["x"]
    expected = i.before["A"] * (x[:, None] if i.p.side == "L" else x[None, :])
    yield from i.compare("C", expected, i.gamma(1) * abs(expected))


_VALUES = ("random", "integers", "nan")
_A_ROWS, _A_COLS = _outer("m", "k", "transA")
_B_ROWS, _B_COLS = _outer("k", "n", "transB")
_GE_ROWS, _GE_COLS = _outer("m", "n", "transA")
_GB_ROWS, _GB_COLS = _outer("m", "n", "transB")
_RK_ROWS, _RK_COLS = _outer("n", "k", "trans")
_TA_ROWS, _TA_COLS = _outer("n", "k", "transA")
_TB_ROWS, _TB_COLS = _outer("k", "n", "transB")
_B_MN = Operand("B", m_of, n_of, blank=_no_product)


def _written(rows: Any, cols: Any, part: str = "full", content: str = "random") -> Operand:
    return Operand("C", rows, cols, "inout", part, content, blank=_overwritten)


def _products() -> Iterator[Operation]:
    yield Operation(
        ("gemm",),
        (
            Operand("A", _A_ROWS, _A_COLS, blank=_no_product),
            Operand("B", _B_ROWS, _B_COLS, blank=_no_product),
            _written(m_of, n_of),
        ),
        _gemm, values=_VALUES,
    )  # fmt: skip
    yield Operation(
        ("gemmt",),
        (
            Operand("A", _TA_ROWS, _TA_COLS, blank=_no_product),
            Operand("B", _TB_ROWS, _TB_COLS, blank=_no_product),
            _written(n_of, n_of, "triangle"),
        ),
        _gemm, values=("random", "integers"),
    )  # fmt: skip
    for hermitian, name in ((False, "symm"), (True, "hemm")):
        content = "hermitian" if hermitian else "random"
        stored = Operand("A", _side, _side, part="triangle", content=content, blank=_no_product)
        yield Operation(
            (name,), (stored, _B_MN, _written(m_of, n_of)), _symm(hermitian=hermitian),
            values=("random", "integers"),
        )  # fmt: skip


def _updates() -> Iterator[Operation]:
    a = Operand("A", _RK_ROWS, _RK_COLS, blank=_no_product)
    b = Operand("B", _RK_ROWS, _RK_COLS, blank=_no_product)
    for hermitian, first in ((False, "sy"), (True, "he")):
        content = "hermitian" if hermitian else "random"
        c = _written(n_of, n_of, "triangle", content)
        for tail, two, other in (("rk", False, False), ("r2k", True, False), ("rkx", False, True)):
            yield Operation(
                (first + tail,), (a, b, c) if two or other else (a, c),
                _rank_k(hermitian=hermitian, two=two, other=other),
                flags={"trans": ("N", "C" if hermitian else "T")}, values=("random", "integers"),
            )  # fmt: skip


def _triangles() -> Iterator[Operation]:
    a = Operand("A", _side, _side, part="unit_triangle", content="triangular", blank=_no_product)
    yield Operation(
        ("trmm",), (a, _B_MN, Operand("C", m_of, n_of, "out")), _trmm, values=("random",)
    )
    yield Operation(("trmm",), (a, Operand("B", m_of, n_of, "inout", blank=_no_product)), _trmm)
    yield Operation(
        ("trsm",),
        (a, Operand("B", m_of, n_of, "inout", blank=_no_product)),
        _trsm,
    )
    yield Operation(
        ("trtri",),
        (
            Operand("A", n_of, n_of, part="unit_triangle", content="triangular"),
            Operand("invA", n_of, n_of, "out", part="unit_triangle", outside="free"),
        ),
        _trtri,
    )


def _sums() -> Iterator[Operation]:
    yield Operation(
        ("geam",),
        (
            Operand("A", _GE_ROWS, _GE_COLS, blank=_no_product),
            Operand("B", _GB_ROWS, _GB_COLS, blank=_overwritten),
            Operand("C", m_of, n_of, "out"),
        ),
        _geam, values=_VALUES,
    )  # fmt: skip
    vector = Operand("x", _side)
    operands = (Operand("A", m_of, n_of), vector, Operand("C", m_of, n_of, "out"))
    yield Operation(("dgmm",), operands, _dgmm, values=_VALUES)


OPERATIONS = (*_products(), *_updates(), *_triangles(), *_sums())
