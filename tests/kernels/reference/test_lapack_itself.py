"""Definitions against LAPACK itself: its results pass, and none of them may be changed a little."""

from __future__ import annotations

from typing import Any

import pytest
from definitions import problems

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")
from lapack_routines import lapack  # noqa: E402

KINDS = ("d", "z")
N, M, K = 11, 15, 6


def _random(letter: str, *shape: int, seed: int = 3) -> Any:
    random = np.random.default_rng(seed)
    a = random.uniform(-1, 1, shape)
    if letter == "z":
        a = a + 1j * random.uniform(-1, 1, shape)
    return np.asfortranarray(a)


def _hermitian(letter: str, shift: float = 0) -> Any:
    a = _random(letter, N, N)
    return np.asfortranarray((a + a.conj().T) / 2 + shift * np.eye(N))


def _kind(letter: str) -> Any:
    return np.complex128 if letter == "z" else np.float64


def _name(letter: str, real: str, unitary: str) -> str:
    return letter + (unitary if letter == "z" else real)


def _both(name: str, values: dict[str, Any], before: dict[str, Any], after: dict[str, Any],
          *, change: str, at: Any = 0, by: float = 1e-6) -> None:  # fmt: skip
    found = problems(name, values, before, after)
    assert not found, found[0]
    wrong = {key: np.array(a, order="F") for key, a in after.items()}
    wrong[change][at] += by
    assert problems(name, values, before, wrong), f"{change} may be anything"


def _interval(kind: str) -> dict[str, Any]:
    return {"erange": kind, "srange": kind, "vl": 0.15, "vu": 1.7, "il": 3, "iu": 7}


@pytest.mark.parametrize("kind", ["A", "V", "I"])
@pytest.mark.parametrize("letter", KINDS)
@pytest.mark.parametrize("generalised", [0, 1, 2, 3])
def test_some_eigenvalues(letter: str, kind: str, generalised: int) -> None:
    a, b = _hermitian(letter), _hermitian(letter, 6)
    left, right = np.array(a, order="F"), np.array(b, order="F")
    p = _interval(kind)
    nev, info = np.zeros(1, np.int32), np.zeros(1, np.int32)
    w, z = np.zeros(N), np.zeros((N, N), _kind(letter), order="F")
    work, rwork = np.zeros(64 * N, _kind(letter)), [np.zeros(8 * N)] if letter == "z" else []
    iwork, ifail = np.zeros(5 * N, np.int32), np.zeros(N, np.int32)
    tail = (p["vl"], p["vu"], p["il"], p["iu"], 0.0, nev, w, z, N, work, 64 * N, *rwork, iwork,
            ifail, info)  # fmt: skip
    if generalised:
        lapack(_name(letter, "sygvx", "hegvx"), generalised, "V", kind, "L", N, left, N, right, N,
               *tail)  # fmt: skip
    else:
        lapack(_name(letter, "syevx", "heevx"), "V", kind, "L", N, left, N, *tail)
    assert not info[0]
    values = {**p, "n": N, "uplo": "L", "evect": "V", "itype": str(generalised)}
    before = {"A": a, **({"B": b} if generalised else {})}
    after = {"A": a, "W": w, "Z": z, "nev": nev, "ifail": ifail, "info": info}
    for change, at in (*(("W", 0), ("Z", (4, 0)))[: 2 * nev[0]], ("nev", 0), ("info", 0)):
        by = 1e-4 if change in "WZ" else 1
        name = "sygvx" if generalised else "syevx"
        _both(name, values, before, after, change=change, at=at, by=by)


@pytest.mark.parametrize("kind", ["A", "V", "I"])
def test_some_eigenvalues_of_a_tridiagonal_matrix(kind: str) -> None:
    d, e, p = _random("d", N), _random("d", N - 1, seed=4), _interval(kind)
    nev, nsplit, info = (np.zeros(1, np.int32) for _ in range(3))
    w, work = np.zeros(N), np.zeros(4 * N)
    iblock, isplit, iwork = (np.zeros(k * N, np.int32) for k in (1, 1, 3))
    lapack("dstebz", kind, "E", N, p["vl"], p["vu"], p["il"], p["iu"], 0.0, d, e, nev, nsplit, w,
           iblock, isplit, work, iwork, info)  # fmt: skip
    after = {"nev": nev, "nsplit": nsplit, "W": w, "iblock": iblock, "isplit": isplit,
             "info": info}  # fmt: skip
    for change in ("W", "nev", "info"):
        _both("stebz", {**p, "n": N, "eorder": "E"}, {"D": d, "E": e}, after, change=change,
              by=1e-4 if change == "W" else 1)  # fmt: skip


@pytest.mark.parametrize("kind", ["A", "V", "I"])
@pytest.mark.parametrize("letter", KINDS)
def test_some_singular_values(letter: str, kind: str) -> None:
    a, p = _random(letter, M, N), _interval(kind)
    u, s, v = np.linalg.svd(a, full_matrices=False)
    chosen = {"A": s > -1, "V": (s > p["vl"]) & (s <= p["vu"]),
              "I": (np.arange(N) >= 2) & (np.arange(N) < 7)}[kind]  # fmt: skip
    count = np.array([chosen.sum()], np.int32)
    cols = 5 if kind == "I" else N
    held = np.zeros(N), np.zeros((M, cols), a.dtype), np.zeros((cols, N), a.dtype)
    held[0][: count[0]] = s[chosen]
    held[1][:, : count[0]] = u[:, chosen]
    held[2][: count[0]] = v[chosen]
    after = {"A": a, "nsv": count, "S": held[0], "U": held[1], "V": held[2],
             "ifail": np.zeros(N, np.int32), "info": np.zeros(1, np.int32)}  # fmt: skip
    values = {**p, "m": M, "n": N, "left_svect": "S", "right_svect": "S"}
    for change, at in (("S", 0), ("U", (4, 0)), ("V", (0, 4)), ("nsv", 0)):
        _both("gesvdx", values, {"A": a}, after, change=change, at=at,
              by=1 if change == "nsv" else 1e-4)  # fmt: skip


@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("letter", KINDS)
def test_matrices_of_a_reduction_to_tridiagonal_form(letter: str, uplo: str) -> None:
    a = _hermitian(letter)
    tau, work = np.zeros(N - 1, _kind(letter)), np.zeros(64 * N, _kind(letter))
    d, e, info = np.zeros(N), np.zeros(N - 1), np.zeros(1, np.int32)
    lapack(_name(letter, "sytrd", "hetrd"), uplo, N, a, N, d, e, tau, work, 64 * N, info)
    q = np.array(a, order="F")
    lapack(_name(letter, "orgtr", "ungtr"), uplo, N, q, N, tau, work, 64 * N, info)
    values = {"n": N, "uplo": uplo}
    _both("orgtr", values, {"A": a, "ipiv": tau}, {"A": q}, change="A", at=(5, 5))
    for side, shape in (("L", (N, K)), ("R", (K, N))):
        for trans in ("N", "C"):
            c = _random(letter, *shape, seed=8)
            made = np.array(c, order="F")
            word = "T" if letter == "d" and trans == "C" else trans
            lapack(_name(letter, "ormtr", "unmtr"), side, uplo, word, *shape, a, N, tau, made,
                   shape[0], work, 64 * N, info)  # fmt: skip
            values = {"m": shape[0], "n": shape[1], "side": side, "uplo": uplo, "trans": trans}
            _both("ormtr", values, {"A": a, "ipiv": tau, "C": c}, {"C": made}, change="C",
                  at=(5, 5))  # fmt: skip


@pytest.mark.parametrize("shape", [(M, N), (N, M)])
@pytest.mark.parametrize("letter", KINDS)
def test_matrices_of_a_reduction_to_bidiagonal_form(letter: str, shape: tuple[int, int]) -> None:
    rows, cols = shape
    a = _random(letter, rows, cols)
    tauq, taup = np.zeros(N, _kind(letter)), np.zeros(N, _kind(letter))
    work, info = np.zeros(64 * M, _kind(letter)), np.zeros(1, np.int32)
    lapack(letter + "gebrd", rows, cols, a, rows, np.zeros(N), np.zeros(N - 1), tauq, taup, work,
           64 * M, info)  # fmt: skip
    for vect, storev, tau in (("Q", "C", tauq), ("P", "R", taup)):
        order, k = (rows, cols) if vect == "Q" else (cols, rows)
        held = np.zeros((order, order), _kind(letter), order="F")
        inside = a[:, : min(order, k)] if vect == "Q" else a[: min(order, k)]
        held[: inside.shape[0], : inside.shape[1]] = inside
        q = np.array(held, order="F")
        lapack(_name(letter, "orgbr", "ungbr"), vect, order, order, k, q, order, tau, work,
               64 * M, info)  # fmt: skip
        values = {"m": order, "n": order, "k": k, "storev": storev}
        _both("orgbr", values, {"A": held, "ipiv": tau[: min(order, k)]}, {"A": q}, change="A",
              at=(5, 5))  # fmt: skip
        for side, size in (("L", (order, K)), ("R", (K, order))):
            for trans in ("N", "C"):
                c = _random(letter, *size, seed=8)
                made = np.array(c, order="F")
                word = "T" if letter == "d" and trans == "C" else trans
                stored = np.asfortranarray(inside)
                lapack(_name(letter, "ormbr", "unmbr"), vect, side, word, *size, k, stored,
                       stored.shape[0], tau, made, size[0], work, 64 * M, info)  # fmt: skip
                values = {"m": size[0], "n": size[1], "k": k, "side": side, "storev": storev,
                          "trans": trans}  # fmt: skip
                _both("ormbr", values, {"A": stored, "ipiv": tau[: min(order, k)], "C": c},
                      {"C": made}, change="C", at=(5, 5))  # fmt: skip


@pytest.mark.parametrize("k", [1, K, N])
@pytest.mark.parametrize("uplo", ["L", "U"])
@pytest.mark.parametrize("letter", KINDS)
def test_some_columns_of_a_reduction_to_tridiagonal_form(letter: str, uplo: str, k: int) -> None:
    a = _hermitian(letter)
    made, e = np.array(a, order="F"), np.full(N - 1, np.nan)
    tau, w = (np.full(size, np.nan, _kind(letter), order="F") for size in (N - 1, (N, k)))
    lapack(letter + "latrd", uplo, N, k, made, N, e, tau, w, N)
    after = {"A": made, "E": e, "tau": tau, "W": w}
    first, last = (0, N - 1) if uplo == "L" else (N - 2, 0)
    changes = [("E", first), ("tau", first), ("A", (last, first + (uplo == "U")))]
    for change, at in [*changes, *([("W", (last, 0))] if k < N else [])]:
        _both("latrd", {"n": N, "k": k, "uplo": uplo}, {"A": a}, after, change=change, at=at)


@pytest.mark.parametrize("shape", [(M, N), (N, M), (N, N)])
@pytest.mark.parametrize("k", [1, K, N])
@pytest.mark.parametrize("letter", KINDS)
def test_some_rows_and_columns_of_a_reduction_to_bidiagonal_form(
    letter: str, k: int, shape: tuple[int, int]
) -> None:
    m, n = shape
    a, kind = _random(letter, m, n), _kind(letter)
    made, d, e = np.array(a, order="F"), np.zeros(k), np.zeros(k)
    tauq, taup = np.zeros(k, kind), np.zeros(k, kind)
    x, y = (np.full((rows, k), np.nan, kind, order="F") for rows in shape)
    lapack(letter + "labrd", m, n, k, made, m, d, e, tauq, taup, x, m, y, n)
    after = {"A": made, "D": d, "E": e, "tauq": tauq, "taup": taup, "X": x, "Y": y}
    inside = [("X", (m - 1, 0)), ("Y", (n - 1, 0))] if k < N else []
    for change, at in (("D", 0), ("E", 0), ("tauq", 0), ("taup", 0), *inside):
        _both("labrd", {"m": m, "n": n, "k": k}, {"A": a}, after, change=change, at=at)


@pytest.mark.parametrize("direct", ["F", "B"])
@pytest.mark.parametrize("pivot", ["V", "T", "B"])
@pytest.mark.parametrize("side", ["L", "R"])
@pytest.mark.parametrize("letter", KINDS)
def test_sequences_of_rotations(letter: str, side: str, pivot: str, direct: str) -> None:
    a = _random(letter, M, N)
    angles = _random("d", (M if side == "L" else N) - 1)
    c, s, made = np.cos(angles), np.sin(angles), np.array(a, order="F")
    lapack(letter + "lasr", side, pivot, direct, M, N, c, s, made, M)
    values = {"m": M, "n": N, "side": side, "pivot": pivot, "direct": direct}
    _both("lasr", values, {"C": c, "S": s, "A": a}, {"A": made}, change="A", at=(4, 4))
