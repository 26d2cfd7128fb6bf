"""Source files as raw lines: spans with their hashes, and the exact text they cover."""

from __future__ import annotations

import bisect
import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path

from extractor.records import Span


class SourceText:
    """Reads files of a tree, each once.

    Args:
        root: The tree's root; spans are relative to it.
        outside: ``(folder, prefix)`` pairs: a file below ``folder`` is called by the prefix and the
            rest, so that a record does not depend on where a machine keeps its headers.
    """

    def __init__(self, root: Path, outside: Sequence[tuple[Path, str]] = ()) -> None:
        self._root = root
        self._outside = [(f"{folder}/", name) for folder, name in outside]
        self._lines: dict[str, tuple[list[bytes], list[int]]] = {}

    def portable(self, file: str) -> str:
        """The name of a file in a record."""
        for folder, name in self._outside:
            if file.startswith(folder):
                return f"{name}{file[len(folder) :]}"
        return file

    def lines(self, file: str) -> list[bytes]:
        """Raw lines with their line ends; empty when the file cannot be read."""
        return self._load(file)[0]

    @functools.lru_cache(maxsize=500_000)  # noqa: B019 - lives as long as one run
    def span(self, file: str, start_line: int, end_line: int) -> Span:
        """A span of whole lines, from 1 and inclusive."""
        raw = b"".join(self.lines(file)[start_line - 1 : end_line])
        return Span(
            file=self.portable(file),
            start_line=start_line,
            end_line=end_line,
            sha256=hashlib.sha256(raw).hexdigest(),
        )

    def text(self, file: str, start_line: int, end_line: int) -> str:
        """The lines' text; bytes that are not UTF-8 become replacement characters."""
        raw = b"".join(self.lines(file)[start_line - 1 : end_line])
        return raw.decode("utf-8", errors="replace")

    def slice(self, file: str, begin: int, end: int) -> str:
        """The text between two byte offsets."""
        lines, starts = self._load(file)
        if not lines or end <= begin:
            return ""
        first = bisect.bisect_right(starts, begin) - 1
        last = bisect.bisect_left(starts, end)
        raw = b"".join(lines[first:last])
        offset = starts[first]
        return raw[begin - offset : end - offset].decode("utf-8", errors="replace")

    def _load(self, file: str) -> tuple[list[bytes], list[int]]:
        known = self._lines.get(file)
        if known is None:
            path = Path(file)
            try:
                data = (path if path.is_absolute() else self._root / path).read_bytes()
            except OSError:
                data = b""
            lines = data.splitlines(keepends=True) if b"\r" not in data else _by_newline(data)
            # splitlines() also splits at form feeds; clang does not.
            if b"\f" in data or b"\v" in data or b"\x1c" in data or b"\x85" in data:
                lines = _by_newline(data)
            starts, position = [], 0
            for line in lines:
                starts.append(position)
                position += len(line)
            known = self._lines[file] = (lines, starts)
        return known


def _by_newline(data: bytes) -> list[bytes]:
    parts = data.split(b"\n")
    lines = [part + b"\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines
