"""What operands are filled with.

| kind of values | content |
|---|---|
| ``random`` | numbers between -1 and 1 |
| ``integers`` | small whole numbers: sums are exact, pivots and comparisons tie |
| ``ties`` | 1 and -1 only |
| ``zeros`` | nothing but zeros |
| ``equal`` | one number everywhere: rank one, and eigenvalues many times the same |
| ``split`` | zeros in two of three places: matrices fall apart, columns are done at once |
| ``graded`` | rows that differ by powers of ten |
| ``steep`` | rows that differ by thousands, down to 1e-15: nearly singular |
| ``tiny`` | random, but so small that squares are below what a number holds in full |
| ``singular`` | one column of zeros |
| ``zero_diagonal`` | zeros on the diagonal, which force exchanges |
| ``indefinite`` | a Hermitian matrix that is not positive definite from some order on |
| ``nan``, ``inf`` | random, with one such element |
"""

from __future__ import annotations

from typing import Any

from kernels.reference.precision import underflow, unit_roundoff
from kernels.task.element_types import numpy
from kernels.task.inputs import between


def fill(
    content: str, values: str, rows: int, cols: int, kind: Any, uplo: str, diag: str, random: Any
) -> Any:
    """One operand before it is cut down to its part.

    Args:
        content: What the definition needs: ``random``, ``hermitian`` (a diagonal may have
            imaginary parts: BLAS says that they are not read), ``real_diagonal`` (it has none:
            LAPACK says nothing of them), ``triangular`` (well conditioned), ``definite``,
            ``positive``, ``rotation``.
        values: Kind of values, see the module.
        rows: Rows.
        cols: Columns.
        kind: ``float64`` or ``complex128``.
        uplo: The triangle that counts.
        diag: U where the diagonal is not stored.
        random: A numpy generator.
    """
    np = numpy()
    shape = (rows, cols)
    if content == "positive":
        return between(0.2, 2, random.random(shape))
    if content == "rotation":
        flags = np.array([-2.0, -1.0, 0.0, 1.0])
        whole = _plain("random", shape, kind, random)
        whole[0] = flags[random.integers(0, 4)]
        return whole
    if content == "definite":
        return _definite(rows, kind, values, random)
    a = _plain(values, shape, kind, random)
    if content == "real_diagonal":
        np.fill_diagonal(a, a.diagonal().real)
    if content == "triangular":
        # An off-diagonal small against the diagonal keeps the inverse small, too.
        a = a / max(rows, 1) ** 0.75
        if rows == cols and diag != "U":
            np.fill_diagonal(a, random.uniform(1, 2, rows) * np.where(a.diagonal().real < 0, -1, 1))
        elif rows != cols or cols == 1:
            a = _stored_triangle(a, rows, cols, uplo, random)
    return a


def size_of(values: str, element: str) -> float:
    """What content is multiplied with for the type that holds it."""
    if values != "tiny":
        return 1.0
    return float(underflow(element) ** 0.5 * (unit_roundoff(element) * 1024) ** 0.5)


def _stored_triangle(a: Any, rows: int, cols: int, uplo: str, random: Any) -> Any:
    """The diagonal of a triangle in packed or band storage, made large."""
    np = numpy()
    if not a.size:
        return a
    n = int((2 * rows) ** 0.5)
    # A band of one column is no packed triangle, unless both are the same.
    if cols == 1 and n * (n + 1) // 2 == rows:
        places = np.arange(n)
        steps = places + 1 if uplo == "U" else n - places
        at = np.cumsum(steps) - 1 if uplo == "U" else np.concatenate([[0], np.cumsum(steps)[:-1]])
        a[at.astype(int), 0] = random.uniform(1, 2, n)
        return a
    a[rows - 1 if uplo == "U" else 0, :] = random.uniform(1, 2, cols)
    return a


def _definite(n: int, kind: Any, values: str, random: Any) -> Any:
    np = numpy()
    g = _plain("random", (n, n), kind, random)
    a = g @ g.conj().T / max(n, 1) + np.eye(n)
    if values == "indefinite" and n:
        place = int(random.integers(0, n))
        a[place, place] = -1
    return a


def _plain(values: str, shape: tuple[int, int], kind: Any, random: Any) -> Any:
    np = numpy()
    is_complex = np.dtype(kind).kind == "c"

    def numbers() -> Any:
        if values == "zeros":
            return np.zeros(shape)
        if values == "ties":
            return random.choice([-1.0, 1.0], shape)
        if values == "integers":
            return random.integers(-3, 4, shape).astype(float)
        if values == "equal":
            return np.full(shape, between(-1, 1, random.random()))
        return between(-1, 1, random.random(shape))

    a = numbers() + 1j * numbers() if is_complex else numbers()
    if values == "ties" and is_complex:
        a = a.real.astype(kind)
    if not a.size:
        return a.astype(kind)
    if values == "graded":
        a = a * 10.0 ** -(np.arange(shape[0]) % 4)[:, None]
    elif values == "steep":
        a = a * 1000.0 ** -(np.arange(shape[0]) % 6)[:, None]
    elif values == "split":
        a = np.where(random.random(shape) < 1 / 3, a, 0)
    elif values == "singular":
        a[:, random.integers(0, shape[1])] = 0
    elif values == "zero_diagonal" and shape[0] == shape[1]:
        np.fill_diagonal(a, 0)
    return a.astype(kind)
