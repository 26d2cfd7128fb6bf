"""``qa compare``: two authors or two models on the same scopes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def command(
    first: Annotated[Path, typer.Argument(metavar="A", help="Entries of one author.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Entries of another.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Compare two files of entries on the interfaces that both have.

    Gate pass rates (from rejects.jsonl beside each file), categories, levels, depth, cost of an
    accepted entry, and near-duplicates between the two.

    Example: qa compare static/entries.jsonl model/entries.jsonl
    """
    from qa.compare import compare, read_side

    figures = compare(read_side(first), read_side(second))
    if as_json:
        print(json.dumps(figures))
        return
    show(figures)


def show(figures: dict[str, Any]) -> None:
    """Prints both sides beside each other."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    shared = figures["interfaces"]
    console.print(
        f"{shared['common']} interfaces in common; {shared['first_only']} only in the first, "
        f"{shared['second_only']} only in the second"
    )
    table = Table(box=None, padding=(0, 2))
    for title in ("", "first", "second"):
        table.add_column(title, overflow="fold")
    for key in figures["first"]:
        table.add_row(key.replace("_", " "), *(_cell(figures[s][key]) for s in ("first", "second")))
    console.print(table)
    console.print(f"near-duplicates between them: {len(figures['near_duplicates'])}")


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {count}" for name, count in value.items()) or "none"
    return "unknown" if value is None else str(value)
