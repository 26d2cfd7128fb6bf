"""Kernels cut out of a library, as ``kernels seed`` leaves them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
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


def read_slices(folder: Path, source: Source) -> dict[str, KernelSlice]:
    """Slices of a project's output folder by the id of the kernel's definition.

    Those of another revision, and those that could not be cut, are left out.

    Args:
        folder: ``OUT/PROJECT``.
        source: The revision at hand.
    """
    found: dict[str, KernelSlice] = {}
    for record, text in _files(folder / "slices"):
        start = _FIRST_LINE.search(text)
        if record.source == source and start is not None:
            found[record.function] = KernelSlice(record, text[start.start() :].rstrip("\n"))
    return found


def _files(folder: Path) -> Iterator[tuple[SliceRecord, str]]:
    for path in sorted(folder.glob("*/slice.json")):
        try:
            record = SliceRecord.model_validate_json(path.read_bytes())
            text = (path.parent / "baseline.hip").read_text(encoding="utf-8", errors="replace")
        except (ValidationError, OSError):
            continue  # an older program's record, or a slice that is being written
        if record.sliced:
            yield record, text
