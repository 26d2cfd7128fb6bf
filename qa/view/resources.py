"""What kernels need on each architecture, from ``facts.jsonl``, for the page to show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson

from extractor.errors import UserError

SHOWN = (
    "vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "scratch_bytes",
    "code_object_lds_bytes", "occupancy",
)  # fmt: skip
"""Facts that are shown, in this order."""

_Ranges = dict[str, dict[str, list[float]]]


def read(paths: Sequence[Path]) -> dict[str, list[list[object]]]:
    """Resources by plain name of a kernel.

    Returns:
        Rows ``[architecture, fact, smallest, largest]`` over all instantiations of a kernel.

    Raises:
        UserError: A file cannot be read, or is no file of facts.
    """
    found: dict[str, _Ranges] = {}
    for path in paths:
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
        for number, line in enumerate(lines, 1):
            try:
                fact = orjson.loads(line)
                name, value = fact["fact"], fact["value"]
                kernel = fact["function"].rpartition(":")[2]
                arch = fact["arch"] or "any"
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise UserError(f"{path}:{number} is no fact; name a facts.jsonl") from error
            if name in SHOWN and isinstance(value, int | float):
                place = found.setdefault(kernel, {}).setdefault(arch, {})
                low, high = place.get(name, [value, value])
                place[name] = [min(low, value), max(high, value)]
    return {
        kernel: [
            [arch, name, *archs[arch][name]]
            for arch in sorted(archs)
            for name in SHOWN
            if name in archs[arch]
        ]
        for kernel, archs in sorted(found.items())
    }
