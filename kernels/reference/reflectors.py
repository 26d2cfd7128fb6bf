"""LAPACK: reflections, orthogonal factorisations and what is built from reflections.

A product of k reflections of length m is off by at most ``sqrt(k) gamma_{cm}`` in norm (Higham,
Accuracy and Stability of Numerical Algorithms, 2nd edition, Lemma 19.3); c is taken as 10.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.factorisations import whole_numbers
from kernels.reference.operation import UNEVEN, Instance, Operand, Operation, Parameters, Problem
from kernels.reference.sizes import k_of, least_of, m_of, n_of, one_of
from kernels.task.element_types import numpy

_CONSTANT = 10


def _order(p: Parameters) -> int:
    return int(p.m if p.side == "L" else p.n)


def limit_of(i: Instance, *sizes: int) -> float:
    """Relative error in norm that a product of reflections may have."""
    return float(_CONSTANT * i.gamma(sum(sizes) + 10))


def norm(a: Any, axis: int | None = None) -> Any:
    """Euclidean length of the whole, or along an axis."""
    np = numpy()
    return np.sqrt((abs(a) ** 2).sum(axis=axis))


def reflector(v: Any, tau: Any) -> Any:
    """``I - tau v v^H``."""
    np = numpy()
    return np.eye(len(v), dtype=v.dtype) - tau * np.outer(v, v.conj())


def vectors_of(stored: Any, kind: str, count: int) -> list[Any]:
    """The vectors of reflections, in full length, out of how a factorisation stores them.

    ``qr`` and ``ql`` store them in columns, ``lq`` and ``rq`` in rows (LAPACK, section on
    orthogonal factorisations).
    """
    np = numpy()
    a = stored if kind in ("qr", "ql") else stored.T
    rows, cols = a.shape
    found = []
    for j in range(count):
        v = np.zeros(rows, dtype=a.dtype)
        if kind in ("qr", "lq"):
            v[j] = 1
            v[j + 1 :] = a[j + 1 :, j]
        else:
            last = rows - count + j
            v[last] = 1
            v[:last] = a[:last, cols - count + j]
        # Rows hold the conjugate: Q = H(k)^H … H(1)^H there.
        found.append(v)
    return found


def product_of(stored: Any, tau: Any, kind: str, count: int) -> Any:
    """The whole orthogonal matrix Q of a factorisation of that kind."""
    np = numpy()
    vectors = vectors_of(stored, kind, count)
    size = stored.shape[0] if kind in ("qr", "ql") else stored.shape[1]
    q = np.eye(size, dtype=stored.dtype)
    if kind == "qr":
        for v, t in zip(vectors, tau, strict=False):
            q = q @ reflector(v, t)
    elif kind == "ql":
        for v, t in zip(vectors, tau, strict=False):
            q = reflector(v, t) @ q
    elif kind == "lq":
        for v, t in zip(vectors, tau, strict=False):
            q = reflector(v.conj(), t).conj().T @ q
    else:
        for v, t in zip(vectors, tau, strict=False):
            q = q @ reflector(v.conj(), t).conj().T
    return q


def unitary(i: Instance, name: str, q: Any, *sizes: int) -> Iterator[Problem]:
    """Columns that must be orthonormal."""
    np = numpy()
    if q.size == 0:
        return
    error = norm(q.conj().T @ q - np.eye(q.shape[1]))
    yield from i.within(name, "Q^H Q - I", error, limit_of(i, *sizes) * max(q.shape[1], 1) ** 0.5)


def _factorised(kind: str) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        m, n = i.p.m, i.p.n
        least = min(m, n)
        if not least:
            return
        stored, a = i.after["A"], i.before["A"]
        q = product_of(stored, i.after["ipiv"], kind, least)
        yield from unitary(i, "ipiv", q, m, n)
        if kind == "qr":
            whole, axis = q[:, :least] @ np.triu(stored[:least]), 0
        elif kind == "ql":
            whole, axis = q[:, m - least :] @ np.tril(stored[m - least :], n - least), 0
        elif kind == "lq":
            whole, axis = np.tril(stored[:, :least]) @ q[:least], 1
        else:
            whole, axis = np.triu(stored[:, n - least :], least - m) @ q[n - least :], 1
        error = norm(whole - a, axis)
        yield from i.within("A", "residual A - Q R", error, limit_of(i, m, n) * norm(a, axis))

    return check


def _generated(kind: str) -> Any:
    """org2r and its kin: the first (or last) columns or rows of Q."""

    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        m, n, k = i.p.m, i.p.n, i.p.k
        if not m or not n:
            return
        stored, tau = i.before["A"], i.before["ipiv"]
        size = m if kind in ("qr", "ql") else n
        # Only k of the columns or rows hold reflections.
        if kind == "qr":
            q = product_of(stored[:, :k], tau, kind, k)[:, :n]
        elif kind == "ql":
            q = product_of(stored[:, n - k :], tau, kind, k)[:, m - n :]
        else:
            q = product_of(stored[:k], tau, kind, k)[:m]
        bound = limit_of(i, size, k) * np.ones(q.shape)
        yield from i.compare("A", q, bound)

    return check


def _multiplied(kind: str) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        k = i.p.k
        c = i.before["C"]
        if 0 in c.shape:
            return
        q = product_of(i.before["A"], i.before["ipiv"], kind, k)
        q = q if i.p.trans == "N" else q.conj().T
        left = i.p.side == "L"
        expected = q @ c if left else c @ q
        size = norm(c, 0)[None, :] if left else norm(c, 1)[:, None]
        yield from i.compare("C", expected, limit_of(i, q.shape[0], k) * size + 0 * abs(expected))

    return check


def _with_reflections(kind: str) -> Any:
    """Fills A with vectors of reflections, and ipiv with factors that make them unitary."""

    def prepare(p: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
        a = arrays["A"]
        held = a
        if "C" not in arrays and kind == "qr":
            held = a[:, : p.k]
        elif "C" not in arrays and kind == "ql":
            held = a[:, a.shape[1] - p.k :]
        elif "C" not in arrays:
            held = a[: p.k]
        vectors = vectors_of(held, kind, p.k)
        return {**arrays, "ipiv": unitary_factors(vectors, random, arrays["ipiv"].dtype)}

    return prepare


def unitary_factors(vectors: list[Any], random: Any, kind: Any) -> Any:
    """``tau`` with ``|1 - tau v^H v| = 1``: the reflection is unitary."""
    np = numpy()
    tau = np.zeros(len(vectors), dtype=kind)
    for j, v in enumerate(vectors):
        turn = np.exp(1j * random.uniform(0.5, 5.5)) if np.dtype(kind).kind == "c" else -1
        tau[j] = (1 - turn) / float((abs(v) ** 2).sum())
    return tau


def _larfg(i: Instance) -> Iterator[Problem]:
    """``H^H [alpha; x] = [beta; 0]`` with beta real (LAPACK, larfg)."""
    np = numpy()
    n = i.p.n
    if n < 1:
        return
    alpha, x = i.before["alpha"][0], i.before["x"][: n - 1]
    beta, tau, v = i.after["alpha"][0], i.after["tau"][0], i.after["x"][: n - 1]
    limit = limit_of(i, n)
    whole = np.concatenate([[alpha], x])
    length = norm(whole)
    v = np.concatenate([[1], v])
    if tau == 0:
        v = np.concatenate([[1], 0 * x])
        yield from i.compare("x", i.before["x"], 0)
    moved = reflector(v.astype(whole.dtype), tau).conj().T @ whole
    yield from i.within("alpha", "H^H [alpha, x] - [beta, 0]", abs(moved[0] - beta), limit * length)
    yield from i.within("x", "what H^H leaves of x", abs(moved[1:]), limit * length)
    if tau != 0:
        bad = abs(abs(1 - tau * (abs(v) ** 2).sum()) - 1)
        yield from i.within("tau", "H is not unitary: | |1 - tau v^H v| - 1 |", bad, limit * 4)


def _larf(i: Instance) -> Iterator[Problem]:
    a, v, tau = i.before["A"], i.before["x"], i.before["alpha"][0]
    if 0 in a.shape:
        return
    h = reflector(v, tau)
    left = i.p.side == "L"
    expected = h @ a if left else a @ h
    size = abs(h) @ abs(a) if left else abs(a) @ abs(h)
    extra = abs(tau) * norm(v) ** 2
    yield from i.compare("A", expected, i.gamma(2 * len(v) + 8) * (1 + extra) * size)


def _full_vectors(v: Any, direct: str, storev: str, order: int, k: int) -> Any:
    """V with its ones and zeros, vectors in columns (LAPACK, larft)."""
    np = numpy()
    stored = v if storev == "C" else v.T
    whole = np.zeros((order, k), dtype=v.dtype)
    for j in range(k):
        one = j if direct == "F" else order - k + j
        whole[one, j] = 1
        rows = slice(one + 1, order) if direct == "F" else slice(0, one)
        whole[rows, j] = stored[rows, j]
    # In rows the conjugate is stored: H = I - V^H T V.
    return whole if storev == "C" else whole.conj()


def _larft(i: Instance) -> Iterator[Problem]:
    """``H(1) … H(k) = I - V T V^H``; T is compared with its recurrence (LAPACK, larft)."""
    np = numpy()
    n, k = i.p.n, i.p.k
    if not n or not k:
        return
    v = _full_vectors(i.before["V"], i.p.direct, i.p.storev, n, k)
    tau = i.before["tau"]
    t = np.zeros((k, k), dtype=v.dtype)
    size = np.zeros((k, k), dtype=np.longdouble)
    for j in range(k) if i.p.direct == "F" else range(k - 1, -1, -1):
        others = slice(0, j) if i.p.direct == "F" else slice(j + 1, k)
        inner = v[:, others].conj().T @ v[:, j]
        t[others, j] = -tau[j] * (t[others, others] @ inner)
        t[j, j] = tau[j]
        weight = abs(v[:, others]).T @ abs(v[:, j])
        size[others, j] = abs(tau[j]) * (size[others, others] @ weight)
        size[j, j] = abs(tau[j])
    inside = np.triu(np.ones((k, k), bool)) if i.p.direct == "F" else np.tril(np.ones((k, k), bool))
    yield from i.compare("T", t, i.gamma(k * (n + 2)) * size, part=inside)


def _larfb(i: Instance) -> Iterator[Problem]:
    a = i.before["A"]
    if 0 in a.shape or not i.p.k:
        return
    order = i.p.m if i.p.side == "L" else i.p.n
    v = _full_vectors(i.before["V"], i.p.direct, i.p.storev, order, i.p.k)
    np = numpy()
    t = np.triu(i.before["T"]) if i.p.direct == "F" else np.tril(i.before["T"])
    t = t if i.p.trans == "N" else t.conj().T
    product, size = v @ t @ v.conj().T, abs(v) @ abs(t) @ abs(v).T
    left = i.p.side == "L"
    expected = a - (product @ a if left else a @ product)
    bound = abs(a) + (size @ abs(a) if left else abs(a) @ size)
    yield from i.compare("A", expected, i.gamma(2 * order + 2 * i.p.k + 8) * bound)


def _laswp(i: Instance) -> Iterator[Problem]:
    """Rows k1 to k2 exchanged; the pivot of row k stands in ``k1 + (k - k1) |incx|`` (LAPACK)."""
    pivots = whole_numbers(i.before["ipiv"])
    if i.p.get("inc:ipiv", 1) < 0:
        # A negative increment turns the order of exchanges, and not that of the pivots in memory.
        pivots = pivots[::-1]
    a = i.before["A"].copy()
    first = i.p.k1 - 1
    steps = list(zip(range(first, i.p.k2), pivots[first : i.p.k2], strict=False))
    for row, pivot in reversed(steps) if i.p.get("inc:ipiv", 1) < 0 else steps:
        a[[row, pivot - 1]] = a[[pivot - 1, row]]
    yield from i.compare("A", a, 0)


def _lacgv(i: Instance) -> Iterator[Problem]:
    yield from i.compare("x", i.before["x"].conj(), 0)


def _swap_rows(p: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
    np = numpy()
    return {**arrays, "ipiv": random.integers(1, p.k2 + 1, p.k2).astype(np.float64)}


def _with_tau(p: Parameters, arrays: dict[str, Any], random: Any) -> dict[str, Any]:
    v = _full_vectors(arrays["V"], p.direct, p.storev, int(p.n), int(p.k))
    return {**arrays, "tau": unitary_factors(list(v.T), random, arrays["tau"].dtype)}


def _within_order(values: dict[str, Any]) -> dict[str, Any]:
    """No more vectors than they have elements."""
    length = ("m" if values["side"] == "L" else "n") if "side" in values else "n"
    return {**values, "k": min(int(values["k"]), int(values[length]))}


def _some_within_order(values: dict[str, Any]) -> dict[str, Any]:
    """At least one vector, as larfb asks for."""
    within = _within_order(values)
    return {**within, "k": max(1, int(within["k"]))}


def _tall(values: dict[str, Any]) -> dict[str, Any]:
    m = max(int(values["m"]), int(values["n"]))
    return {**values, "m": m, "k": min(int(values["k"]), int(values["n"]))}


def _wide(values: dict[str, Any]) -> dict[str, Any]:
    n = max(int(values["m"]), int(values["n"]))
    return {**values, "n": n, "k": min(int(values["k"]), int(values["m"]))}


def _rows_in_range(values: dict[str, Any]) -> dict[str, Any]:
    k2 = max(int(values["k2"]), 1)
    # From k1 on the pivots are apart, and before it they are not: no vector has both.
    apart = abs(int(values.get("inc:ipiv", 1))) > 1
    return {**values, "k2": k2, "k1": 1 if apart else min(max(int(values["k1"]), 1), k2)}


def _at_least_one(values: dict[str, Any]) -> dict[str, Any]:
    n = max(int(values["n"]), 1)
    return {**values, "n": n, "k": max(1, min(int(values["k"]), n))}


_A = Operand("A", m_of, n_of, "inout")
_C = Operand("C", m_of, n_of, "inout")


def _vector_rows(p: Parameters) -> int:
    return int(_length(p) if p.storev == "C" else p.k)


def _vector_cols(p: Parameters) -> int:
    return int(p.k if p.storev == "C" else _length(p))


def _length(p: Parameters) -> int:
    return _order(p) if p.get("side") else int(p.n)


def _orthogonal() -> Iterator[Operation]:
    for kind in ("qr", "ql", "lq", "rq"):
        yield Operation(
            (f"ge{kind}f", f"ge{kind}2"), (_A, Operand("ipiv", least_of, direction="out")),
            _factorised(kind), values=(*UNEVEN, "graded"),
        )  # fmt: skip
    for kind, short in (("qr", "2r"), ("ql", "2l"), ("lq", "l2")):
        names = [f"{first}{word}" for first in ("org", "ung") for word in (kind, short)]
        yield Operation(
            names, (_A, Operand("ipiv", k_of)), _generated(kind),
            settle=_wide if kind == "lq" else _tall, prepare=_with_reflections(kind),
        )  # fmt: skip
        names = [f"{first}{word}" for first in ("orm", "unm") for word in (kind, short)]
        stored = Operand("A", k_of, _order) if kind == "lq" else Operand("A", _order, k_of)
        yield Operation(
            names, (stored, Operand("ipiv", k_of), _C), _multiplied(kind),
            settle=_within_order, prepare=_with_reflections(kind),
            flags={"trans": ("N", "C")},
        )  # fmt: skip


OPERATIONS = (
    *_orthogonal(),
    Operation(
        ("larfg",),
        (
            Operand("alpha", one_of, direction="inout"),
            Operand("x", lambda p: int(max(p.n - 1, 0)), direction="inout"),
            Operand("tau", one_of, direction="out"),
        ),
        _larfg, scalars=(), values=(*UNEVEN, "tiny"),
    ),
    Operation(
        ("larf",),
        (Operand("x", _order), Operand("alpha", one_of), Operand("A", m_of, n_of, "inout")),
        _larf, scalars=(),
    ),
    Operation(
        ("larft",),
        (
            Operand("V", _vector_rows, _vector_cols), Operand("tau", k_of),
            Operand("T", k_of, k_of, "out", outside="free"),
        ),
        _larft, settle=_at_least_one, prepare=_with_tau,
    ),
    Operation(
        ("larfb",),
        (
            Operand("V", _vector_rows, _vector_cols), Operand("T", k_of, k_of),
            Operand("A", m_of, n_of, "inout"),
        ),
        _larfb, settle=_some_within_order, flags={"trans": ("N", "C")},
    ),
    Operation(
        ("laswp",),
        (
            Operand("A", lambda p: int(p.k2), n_of, "inout"),
            Operand("ipiv", lambda p: int(p.k2)),
        ),
        _laswp, settle=_rows_in_range, prepare=_swap_rows,
    ),
    Operation(("lacgv",), (Operand("x", n_of, direction="inout"),), _lacgv),
)  # fmt: skip
