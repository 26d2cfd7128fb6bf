"""Static LDS as the syntax tree has it against that of code objects.

A fact counts the bytes that a kernel declares. A code object may have more, where arrays are put
at multiples of their alignment, and less, where the optimiser found that nothing needs one. What is
less is therefore held against the same kernel compiled without optimisation, too.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from extractor.code_object.selected import for_machine, run_compiler, write_subset
from extractor.toolchain.model import Toolchain

MOST_PADDING = 15
"""Bytes before or behind an array: the compiler aligns none of them to more than 16."""

_KERNEL = re.compile(
    r"\.amdhsa_kernel\s+(\S+)\s+(?:\.\S.*\s+)*?\.amdhsa_group_segment_fixed_size\s+(\d+)"
)

Unoptimised = Callable[[str, str], int | None]
"""Static LDS of a symbol on an architecture, compiled without optimisation."""


def compared(rows: Iterable[Mapping[str, Any]], unoptimised: Unoptimised) -> dict[str, Any]:
    """Holds ``lds_bytes`` against ``code_object_lds_bytes``, instantiation by instantiation.

    Args:
        rows: Facts, among them those of these two kinds and ``lds_array``.
        unoptimised: Asked where a code object has less than is declared.

    Returns:
        How many are ``confirmed`` and ``contradicted``; among the confirmed those that are
        ``padded`` and ``dropped``, one line each; ``not_judged`` by reason.
    """
    stated: dict[tuple[str, str | None, str | None], int] = {}
    arrays: dict[str, set[str]] = {}
    compiled: dict[tuple[str, str, str], int] = {}
    for row in rows:
        key = (row["function"], row["instantiation"], row["arch"])
        if row["fact"] == "lds_array":
            arrays.setdefault(row["function"], set()).add(row["subject"])
        elif row["value"] is None:
            continue
        elif row["fact"] == "lds_bytes":
            stated[key] = row["value"]
        elif row["fact"] == "code_object_lds_bytes":
            compiled[key] = row["value"]
    lines: dict[str, list[str]] = {"contradictions": [], "padded": [], "dropped": []}
    found: dict[str, Any] = {"confirmed": 0, "contradicted": 0, **lines}
    open_ends: Counter[str] = Counter()
    for (function, symbol, arch), size in sorted(compiled.items()):
        speaks = _of(stated, function, symbol, arch)
        if speaks is None:
            open_ends["no fact of this instantiation"] += 1
            continue
        known = stated[speaks]
        count = len(arrays.get(function, ()))
        kind = _kind(known, size, count, partial(unoptimised, symbol, arch))
        found["contradicted" if kind == "contradictions" else "confirmed"] += 1
        if kind:
            found[kind].append(f"{symbol} {arch}: {known} declared, {size} compiled")
    return {**found, "not_judged": dict(open_ends)}


def _of(
    stated: Mapping[tuple[str, str | None, str | None], int], function: str, symbol: str, arch: str
) -> tuple[str, str | None, str | None] | None:
    """The fact that speaks of an instantiation on an architecture."""
    for own in (symbol, None):
        for limited in (arch, None):
            if (function, own, limited) in stated:
                return function, own, limited
    return None


def _kind(stated: int, compiled: int, arrays: int, unoptimised: Callable[[], int | None]) -> str:
    """What tells two sizes apart: nothing, padding, what the optimiser dropped, or a wrong fact."""

    def fits(size: int) -> bool:
        return stated <= size <= stated + MOST_PADDING * max(1, arrays)

    if stated == compiled:
        return ""
    if fits(compiled):
        return "padded"
    whole = unoptimised() if compiled < stated else None
    return "dropped" if whole is not None and fits(whole) else "contradictions"


def unoptimised_bytes(
    tools: Toolchain, source: Path, arguments: Sequence[str], architecture: str, symbol: str
) -> int | None:
    """Static LDS of a kernel that the optimiser has not seen.

    Args:
        tools: The compiler.
        source: The unit.
        arguments: Its flags for the device pass; the architecture among them is replaced.
        architecture: For instance ``gfx942``.
        symbol: Mangled name of the kernel.

    Returns:
        The bytes; ``None`` where the unit does not define the kernel.

    Raises:
        UnitError: The unit does not compile.
    """
    with tempfile.TemporaryDirectory(prefix="rocquarry-lds-") as work:
        part, code = Path(work) / "part.ll", Path(work) / "part.s"
        # Not -O0, which would mark functions as those that no pass may inline.
        if not write_subset(tools, source, arguments, architecture, [symbol], part, "-O1"):
            return None
        last = ("-x", "ir", "-O0", "-w", "-S", str(part), "-o", str(code))
        run_compiler([*for_machine(tools, architecture), *last], source.name)
        return lds_of(code.read_text(encoding="utf-8")).get(symbol)


def lds_of(assembler: str) -> dict[str, int]:
    """Static LDS of each kernel of an assembler text."""
    return {name: int(size) for name, size in _KERNEL.findall(assembler)}
