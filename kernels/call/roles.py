"""What each parameter of a prototype is for: sizes, flags, arrays and what describes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kernels.call.prototype import CArgument, Headers, Prototype
from kernels.reference import Operand, Operation, find_operation

# The end of a constant's name, and the letter that BLAS and LAPACK have for it.
_WORDS = (
    ("conjugate_transpose", "C"), ("transpose", "T"), ("non_unit", "N"), ("unit", "U"),
    ("upper", "U"), ("lower", "L"), ("full", "F"), ("left", "L"), ("right", "R"), ("both", "B"),
    ("none", "N"), ("forward_direction", "F"), ("backward_direction", "B"), ("column_wise", "C"),
    ("row_wise", "R"), ("all", "A"), ("singular", "S"), ("overwrite", "O"), ("original", "V"),
    ("tridiagonal", "I"), ("ascending", "A"), ("outofplace", "O"), ("inplace", "I"),
    ("pivot_variable", "V"), ("pivot_top", "T"), ("pivot_bottom", "B"), ("_value", "V"),
    ("_index", "I"), ("_entire", "E"), ("_ax", "1"), ("_abx", "2"), ("_bax", "3"),
)  # fmt: skip
_NOT_ASKED_FOR = frozenset("FB")  # a full triangle, both sides: no routine takes them
# An interval that holds some of the values that matrices here have, and leaves some out.
_NUMBERS = {"max_sweeps": 100, "vl": 0.15, "vu": 1.7}
_WHOLE = ("int32", "int64")


@dataclass(frozen=True)
class Array:
    """A pointer parameter, with the parameters that describe its layout.

    Attributes:
        name: As the prototype has it.
        operand: What the definition says of it.
        element: Its element type.
        pointers: 2 for an array of pointers, one a member of the batch.
        leading: Parameter with the distance of columns.
        increment: Parameter with the distance of elements.
        stride: Parameter with the distance of members of a batch.
    """

    name: str
    operand: Operand
    element: str
    pointers: int
    leading: str = ""
    increment: str = ""
    stride: str = ""


@dataclass(frozen=True)
class Signature:
    """A prototype whose every parameter is understood.

    Attributes:
        prototype: The prototype.
        operation: What it does.
        arrays: Its arrays.
        sizes: Whole numbers that say how large the problem is.
        flags: Letters that each flag can take, with their values.
        scalars: Element types of numbers in memory that are only read.
        batch: Parameter with the number of members; empty where there is one problem.
        fixed: Values of parameters that are always the same.
    """

    prototype: Prototype
    operation: Operation
    arrays: tuple[Array, ...]
    sizes: tuple[str, ...]
    flags: Mapping[str, Mapping[str, int]]
    scalars: Mapping[str, str]
    batch: str
    fixed: Mapping[str, float] = field(default_factory=dict)

    @property
    def complex(self) -> bool:
        """Whether it works on complex numbers."""
        return any(array.element.startswith("complex") for array in self.arrays)


def read_signature(prototype: Prototype, name: str, headers: Headers) -> Signature | str:
    """Understands a prototype.

    Args:
        prototype: What a header declares.
        name: Name of its operation, without precision and form: ``gemv``.
        headers: Where its enumerations stand.

    Returns:
        The signature, or the reason why there is none.
    """
    pointers = [a for a in prototype.parameters if a.type.pointers]
    untyped = [a.name for a in pointers if a.type.base == "void"]
    if untyped:
        return f"types of {', '.join(untyped)} are chosen by other parameters"
    operation = find_operation(name, [a.name for a in pointers if a.type.element])
    if operation is None:
        return f"no reference for {name}"
    reading = _Reading(operation, headers)
    for argument in prototype.parameters:
        why = reading.take(argument)
        if why:
            return why
    return Signature(
        prototype, operation, tuple(reading.arrays), tuple(reading.sizes), reading.flags,
        reading.scalars, reading.batch, reading.fixed,
    )  # fmt: skip


class _Reading:
    """Parameters taken one after the other: what follows an array describes it."""

    def __init__(self, operation: Operation, headers: Headers) -> None:
        self._operation, self._headers = operation, headers
        self.arrays: list[Array] = []
        self.sizes: list[str] = []
        self.flags: dict[str, Mapping[str, int]] = {}
        self.scalars: dict[str, str] = {}
        self.fixed: dict[str, float] = {}
        self.batch = ""

    def take(self, argument: CArgument) -> str:
        """Takes one; the reason where it cannot be understood."""
        name, kind = argument.name, argument.type
        if kind.pointers:
            return self._take_pointer(argument)
        if kind.base.endswith("handle"):
            return ""
        constants = self._headers.constants(kind.base)
        if constants:
            self.flags[name] = self._letters(name, constants)
            return "" if self.flags[name] else f"no values of {kind.base} are known"
        if kind.element in _WHOLE:
            self._take_number(name)
            return ""
        if kind.element.startswith("float"):
            self.fixed[name] = _NUMBERS.get(name, 0.0)
            return ""
        return f"parameter {name} of type {kind.base} is not understood"

    def _take_pointer(self, argument: CArgument) -> str:
        name, kind = argument.name, argument.type
        if name in self._operation.scalars and kind.pointers == 1:
            self.scalars[name] = kind.element
            return ""
        operand = self._operation.operand(name)
        if operand is None or not kind.element:
            return f"array {name} of {kind.base} is not understood"
        self.arrays.append(Array(name, operand, kind.element, kind.pointers))
        return ""

    def _take_number(self, name: str) -> None:
        lower = name.lower()
        if lower.startswith("batch"):
            self.batch = name
        elif name in _NUMBERS:
            self.fixed[name] = _NUMBERS[name]
        elif re.fullmatch(r"ld\w+", lower) and self.arrays:
            self._describe("leading", name, lower[2:])
        elif re.fullmatch(r"inc\w+", lower) and self.arrays:
            self._describe("increment", name, lower[3:])
        elif lower.startswith("stride") and self.arrays:
            self._describe("stride", name, lower[6:].strip("_"))
        else:
            self.sizes.append(name)

    def _describe(self, what: str, name: str, of: str) -> None:
        """Notes it with the array that it names, or else with the last one before it."""
        free = [i for i, array in enumerate(self.arrays) if not getattr(array, what)]
        named = [i for i in free if self.arrays[i].name.lower() == of]
        place = (named or free or [len(self.arrays) - 1])[-1]
        if not named and what != "leading":
            # strideP follows ipiv or tau; incx of laswp follows ipiv.
            place = len(self.arrays) - 1
        old = self.arrays[place]
        self.arrays[place] = Array(
            old.name, old.operand, old.element, old.pointers,
            **{"leading": old.leading, "increment": old.increment, "stride": old.stride,
               what: name},
        )  # fmt: skip

    def _letters(self, name: str, constants: Mapping[str, int]) -> Mapping[str, int]:
        letters: dict[str, int] = {}
        for constant, value in constants.items():
            letter = next((x for word, x in _WORDS if constant.endswith(word)), "")
            if letter:
                letters.setdefault(letter, value)
        allowed = self._operation.flags.get(name) or self._operation.flags.get(name.rstrip("ABC"))
        if allowed:
            return {letter: v for letter, v in letters.items() if letter in allowed}
        taken = "FB" if not set(letters) <= _NOT_ASKED_FOR else ""
        return {letter: v for letter, v in letters.items() if letter not in taken}


def real_letters(signature: Signature, name: str, headers: Headers) -> Mapping[str, int]:
    """Letters of a flag; real routines that know no conjugate take T for it."""
    letters = signature.flags[name]
    allowed: Sequence[str] = signature.operation.flags.get(name, ())
    if signature.complex or "C" not in allowed or "T" in allowed:
        return letters
    argument = next(a for a in signature.prototype.parameters if a.name == name)
    constants: Mapping[str, Any] = headers.constants(argument.type.base)
    plain = [v for c, v in constants.items() if c.endswith("_transpose") and "conj" not in c]
    return {**{k: v for k, v in letters.items() if k != "C"}, **({"T": plain[0]} if plain else {})}
