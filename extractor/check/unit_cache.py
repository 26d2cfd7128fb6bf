"""Compiled units on disk, found again while nothing that could change them has changed.

A record is found by the unit's path, the toolchain and the flags, and it holds if every file the
compiler read still has the content it had. Macros are compared apart: a ``-D`` that differs
matters only when some file of the unit spells its name, so that a second configuration compiles
again just the units that look at what sets it apart. (A name put together with ``##`` would be
missed; directives cannot ask for such a name.)
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path

from extractor import cache
from extractor.check.compile import EMIT, MARKS, Compiled
from extractor.check.symbols import FORMAT, UnitSymbols, pack, unpack
from extractor.errors import StoreError
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

KIND = "ir"
"""Kind of the entries in the cache folder."""

_Macros = dict[str, str]


def find(unit: Unit, root: Path, toolchain: Toolchain, emit: tuple[str, ...] = EMIT) -> Path | None:
    """Where an earlier run left the symbols of a unit, if they still hold."""
    folder, macros = _place(unit, root, toolchain, emit)
    for record in sorted(folder.glob("*.ir")):
        try:
            with record.open("rb") as file:
                known = json.loads(file.readline())
            if _holds(known["files"], known["macros"], macros):
                return record
        except (OSError, ValueError, KeyError):
            # A record that cannot be read is no record; the unit is compiled again.
            continue
    return None


def keep(
    unit: Unit,
    root: Path,
    toolchain: Toolchain,
    compiled: Compiled,
    emit: tuple[str, ...] = EMIT,
) -> Path:
    """Remember what a compilation gave, and say where.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    folder, macros = _place(unit, root, toolchain, emit)
    files = {name: _content(name) for name in sorted(compiled.read)}
    head = json.dumps({"macros": macros, "files": files}, separators=(",", ":"), sort_keys=True)
    name = hashlib.sha256(json.dumps(macros, sort_keys=True).encode()).hexdigest()[:16]
    record = folder / f"{name}.ir"
    cache.write_file(record, head.encode() + b"\n" + pack(compiled.symbols))
    return record


def load(record: Path) -> UnitSymbols:
    """Read the symbols of a record.

    Raises:
        StoreError: The record is gone or damaged.
    """
    try:
        return unpack(record.read_bytes().partition(b"\n")[2])
    except (OSError, StoreError) as error:
        raise StoreError(f"{record}: {error}; remove that file and run again") from error


def _place(
    unit: Unit, root: Path, toolchain: Toolchain, emit: tuple[str, ...]
) -> tuple[Path, _Macros]:
    """Folder of a unit's records, which differ by their macros, and the macros asked for."""
    macros, others = _split(unit.arguments)
    key = json.dumps(
        [
            FORMAT,
            toolchain.identity,
            toolchain.clang,
            toolchain.flags,
            emit,
            hashlib.sha256(MARKS.read_bytes()).hexdigest(),
            str(root / unit.path),
            others,
        ]
    )
    return cache.entry(KIND, hashlib.sha256(key.encode()).hexdigest()[:32]), macros


def _split(arguments: tuple[str, ...]) -> tuple[_Macros, list[str]]:
    """Macros that the flags define or undefine, the last word on each, and the other flags."""
    macros: _Macros = {}
    others: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument[:2] not in ("-D", "-U"):
            others.append(argument)
            continue
        name, _, value = (argument[2:] or next(rest, "")).partition("=")
        macros[name] = f"={value}" if argument[1] == "D" else ""
    return macros, others


def _holds(files: dict[str, str], then: _Macros, now: _Macros) -> bool:
    changed = {name for name in then.keys() | now.keys() if then.get(name) != now.get(name)}
    try:
        return all(_content(file) == content for file, content in files.items()) and not any(
            _spells(file, name) for name in changed for file in files
        )
    except OSError:
        return False


def _content(file: str) -> str:
    state = Path(file).stat()
    return _hashed(file, state.st_mtime_ns, state.st_size)


def _spells(file: str, name: str) -> bool:
    state = Path(file).stat()
    return _searched(file, name, state.st_mtime_ns, state.st_size)


# Thousands of units read the same few thousand headers; one process reads each of them once.
@lru_cache(maxsize=50_000)
def _hashed(file: str, changed: int, size: int) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:32]


@lru_cache(maxsize=50_000)
def _searched(file: str, name: str, changed: int, size: int) -> bool:
    return re.search(rb"\b%s\b" % re.escape(name.encode()), Path(file).read_bytes()) is not None
