"""Which functions a tree writes differently for one architecture than for another.

A line depends on the architecture where it stands between directives whose condition names an
architecture's macro (``__gfx90a__``), or a macro that is defined on such lines, and where it names
one itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

_DIRECTIVE = re.compile(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif|define)\b\s*(\w*)")
_SUFFIXES = (".h", ".hpp", ".hip", ".cpp", ".cu", ".cuh", ".inl", ".inc")


class DependentLines:
    """Lines of a tree that are not the same for all of some architectures.

    Args:
        root: The tree.
        files: Its files, relative to it.
        architectures: Such as ``gfx90a``.
    """

    def __init__(self, root: Path, files: Iterable[str], architectures: Sequence[str]) -> None:
        self._macros = {f"__{name}__" for name in architectures}
        self._lines: dict[str, frozenset[int]] = {}
        texts: dict[str, str] = {}
        for name in files:
            if name.endswith(_SUFFIXES):
                texts[name] = (root / name).read_text(encoding="utf-8", errors="replace")
        known = 0
        while known != len(self._macros):
            # What depends on the architecture may define macros that other lines name.
            known = len(self._macros)
            pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(self._macros)))})\b")
            for name, text in texts.items():
                if pattern.search(text):
                    self._lines[name] = self._dependent(text.splitlines(), pattern)

    def _dependent(self, lines: Sequence[str], pattern: re.Pattern[str]) -> frozenset[int]:
        found = set()
        around: list[bool] = []
        for number, line in enumerate(lines, start=1):
            directive = _DIRECTIVE.match(line)
            word = directive[1] if directive else ""
            named = pattern.search(line) is not None
            if word in ("if", "ifdef", "ifndef"):
                around.append(named)
            elif word == "elif" and around:
                around[-1] = around[-1] or named
            if named or any(around):
                found.add(number)
                if directive and word == "define":
                    self._macros.add(directive[2])
            if word == "endif" and around:
                around.pop()
        return frozenset(found)

    def touch(self, file: str, first: int, last: int) -> bool:
        """Whether one of some lines, counted from 1 and inclusive, is among them."""
        return not self._lines.get(file, frozenset()).isdisjoint(range(first, last + 1))


def told_apart(found: dict[str, dict[str, list[Any]]]) -> dict[str, list[Any]]:
    """One list of findings for each function, from those that each architecture has.

    Args:
        found: By architecture, then by symbol.

    Returns:
        By symbol what is found; what only some architectures have names its own, once for each.
    """
    if len(found) == 1:
        return next(iter(found.values()))
    symbols = {symbol for by_symbol in found.values() for symbol in by_symbol}
    result: dict[str, list[Any]] = {}
    for symbol in sorted(symbols):
        of = {name: by_symbol.get(symbol, []) for name, by_symbol in found.items()}
        first, *others = of.values()
        common = [one for one in first if all(one in other for other in others)]
        rows = list(common)
        for name, findings in of.items():
            rows += [{**one, "arch": name} for one in findings if one not in common]
        result[symbol] = rows
    return result
