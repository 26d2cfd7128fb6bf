"""Where slices lie: ``OUT/PROJECT/slices/NAME/{slice.json, baseline.hip}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from extractor.errors import UserError
from extractor.output import write
from extractor.slice_record import SliceRecord

RECORD, BASELINE, FOLDER = "slice.json", "baseline.hip", "slices"


def slices_folder(out: Path, project: str) -> Path:
    """Folder of a project's slices."""
    return out / project / FOLDER


def save_slice(folder: Path, record: SliceRecord, text: str) -> None:
    """Writes a slice; a kernel without one leaves its record, which says why.

    Raises:
        UserError: The folder cannot be written.
    """
    if record.sliced:
        write(folder / BASELINE, text.encode("utf-8", errors="replace"))
    else:
        (folder / BASELINE).unlink(missing_ok=True)
    write(folder / RECORD, record.model_dump_json(by_alias=True, indent=1).encode() + b"\n")


def load_slices(folder: Path) -> Iterator[tuple[Path, SliceRecord]]:
    """Every slice of a folder, by name.

    Raises:
        UserError: A record is damaged.
    """
    for path in sorted(folder.glob(f"*/{RECORD}")):
        try:
            yield path.parent, SliceRecord.model_validate_json(path.read_bytes())
        except ValidationError as error:
            raise UserError(f"{path}: {error.errors()[0]['msg']}; delete it and seed again") from (
                error
            )
