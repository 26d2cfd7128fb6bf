"""Which files of the tree a unit can include, and the key under which its index is stored.

The closure follows every ``#include`` as text and whatever the preprocessor conditions, so it is a
superset of what one compilation reads: a change in a file outside it cannot change the unit.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path

from extractor.source.tree import SourceTree
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

SCHEMA = "3"
"""Part of every key: raise it when the meaning of a record changes."""

_GAP = rb"(?:[ \t]|/\*[^\n]*?\*/)*"
_INCLUDE = re.compile(
    rb"^"
    + _GAP
    + rb"#"
    + _GAP
    + rb"include(?:_next)?"
    + _GAP
    + rb'(?:"([^"\n]+)"|<([^>\n]+)>|([A-Za-z_]\w*))',
    re.M,
)
_MACRO = "\0macro"
_FORCED = ("-include", "-imacros")
_INCLUDE_FLAGS = ("-I", "-isystem", "-idirafter", "-iquote")


class Closures:
    """Include closures over one tree; every file is read and hashed once.

    Args:
        tree: The library's source.
        toolchain: Part of every key.
        optional: Flags ``-DNAME...`` that some configurations have and others lack. They count only
            where a file of the closure mentions the macro, so that a unit which does not care is
            indexed once for all configurations.
    """

    def __init__(
        self, tree: SourceTree, toolchain: Toolchain, optional: Iterable[str] = ()
    ) -> None:
        self._roots: tuple[str, ...]
        self._roots = (os.path.normpath(tree.root) + "/", os.path.normpath(tree.generated) + "/")
        if tree.build is not None:
            self._roots += (os.path.normpath(tree.build) + "/",)
        self._content = tree.content_key
        self.identity = toolchain.identity
        self._machine = frozenset(toolchain.flags)
        folders = [(self._roots[0][:-1], "{tree}"), (self._roots[1][:-1], "{generated}")]
        folders += [(root[:-1], "{build}") for root in self._roots[2:]]
        folders += [(os.path.normpath(prefix), "{prefix}") for prefix in toolchain.prefixes]
        # Longest first: one of them may lie in another.
        self._names = sorted(folders, key=lambda pair: -len(pair[0]))
        self._optional = {flag: _macro(flag).encode() for flag in optional}
        self._mentions: dict[str, frozenset[str]] = {}
        self._data: dict[str, bytes] = {}
        self._native = native_identity()
        self._files: dict[str, tuple[str, tuple[tuple[str, bool], ...]] | None] = {}
        self._resolved: dict[tuple[str, str, bool, tuple[str, ...]], str | None] = {}
        self._closures: dict[tuple[str, tuple[str, ...]], frozenset[str]] = {}
        self.root = self._roots[0]

    def files_of(self, unit: Unit) -> frozenset[str]:
        """Absolute paths of the tree's files that the unit can include, itself among them."""
        folders = tuple(_folders(unit.arguments, self._roots))
        start = os.path.normpath(self.root + unit.path)
        forced = [
            os.path.normpath(name)
            for flag, name in zip(unit.arguments, unit.arguments[1:], strict=False)
            if flag in _FORCED
        ]
        found = self._reach(start, folders)
        for path in forced:
            if path.startswith(self._roots):
                found |= self._reach(path, folders)
        return found

    def files_of_text(self, text: str, unit: Unit) -> frozenset[str]:
        """Files that a text with include lines reaches under a unit's flags."""
        folders = tuple(_folders(unit.arguments, self._roots))
        found: set[str] = set()
        for match in _INCLUDE.finditer(text.encode()):
            if match[3]:
                continue
            name = (match[1] or match[2]).decode()
            target = self._resolve(self.root, name, match[1] is not None, folders)
            if target is not None:
                found |= self._reach(target, folders)
        return frozenset(found)

    def data_of(self, path: str) -> bytes:
        """Content of a file; empty when it cannot be read."""
        self._read(path)
        return self._data.get(path, b"")

    def hash_of(self, path: str) -> str:
        """Hash of a file's content; empty when it cannot be read."""
        entry = self._read(path)
        return entry[0] if entry else ""

    def relevant_arguments(self, unit: Unit) -> tuple[str, ...]:
        """A unit's flags without those optional ones that no file of its closure mentions."""
        if not self._optional or not self._optional.keys() & set(unit.arguments):
            return unit.arguments
        mentioned: set[str] = set()
        for path in self.files_of(unit):
            self._read(path)
            mentioned |= self._mentions.get(path, frozenset())
        return tuple(
            flag for flag in unit.arguments if flag not in self._optional or flag in mentioned
        )

    def key_of(self, unit: Unit) -> str:
        """Key of a unit's index: changes with its flags, tools or any file of its closure."""
        return self.content_key(unit, SCHEMA, self._native)

    def content_key(self, unit: Unit, *purpose: str) -> str:
        """Content key of whatever is made of a unit, told apart by purpose."""
        digest = hashlib.blake2b(digest_size=20)
        for part in (*purpose, self.identity, unit.path, unit.side):
            digest.update(part.encode() + b"\0")
        # The toolchain's identity stands for its own flags, whose paths differ between machines.
        own = [flag for flag in self.relevant_arguments(unit) if flag not in self._machine]
        for flag in own:
            digest.update(self._portable(flag).encode() + b"\0")
        for path in sorted(self.files_of(unit)):
            entry = self._read(path)
            if entry and any(name == _MACRO for name, _ in entry[1]):
                # `#include NAME` may mean any file of the tree.
                digest.update(self._content.encode())
            digest.update(f"{self._portable(path)}\0{entry[0] if entry else ''}\0".encode())
        return digest.hexdigest()

    def _portable(self, text: str) -> str:
        # The same tree in another folder has the same index.
        for folder, name in self._names:
            text = text.replace(folder, name)
        return text

    def _reach(self, start: str, folders: tuple[str, ...]) -> frozenset[str]:
        known = self._closures.get((start, folders))
        if known is not None:
            return known
        seen = {start}
        stack = [start]
        while stack:
            path = stack.pop()
            entry = self._read(path)
            for name, quoted in entry[1] if entry else ():
                target = self._resolve(path.rpartition("/")[0], name, quoted, folders)
                if target is not None and target not in seen:
                    seen.add(target)
                    stack.append(target)
        self._closures[start, folders] = result = frozenset(seen)
        return result

    def _resolve(
        self, folder: str, name: str, quoted: bool, folders: tuple[str, ...]
    ) -> str | None:
        key = (folder if quoted else "", name, quoted, folders)
        if key in self._resolved:
            return self._resolved[key]
        places = (folder, *folders) if quoted else folders
        found = None
        for place in places:
            candidate = os.path.normpath(f"{place}/{name}")
            if candidate.startswith(self._roots) and self._read(candidate) is not None:
                found = candidate
                break
        self._resolved[key] = found
        return found

    def _read(self, path: str) -> tuple[str, tuple[tuple[str, bool], ...]] | None:
        if path not in self._files:
            try:
                data = Path(path).read_bytes()
            except OSError:
                self._files[path] = None
            else:
                self._data[path] = data
                mentions = frozenset(f for f, macro in self._optional.items() if macro in data)
                if mentions:
                    self._mentions[path] = mentions
                names = tuple(
                    (
                        _MACRO if m[3] else (m[1] or m[2]).decode(errors="replace"),
                        m[1] is not None,
                    )
                    for m in _INCLUDE.finditer(data)
                )
                self._files[path] = (hashlib.blake2b(data, digest_size=16).hexdigest(), names)
        return self._files[path]


def _folders(arguments: Iterable[str], roots: tuple[str, ...]) -> list[str]:
    folders = []
    previous = ""
    for argument in arguments:
        for flag in _INCLUDE_FLAGS:
            if previous == flag:
                folders.append(argument)
            elif argument.startswith(flag) and argument != flag:
                folders.append(argument[len(flag) :])
                break
        previous = argument
    return [folder for folder in map(os.path.normpath, folders) if (folder + "/").startswith(roots)]


def _macro(flag: str) -> str:
    return flag.removeprefix("-D").partition("=")[0]


def native_identity() -> str:
    """Hash of the compiled part's sources: a changed indexer makes a new index."""
    digest = hashlib.blake2b(digest_size=16)
    for source in sorted(Path(__file__).with_name("native").iterdir()):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()
