"""Definitions against results of numpy: right ones pass in every precision, wrong ones do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from definitions import problems

from kernels.call.content import fill, size_of
from kernels.reference import (
    eigenproblems,
    factorisations,
    find_operation,
    operation_names,
    panels,
    reductions,
    reflectors,
    selected,
    singular_values,
    solvers,
)
from kernels.reference.precision import gamma, unit_roundoff, wide
from kernels.reference.shapes import (
    from_band,
    packed_places,
    part_of,
    triangular_inverse,
    unpacked,
)

np = pytest.importorskip("numpy")
KINDS = ("float32", "float64", "complex64", "complex128")
N, M = 12, 17


def _random(kind: str, *shape: int, seed: int = 1) -> Any:
    random = np.random.default_rng(seed)
    a = random.uniform(-1, 1, shape)
    if kind.startswith("complex"):
        a = a + 1j * random.uniform(-1, 1, shape)
    return a.astype(kind)


def _hermitian(kind: str, n: int, shift: float = 0) -> Any:
    a = _random(kind, n, n)
    return ((a + a.conj().T) / 2 + shift * np.eye(n)).astype(kind)


def _whole(*values: int) -> Any:
    return np.array(values, dtype=np.int32)


def _gemv(kind: str):
    a, x, y = _random(kind, M, N), _random(kind, N), _random(kind, M, seed=2)
    values = {"m": M, "n": N, "trans": "N", "alpha": wide(1.5), "beta": wide(-0.5)}
    return "gemv", values, {"A": a, "x": x, "y": y}, {"y": (1.5 * (a @ x) - 0.5 * y).astype(kind)}


def _gemm(kind: str):
    a, b, c = _random(kind, N, M), _random(kind, N, 5), _random(kind, M, 5)
    values = {"m": M, "n": 5, "k": N, "transA": "C", "transB": "N", "alpha": wide(2.0),
              "beta": wide(0.0)}  # fmt: skip
    return "gemm", values, {"A": a, "B": b, "C": c}, {"C": (2 * (a.conj().T @ b)).astype(kind)}


def _trsm(kind: str):
    a = (np.triu(_random(kind, N, N)) / N + np.eye(N)).astype(kind)
    b = _random(kind, M, N)
    x = np.linalg.solve(a.T, 1.5 * b.T).T.astype(kind)
    values = {"m": M, "n": N, "side": "R", "uplo": "U", "diag": "N", "trans": "N",
              "alpha": wide(1.5)}  # fmt: skip
    return "trsm", values, {"A": a, "B": b}, {"B": x}


def _getrf(kind: str):
    from kernels.reference.factorisations import lu_decomposed

    a = _random(kind, M, N)
    stored, pivots = lu_decomposed(a)
    after = {"A": stored, "ipiv": _whole(*pivots), "info": _whole(0)}
    return "getrf", {"m": M, "n": N}, {"A": a, "ipiv": _whole(*[-1] * N)}, after


def _potrf(kind: str):
    g = _random(kind, N, N)
    a = (g @ g.conj().T + N * np.eye(N)).astype(kind)
    lower = np.linalg.cholesky(a)
    after = {"A": lower, "info": _whole(0)}
    return "potrf", {"n": N, "uplo": "L"}, {"A": a}, after


def _geqrf(kind: str):
    a = _random(kind, M, N)
    h, tau = np.linalg.qr(a, mode="raw")
    after = {"A": h.T.astype(kind), "ipiv": tau.astype(kind)}
    return "geqrf", {"m": M, "n": N}, {"A": a}, after


def _gelqf(kind: str):
    a = _random(kind, N, M)
    h, tau = np.linalg.qr(a.conj().T, mode="raw")
    after = {"A": h.conj().astype(kind), "ipiv": tau.astype(kind)}
    return "gelqf", {"m": N, "n": M}, {"A": a}, after


def _orgqr(kind: str):
    h, tau = np.linalg.qr(_random(kind, M, N), mode="raw")
    q = np.linalg.qr(_random(kind, M, N))[0]
    before = {"A": h.T.astype(kind), "ipiv": tau.astype(kind)}
    return "orgqr", {"m": M, "n": N, "k": N}, before, {"A": q.astype(kind)}


def _syev(kind: str):
    a = _hermitian(kind, N)
    d, z = np.linalg.eigh(a)
    real = np.float32 if kind in ("float32", "complex64") else np.float64
    after = {"A": z.astype(kind), "D": d.astype(real), "E": np.zeros(N - 1, real),
             "info": _whole(0)}  # fmt: skip
    return "syev", {"n": N, "uplo": "U", "evect": "V"}, {"A": a}, after


def _gesvd(kind: str):
    a = _random(kind, M, N)
    u, s, v = np.linalg.svd(a, full_matrices=False)
    real = np.float32 if kind in ("float32", "complex64") else np.float64
    values = {"m": M, "n": N, "left_svect": "S", "right_svect": "S"}
    after = {"S": s.astype(real), "U": u.astype(kind), "V": v.astype(kind),
             "E": np.zeros(N - 1, real), "info": _whole(0)}  # fmt: skip
    return "gesvd", values, {"A": a}, after


def _getrs(kind: str):
    from kernels.reference.factorisations import lu_decomposed

    a = (_random(kind, N, N) + 2 * np.eye(N)).astype(kind)
    stored, pivots = lu_decomposed(a)
    b = _random(kind, N, 3)
    before = {"A": stored, "ipiv": _whole(*pivots), "B": b}
    x = np.linalg.solve(a.conj().T, b).astype(kind)
    return "getrs", {"n": N, "nrhs": 3, "trans": "C"}, before, {"B": x}


def _getri(kind: str):
    from kernels.reference.factorisations import lu_decomposed

    a = (_random(kind, N, N) + 2 * np.eye(N)).astype(kind)
    stored, pivots = lu_decomposed(a)
    before = {"A": stored, "ipiv": _whole(*pivots)}
    return "getri", {"n": N}, before, {"A": np.linalg.inv(a).astype(kind), "info": _whole(0)}


def _potri(kind: str):
    lower = (np.tril(_random(kind, N, N)) / N + np.diag(np.full(N, 1.5))).astype(kind)
    lower[np.diag_indices(N)] = lower.diagonal().real
    x = np.linalg.inv(lower @ lower.conj().T).astype(kind)
    return "potri", {"n": N, "uplo": "L"}, {"A": lower}, {"A": x, "info": _whole(0)}


def _gels(kind: str):
    a, b = _random(kind, M, N), _random(kind, M, 2, seed=3)
    x = np.zeros((M, 2), kind)
    x[:N] = np.linalg.lstsq(a, b, rcond=None)[0]
    values = {"m": M, "n": N, "nrhs": 2, "trans": "N"}
    return "gels", values, {"A": a, "B": b}, {"B": x, "info": _whole(0)}


def _geblttrs(kind: str):
    from kernels.reference.factorisations import lu_decomposed

    nb, count, nrhs = 6, 3, 2
    a, c = _random(kind, nb, 2 * nb), (_random(kind, nb, 2 * nb, seed=2) / nb).astype(kind)
    b = [_random(kind, nb, nb, seed=3 + k) + nb * np.eye(nb) for k in range(count)]
    lower, upper = np.zeros((2, nb * count, nb * count), dtype=kind)
    upper += np.eye(nb * count, dtype=kind)
    for k in range(count):
        at, after = slice(k * nb, (k + 1) * nb), slice((k + 1) * nb, (k + 2) * nb)
        lower[at, at] = b[k]
        if k < count - 1:
            lower[after, at], upper[at, after] = a[:, at], c[:, at]
    r = _random(kind, nb, count * nrhs, seed=9)
    stacked = np.vstack([r[:, k * nrhs : (k + 1) * nrhs] for k in range(count)])
    x = np.linalg.solve((lower @ upper).astype(np.complex128), stacked)
    x = x if kind.startswith("complex") else x.real
    x = np.hstack([x[k * nb : (k + 1) * nb] for k in range(count)]).astype(kind)
    stored = np.hstack([lu_decomposed(one, pivot=False)[0] for one in b]).astype(kind)
    before = {"A": a, "B": stored, "C": c, "X": r}
    return "geblttrs_npvt", {"nb": nb, "nblocks": count, "nrhs": nrhs}, before, {"X": x}


def _lasr(kind: str):
    """``A P^T`` with P of numpy: rotations of the last column with each other one, last first."""
    a = _random(kind, M, N)
    angles = np.linspace(0.1, 3, N - 1)
    whole = np.eye(N)
    for k, angle in enumerate(angles):
        one = np.eye(N)
        one[np.ix_([k, N - 1], [k, N - 1])] = [
            [np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]
        ]  # fmt: skip
        whole = whole @ one  # backward: P(1) P(2) ... P(k)
    real = np.float32 if kind in ("float32", "complex64") else np.float64
    before = {"C": np.cos(angles).astype(real), "S": np.sin(angles).astype(real), "A": a}
    values = {"m": M, "n": N, "side": "R", "pivot": "B", "direct": "B"}
    return "lasr", values, before, {"A": (a @ whole.T).astype(kind)}


RIGHT: dict[str, Callable[[str], Any]] = {
    one.__name__[1:]: one
    for one in (_gemv, _gemm, _trsm, _getrf, _potrf, _geqrf, _gelqf, _orgqr, _syev, _gesvd, _getrs,
                _getri, _potri, _gels, _geblttrs, _lasr)
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", RIGHT)
def test_a_right_result_passes_and_one_wrong_element_does_not(name: str, kind: str) -> None:
    operation, values, before, after = RIGHT[name](kind)
    assert problems(operation, values, before, after) == []
    main = next((key for key in ("y", "C", "B", "A", "X") if key in after), "S")
    wrong = after[main].copy()
    place = (3,) if wrong.ndim == 1 else (5, 1)
    wrong[place] += 0.05
    found = problems(operation, values, before, {**after, main: wrong})
    assert found
    assert max(problem.ratio for problem in found) > 1
    lost = after[main].copy()
    lost[place] = np.nan
    assert problems(operation, values, before, {**after, main: lost})


def test_info_of_a_singular_and_of_an_indefinite_matrix() -> None:
    name, values, before, after = RIGHT["getrf"]("float64")
    said = problems(name, values, before, {**after, "info": _whole(3)})
    assert [problem.operand for problem in said] == ["info"]
    a = np.eye(4)
    a[2, 2] = -1
    values = {"n": 4, "uplo": "U"}
    assert not problems("potrf", values, {"A": a}, {"A": a, "info": _whole(3)})
    assert problems("potrf", values, {"A": a}, {"A": a, "info": _whole(0)})


def test_an_order_that_is_not_the_definitions_is_found() -> None:
    name, values, before, after = RIGHT["syev"]("float64")
    turned = {**after, "A": after["A"][:, ::-1], "D": after["D"][::-1]}
    assert any("ascend" in p.sentence for p in problems(name, values, before, turned))
    name, values, before, after = RIGHT["gesvd"]("float64")
    turned = {**after, "S": after["S"][::-1]}
    assert any("descend" in p.sentence for p in problems(name, values, before, turned))


def test_bounds_grow_with_the_operation_and_shrink_with_the_precision() -> None:
    single, double = unit_roundoff("float32"), unit_roundoff("float64")
    assert gamma(10, single) < gamma(1000, single) < 1e-3
    assert gamma(1000, double) < 1e-12
    # In half precision n u gets near 1 and the bound stays one.
    assert gamma(5000, unit_roundoff("float16")) <= 1


def test_nan_and_infinity_are_held_to_the_definition() -> None:
    x = np.array([1.0, np.nan, 2.0])
    values = {"n": 3, "alpha": wide(2.0)}
    assert not problems("scal", values, {"x": x}, {"x": 2 * x})
    assert problems("scal", values, {"x": x}, {"x": np.array([2.0, 5.0, 4.0])})
    x = np.array([1.0, -np.inf, 2.0])
    assert problems("scal", values, {"x": x}, {"x": np.array([2.0, np.inf, 4.0])})


def test_what_no_band_stores_takes_no_part_whatever_the_vector_holds() -> None:
    stored = np.array([[2.0, 3.0]])
    y = np.zeros(3)
    values = {"m": 3, "n": 2, "kl": 0, "ku": 0, "trans": "N", "alpha": wide(1.0), "beta": wide(0.0)}
    before = {"A": stored, "x": np.array([np.nan, 1.0]), "y": y}
    assert not problems("gbmv", values, before, {"y": np.array([np.nan, 3.0, 0.0])})
    assert problems("gbmv", values, before, {"y": np.array([np.nan, np.nan, 0.0])})
    turned = {**values, "trans": "T"}
    before = {"A": stored, "x": np.array([1.0, np.nan, np.inf]), "y": np.zeros(2)}
    assert not problems("gbmv", turned, before, {"y": np.array([2.0, np.nan])})


@pytest.mark.parametrize("uplo", ["U", "L"])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 6, 7])
def test_a_triangle_of_one_column_is_filled_whatever_its_storage(uplo: str, rows: int) -> None:
    random = np.random.default_rng(1)
    a = fill("triangular", "random", rows, 1, np.float64, uplo, "N", random)
    assert a.shape == (rows, 1)
    assert a[rows - 1 if uplo == "U" else 0, 0] >= 1


def test_storage_of_triangles_and_bands() -> None:
    a = np.arange(1.0, 26).reshape(5, 5)
    for uplo, whole in (("U", np.triu(a)), ("L", np.tril(a))):
        rows, cols = packed_places(5, uplo)
        assert (unpacked(a[rows, cols], 5, uplo) == whole).all()
        assert (np.diff(cols) >= 0).all()
    banded = np.triu(np.tril(a, 1), -2)
    stored = np.full((4, 5), np.nan)
    for j in range(5):
        for i in range(max(0, j - 1), min(5, j + 3)):
            stored[1 + i - j, j] = a[i, j]
    assert (from_band(stored, 5, 5, 2, 1) == banded).all()
    inside = part_of("band", 4, 5, {"m": 5, "ku": 1})
    assert (np.isnan(stored) == ~inside).all()
    t = np.triu(a) + 20 * np.eye(5)
    assert np.allclose(triangular_inverse(wide(t), "U") @ t, np.eye(5))


def test_every_family_of_blas_has_a_definition() -> None:
    stems = [
        "asum", "axpy", "copy", "dot", "dotc", "nrm2", "rot", "rotg", "rotm", "rotmg", "scal",
        "swap", "iamax", "iamin", "gbmv", "gemv", "ger", "gerc", "geru", "hbmv", "hemv", "her",
        "her2", "hpmv", "hpr", "hpr2", "sbmv", "spmv", "spr", "spr2", "symv", "syr", "syr2",
        "tbmv", "tbsv", "tpmv", "tpsv", "trmv", "trsv", "dgmm", "geam", "gemm", "gemmt", "hemm",
        "her2k", "herk", "herkx", "symm", "syr2k", "syrk", "syrkx", "trmm", "trsm", "trtri",
    ]  # fmt: skip
    assert not set(stems) - set(operation_names())


def test_a_negative_increment_turns_the_order_of_exchanges_alone() -> None:
    a = np.array([[0.0], [1.0], [2.0]])
    forward = {"n": 1, "k1": 1, "k2": 3, "inc:ipiv": 1}
    pivots = _whole(2, 3, 3)
    before = {"A": a, "ipiv": pivots}
    assert not problems("laswp", forward, before, {"A": np.array([[1.0], [2.0], [0.0]])})
    # Read as a vector of BLAS, the first element lies at the far end.
    before = {"A": a, "ipiv": pivots[::-1]}
    backwards = {**forward, "inc:ipiv": -1}
    assert not problems("laswp", backwards, before, {"A": np.array([[2.0], [0.0], [1.0]])})
    assert problems("laswp", backwards, before, {"A": np.array([[1.0], [2.0], [0.0]])})


@pytest.mark.parametrize("content", ["random", "real_diagonal", "triangular", "positive"])
def test_random_operands_use_every_bit_of_a_double(content: str) -> None:
    # A singular value of a 1 by 1 matrix is lost by rocSOLVER's gesvdx for odd mantissas alone.
    a = fill(content, "random", 60, 60, np.float64, "U", "N", np.random.default_rng(3))
    for bit in range(4):
        assert 0.4 < np.mean(a.view(np.uint64) >> np.uint64(bit) & np.uint64(1)) < 0.6


@pytest.mark.parametrize("kind", KINDS)
def test_what_iterates_or_reflects_meets_matrices_that_split_and_values_many_times_the_same(
    kind: str,
) -> None:
    random = np.random.default_rng(3)
    dtype = np.complex128 if kind.startswith("complex") else np.float64
    assert len(np.unique(fill("random", "equal", N, N, dtype, "U", "N", random))) == 1
    assert (fill("random", "split", 30, 30, dtype, "U", "N", random) == 0).mean() > 0.6
    assert np.linalg.cond(fill("random", "steep", 6, 6, dtype, "U", "N", random)) > 1e12
    for module in (eigenproblems, selected, singular_values, reductions, panels):
        for one in module.OPERATIONS:
            plain = one.names[0] in ("sygst", "sygs2")  # two products, no reflection
            assert plain or {"zeros", "equal", "split", "steep"} <= set(one.values), one.names


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("values", ["random", "integers", "graded", "singular", "ties"])
def test_hermitian_matrices_of_lapack_have_a_real_diagonal(kind: str, values: str) -> None:
    # BLAS says that imaginary parts there are not read; LAPACK takes a Hermitian matrix.
    random = np.random.default_rng(3)
    a = fill("real_diagonal", values, N, N, kind, "U", "N", random)
    assert not np.imag(np.diag(a)).any()
    for module in (eigenproblems, panels, reductions, selected, factorisations, solvers):
        contents = {operand.content for one in module.OPERATIONS for operand in one.operands}
        assert "hermitian" not in contents, module.__name__


@pytest.mark.parametrize("element", ["float32", "float64", "complex64", "complex128"])
def test_squares_of_tiny_numbers_are_there_and_have_lost_most_of_their_digits(element: str) -> None:
    real = np.float32 if element in ("float32", "complex64") else np.float64
    square = real(0.7 * size_of("tiny", element)) ** 2
    assert 0 < square < np.finfo(real).tiny / 1000
    assert size_of("random", element) == 1
    assert "tiny" in find_operation("larfg", ["alpha", "tau", "x"]).values


@pytest.mark.parametrize("name", ["gesvdj", "gesdd", "gesvd"])
def test_singular_values_by_the_square_may_lose_half_of_the_digits_of_small_ones(name: str) -> None:
    turn = np.linalg.qr(_random("float64", N, N))[0]
    rest = {"U": np.eye(N), "V": np.eye(N)}
    rest |= {"residual": np.zeros(1), "n_sweeps": _whole(1)} if name == "gesvdj" else {}
    rest |= {"E": np.zeros(N - 1)} if name == "gesvd" else {}
    limits = {0.2: 1e-12, 1e-9: 1e-12} if name == "gesvd" else {0.2: 1e-10, 1e-9: 1e-5}
    for smallest, allowed in limits.items():
        s = np.geomspace(1, smallest, N)
        values = {"m": N, "n": N, "left_svect": "N", "right_svect": "N"}
        before = {"A": turn * s @ turn.T}
        for error, right in ((allowed / 20, True), (allowed * 20, False)):
            after = {"S": np.sort(s + error * (np.arange(N) == 3))[::-1], "info": _whole(0)}
            assert (problems(name, values, before, {**after, **rest}) == []) is right


@pytest.mark.parametrize("sizes", [(0, 0, 0), (5, 0, 0), (0, 5, 3), (4, 5, 0), (4, 9, 9)])
def test_a_block_reflector_has_at_least_one_vector(sizes: tuple[int, int, int]) -> None:
    # rocSOLVER's header says k >= 1 of larft and larfb, and k >= 0 of ormqr.
    m, n, k = sizes
    for name, least in (("larft", 1), ("larfb", 1), ("ormqr", 0)):
        (operation,) = (one for one in reflectors.OPERATIONS if name in one.names)
        for side in ("L", "R"):
            given = operation.settle({"m": m, "n": n, "k": k, "side": side})
            assert least <= given["k"] <= max(least, m, n)
