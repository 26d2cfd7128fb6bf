"""``extract PROJECT --diff OLD NEW``: what appeared, vanished and changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractor.difference import Difference, compare, take_inventory
from extractor.difference.page import to_html
from extractor.difference.sides import Request, open_side
from extractor.errors import UserError
from extractor.output import to_json, write

_SHOWN = 12


def run(
    sides: tuple[str, str], request: Request, project: str, out: Path
) -> tuple[Difference, list[Path], list[str]]:
    """Compares two sides and writes the difference.

    Returns:
        The difference, the files written, and what a person should know.

    Raises:
        UserError: A side cannot be opened, or has nothing of what was asked for.
    """
    opened = [open_side(name, request) for name in sides]
    notes = []
    for name, side in zip(sides, opened, strict=True):
        notes += [f"{name}: {told}" for _, told in side.lacks]
    if not any(side.files for side in opened):
        raise UserError("neither side has it: " + "; ".join(dict.fromkeys(notes)))
    old, new = (take_inventory(s.files, s.configs, s.conditions) for s in opened)
    difference = compare(project, old, new, sides)
    folder = out / project / f"diff-{_plain(sides[0])}-{_plain(sides[1])}"
    data = difference.model_dump(mode="json", by_alias=True)
    files = [
        write(folder / "difference.json", to_json(data)),
        write(folder / "difference.html", to_html(difference).encode("utf-8", "replace")),
    ]
    return difference, files, notes


def complete(difference: Difference) -> bool:
    """Every unit of both sides parsed."""
    return not difference.old.failed_units and not difference.new.failed_units


def summary(difference: Difference, files: Sequence[Path], notes: Sequence[str]) -> dict[str, Any]:
    """Plain data for ``--json``: everything but the changes, which are in the file."""
    data = difference.model_dump(mode="json", by_alias=True, exclude={"changes"})
    return {**data, "notes": list(notes), "files": [str(file) for file in files]}


def show(difference: Difference, files: Sequence[Path], notes: Sequence[str]) -> None:
    """Prints both sides, the counts, and the first changes of each kind."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    old, new = difference.old, difference.new
    console.print(f"[bold]{escape(f'{difference.project}  {old.label} -> {new.label}')}[/bold]")
    sides = Table(box=None)
    for title in ("", "old", "new"):
        sides.add_column(title, justify="left" if not title else "right")
    for name in ("interfaces", "entry_points", "kernels", "instantiations", "launches"):
        sides.add_row(name.replace("_", " "), str(getattr(old, name)), str(getattr(new, name)))
    sides.add_row("failed units", str(len(old.failed_units)), str(len(new.failed_units)))
    console.print(sides)
    counts = Table(box=None)
    for title in ("", "appeared", "vanished", "changed"):
        counts.add_column(title, justify="left" if not title else "right")
    for kind, row in difference.counts.items():
        if kind == "dispatch" and not difference.conditions_compared:
            counts.add_row(
                "dispatch",
                "not compared: add --facts, or write facts beside both sides' scopes",
                "",
                "",
            )
        else:
            counts.add_row(kind.replace("_", " "), *(str(row[how]) for how in row))
    console.print(counts)
    for kind in difference.counts:
        listed = [change for change in difference.changes if change.kind == kind]
        for change in listed[:_SHOWN]:
            place = change.new or change.old
            where = f"  {place.file}:{place.start_line}" if place else ""
            what = ", ".join(field.name for field in change.fields)
            console.print(escape(f"{kind} {change.change}: {change.name} ({what}){where}"))
        if len(listed) > _SHOWN:
            console.print(f"… and {len(listed) - _SHOWN} more of {kind}")
    for label, side in (("old", old), ("new", new)):
        for failed in side.failed_units:
            console.print(
                escape(
                    f"failed unit ({label}) {failed.path} ({failed.config}, {failed.side}): "
                    f"{failed.errors[0] if failed.errors else ''}"
                )
            )
    for note in notes:
        console.print(escape(note))
    console.print(escape(f"written {', '.join(str(file) for file in files)}"))


def _plain(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "-", name).strip("-")[-60:]
