"""Kernels cut out of a library, as ``kernels seed`` leaves them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from extractor.records import Source
from extractor.slice_record import SliceRecord

_FIRST_LINE = re.compile(r"^#include\b", re.M)


@dataclass(frozen=True)
class KernelSlice:
    """One kernel instantiation as a file of its own.

    Attributes:
        record: What it was cut from and what was proved of it.
        code: The file without the licence and the provenance on top.
    """

    record: SliceRecord
    code: str

    @property
    def architectures(self) -> tuple[str, ...]:
        """Architectures that it compiles for."""
        return tuple(arch for arch, fine in sorted(self.record.compiled.items()) if fine)


@dataclass
class Slices:
    """Slices of a project's output folder.

    Attributes:
        found: By the id of the kernel's definition.
        other: How many are of another revision.
        unreadable: How many records an older program wrote, or somebody is writing.
    """

    found: dict[str, KernelSlice] = field(default_factory=dict)
    other: int = 0
    unreadable: int = 0


def read_slices(folder: Path, source: Source) -> Slices:
    """Reads what ``kernels seed`` left; kernels that could not be cut have no slice.

    Args:
        folder: ``OUT/PROJECT``.
        source: The revision at hand.
    """
    slices = Slices()
    for path in sorted((folder / "slices").glob("*/slice.json")):
        try:
            record = SliceRecord.model_validate_json(path.read_bytes())
            if not record.sliced:
                continue
            text = (path.parent / "baseline.hip").read_text(encoding="utf-8", errors="replace")
        except (ValidationError, OSError):
            slices.unreadable += 1
            continue
        start = _FIRST_LINE.search(text)
        if record.source != source:
            slices.other += 1
        elif start is not None:
            code = text[start.start() :].rstrip("\n")
            slices.found[record.function] = KernelSlice(record, code)
    return slices
