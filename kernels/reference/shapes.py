"""Matrices out of their storage: triangles, packed triangles, bands."""

from __future__ import annotations

from typing import Any

from kernels.task.element_types import numpy


def applied(a: Any, trans: str) -> Any:
    """``op(A)`` for trans N, T or C."""
    if trans == "N":
        return a
    return a.T if trans == "T" else a.conj().T


def triangle(a: Any, uplo: str, diag: str = "N") -> Any:
    """The triangle that is referenced, zeros elsewhere, ones on the diagonal where it is unit."""
    np = numpy()
    kept = np.triu(a) if uplo == "U" else np.tril(a)
    if diag == "U":
        np.fill_diagonal(kept, 1)
    return kept


def mirrored(a: Any, uplo: str, *, hermitian: bool) -> Any:
    """The whole matrix of which one triangle is stored."""
    np = numpy()
    kept = triangle(a, uplo)
    diagonal = np.diagonal(kept).copy()
    if hermitian:
        diagonal = diagonal.real.astype(kept.dtype)
    other = kept.conj().T if hermitian else kept.T
    whole = kept + other
    np.fill_diagonal(whole, diagonal)
    return whole


def unpacked(packed: Any, n: int, uplo: str) -> Any:
    """The triangle that is stored column by column (BLAS, packed storage)."""
    np = numpy()
    whole = np.zeros((n, n), dtype=packed.dtype)
    rows, cols = packed_places(n, uplo)
    whole[rows, cols] = packed
    return whole


def packed_places(n: int, uplo: str) -> tuple[Any, Any]:
    """Row and column of each element in packed storage."""
    np = numpy()
    cols, rows = np.tril_indices(n) if uplo == "U" else np.triu_indices(n)
    return rows, cols


def from_band(stored: Any, rows: int, cols: int, below: int, above: int) -> Any:
    """The matrix of which the diagonals ``-below … above`` are stored.

    Element (i, j) lies in row ``above + i - j`` of column j (BLAS, band storage).
    """
    np = numpy()
    whole = np.zeros((rows, cols), dtype=stored.dtype)
    for j in range(cols):
        first, last = max(0, j - above), min(rows, j + below + 1)
        if last > first:
            whole[first:last, j] = stored[above + first - j : above + last - j, j]
    return whole


def band_part(stored_rows: int, rows: int, cols: int, above: int) -> Any:
    """Which elements of band storage stand for elements of the matrix."""
    np = numpy()
    i = np.arange(stored_rows)[:, None] - above + np.arange(cols)[None, :]
    return (i >= 0) & (i < rows)


def part_of(part: str, rows: int, cols: int, values: dict[str, Any]) -> Any:
    """Mask of the elements that a definition speaks of; see :class:`Operand`.

    Raises:
        ValueError: There is no such part.
    """
    np = numpy()
    whole = np.ones((rows, cols), dtype=bool)
    uplo = values.get("uplo", "U")
    if part == "full" or uplo == "F":
        return whole
    if part in ("triangle", "unit_triangle"):
        inner = int(part == "unit_triangle" and values.get("diag") == "U")
        return np.triu(whole, inner) if uplo == "U" else np.tril(whole, -inner)
    if part == "hessenberg":
        return np.triu(whole, -1)
    if part == "band":
        return band_part(rows, values["m"], cols, values["ku"])
    if part in ("triangle_band", "unit_triangle_band"):
        above = rows - 1 if uplo == "U" else 0
        inside = band_part(rows, cols, cols, above)
        if part == "unit_triangle_band" and values.get("diag") == "U" and rows:
            inside[above if uplo == "U" else 0, :] = False
        return inside
    if part == "unit_packed":
        mask = np.ones((rows, cols), dtype=bool)
        if values.get("diag") == "U":
            i, j = packed_places(values["n"], uplo)
            mask[i == j, :] = False
        return mask
    raise ValueError(f"'{part}' is no part of a matrix")


def triangular_inverse(a: Any, uplo: str) -> Any:
    """The inverse of a triangle by substitution, in the precision of its elements."""
    np = numpy()
    n = len(a)
    inverse = np.zeros_like(a)
    order = range(n) if uplo == "L" else range(n - 1, -1, -1)
    for row in order:
        right = -(a[row] @ inverse)
        right[row] += 1
        inverse[row] = right / a[row, row]
    return inverse
