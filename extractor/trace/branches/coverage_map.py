"""Reads which counter of a shared object counts which part of the source.

The compiler writes the map beside the code (LLVM, "LLVM Code Coverage Mapping Format", version 7,
and the table of instrumented functions of ``InstrProfData.inc``, version 10 and later).
"""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.code_object.elf import Elf, Section
from extractor.errors import UnitError

_DATA = struct.Struct("<QQqqQQIHHHxxI")
"""Name, hash of the body, counters and bitmaps relative to the row, function, values, number of
counters, value sites of three kinds, bytes of bitmap."""
_FUNCTION = struct.Struct("<QIQQ")
"""Name, bytes of the map that follow, hash of the body, hash of the table of files."""
_HEADER = struct.Struct("<IIII")
_NEWEST = 6  # counted from 0
_OLDEST = 5  # the first with the compiler's folder as the first file
_ZERO, _COUNTER, _DIFFERENCE, _SUM = range(4)
_CODE, _SKIPPED, _BRANCH, _DECISION, _DECIDING_BRANCH = 0, 2, 4, 5, 6
_GAP = 1 << 31


@dataclass(frozen=True)
class Term:
    """How a count follows from counters: a counter, or the sum or difference of two terms.

    Attributes:
        kind: 0 for none, 1 for a counter, 2 for a difference and 3 for a sum.
        number: Of the counter within its function, or of the pair of terms.
    """

    kind: int
    number: int = 0


@dataclass(frozen=True)
class Mapped:
    """A part of the source whose executions are counted.

    Attributes:
        file: Number of the file within the function's files.
        place: First line and column, last line and the column behind it, counted from 1.
        count: How often it ran.
        failed: For a condition, how often it was false while ``count`` is how often it was true.
    """

    file: int
    place: tuple[int, int, int, int]
    count: Term
    failed: Term | None = None


@dataclass(frozen=True)
class Map:
    """The map of one function.

    Attributes:
        symbol: Its mangled name.
        counters: Number of its first counter among all, and how many it has.
        files: Paths of the files that it has parts in; macros are parts of the files that define
            them.
        pairs: Pairs of terms that sums and differences are made of.
        parts: Code, innermost last.
        conditions: Operands of tests.
    """

    symbol: str
    counters: tuple[int, int]
    files: tuple[str, ...]
    pairs: tuple[tuple[Term, Term], ...]
    parts: tuple[Mapped, ...]
    conditions: tuple[Mapped, ...]

    def value(self, term: Term, counts: Sequence[int]) -> int:
        """A term's value for the counters of the function."""
        if term.kind == _ZERO:
            return 0
        if term.kind == _COUNTER:
            return counts[term.number]
        first, second = (self.value(one, counts) for one in self.pairs[term.number])
        return first + second if term.kind == _SUM else first - second


@dataclass(frozen=True)
class _Row:
    symbol: str
    first: int
    count: int


class CoverageMap:
    """The map of a shared object, read function by function when asked.

    Args:
        path: A shared object whose units were compiled with counters.

    Raises:
        UnitError: It has no counters, or a map of another version.
    """

    def __init__(self, path: Path) -> None:
        elf = Elf(path.read_bytes())
        sections = {section.name: section for section in elf.sections}
        wanted = ("__llvm_prf_data", "__llvm_prf_names", "__llvm_covmap", "__llvm_covfun")
        if any(name not in sections for name in wanted):
            raise UnitError(f"{path}: not compiled with counters")
        starts = {s.name: s.value for s in elf.symbols if s.name.startswith("__start___llvm_prf_")}
        names = _names(_content(elf, sections["__llvm_prf_names"]))
        self._rows = _functions(_content(elf, sections["__llvm_prf_data"]), starts, names)
        self._files = _tables(_content(elf, sections["__llvm_covmap"]))
        self._data = _content(elf, sections["__llvm_covfun"])
        self._maps = self._found()
        self._of_counter: dict[int, tuple[int, int]] = {}
        for key, row in self._rows.items():
            for number in range(row.first, row.first + row.count):
                self._of_counter[number] = key

    def functions(self, counters: Sequence[int]) -> list[Map]:
        """Maps of the functions that some counters belong to, by symbol.

        Args:
            counters: Numbers of counters among all.
        """
        keys = {self._of_counter[n] for n in counters if n in self._of_counter}
        found = [self._read(self._rows[key], *self._maps[key]) for key in keys if key in self._maps]
        return sorted(found, key=lambda one: (one.symbol, one.counters))

    def _found(self) -> dict[tuple[int, int], tuple[int, int, int]]:
        """By name and body, where a function's map is, its size and the table of its files."""
        found: dict[tuple[int, int], tuple[int, int, int]] = {}
        at = 0
        while at + _FUNCTION.size <= len(self._data):
            name, size, body, files = _FUNCTION.unpack_from(self._data, at)
            at += _FUNCTION.size
            if (name, body) in self._rows:
                found.setdefault((name, body), (at, size, files))
            at += -(-(size + _FUNCTION.size) // 8) * 8 - _FUNCTION.size
        return found

    def _read(self, row: _Row, at: int, size: int, table: int) -> Map:
        stream = _Stream(self._data[at : at + size])
        every = self._files.get(table, ())
        files = tuple(every[stream.number()] for _ in range(stream.number()))
        pairs = tuple((stream.term(), stream.term()) for _ in range(stream.number()))
        parts: list[Mapped] = []
        conditions: list[Mapped] = []
        for file in range(len(files)):
            line = 0
            for _ in range(stream.number()):
                header = stream.number()
                kind, count, failed = _CODE, Term(_ZERO), None
                if header & 3:
                    count = Term(header & 3, header >> 2)
                elif header & 4:
                    kind = -1  # what a macro expands to has parts of its own
                else:
                    kind = header >> 3
                    if kind in (_BRANCH, _DECIDING_BRANCH):
                        count, failed = stream.term(), stream.term()
                    if kind == _DECIDING_BRANCH:
                        stream.skip(3)
                    elif kind == _DECISION:
                        stream.skip(2)
                line += stream.number()
                column, lines, last = stream.number(), stream.number(), stream.number()
                place = (line, column, line + lines, last & ~_GAP)
                if failed is not None:
                    conditions.append(Mapped(file, place, count, failed))
                elif kind == _CODE and not last & _GAP:
                    parts.append(Mapped(file, place, count))
        return Map(
            row.symbol, (row.first, row.count), files, pairs, tuple(parts), tuple(conditions)
        )


class _Stream:
    """Numbers in LEB128, one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def term(self) -> Term:
        encoded = self.number()
        return Term(encoded & 3, encoded >> 2)

    def skip(self, count: int) -> None:
        for _ in range(count):
            self.number()


def _names(data: bytes) -> dict[int, str]:
    """Symbols by the hash of the name that the compiler gave a function."""
    found = {}
    stream = _Stream(data)
    while stream.at < len(data):
        whole, packed = stream.number(), stream.number()
        size = packed or whole
        body = data[stream.at : stream.at + size]
        stream.at += size
        for name in (zlib.decompress(body) if packed else body).split(b"\1"):
            key = int.from_bytes(hashlib.md5(name, usedforsecurity=False).digest()[:8], "little")
            # Of a function that only its unit sees the name says which unit that is.
            found[key] = re.split(r"[;:]", name.decode(errors="replace"))[-1]
        while stream.at < len(data) and data[stream.at] == 0:
            stream.at += 1
    return found


def _file_names(table: bytes) -> tuple[str, ...]:
    """Paths of a unit's files; the first is the folder that the compiler ran in."""
    stream = _Stream(table)
    count, whole, packed = stream.number(), stream.number(), stream.number()
    body = table[stream.at : stream.at + (packed or whole)]
    inner = _Stream(zlib.decompress(body) if packed else body)
    names = []
    for _ in range(count):
        size = inner.number()
        names.append(inner.data[inner.at : inner.at + size].decode(errors="replace"))
        inner.at += size
    return tuple(names)


def _content(elf: Elf, section: Section) -> bytes:
    return elf.data[section.offset : section.offset + section.size]


def _functions(
    data: bytes, starts: dict[str, int], names: dict[int, str]
) -> dict[tuple[int, int], _Row]:
    """The instrumented functions by name and body, with their counters."""
    rows = {}
    base, counters = starts["__start___llvm_prf_data"], starts["__start___llvm_prf_cnts"]
    for number, row in enumerate(_DATA.iter_unpack(data)):
        name, body, relative, _bitmap, _function, _values, count, *_ = row
        address = base + number * _DATA.size + relative
        if name in names:
            rows[name, body] = _Row(names[name], (address - counters) // 8, count)
    return rows


def _tables(data: bytes) -> dict[int, tuple[str, ...]]:
    """Tables of files by the hash that the maps of their unit name them by."""
    at, found = 0, {}
    while at + _HEADER.size <= len(data):
        _records, size, _coverage, version = _HEADER.unpack_from(data, at)
        if not _OLDEST <= version <= _NEWEST:
            raise UnitError(f"a coverage map of version {version + 1} is not read")
        at += _HEADER.size
        table = data[at : at + size]
        key = int.from_bytes(hashlib.md5(table, usedforsecurity=False).digest()[:8], "little")
        found[key] = _file_names(table)
        at += -(-size // 8) * 8
    return found
