"""``qa release``: builds a dataset release, or verifies one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from extractor.errors import UserError

if TYPE_CHECKING:
    from qa.release.build import Release

_SHOWN = 20


def command(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="Files of entries.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of the release; an older one is replaced.")
    ] = None,
    version: Annotated[
        str | None, typer.Option("--version", help="Version of the dataset, such as 1.0.0.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="Name of the dataset.")] = "rocquarry-qa",
    contamination: Annotated[
        Path | None,
        typer.Option(
            "--contamination", metavar="DIR", help="Compare with the benchmark files in a folder."
        ),
    ] = None,
    rejects: Annotated[
        list[Path] | None,
        typer.Option("--rejects", help="Rejects of the gates, counted in the audit. Repeatable."),
    ] = None,
    reviews: Annotated[
        list[Path] | None,
        typer.Option("--reviews", help="Decisions of reviewers: rejects stay out. Repeatable."),
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
    scopes: Annotated[
        Path | None,
        typer.Option(
            "--scopes",
            metavar="DIR",
            help="Folder that extract or qa build wrote: scopes of the same source are taken from "
            "it, and made where they are not there.",
        ),
    ] = None,
    check: Annotated[
        Path | None, typer.Option("--check", metavar="DIR", help="Verify a release you received.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Build a dataset release from entries, or verify one with --check.

    A row that breaks the schema, is of another version, shares its id, lacks a licence, failed a
    gate, or is about a source that is another one now stays out; it is named and counted.

    Exit status 0: every row went in, or the release is sound. 1: rows stayed out, or it is not.

    Example: qa release out/entries.jsonl --out release --version 1.0.0

    Example: qa release --check release
    """
    if check is not None:
        if files or out is not None or version is not None:
            raise UserError("--check takes a release alone: qa release --check DIR")
        _check(check, as_json=as_json, quiet=quiet)
        return
    if not files or out is None or version is None:
        raise UserError("write: qa release FILE... --out DIR --version 1.0.0; see --help")
    from extractor.progress import Reporter
    from qa.release.build import Request, build

    request = Request(
        files=files,
        out=out,
        version=version,
        name=name,
        rules=rules or (),
        sources=source or (),
        benchmarks=contamination,
        rejects=rejects or (),
        reviews=reviews or (),
        scopes=scopes,
    )
    made = build(request, Reporter(quiet=quiet))
    if as_json:
        print(json.dumps(_data(made)))
    elif not quiet:
        _show(made)
    if made.faults or made.notes:
        raise typer.Exit(1)


def _data(made: Release) -> dict[str, object]:
    audit = made.audit
    return {
        "out": str(made.out),
        "rows": len(made.rows),
        "splits": audit["splits"],
        "left_out": audit["left_out_by_reason"],
        "faults": [vars(fault) for fault in made.faults],
        "notes": list(made.notes),
        "bytes": sum(made.sizes.values()),
    }


def _show(made: Release) -> None:
    from qa.commands.tables import show

    splits = made.audit["splits"]
    show(
        f"{made.out}: {len(made.rows):,} rows, {sum(made.sizes.values()):,} bytes in "
        f"{len(made.sizes)} files",
        ["split", ">rows", ">families"],
        [[name, number, splits["families"][name]] for name, number in splits["rows"].items()],
    )
    counts = Counter(fault.fault for fault in made.faults)
    if counts:
        show("left out", ["reason", ">rows"], sorted(counts.items()))
    for fault in made.faults[:_SHOWN]:
        place = f"{fault.file}:{fault.line}"
        typer.echo(f"{place}: {fault.id} {fault.fault}: {fault.detail}", err=True)
    if len(made.faults) > _SHOWN:
        more = len(made.faults) - _SHOWN
        typer.echo(f"and {more:,} more; all are in {made.out}/left_out.jsonl", err=True)
    for note in made.notes:
        typer.echo(note, err=True)


def _check(folder: Path, *, as_json: bool, quiet: bool) -> None:
    from qa.commands.tables import show
    from qa.release.checking import check, passed

    answers = check(folder)
    if as_json:
        data = [
            {"check": a.check, "passed": a.passed, "number": a.number, "faults": list(a.faults)}
            for a in answers
        ]
        print(json.dumps({"passed": passed(answers), "checks": data}))
    elif not quiet:
        rows = [[a.check, "sound" if a.passed else f"{a.number:,} faults"] for a in answers]
        show(str(folder), ["check", "answer"], rows)
    for answer in answers:
        for fault in () if as_json else answer.faults:
            typer.echo(f"{answer.check}: {fault}", err=True)
    if not passed(answers):
        raise typer.Exit(1)
