"""Reads 64-bit little-endian ELF files: sections, symbols, relocations and notes.

Enough for relocatable objects of this machine and for AMDGPU code objects (System V gABI,
chapter 4; "Code Object V5 Metadata" in LLVM's AMDGPU usage guide).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from extractor.errors import UnitError

SHT_SYMTAB, SHT_RELA, SHT_NOTE = 2, 4, 7
STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION, STT_TLS = 0, 1, 2, 3, 6
STB_LOCAL = 0
SHN_UNDEF = 0


@dataclass(frozen=True)
class Section:
    """One section. ``link`` and ``info`` are indices whose meaning depends on the type."""

    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int


@dataclass(frozen=True)
class Symbol:
    """One symbol of the symbol table. ``section`` is 0 where it is not defined here; it is no
    index where it has one of the reserved values, as for absolute symbols."""

    name: str
    type: int
    binding: int
    section: int
    value: int
    size: int

    @property
    def defined(self) -> bool:
        """Whether this file defines it."""
        return self.section != SHN_UNDEF


class Elf:
    """One ELF file in memory.

    Args:
        data: The whole file.

    Raises:
        UnitError: It is not a 64-bit little-endian ELF file.
    """

    def __init__(self, data: bytes) -> None:
        if data[:6] != b"\x7fELF\x02\x01":
            raise UnitError("not a 64-bit little-endian ELF file")
        self.data = data

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Every section, in the file's order."""
        (offset,) = struct.unpack_from("<Q", self.data, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.data, 0x3A)
        raw = [
            struct.unpack_from("<IIQQQQIIQQ", self.data, offset + i * size) for i in range(count)
        ]
        if not raw:
            return ()
        start = raw[names][4]
        return tuple(
            Section(self._text(start + name), kind, flags, where, length, link, info)
            for name, kind, flags, _, where, length, link, info, _, _ in raw
        )

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Every symbol of the full symbol table, index for index."""
        table = next((s for s in self.sections if s.type == SHT_SYMTAB), None)
        if table is None:
            return ()
        names = self.sections[table.link].offset
        entries = struct.iter_unpack("<IBBHQQ", self.data[table.offset : table.offset + table.size])
        return tuple(
            Symbol(
                self._text(names + name),
                info & 15,
                info >> 4,
                section,
                value,
                size,
            )
            for name, info, _, section, value, size in entries
        )

    def references(self) -> Iterator[tuple[int, Symbol]]:
        """Every relocation, as the section it is in and the symbol it is to."""
        for section in self.sections:
            if section.type != SHT_RELA:
                continue
            body = self.data[section.offset : section.offset + section.size]
            for _, info, _ in struct.iter_unpack("<QQq", body):
                yield section.info, self.symbols[info >> 32]

    def notes(self) -> Iterator[tuple[str, int, bytes]]:
        """Every note, as its owner, type and content."""
        for section in self.sections:
            if section.type != SHT_NOTE:
                continue
            at, end = section.offset, section.offset + section.size
            while at + 12 <= end:
                name_size, size, kind = struct.unpack_from("<III", self.data, at)
                at += 12
                name = self.data[at : at + name_size].rstrip(b"\0").decode(errors="replace")
                at += -(-name_size // 4) * 4
                yield name, kind, self.data[at : at + size]
                at += -(-size // 4) * 4

    def _text(self, at: int) -> str:
        return self.data[at : self.data.index(b"\0", at)].decode(errors="replace")
