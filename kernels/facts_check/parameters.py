"""Parameters of a kernel as the compiler sees them, and values to launch it with.

An index map is about any values whatever, so these are no cases of the library: they are sizes,
strides and increments that differ from each other, so that no two of them can be mistaken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_BUFFER_BYTES = 4 << 20
_MEMBERS = 4
_SIZES = ((70, 65, 33), (130, 130, 130), (5, 3, 4), (64, 96, 40), (33, 65, 257), (20, 300, 7))
_INCREMENTS = (2, 1, -1, 1, 3, 1)
_STRIDE = 45_000
_OFFSET = 5
_HALVES = {2: 0x3E00, 4: 0x3FC00000, 8: 0x3FF8000000000000}
"""One and a half by bytes: neither zero nor one, of which kernels think as special."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of an instantiation.

    Attributes:
        name: As it is declared.
        kind: ``int``, ``bool``, ``enum``, ``float``, ``buffer``, ``table`` (of pointers) or
            ``other``.
        size: Bytes of the parameter itself.
        alignment: Of it, in bytes.
        element: ``int`` or ``float``, of what a buffer or a table's members hold.
        choices: Values of an enumeration.
    """

    name: str
    kind: str
    size: int
    alignment: int
    element: str = "float"
    choices: tuple[int, ...] = ()


def parameters_of(kernel: Any) -> list[Parameter]:
    """Parameters of a kernel's cursor."""
    return [_parameter(argument) for argument in kernel.get_arguments()]


def _parameter(cursor: Any) -> Parameter:
    kind = cursor.type.get_canonical()
    common = (cursor.spelling, kind.get_size(), kind.get_align())
    name = kind.kind.name
    if name == "POINTER":
        inner = kind.get_pointee().get_canonical()
        table = inner.kind.name == "POINTER"
        if table:
            inner = inner.get_pointee().get_canonical()
        element = "int" if _whole(inner) else "float"
        return _made(common, "table" if table else "buffer", element)
    if name == "ENUM":
        values = [
            child.enum_value
            for child in kind.get_declaration().get_children()
            if child.kind.name == "ENUM_CONSTANT_DECL"
        ]
        return _made(common, "enum", choices=tuple(values))
    if name == "BOOL":
        return _made(common, "bool")
    if name in ("FLOAT", "DOUBLE", "HALF", "FLOAT16"):
        return _made(common, "float")
    return _made(common, "int" if _whole(kind) else "other")


def _made(
    common: tuple[str, int, int], kind: str, element: str = "float", choices: tuple[int, ...] = ()
) -> Parameter:
    name, size, alignment = common
    return Parameter(name, kind, size, alignment, element, choices)


def _whole(kind: Any) -> bool:
    name = kind.kind.name
    return name in (
        "INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT", "SCHAR",
        "UCHAR", "CHAR_S", "CHAR_U", "ENUM", "BOOL",
    )  # fmt: skip


Blocks = Sequence[tuple[int, int, int]]


def launches(parameters: Sequence[Parameter], blocks: Blocks) -> Iterator[dict[str, Any]]:
    """Launches to try: arguments as ``launcher.py`` takes them, grid and block.

    Args:
        parameters: Of the kernel.
        blocks: Shapes of its blocks, the likeliest first.
    """
    for turn in range(len(_SIZES)):
        arguments = [_argument(one, turn, number) for number, one in enumerate(parameters)]
        block = blocks[turn % len(blocks)]
        yield {"grid": (3, 2, 2), "block": block, "arguments": arguments}


def _argument(one: Parameter, turn: int, number: int) -> dict[str, Any]:
    common = {"size": one.size, "alignment": max(1, one.alignment)}
    # A class may be a number or, as a scalar that the host or the device has, a pointer to one.
    points = one.kind == "other" and one.size >= 8 and turn % 2 == 0
    if points or one.kind in ("buffer", "table"):
        members = _MEMBERS if one.kind == "table" else 0
        return {**common, "bytes": _BUFFER_BYTES, "members": members, "fill": one.element}
    value = _value(one, turn, number)
    return {**common, "value": (value % (1 << 8 * one.size)).to_bytes(one.size, "little").hex()}


def _value(one: Parameter, turn: int, number: int) -> int:
    if one.kind == "enum":
        return one.choices[turn % len(one.choices)] if one.choices else 0
    if one.kind == "bool":
        return (turn >> number % 2) & 1
    if one.kind == "float":
        return _HALVES.get(one.size, 0)
    if one.kind == "other":
        # A complex number, most often.
        return int.from_bytes(_HALVES[4].to_bytes(4, "little") * (one.size // 4), "little")
    name = one.name.lower()
    sizes = _SIZES[turn]
    if "stride" in name:
        return _STRIDE + number
    if name.startswith("inc"):
        return _INCREMENTS[turn]
    if name.startswith("ld"):
        return max(sizes) + 3 + number
    if "shift" in name or "off" in name or name.endswith("_of"):
        return _OFFSET + number
    if "batch" in name:
        return 2
    return sizes["mnk".index(name) if name in ("m", "n", "k") else number % len(sizes)]
