"""Syntax trees of a unit's kernels, through the compiled part beside this file."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor.facts.device.node import Function, Type

SOURCES = Path(__file__).with_name("native")
NAME = "librocquarry_trees.so"


@dataclass(frozen=True)
class UnitTrees:
    """Trees of one unit.

    Attributes:
        functions: By number.
        types: By number.
        files: By number; relative to the tree's root where they are in it.
        errors: The compiler's errors.
    """

    functions: dict[int, Function]
    types: list[Type]
    files: list[str]
    errors: str


class NativeTrees:
    """The compiled part, loaded.

    Args:
        library: What ``native_library.build`` made of ``SOURCES``.
        libclang: The libclang that it calls.
    """

    def __init__(self, library: Path, libclang: Path) -> None:
        ctypes.CDLL(str(libclang), mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        self._library.rqf_trees.restype = ctypes.c_void_p
        for name in ("rqf_text", "rqf_errors"):
            function = getattr(self._library, name)
            function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        self._library.rqf_free.restype = None
        self._library.rqf_free.argtypes = [ctypes.c_void_p]

    def read(
        self, path: str, arguments: Sequence[str], root: str, symbols: Sequence[str]
    ) -> UnitTrees:
        """Parses a unit and gives the trees of some functions and of all that they call."""
        handle = self._library.rqf_trees(
            path.encode(),
            _strings(arguments),
            len(arguments),
            root.encode(),
            _strings(symbols),
            len(symbols),
        )
        try:
            text = self._library.rqf_text(handle)
            errors = self._library.rqf_errors(handle).decode(errors="replace")
        finally:
            self._library.rqf_free(handle)
        return decoded(text, errors)


def decoded(text: bytes, errors: str) -> UnitTrees:
    """Reads what the compiled part wrote."""
    *rows, tables = text.splitlines() or [b'{"files":[],"types":[]}']
    functions = {}
    for row in rows:
        data = _json(row)
        names = [name for _, name in data["template"]]
        arguments = dict(zip(names, data["arguments"], strict=False))
        kinds = {name: kind for kind, name in data["template"]}
        body = data["body"][0] if data["body"] else None
        functions[data["id"]] = Function(
            id=data["id"],
            symbol=data["symbol"],
            name=data["name"],
            file=data["file"],
            line=data["line"],
            end_line=data["end_line"],
            result=data["result"],
            parameters=data["parameters"],
            constants={
                name: value if isinstance(value, int) else None
                for name, value in arguments.items()
                if kinds[name] == 28
            },
            types={name: str(value) for name, value in arguments.items() if kinds[name] == 27},
            order=tuple(names),
            body=body,
        )
    last = _json(tables)
    types = [Type(*row) for row in last["types"]]
    return UnitTrees(functions, types, last["files"], errors)


def _json(row: bytes) -> dict[str, Any]:
    try:
        data: dict[str, Any] = orjson.loads(row)
    except orjson.JSONDecodeError:
        # Nested deeper than orjson reads.
        data = json.loads(row)
    return data


def _strings(items: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * len(items))(*(item.encode() for item in items))
