"""BLAS level 1: vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernels.reference.operation import Direction, Instance, Operand, Operation, Problem
from kernels.reference.sizes import n_of, one_of
from kernels.task.element_types import numpy


def _axpy(i: Instance) -> Iterator[Problem]:
    product = i.p.alpha * i.before["x"]
    if i.p.alpha == 0:
        product = 0 * i.before["y"].real
        product[:] = 0
    bound = i.gamma(2) * (abs(product) + abs(i.before["y"]))
    yield from i.compare("y", i.before["y"] + product, bound)


def _scal(i: Instance) -> Iterator[Problem]:
    expected = i.p.alpha * i.before["x"]
    yield from i.compare("x", expected, i.gamma(1) * abs(expected))


def _copy(i: Instance) -> Iterator[Problem]:
    yield from i.compare("y", i.before["x"], 0)


def _swap(i: Instance) -> Iterator[Problem]:
    yield from i.compare("y", i.before["x"], 0)
    yield from i.compare("x", i.before["y"], 0)


def _dot(*, conjugate: bool) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        x, y = i.before["x"], i.before["y"]
        terms = (x.conj() if conjugate else x) * y
        bound = i.gamma(i.p.n + 1) * abs(terms).sum()
        yield from i.compare("result", numpy().array([terms.sum()]), bound)

    return check


def _nrm2(i: Instance) -> Iterator[Problem]:
    np = numpy()
    x = i.before["x"]
    # The square root halves the relative error of the sum and adds one rounding.
    norm = np.sqrt((abs(x) ** 2).sum())
    yield from i.compare("result", np.array([norm]), i.gamma(i.p.n / 2 + 3) * norm)


def _asum(i: Instance) -> Iterator[Problem]:
    x = i.before["x"]
    total = (abs(x.real) + abs(x.imag)).sum()
    yield from i.compare("result", numpy().array([total]), i.gamma(i.p.n + 1) * total)


def _extreme(*, largest: bool) -> Any:
    def check(i: Instance) -> Iterator[Problem]:
        np = numpy()
        x = i.before["x"]
        if i.p.n == 0:
            expected = 0
        else:
            element = i.elements["x"]
            # In the type of the data: a tie is one that the routine itself sees.
            kind = np.float32 if element in ("float32", "complex64") else np.float64
            size = abs(x.real).astype(kind) + abs(x.imag).astype(kind)
            expected = int(np.argmax(size) if largest else np.argmin(size)) + 1
        yield from i.compare("result", np.array([expected], dtype=np.longdouble), 0)

    return check


def _rot(i: Instance) -> Iterator[Problem]:
    x, y, c, s = i.before["x"], i.before["y"], i.before["c"], i.before["s"]
    c, s = c[0].real, s[0]
    bound = i.gamma(3)
    yield from i.compare("x", c * x + s * y, bound * (abs(c * x) + abs(s * y)))
    expected = c * y - numpy().conj(s) * x
    yield from i.compare("y", expected, bound * (abs(c * y) + abs(s * x)))


def _rotg(i: Instance) -> Iterator[Problem]:
    """``[c s; -conj(s) c] [a; b] = [r; 0]`` with ``c² + |s|² = 1`` (BLAS, rotg)."""
    np = numpy()
    a, b = i.before["a"][0], i.before["b"][0]
    c, s, r = i.after["c"][0].real, i.after["s"][0], i.after["a"][0]
    size = np.sqrt(abs(a) ** 2 + abs(b) ** 2)
    limit = i.gamma(16)
    yield from i.within("c", "c² + |s|² - 1", abs(c * c + abs(s) ** 2 - 1), limit)
    yield from i.within("a", "c a + s b - r", abs(c * a + s * b - r), limit * size)
    yield from i.within("s", "c b - conj(s) a", abs(c * b - np.conj(s) * a), limit * size)


def _modified(flag: float, h: Any) -> Any:
    """The matrix H of a modified rotation (BLAS, rotm); ``h`` is h11, h21, h12, h22."""
    np = numpy()
    if flag == -2:
        return np.eye(2, dtype=np.longdouble)
    whole = np.array([[h[0], h[2]], [h[1], h[3]]], dtype=np.longdouble)
    if flag == 0:
        whole[0, 0] = whole[1, 1] = 1
    elif flag == 1:
        whole[0, 1], whole[1, 0] = 1, -1
    return whole


def _rotm(i: Instance) -> Iterator[Problem]:
    x, y, param = i.before["x"], i.before["y"], i.before["param"]
    h = _modified(float(param[0]), param[1:])
    for name, row in (("x", h[0]), ("y", h[1])):
        bound = i.gamma(3) * (abs(row[0] * x) + abs(row[1] * y))
        yield from i.compare(name, row[0] * x + row[1] * y, bound)


def _rotmg(i: Instance) -> Iterator[Problem]:
    """``H [x1; y1] = [x1'; 0]``, and H scales as the new d1 and d2 say (BLAS, rotmg)."""
    np = numpy()
    d1, d2, x1, y1 = (i.before[name][0] for name in ("d1", "d2", "x1", "y1"))
    e1, e2, z1 = (i.after[name][0] for name in ("d1", "d2", "x1"))
    param = i.after["param"]
    flag = float(param[0])
    if flag not in (-2, -1, 0, 1):
        yield Problem("param", (0,), "-2, -1, 0 or 1", str(flag), "there is no such flag", np.inf)
        return
    h = _modified(flag, param[1:])
    moved = h @ np.array([x1, y1])
    limit = i.gamma(32)
    size = abs(h) @ abs(np.array([x1, y1]))
    yield from i.within("x1", "H [x1, y1] - [x1', 0]", abs(moved[0] - z1), limit * size[0])
    if flag != -2 and d2 * y1 != 0:
        yield from i.within("param", "second element of H [x1, y1]", abs(moved[1]), limit * size[1])
    old = np.diag([d1, d2]).astype(np.longdouble)
    if d1 > 0 and d2 >= 0 and flag != -2:
        new = h.T @ np.diag([e1, e2]) @ h
        scale = abs(h.T) @ np.diag([abs(e1), abs(e2)]) @ abs(h)
        yield from i.within("d1", "H^T D' H - D", abs(new - old), limit * (scale + abs(old)))


_X, _Y = Operand("x", n_of), Operand("y", n_of)
_XW, _YW = Operand("x", n_of, direction="inout"), Operand("y", n_of, direction="inout")
_RESULT = Operand("result", one_of, direction="out")
_ALL = ("random", "integers", "nan", "inf", "zeros")


def _scalar(name: str, direction: Direction = "in", *, content: str = "random") -> Operand:
    return Operand(name, one_of, None, direction, "full", content, each=direction != "in")


OPERATIONS = (
    Operation(("axpy",), (_X, _YW), _axpy, values=_ALL),
    Operation(("scal",), (_XW,), _scal, values=_ALL),
    Operation(("copy",), (_X, Operand("y", n_of, direction="out")), _copy, values=_ALL),
    Operation(("swap",), (_XW, _YW), _swap, values=_ALL),
    Operation(("dot", "dotu"), (_X, _Y, _RESULT), _dot(conjugate=False), values=_ALL),
    Operation(("dotc",), (_X, _Y, _RESULT), _dot(conjugate=True), values=_ALL),
    Operation(("nrm2",), (_X, _RESULT), _nrm2, values=_ALL),
    Operation(("asum",), (_X, _RESULT), _asum, values=_ALL),
    Operation(("iamax",), (_X, _RESULT), _extreme(largest=True), values=("random", "ties")),
    Operation(("iamin",), (_X, _RESULT), _extreme(largest=False), values=("random", "ties")),
    Operation(
        ("rot",), (_XW, _YW, _scalar("c"), _scalar("s")), _rot, values=("random", "integers")
    ),
    Operation(
        ("rotg",),
        (_scalar("a", "inout"), _scalar("b", "free"), _scalar("c", "out"), _scalar("s", "out")),
        _rotg, values=("random", "integers"),
    ),
    Operation(
        ("rotm",), (_XW, _YW, Operand("param", lambda _: 5, content="rotation")), _rotm
    ),
    Operation(
        ("rotmg",),
        (
            _scalar("d1", "inout", content="positive"), _scalar("d2", "inout", content="positive"),
            _scalar("x1", "inout"), _scalar("y1"),
            Operand("param", lambda _: 5, direction="free"),
        ),
        _rotmg,
    ),
)  # fmt: skip
