"""One unit, parsed for the device: its declarations in order, its macros, its includes."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from extractor.errors import UnitError
from extractor.units import Unit
from kernels.slice.skipped import skipped_ranges

PROBE = "rocquarry_probe_"
_DETAILED_PREPROCESSING = 1
_CONTAINERS = ("NAMESPACE", "LINKAGE_SPEC")


@dataclass
class Declaration:
    """What stands at namespace scope between two semicolons or braces, as one range of text.

    A macro that expands to several declarations is one range; ``int a, b;`` is one as well.

    Attributes:
        number: Place in the unit: smaller comes first.
        file: Absolute path.
        begin: Byte offset of its first character.
        end: Byte offset behind its last one.
        scope: Namespaces around it, as they are opened: ``namespace a``, ``extern "C"``.
        cursors: What it declares.
    """

    number: int
    file: str
    begin: int
    end: int
    scope: tuple[str, ...]
    cursors: list[Any] = field(default_factory=list)

    @property
    def names(self) -> set[str]:
        """Names it declares."""
        return {cursor.spelling for cursor in self.cursors}

    def kinds(self) -> set[str]:
        """Kinds of its cursors."""
        return {cursor.kind.name for cursor in self.cursors}


@dataclass(frozen=True)
class Macro:
    """One definition of a macro.

    Attributes:
        name: Its name.
        file: Absolute path; empty for one of the command line or the compiler.
        begin: Byte offset of the name.
        end: Byte offset behind its last token.
        number: Which definition of the unit it is.
    """

    name: str
    file: str
    begin: int
    end: int
    number: int


class ParsedUnit:
    """A unit as libclang sees it in the device pass.

    Args:
        unit: The unit.
        root: Root of its tree.
        own: Folders whose files a slice must hold itself; everything else it may include.
        public: Folders below them that it may include all the same: HIP's headers.
        probes: Expressions whose value is the address of a kernel; each is found by its number.

    Raises:
        UnitError: It does not parse; the message quotes the first error.
    """

    def __init__(
        self,
        unit: Unit,
        root: Path,
        own: Sequence[Path],
        public: Sequence[Path],
        probes: Sequence[str] = (),
    ) -> None:
        from clang import cindex

        cindex.Config.libcxx_dir = None
        self.unit, self.path = unit, str(root / unit.path)
        self._own = tuple(f"{folder}/" for folder in own)
        self._public = tuple(f"{folder}/" for folder in public)
        data = Path(self.path).read_bytes()
        self._own_size = len(data)
        # One variable a line, behind the unit's own text.
        lines = [
            f"[[maybe_unused]] static const auto {PROBE}{number} = {text};"
            for number, text in enumerate(probes)
        ]
        text = data.decode("utf-8", errors="surrogateescape") + "\n" + "\n".join(lines) + "\n"
        index = cindex.Index.create()
        try:
            self.tree = index.parse(
                self.path,
                args=list(unit.arguments),
                unsaved_files=[(self.path, text)],
                options=_DETAILED_PREPROCESSING,
            )
        except cindex.TranslationUnitLoadError as error:
            raise UnitError(f"{unit.path}: cannot be parsed") from error
        self.errors = [
            f"{one.location.file}:{one.location.line}: {one.spelling}"
            for one in self.tree.diagnostics
            if one.severity >= cindex.Diagnostic.Error
        ]
        self._texts: dict[str, bytes] = {self.path: data}
        self.declarations: list[Declaration] = []
        self.macros: dict[str, list[Macro]] = {}
        self.uses: dict[str, list[tuple[int, Macro]]] = {}
        self.probes: dict[int, Any] = {}
        self.includes: dict[str, list[str]] = {}
        self.offered: dict[str, str] = {}
        self._starts: dict[tuple[str, int], Declaration] = {}
        self._read()

    def text(self, file: str) -> bytes:
        """Raw bytes of a file."""
        known = self._texts.get(file)
        if known is None:
            known = self._texts[file] = Path(file).read_bytes()
        return known

    def is_system(self, file: str) -> bool:
        """Whether a slice may include this file instead of holding its text."""
        return not file.startswith(self._own) or file.startswith(self._public)

    def at(self, file: str, offset: int) -> Declaration | None:
        """The declaration around a place."""
        rows = self._by_file.get(file)
        if not rows:
            return None
        place = bisect.bisect_right(rows, offset, key=lambda one: one.begin) - 1
        # A namespace's members are never nested in one another.
        if place >= 0 and offset < rows[place].end:
            return rows[place]
        return None

    def used_macros(self, file: str, begin: int, end: int) -> Iterator[Macro]:
        """Macros expanded or asked for in a range of text."""
        rows = self.uses.get(file, [])
        for offset, macro in rows[bisect.bisect_left(rows, begin, key=lambda one: one[0]) :]:
            if offset >= end:
                return
            yield macro

    def macro(self, name: str) -> Macro | None:
        """The last definition of a macro."""
        rows = self.macros.get(name)
        return rows[-1] if rows else None

    def named(self, name: str) -> list[Declaration]:
        """Declarations of a plain name, in any namespace."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Declaration]]:
        found: dict[str, list[Declaration]] = {}
        for one in self.declarations:
            for name in one.names:
                found.setdefault(name, []).append(one)
        return found

    @cached_property
    def _by_file(self) -> dict[str, list[Declaration]]:
        found: dict[str, list[Declaration]] = {}
        for one in self.declarations:
            found.setdefault(one.file, []).append(one)
        for rows in found.values():
            rows.sort(key=lambda one: one.begin)
        return found

    def skipped(self, file: str) -> list[tuple[int, int]]:
        """Byte ranges of a file that conditional compilation leaves out."""
        return skipped_ranges(self.tree, file)

    def _include(self, cursor: Any) -> None:
        included = cursor.get_included_file()
        place = cursor.location.file
        if included is None or place is None:
            return
        self.includes.setdefault(place.name, []).append(included.name)
        if not self.is_system(place.name) and self.is_system(included.name):
            self.offered.setdefault(included.name, cursor.spelling)

    def _read(self) -> None:
        pending: list[tuple[str, int, Any]] = []
        known: dict[tuple[str, int], Macro] = {}
        for cursor in self.tree.cursor.get_children():
            kind = cursor.kind.name
            if kind == "MACRO_DEFINITION":
                start = cursor.extent.start
                file = start.file.name if start.file else ""
                rows = self.macros.setdefault(cursor.spelling, [])
                macro = Macro(cursor.spelling, file, start.offset, cursor.extent.end.offset,
                              len(known))  # fmt: skip
                rows.append(macro)
                known[(file, start.offset)] = macro
            elif kind == "MACRO_INSTANTIATION":
                start = cursor.extent.start
                if start.file is not None and not self.is_system(start.file.name):
                    pending.append((start.file.name, start.offset, cursor))
            elif kind == "INCLUSION_DIRECTIVE":
                self._include(cursor)
            else:
                self._add(cursor, ())
        for file, offset, cursor in pending:
            target = cursor.referenced
            if target is None:
                continue
            start = target.extent.start
            used = known.get((start.file.name if start.file else "", start.offset))
            if used is not None:
                self.uses.setdefault(file, []).append((offset, used))
        for uses in self.uses.values():
            uses.sort(key=lambda row: row[0])

    def _add(self, cursor: Any, scope: tuple[str, ...]) -> None:
        start = cursor.extent.start
        if start.file is None:
            return
        file = start.file.name
        if self.is_system(file):
            return
        kind = cursor.kind.name
        if kind in _CONTAINERS:
            if kind == "NAMESPACE":
                inline = "inline " if _is_inline(cursor) else ""
                opened = f"{inline}namespace {cursor.spelling}".rstrip()
                # An unnamed namespace has a spelling of its own in some versions.
                if "(" in opened or not cursor.spelling:
                    opened = f"{inline}namespace"
            else:
                opened = 'extern "C"'
            for child in cursor.get_children():
                if child.kind.is_declaration():
                    self._add(child, (*scope, opened))
            return
        begin, end = start.offset, cursor.extent.end.offset
        if file == self.path and begin >= self._own_size:
            if cursor.spelling.startswith(PROBE):
                self.probes[int(cursor.spelling[len(PROBE) :])] = cursor
            return
        if cursor.extent.end.file is None or cursor.extent.end.file.name != file:
            return
        known = self._starts.get((file, begin))
        if known is not None:
            # An instantiation of a variable template stands where its template does.
            known.cursors.append(cursor)
            known.end = max(known.end, end)
            return
        last = self.declarations[-1] if self.declarations else None
        if last is not None and last.file == file and begin < last.end and last.begin < end:
            # `typedef struct { … } name;` begins before the structure that was seen first.
            last.cursors.append(cursor)
            last.begin, last.end = min(last.begin, begin), max(last.end, end)
            return
        one = Declaration(len(self.declarations), file, begin, end, scope, [cursor])
        self._starts[file, begin] = one
        self.declarations.append(one)


def _is_inline(namespace: Any) -> bool:
    """Whether a namespace is an inline one, even where a macro opens it."""
    from clang import cindex

    return bool(cindex.conf.lib.clang_Cursor_isInlineNamespace(namespace))


def overloads(name: Any) -> list[Any]:
    """The functions that a name may stand for, by the cursor of the name."""
    from clang import cindex

    library = cindex.conf.lib
    count = library.clang_getNumOverloadedDecls(name)
    found = [library.clang_getOverloadedDecl(name, number) for number in range(count)]
    return [one for one in found if one is not None]
