"""The precision that an entry point's name states: ``rocblas_dgemv`` is ``d``.

BLAS and LAPACK put one letter for each type in front of the routine's stem, or two where input and
result differ (``scasum``); rocBLAS has three-letter groups for its mixed half precisions. Which
part of a name is the stem is told by the other names: ``gemv`` stands behind several letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

ORDER = ("h", "bf", "s", "d", "c", "z")
"""Precision letters in the order in which a person expects them; mixed ones follow."""

_LETTERS = ("hsh", "hss", "tss", "tst", "cs", "zd", "sc", "dz", "bf", "h", "s", "d", "c", "z")
_SUFFIX = re.compile(r"(?:_(?:64|batched|strided|interleaved|ptr|ex3?|info32|npvt|outofplace))+$")


def precisions_of(entries: Iterable[str], interface: str) -> dict[str, str]:
    """Reads the precision letters out of the names of an interface's entry points.

    Args:
        entries: Names of exported functions.
        interface: Family name; a twin such as ``syevd_heevd`` or ``org*_ung*`` names both halves.

    Returns:
        For each entry point its letters, or an empty string where the name states none.
    """
    names = {entry: _SUFFIX.sub("", entry.partition("_")[2] or entry) for entry in entries}
    splits = {entry: _splits(name) for entry, name in names.items()}
    letters_of: dict[str, set[str]] = {}
    for found in splits.values():
        for letters, stem in found:
            letters_of.setdefault(stem, set()).add(letters)
    halves = [half for half in [interface, *interface.split("_")] if half]
    stems = re.compile("|".join(re.escape(half).replace(r"\*", "[a-z0-9]*") for half in halves))

    def weight(split: tuple[str, str]) -> tuple[bool, int, int]:
        letters, stem = split
        return (bool(stems.fullmatch(stem)), len(letters_of[stem]), -len(letters))

    answer: dict[str, str] = {}
    for entry, found in splits.items():
        best = max(found, key=weight, default=("", ""))
        is_stem = bool(best[0]) and bool(stems.fullmatch(best[1]))
        shared = bool(best[0]) and len(letters_of[best[1]]) > 1
        answer[entry] = best[0] if is_stem or shared else ""
    return answer


def _splits(name: str) -> list[tuple[str, str]]:
    """Every way to read a name as letters and stem; ``isamax`` has its index in front."""
    found = [(letters, name[len(letters) :]) for letters in _LETTERS if name.startswith(letters)]
    if name.startswith("i"):
        found += [(letters, f"i{stem}") for letters, stem in _splits(name[1:])]
    return [(letters, stem) for letters, stem in found if len(stem) > 1]


def precision_rank(letters: str) -> tuple[int, str]:
    """Sort key: half, single, double, complex, double complex, then mixed, then none."""
    if not letters:
        return (len(ORDER) + 1, "")
    return (ORDER.index(letters) if letters in ORDER else len(ORDER), letters)
