"""``qa stats``: what a file of entries holds, counted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

_TABLES = {
    "by_project": "library",
    "by_kind": "kind",
    "by_author": "author",
    "by_config": "configuration",
    "by_arch": "architecture",
    "by_license": "licence",
}


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of entries, or a release.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count entries by level, category, interface, author, gate and length.

    Exit status 1 when a row is no valid entry; such rows are listed and not counted.

    Example: qa stats out/entries.jsonl
    """
    from qa.intake import read
    from qa.statistics import summary

    intake = read(files)
    found = summary(intake.entries)
    faults = Counter(fault.fault for fault in intake.faults)
    found["faulty"] = dict(sorted(faults.items()))
    if as_json:
        print(json.dumps(found))
    else:
        _show(found)
    for fault in intake.faults:
        typer.echo(f"{fault.file}:{fault.line}: {fault.fault}: {fault.detail}", err=True)
    if intake.faults:
        raise typer.Exit(1)


def _show(found: dict[str, Any]) -> None:
    from qa.commands.tables import show
    from qa.statistics import LEVELS

    levels = [f">level {name}" for name in LEVELS]

    def by_level(table: dict[str, dict[str, int]]) -> list[list[object]]:
        return [[name, *row.values(), sum(row.values())] for name, row in table.items()]

    show("rows", ["what", ">number"], [["entries", found["rows"]], *found["faulty"].items()])
    show("levels", ["level", ">rows"], list(found["by_level"].items()))
    show("categories", ["category", *levels, ">rows"], by_level(found["categories"]))
    show("interfaces", ["interface", *levels, ">rows"], by_level(found["interfaces"]))
    for name, title in _TABLES.items():
        show(title, [title, ">rows"], list(found[name].items()))
    show(
        "gates",
        ["gate", ">passed", ">failed"],
        [[name, row["passed"], row["failed"]] for name, row in found["by_gate"].items()],
    )
    show(
        "characters",
        ["text", ">smallest", ">median", ">90th percentile", ">largest"],
        [[name, *row.values()] for name, row in found["lengths"].items()],
    )
