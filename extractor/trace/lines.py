"""Which lines launched, where several launch the same kernel: told by the place in the code.

A launch of the host side is one call at one place of the function around it. As many places as
the function has lines that launch a kernel are all of these lines.
"""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterable
from pathlib import Path

from extractor.check.names import base_name
from extractor.code_object.elf import STT_FUNC, Elf
from extractor.trace.sites import Sites

Place = tuple[str, str, int]
"""Function, kernel and how far into the function."""


class Functions:
    """Functions of a shared object, by address.

    Args:
        path: An ELF file of 64 bits; one without a table of symbols has none.
    """

    def __init__(self, path: Path) -> None:
        found = sorted(
            (symbol.value, symbol.size, symbol.name)
            for symbol in Elf(path.read_bytes()).symbols
            if symbol.type == STT_FUNC and symbol.value
        )
        self._starts = [start for start, _, _ in found]
        self._rows = found

    def at(self, offset: int) -> tuple[str, int] | None:
        """Symbol of the function around an offset, and how far into it that is."""
        number = bisect.bisect_right(self._starts, offset) - 1
        if number < 0:
            return None
        start, size, name = self._rows[number]
        return (name, offset - start) if offset <= start + size else None

    def places(self, launched: Iterable[tuple[str, int]]) -> set[Place]:
        """Places of launches by kernel and offset."""
        found = ((kernel, self.at(offset)) for kernel, offset in launched)
        return {(around[0], kernel, around[1]) for kernel, around in found if around is not None}


def surely_shown(
    sites: Sites, places: Iterable[Place], never: Collection[str] = ()
) -> tuple[set[str], list[str]]:
    """Sites that launched for sure, and functions that launched at more lines than they were to.

    Args:
        sites: Of the interface.
        places: Where its calls launched.
        never: Sites that no call is to show.
    """
    found: dict[tuple[str, str], set[int]] = {}
    for function, kernel, offset in places:
        found.setdefault((function, kernel), set()).add(offset)
    sure: set[str] = set()
    wrong = []
    for pair, offsets in sorted(found.items()):
        lines = sites.lines.get(pair, frozenset())
        left = lines.difference(never)
        if len(offsets) >= len(left):
            sure |= left
        if len(offsets) > len(left) and left != lines:
            wrong.append(f"{base_name(pair[0])}: {sorted(lines.intersection(never))[0]}")
    return sure, wrong
