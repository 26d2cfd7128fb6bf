"""``qa view``: one page to read and judge entries with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of entries, or a release.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="The page; else FILE with .html for .jsonl.")
    ] = None,
    reviews: Annotated[
        list[Path] | None,
        typer.Option("--reviews", help="Decisions to begin with. Repeatable."),
    ] = None,
    facts: Annotated[
        list[Path] | None,
        typer.Option("--facts", help="facts.jsonl, to show registers and LDS. Repeatable."),
    ] = None,
    rules: Annotated[
        list[Path] | None,
        typer.Option("--rules", help="Rule file of a library of your own. Repeatable."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", metavar="NAME=DIR", help="Another source than the pinned one. Repeatable."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Write one HTML page, to be opened without a network, with every entry and its evidence.

    The page filters by library, interface, level, category, author and configuration, shows the
    evidence in its source, and takes decisions by key: a accepts, r rejects, c comments, e exports
    them as JSON for qa review.

    Exit status 1 when a row is no valid entry or its source cannot be shown as it was.

    Example: qa view out/entries.jsonl --out entries.html
    """
    from qa.view.build import build

    target = out or files[0].with_suffix(".html")
    made = build(
        files,
        target,
        reviews=reviews or (),
        facts=facts or (),
        rules=rules or (),
        sources=source or (),
    )
    if as_json:
        print(json.dumps(made.as_data()))
    else:
        print(f"{made.page}: {made.entries:,} entries, {made.size:,} bytes")
    for line in made.notes:
        typer.echo(line, err=True)
    if made.notes:
        raise typer.Exit(1)
