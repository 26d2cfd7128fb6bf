"""Sizes that operands have in many definitions."""

from __future__ import annotations

from collections.abc import Callable

from kernels.reference.operation import Parameters


def m_of(p: Parameters) -> int:
    """Rows."""
    return int(p.m)


def n_of(p: Parameters) -> int:
    """Columns, or order."""
    return int(p.n)


def k_of(p: Parameters) -> int:
    """Inner size, or number of reflections."""
    return int(p.k)


def least_of(p: Parameters) -> int:
    """The smaller of rows and columns."""
    return int(min(p.m, p.n))


def below_n(p: Parameters) -> int:
    """Elements beside a diagonal of n."""
    return int(max(p.n - 1, 0))


def below_least(p: Parameters) -> int:
    """Elements beside the diagonal of a rectangle."""
    return int(max(min(p.m, p.n) - 1, 0))


def one_of(_: Parameters) -> int:
    """A single number."""
    return 1


def size_of(name: str) -> Callable[[Parameters], int]:
    """A size by its name."""
    return lambda p: int(getattr(p, name))
