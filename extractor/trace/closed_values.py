"""Values in a kernel that is read for its effect: numbers, elements of several parts, addresses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from extractor.facts.device.node import Function
from extractor.facts.device.trees import UnitTrees
from extractor.trace.effect_values import Expression, made, number, size_of

_UNSIGNED = range(3, 13)
_LETTERS = {1: "bB", 2: "hH", 4: "iI", 8: "qQ"}
_FLOATS = {"float": "f", "double": "d", "_Float16": "e", "__bf16": "t"}


class Open(Exception):
    """The kernel is not closed; the message says why."""


@dataclass(frozen=True)
class Several:
    """An element of one or more parts, such as a complex number."""

    form: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Address:
    """Where a parameter points, and bytes beyond."""

    parameter: int
    offset: Expression
    type: int


@dataclass(frozen=True)
class Unfollowed:
    """What makes a kernel open once it is used."""

    reason: str


Value = Expression | Several | Address


@dataclass
class Frame:
    """One function being read: its conditions and loops around the call, and what it returns."""

    function: Function
    path: int
    loops: int
    returns: list[tuple[tuple[Expression, ...], Value | None]] = field(default_factory=list)


def number_of(value: Value | Unfollowed) -> Expression:
    """A value that must be one number.

    Raises:
        Open: It is something else.
    """
    if isinstance(value, Unfollowed):
        raise Open(value.reason)
    if isinstance(value, Several) and len(value.parts) == 1:
        return value.parts[0]
    if isinstance(value, list):
        return value
    raise Open("it computes with what is no number")


class ClosedValues:
    """What is known while a kernel is read, and what values are as values of a type.

    Args:
        trees: Of the unit.
        elements: By class, the letters of its parts.
    """

    def __init__(self, trees: UnitTrees, elements: Mapping[str, str]) -> None:
        self.types, self.functions = trees.types, trees.functions
        self.env: dict[int, Value | Unfollowed] = {}
        self.path: tuple[Expression, ...] = ()
        self.frames: list[Frame] = []
        self._elements = elements

    # --- types ------------------------------------------------------------------------------

    def form(self, kind: int) -> str:
        """Letters of a type.

        Raises:
            Open: It has none.
        """
        if kind >= 0:
            type_ = self.types[kind]
            plain = type_.name.removeprefix("const ").removesuffix(" const")
            if type_.kind == 3:
                return "?"
            if type_.integer and type_.size in _LETTERS:
                return _LETTERS[type_.size][type_.kind in _UNSIGNED]
            if type_.pointer:
                return "Q"
            found = _FLOATS.get(plain) or self._elements.get(plain)
            if found:
                return found
        raise Open("it has a value of a type whose parts are not known")

    def parameter(self, position: int, kind: int) -> Value | Unfollowed:
        """What a parameter is worth."""
        type_ = self.types[kind]
        if type_.pointer:
            return Address(position, number("q", 0), type_.inner)
        try:
            form = self.form(kind)
        except Open as reason:
            return Unfollowed(str(reason))
        if size_of(form) != type_.size:
            return Unfollowed("it has an argument whose parts are not known")
        parts: list[Expression] = []
        at = 0
        for letter in form:
            parts.append(["p", letter, position, at])
            at += size_of(letter)
        return Several(form, tuple(parts)) if type_.record else parts[0]

    def parts(self, value: Value, form: str) -> list[Expression]:
        """A value's parts as a type of this form has them."""
        if isinstance(value, Address):
            if form != "Q":
                raise Open("it keeps an address as something else")
            return [self.pointer(value)]
        if isinstance(value, Several):
            if len(value.parts) != len(form):
                raise Open("it converts between kinds of elements")
            given = value.parts
        elif len(form) == 1:
            given = (value,)
        else:
            raise Open("it keeps a number as an element of several parts")
        return [made("cast", letter, part) for letter, part in zip(form, given, strict=True)]

    def select(
        self, condition: Expression, first: Value | Unfollowed, second: Value | Unfollowed
    ) -> Value:
        """The one value or the other."""
        if isinstance(first, Unfollowed) or isinstance(second, Unfollowed):
            raise Open("it uses what is set on one way only")
        if isinstance(first, Address) and isinstance(second, Address):
            if (first.parameter, first.type) != (second.parameter, second.type):
                raise Open("it chooses between addresses")
            offset = made("?:", "q", condition, first.offset, second.offset)
            return Address(first.parameter, offset, first.type)
        if isinstance(first, Several) and isinstance(second, Several) and first.form == second.form:
            pairs = zip(first.form, first.parts, second.parts, strict=True)
            return Several(first.form, tuple(made("?:", x, condition, a, b) for x, a, b in pairs))
        one, other = number_of(first), number_of(second)
        if one[1] != other[1]:
            raise Open("it chooses between types")
        return made("?:", one[1], condition, one, other)

    def pointer(self, value: Address) -> Expression:
        """An address as a number."""
        base: Expression = ["p", "Q", value.parameter, 0]
        return made("+", "Q", base, made("cast", "Q", value.offset))

    def truth(self, value: Value) -> Expression:
        """A value as a condition."""
        single = self.pointer(value) if isinstance(value, Address) else number_of(value)
        return made("cast", "?", single)
