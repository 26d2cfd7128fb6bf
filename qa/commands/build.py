"""``qa build``: entries of interfaces or of whole libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from extractor.errors import UserError


def command(
    project: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROJECT]...",
            help="Libraries by the names of their rule files; all shipped ones with --all alone.",
        ),
    ] = None,
    interface: Annotated[
        list[str] | None,
        typer.Option("--interface", "-i", help="Family such as gemm. Repeatable."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every interface.")] = False,
    out: Annotated[
        Path,
        typer.Option(
            "--out", help="Folder of outputs; scopes, facts and traces in it are used as they are."
        ),
    ] = Path("out"),
    reuse_only: Annotated[
        bool,
        typer.Option("--reuse-only", help="Make no facts or traces that the folder does not have."),
    ] = False,
    source: Annotated[
        str | None,
        typer.Option("--source", help="Source folder, or URL@REF, instead of the pinned one."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Worker processes; 0 for one a core.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print statistics as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Write graded questions and answers, and keep those that pass every gate.

    Writes OUT/entries.jsonl, OUT/rejects.jsonl with reasons, and OUT/statistics.json.
    """
    from extractor.output import to_json, write
    from extractor.progress import Reporter
    from extractor.project import Project
    from extractor.rules import list_rules
    from qa.build import build
    from qa.supply import supply

    names = list(project or ())
    if not names and everything:
        names = [name for name in list_rules() if name != "packages"]
    if not names or bool(interface) == everything:
        raise UserError(
            "name a library, and either --interface NAME or --all; see: qa build --help"
        )
    reporter = Reporter(quiet=quiet or as_json)
    wanted = []
    for name in names:
        opened = Project(name, source=source, jobs=jobs, reporter=reporter)
        chosen = list(interface or ()) or sorted(opened.families())
        for one in chosen:
            opened.resolve(one)
        if not reuse_only:
            supply(opened, chosen, out, everything=everything)
        wanted.append((name, chosen))
    with reporter.work("entries") as advance:
        built = build(wanted, out, source=source, jobs=jobs, progress=advance)
    write(out / "entries.jsonl", b"".join(built.entries))
    write(out / "rejects.jsonl", b"".join(built.rejects))
    write(out / "statistics.json", to_json(built.statistics))
    if as_json:
        print(json.dumps(built.statistics))
    elif not quiet:
        show(built.statistics, out)
    raise typer.Exit(1 if built.failed else 0)


def show(figures: dict[str, Any], out: Path) -> None:
    """Prints the figures of a build."""
    print(f"{out / 'entries.jsonl'}: {figures['entries']} entries of {figures['interfaces']} "
          f"interfaces, {figures['rejected']} rejected")  # fmt: skip
    for title in ("by_kind", "by_category", "by_level"):
        parts = ", ".join(f"{name} {count}" for name, count in figures[title].items())
        print(f"  {title.removeprefix('by_'):9} {parts}")
    print(f"  likeness  {figures['same_skeleton_share']:.1%} of entries share their skeleton with "
          f"another; {figures['same_answer_skeleton_share']:.1%} of answers; "
          f"{figures['repeated_sentence_share']:.1%} of sentences occur twice or more")  # fmt: skip
    for name, count in figures["rejects"].items():
        print(f"  {name:16} rejects {count}")
