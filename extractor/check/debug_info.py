"""Debug metadata of an IR text: from a number to a file and a line."""

from __future__ import annotations

import os.path
import re
from functools import lru_cache

_NODE = re.compile(rb"^!(\d+) = (?:distinct )?!DI(\w+)\(")
_FILE = re.compile(rb'filename: "([^"]*)", directory: "([^"]*)"')
_SCOPE = re.compile(rb"\bscope: !(\d+)")
_IN_FILE = re.compile(rb"\bfile: !(\d+)")
_LINE = re.compile(rb"\bline: (\d+)")
_SCOPES = {b"Subprogram", b"LexicalBlock", b"LexicalBlockFile", b"Namespace", b"CommonBlock"}


class DebugInfo:
    """Files, scopes and the locations that are asked for."""

    def __init__(self) -> None:
        self._files: dict[int, str] = {}
        self._scope_file: dict[int, int] = {}
        self._scope_line: dict[int, int] = {}
        self._artificial: set[int] = set()
        self._locations: dict[int, tuple[int, int]] = {}

    def read(self, line: bytes, wanted: set[int]) -> None:
        """Take in one metadata line; locations only when wanted, for most stand on no call."""
        found = _NODE.match(line)
        if found is None:
            return
        number, kind = int(found[1]), found[2]
        if kind == b"Location":
            if number in wanted:
                scope, at = _SCOPE.search(line), _LINE.search(line)
                self._locations[number] = (int(scope[1]) if scope else -1, int(at[1]) if at else 0)
        elif kind == b"File":
            file = _FILE.search(line)
            if file is not None:
                name, folder = file[1].decode(), file[2].decode()
                self._files[number] = self.normal(os.path.join(folder, name))  # noqa: PTH118
        elif kind in _SCOPES:
            file, at = _IN_FILE.search(line), _LINE.search(line)
            if file is not None:
                self._scope_file[number] = int(file[1])
            self._scope_line[number] = int(at[1]) if at else 0
            if b"DIFlagArtificial" in line:
                self._artificial.add(number)

    def location(self, number: int) -> tuple[str, int]:
        """File and line of a location, or ``("", 0)``.

        A scope names its own file where it differs from its function's (a body partly included),
        so the location's own scope is enough. Without optimisation nothing is inlined.
        """
        scope, line = self._locations.get(number, (-1, 0))
        return (self._file(scope), line) if line else ("", 0)

    def function(self, number: int) -> tuple[str, int, bool]:
        """File and line of a function's definition, and whether the compiler made it up."""
        return (
            self._file(number),
            self._scope_line.get(number, 0),
            number in self._artificial,
        )

    def _file(self, scope: int) -> str:
        return self._files.get(self._scope_file.get(scope, -1), "")

    @staticmethod
    @lru_cache(maxsize=10_000)
    def normal(path: str) -> str:
        """One spelling of a path: ``a/../b`` is ``b``."""
        return os.path.normpath(path)
