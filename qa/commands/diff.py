"""``qa diff``: what became of entries between two files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="File of entries, or a release.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="What to compare with it.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON; the tables show the first 20.")
    ] = False,
) -> None:
    """Say which entries appeared, vanished or changed, and why.

    Exit status 0: compared; 1: a row of either file is no valid entry, and was not compared.

    Example: qa diff release-1.0.0 release-1.1.0
    """
    from qa.commands.tables import show
    from qa.diff import compare
    from qa.intake import read

    left, right = read([old]), read([new])
    found = compare(left.entries, right.entries)
    faults = [*left.faults, *right.faults]
    if as_json:
        print(json.dumps({**found.as_data(), "not_compared": len(faults)}))
    else:
        most = 20
        counts = [
            ["appeared", len(found.appeared)],
            ["vanished", len(found.vanished)],
            ["changed", len(found.changed)],
            ["the same", found.same],
            ["not compared", len(faults)],
        ]
        show(f"{old} -> {new}", ["entries", ">number"], counts)
        for title, entries in (("appeared", found.appeared), ("vanished", found.vanished)):
            if entries:
                rows = [[e.id, f"{e.project}/{e.interface}", e.question] for e in entries[:most]]
                show(_first(title, len(entries), most), ["id", "interface", "question"], rows)
        if found.changed:
            show("why", ["reason", ">entries"], list(found.reasons.items()))
            lines = [[c.id, ", ".join(c.reasons), "; ".join(c.details)] for c in found.changed]
            title = _first("changed", len(lines), most)
            show(title, ["id", "why", "what"], lines[:most])
    for fault in faults:
        typer.echo(f"{fault.file}:{fault.line}: {fault.fault}: {fault.detail}", err=True)
    if faults:
        raise typer.Exit(1)


def _first(title: str, number: int, most: int) -> str:
    return title if number <= most else f"{title}, the first {most} of {number:,} (--json has all)"
