"""Reads MessagePack, the form in which AMDGPU code objects keep their metadata.

A reader of sixty lines, so that nothing has to be installed for it (format:
https://github.com/msgpack/msgpack/blob/master/spec.md).
"""

from __future__ import annotations

import struct
from typing import Any

from extractor.errors import UnitError

_SIZED = {0xD9: "B", 0xDA: "H", 0xDB: "I", 0xC4: "B", 0xC5: "H", 0xC6: "I"}
_ARRAYS = {0xDC: "H", 0xDD: "I"}
_MAPS = {0xDE: "H", 0xDF: "I"}
_NUMBERS = {
    0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q",
    0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def unpack(data: bytes) -> Any:
    """The first value of some MessagePack data.

    Raises:
        UnitError: The data ends early or has a type that code objects do not use.
    """
    try:
        return _value(data, 0)[0]
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise UnitError(f"the metadata of a code object cannot be read: {error}") from error


def _value(data: bytes, at: int) -> tuple[Any, int]:
    kind = data[at]
    at += 1
    if kind < 0x80:
        return kind, at
    if kind >= 0xE0:
        return kind - 256, at
    if kind in _CONSTANTS:
        return _CONSTANTS[kind], at
    if kind in _NUMBERS:
        return _number(data, at, _NUMBERS[kind])
    if kind < 0x90:
        return _map(data, at, kind & 15)
    if kind < 0xA0:
        return _array(data, at, kind & 15)
    if kind < 0xC0:
        return _text(data, at, kind & 31)
    for table, read in ((_SIZED, _text), (_ARRAYS, _array), (_MAPS, _map)):
        if kind in table:
            count, at = _number(data, at, table[kind])
            return read(data, at, int(count))
    raise UnitError(f"the metadata of a code object has a value of unknown type {kind:#x}")


def _number(data: bytes, at: int, code: str) -> tuple[Any, int]:
    return struct.unpack_from(f">{code}", data, at)[0], at + struct.calcsize(code)


def _text(data: bytes, at: int, size: int) -> tuple[str, int]:
    return data[at : at + size].decode(), at + size


def _array(data: bytes, at: int, count: int) -> tuple[list[Any], int]:
    items = []
    for _ in range(count):
        item, at = _value(data, at)
        items.append(item)
    return items, at


def _map(data: bytes, at: int, count: int) -> tuple[dict[Any, Any], int]:
    items = {}
    for _ in range(count):
        key, at = _value(data, at)
        items[key], at = _value(data, at)
    return items, at
