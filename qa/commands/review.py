"""``qa review``: decisions that people made, applied to a file of entries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File of entries.")],
    reviews: Annotated[
        list[Path],
        typer.Argument(metavar="REVIEWS.json...", help="Decisions that the page of qa view gave."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="File of the entries that stay; else FILE with .reviewed before .jsonl."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Take out what reviewers rejected, with the reason, and flag entries that changed since.

    Decisions belong to an entry's id, so they hold for a file that was built again. A rejected
    entry leaves even when it changed; it is flagged, as is an accepted one. Rejects are written
    beside --out, with .rejects before .jsonl.

    Exit status 1 when a reviewed entry changed or is gone, or a row is no valid entry.

    Example: qa review out/entries.jsonl reviews.json
    """
    import orjson

    from extractor.output import write
    from qa.commands.tables import show
    from qa.intake import as_json as line_of
    from qa.intake import read
    from qa.review.apply import apply, reject_record
    from qa.review.decisions import Decisions

    intake = read([file])
    found = apply(intake.entries, Decisions.load(reviews))
    kept = out or file.with_name(f"{file.stem}.reviewed.jsonl")
    gone = kept.with_name(f"{kept.stem}.rejects.jsonl")
    write(kept, b"".join(line_of(entry) for entry in found.kept))
    write(gone, b"".join(orjson.dumps(reject_record(e, v)) + b"\n" for e, v in found.rejected))
    if as_json:
        files = {"out": str(kept), "rejects": str(gone), "faulty": len(intake.faults)}
        print(json.dumps({**found.as_data(), **files}))
    else:
        rows = [
            ["stay", len(found.kept)],
            ["accepted", len(found.accepted)],
            ["rejected", len(found.rejected)],
            ["changed since they were reviewed", len(found.changed)],
            ["reviewed and gone", len(found.gone)],
            ["undecided", found.undecided],
        ]
        show("review", ["entries", ">number"], rows)
        if found.rejected:
            lines = [[e.id, v.reason, "changed" if v.changed else ""] for e, v in found.rejected]
            show("rejected", ["id", "reason", "since"], lines)
        if found.changed:
            lines = [[e.id, v.said, v.decision.comment] for e, v in found.changed]
            show("changed since they were reviewed", ["id", "decision", "comment"], lines)
        print(f"written: {kept}, {gone}")
    for fault in intake.faults:
        typer.echo(f"{fault.file}:{fault.line}: {fault.fault}: {fault.detail}", err=True)
    if found.changed or found.gone or intake.faults:
        raise typer.Exit(1)
