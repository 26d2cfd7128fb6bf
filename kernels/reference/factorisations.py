"""LAPACK: triangular, LU, Cholesky and symmetric indefinite factorisations, and inverses.

Each is held to its residual, element by element: ``|A - L U| <= gamma_n |L| |U|`` and the like
(Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, Theorems 9.3, 10.3 and 11.3).
Blocked code that inverts diagonal blocks is a constant worse, hence the factor before n.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.level3 import inverse_problems
from kernels.reference.operation import Instance, Operand, Operation, Parameters, Problem
from kernels.reference.shapes import mirrored, triangle
from kernels.reference.sizes import least_of, m_of, n_of, one_of
from kernels.task.element_types import numpy

_TERMS = 4


INFO = Operand("info", one_of, direction="out")


def whole_numbers(values: Any) -> list[int]:
    """Pivots and the like as numbers of Python."""
    return [int(value.real) for value in values]


def rows_swapped(a: Any, pivots: list[int], *, backwards: bool = False) -> Any:
    """Rows exchanged one after the other, as ``ipiv`` says (LAPACK, laswp); counted from 1."""
    a = a.copy()
    order = list(enumerate(pivots))
    for row, pivot in reversed(order) if backwards else order:
        if row != pivot - 1:
            a[[row, pivot - 1]] = a[[pivot - 1, row]]
    return a


def lu_factors(stored: Any) -> tuple[Any, Any]:
    """L and U out of their common storage."""
    np = numpy()
    rows, cols = stored.shape
    least = min(rows, cols)
    lower = np.tril(stored[:, :least], -1)
    np.fill_diagonal(lower, 1)
    return lower, np.triu(stored[:least])


def lu_decomposed(a: Any, *, pivot: bool = True) -> tuple[Any, list[int]]:
    """LU with partial pivoting, for operands that must hold one; pivots count from 1."""
    np = numpy()
    a = a.copy()
    pivots = []
    for column in range(min(a.shape)):
        chosen = column + (int(np.argmax(abs(a[column:, column]))) if pivot else 0)
        pivots.append(chosen + 1)
        a[[column, chosen]] = a[[chosen, column]]
        if a[column, column] != 0:
            a[column + 1 :, column] /= a[column, column]
            a[column + 1 :, column + 1 :] -= np.outer(
                a[column + 1 :, column], a[column, column + 1 :]
            )
    return a, pivots


def _legal_pivots(i: Instance, rows: int, count: int) -> Iterator[Problem]:
    pivots = whole_numbers(i.after["ipiv"])[:count]
    for place, pivot in enumerate(pivots):
        if not place < pivot <= rows:
            yield Problem(
                "ipiv", (place,), f"{place + 1} to {rows}", str(pivot), "it names no lower row",
                float("inf"),
            )  # fmt: skip
            return


def _getrf(*, pivot: bool) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        least = min(i.p.m, i.p.n)
        if "info" in i.after and least == 0:
            yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
        if least == 0:
            return
        if pivot:
            wrong = list(_legal_pivots(i, i.p.m, least))
            yield from wrong
            if wrong:
                return
        lower, upper = lu_factors(i.after["A"])
        zeros = np.flatnonzero(np.diagonal(upper) == 0)
        expected = int(zeros[0]) + 1 if len(zeros) else 0
        if "info" in i.after:
            got = whole_numbers(i.after["info"])[0]
            yield from i.exactly("info", "info is not the first zero pivot", expected, got)
        a = i.before["A"]
        if pivot:
            a = rows_swapped(a, whole_numbers(i.after["ipiv"])[:least])
            # Complex pivots are chosen by |re| + |im| (BLAS, icamax), which is within sqrt(2).
            limit = (2**0.5 if lower.dtype.kind == "c" else 1) + i.gamma(8)
            size = abs(lower)
            yield from i.within("A", "element of L (partial pivoting)", size.max(), limit)
        elif expected:
            return
        bound = i.gamma(_TERMS * least + 8) * (abs(lower) @ abs(upper))
        yield from i.within("A", "residual P A - L U", abs(a - lower @ upper), bound)

    return check


def _potrf(i: Instance) -> Iterator[Problem]:
    np = numpy()
    n = i.p.n
    got = whole_numbers(i.after["info"])[0]
    a = mirrored(i.before["A"], i.p.uplo, hermitian=True) if n else i.before["A"]
    if n:
        plain = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)
        # The smallest leading block that is not positive definite; content keeps away from 0.
        bad = [k for k in range(1, n + 1) if np.linalg.eigvalsh(plain[:k, :k])[0] <= 0]
        yield from i.exactly("info", "info", bad[0] if bad else 0, got)
        if bad:
            return
        factor = triangle(i.after["A"], i.p.uplo)
        left, right = (factor.conj().T, factor) if i.p.uplo == "U" else (factor, factor.conj().T)
        bound = i.gamma(_TERMS * n + 8) * (abs(left) @ abs(right))
        error = np.where(i.parts["A"], abs(left @ right - a), 0)
        yield from i.within("A", "residual A - L L^H", error, bound)
        diagonal = np.diagonal(factor)
        sign = bool((diagonal.real > 0).all())
        yield from i.exactly("A", "the diagonal of the factor is positive", True, sign)
    else:
        yield from i.exactly("info", "info", 0, got)


def _getri(*, pivot: bool, target: str) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        n = i.p.n
        got = whole_numbers(i.after["info"])[0]
        stored = i.before["A"]
        zeros = np.flatnonzero(np.diagonal(stored) == 0) if n else []
        yield from i.exactly("info", "info", int(zeros[0]) + 1 if len(zeros) else 0, got)
        if not n or len(zeros):
            return
        lower, upper = lu_factors(stored)
        x = i.after[target]
        a = lower @ upper
        if pivot:
            a = rows_swapped(a, whole_numbers(i.before["ipiv"]), backwards=True)
            size = rows_swapped(
                abs(lower) @ abs(upper), whole_numbers(i.before["ipiv"]), backwards=True
            )
        else:
            size = abs(lower) @ abs(upper)
        # Higham, (14.18): the left residual, with |X| |L| |U|; blocks add the inverse's condition.
        bound = i.gamma(n + 8) * (abs(x) @ size @ abs(x) @ size)
        yield from i.within(target, "residual X A - I", abs(x @ a - np.eye(n)), bound)

    return check


def _with_factors(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    """A holds an LU, with its pivots beside it where there are some."""
    np = numpy()
    a = arrays["A"] + 2 * np.eye(len(arrays["A"]))
    stored, pivots = lu_decomposed(a, pivot="ipiv" in arrays)
    changed = {**arrays, "A": stored}
    if "ipiv" in arrays:
        changed["ipiv"] = np.array(pivots, dtype=np.float64)
    return changed


def dominant(p: Parameters, arrays: dict[str, Any], _: Any) -> dict[str, Any]:
    """A with a diagonal that outweighs its rows: no pivoting is needed."""
    np = numpy()
    a = arrays["A"]
    return {**arrays, "A": a + (1 + max(a.shape, default=0)) * np.eye(*a.shape)}


def _trtri(i: Instance) -> Iterator[Problem]:
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    yield from inverse_problems(i, "A", "A")


def _potri(i: Instance) -> Iterator[Problem]:
    np = numpy()
    yield from i.exactly("info", "info", 0, whole_numbers(i.after["info"])[0])
    if not i.p.n:
        return
    factor = triangle(i.before["A"], i.p.uplo)
    left, right = (factor.conj().T, factor) if i.p.uplo == "U" else (factor, factor.conj().T)
    a, x = left @ right, mirrored(i.after["A"], i.p.uplo, hermitian=True)
    size = abs(x) @ abs(left) @ abs(right)
    bound = i.gamma(_TERMS * i.p.n + 16) * (size @ size)
    yield from i.within("A", "residual X A - I", abs(x @ a - np.eye(i.p.n)), bound)


def _lauum(i: Instance) -> Iterator[Problem]:
    """``U U^H`` or ``L^H L`` (LAPACK, lauum)."""
    if not i.p.n:
        return
    t = triangle(i.before["A"], i.p.uplo)
    left, right = (t, t.conj().T) if i.p.uplo == "U" else (t.conj().T, t)
    yield from i.compare("A", left @ right, i.gamma(i.p.n + 4) * (abs(left) @ abs(right)))


def _sytrf(i: Instance) -> Iterator[Problem]:
    """``A = U D U^T`` with blocks of one and two (LAPACK, sytrf; Higham, Theorem 11.3)."""
    np = numpy()
    n = i.p.n
    info = whole_numbers(i.after["info"])[0]
    if not n:
        yield from i.exactly("info", "info", 0, info)
        return
    pivots = whole_numbers(i.after["ipiv"])
    if any(not 1 <= abs(pivot) <= n for pivot in pivots):
        yield Problem(
            "ipiv", (), f"1 to {n} in size", str(pivots[:8]), "pivots name no row", np.inf
        )
        return
    factor, block = _bunch_kaufman(i.after["A"], pivots, i.p.uplo)
    a = mirrored(i.before["A"], i.p.uplo, hermitian=False)
    zeros = np.flatnonzero(np.diagonal(block) == 0)
    singular = any(block[k, k] == 0 and not block[k].any() and not block[:, k].any() for k in zeros)
    yield from i.exactly("info", "info is nonzero just if D is singular", singular, info != 0)
    bound = i.gamma(8 * n + 32) * (abs(factor) @ abs(block) @ abs(factor.T) + abs(a).max())
    error = abs(factor @ block @ factor.T - a)
    yield from i.within("A", "residual A - U D U^T", error, bound)


def _bunch_kaufman(stored: Any, pivots: list[int], uplo: str) -> tuple[Any, Any]:
    """U (or L) with its permutations, and D, out of what sytrf stores."""
    np = numpy()
    n = len(stored)
    factor, block = np.eye(n, dtype=stored.dtype), np.zeros_like(stored)
    upper = uplo == "U"
    k = n - 1 if upper else 0
    while 0 <= k < n:
        size = 1 if pivots[k] > 0 else 2
        columns = [k] if size == 1 else [k - 1, k] if upper else [k, k + 1]
        turned = np.eye(n, dtype=stored.dtype)
        other = abs(pivots[k]) - 1
        mine = k if size == 1 else (k - 1 if upper else k + 1)
        turned[[mine, other]] = turned[[other, mine]]
        step = np.eye(n, dtype=stored.dtype)
        for column in columns:
            rows = slice(0, columns[0]) if upper else slice(columns[-1] + 1, n)
            step[rows, column] = stored[rows, column]
        for x in columns:
            block[x, x] = stored[x, x]
        if size == 2:
            first, second = columns
            value = stored[first, second] if upper else stored[second, first]
            block[first, second] = block[second, first] = value
        factor = factor @ turned @ step
        k += -size if upper else size
    return factor, block


_A = Operand("A", m_of, n_of, "inout")
_SQUARE = Operand("A", n_of, n_of, "inout")
_FACTORS = Operand("A", n_of, n_of, "in")
_PIVOTS = Operand("ipiv", least_of, direction="out")
_OUT = Operand("C", n_of, n_of, "out")


def _square(values: dict[str, Any]) -> dict[str, Any]:
    return values


OPERATIONS = (
    Operation(
        ("getrf", "getf2"), (_A, _PIVOTS, INFO), _getrf(pivot=True),
        values=("random", "integers", "ties", "singular", "graded"),
    ),
    Operation(
        ("getrf_npvt", "getf2_npvt"), (_A, INFO), _getrf(pivot=False), prepare=dominant
    ),
    Operation(
        ("potrf", "potf2"),
        (Operand("A", n_of, n_of, "inout", "triangle", "definite"), INFO),
        _potrf, values=("random", "indefinite"),
    ),
    Operation(
        ("getri",), (_SQUARE, Operand("ipiv", n_of), INFO), _getri(pivot=True, target="A"),
        prepare=_with_factors,
    ),
    Operation(
        ("getri_npvt",), (_SQUARE, INFO), _getri(pivot=False, target="A"), prepare=_with_factors
    ),
    Operation(
        ("getri_outofplace",), (_FACTORS, Operand("ipiv", n_of), _OUT, INFO),
        _getri(pivot=True, target="C"), prepare=_with_factors,
    ),
    Operation(
        ("getri_npvt_outofplace",), (_FACTORS, _OUT, INFO), _getri(pivot=False, target="C"),
        prepare=_with_factors,
    ),
    Operation(
        ("trtri",),
        (Operand("A", n_of, n_of, "inout", "unit_triangle", "triangular"), INFO),
        _trtri,
    ),
    Operation(
        ("potri",), (Operand("A", n_of, n_of, "inout", "triangle", "triangular"), INFO), _potri
    ),
    Operation(("lauum",), (Operand("A", n_of, n_of, "inout", "triangle"),), _lauum),
    Operation(
        ("sytrf", "sytf2"),
        (
            Operand("A", n_of, n_of, "inout", "triangle"),
            Operand("ipiv", n_of, direction="out"), INFO,
        ),
        _sytrf, values=("random", "integers", "zero_diagonal"),
    ),
)  # fmt: skip
