"""The precision that an entry point's name states: ``rocblas_dgemv`` is ``d``.

BLAS and LAPACK put one letter for each type in front of the routine's stem, or two where input and
result differ (``scasum``); rocBLAS has three-letter groups for its mixed half precisions.
"""

from __future__ import annotations

import re

ORDER = ("h", "bf", "s", "d", "c", "z")
"""Precision letters in the order in which a person expects them; mixed ones follow."""

_LETTERS = "hsh|hss|tss|tst|cs|zd|sc|dz|bf|[hsdcz]"


def precision_of(entry: str, interface: str) -> str:
    """Returns the precision letters of an entry point, or an empty string.

    Args:
        entry: Name of the exported function.
        interface: Family name; a twin such as ``syevd_heevd`` or ``org*_ung*`` names both halves.
    """
    name = entry.partition("_")[2] or entry
    for half in [interface, *interface.split("_")]:
        stem = re.escape(half).replace(r"\*", "[a-z0-9]*")
        index = "i" if half.startswith("i") and len(half) > 1 else ""
        stem = stem[1:] if index else stem
        match = re.match(rf"{index}({_LETTERS})(?={stem})", name)
        if match:
            return match.group(1)
    return ""


def precision_rank(letters: str) -> tuple[int, str]:
    """Sort key: half, single, double, complex, double complex, then mixed, then none."""
    if not letters:
        return (len(ORDER) + 1, "")
    return (ORDER.index(letters) if letters in ORDER else len(ORDER), letters)
