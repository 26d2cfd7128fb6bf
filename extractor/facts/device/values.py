"""What an expression of a kernel can be worth to the reader of its syntax tree."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import MAYBE, Dependences


@dataclass(frozen=True)
class Buffer:
    """Memory that a pointer points into.

    Attributes:
        kind: ``global`` for what a kernel's parameter points to, ``lds``, ``local``, ``null``.
        name: ``A``; ``A[blockIdx.z]`` for a pointer read from an array of pointers.
        parameter: The kernel's parameter that leads there, else empty.
        declaration: The array's declaration in the unit, for LDS and local arrays.
        sizes: Extents of an array, outermost first; ``None`` where one is not known.
    """

    kind: str
    name: str
    parameter: str = ""
    declaration: int = -1
    sizes: tuple[Polynomial | None, ...] = ()


@dataclass(frozen=True)
class Pointer:
    """An address: a buffer and an offset in elements.

    Attributes:
        buffer: Where it points into.
        offset: In units of ``size`` bytes.
        type: Number of the element's type in the translation unit.
        size: Bytes of a unit: an element, or what it was before a cast to a wider one; -1 where
            unknown.
    """

    buffer: Buffer
    offset: Polynomial
    type: int
    size: int


@dataclass(frozen=True)
class Unknown:
    """A value that was not resolved.

    Attributes:
        reason: Why, for the reader.
        depends: What it depends on.
    """

    reason: str
    depends: Dependences = frozenset({MAYBE})


UNSET = Unknown("not yet set", frozenset())
"""A variable before its first assignment. A program that reads it is wrong, so where one path sets
a variable and another does not, what is read behind them is what was set."""

Value = Polynomial | Pointer | Unknown


@dataclass(frozen=True)
class Variable:
    """The place of a local variable or parameter, or of a member of one.

    Attributes:
        declaration: Number in the unit.
        member: Path of members, empty for the whole.
    """

    declaration: int
    member: str = ""


@dataclass(frozen=True)
class Memory:
    """The place an address names, or a member of what is there."""

    pointer: Pointer
    member: str = ""


@dataclass(frozen=True)
class Nowhere:
    """A place that was not resolved, with the reason."""

    reason: str
    depends: Dependences = frozenset({MAYBE})
    through_pointer: bool = False


Place = Variable | Memory | Nowhere
