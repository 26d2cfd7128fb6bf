"""``qa build``: entries of interfaces or of whole libraries."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from extractor.errors import UserError

_BATCH_SECONDS = 30.0
_WHOSE = re.compile(rb'"project":"(\w+)".*?"interface":"([^"]+)"')


class Author(StrEnum):
    """Who writes entries."""

    static = "static"
    model = "model"


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
    author: Annotated[
        Author, typer.Option("--author", help="Who writes: no model, or one you name.")
    ] = Author.static,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Model of --author model; else $ROCQUARRY_MODEL."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            help="OpenAI-compatible server; else $ROCQUARRY_BASE_URL. The key is "
            "$ROCQUARRY_API_KEY.",
        ),
    ] = None,
    estimate: Annotated[
        bool,
        typer.Option("--estimate", help="Print requests, tokens and price, and send nothing."),
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="US dollars at the most.")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Tokens at the most, both ways.")
    ] = None,
    input_price: Annotated[
        float | None,
        typer.Option("--input-price", min=0, help="US dollars for a million tokens sent."),
    ] = None,
    output_price: Annotated[
        float | None,
        typer.Option("--output-price", min=0, help="US dollars for a million tokens received."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Entries of an interface that a model is asked for."),
    ] = None,
    category: Annotated[
        list[str] | None,
        typer.Option("--category", help="Category that a model is asked for. Repeatable."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Requests to a model at once.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Receive a model's answers piece by piece.")
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Send requests through the server's batch interface.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Worker processes; 0 for one a core.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print statistics as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Write graded questions and answers, and keep those that pass every gate.

    Writes OUT/entries.jsonl, OUT/rejects.jsonl with reasons, and OUT/statistics.json; what a model
    writes goes into OUT/model. A model is asked only with --author model.

    Example: qa build rocblas --interface scal

    Example: qa build rocblas --interface trsm --author model --model NAME --estimate
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
    options = None
    if author is Author.model:
        from qa.model.command import Options
        from qa.model.settings import settings_from

        settings = settings_from(
            model=model, base_url=base_url, input_price=input_price, output_price=output_price,
            concurrency=concurrency, stream=stream or None,
        )  # fmt: skip
        options = Options(
            settings, tuple(category or ()), limit, estimate, max_cost, max_tokens,
            _BATCH_SECONDS if batch else None,
        )  # fmt: skip
    wanted = []
    libraries = []
    for name in names:
        opened = Project(name, source=source, jobs=jobs, reporter=reporter)
        chosen = list(interface or ()) or sorted(opened.families())
        for one in chosen:
            opened.resolve(one)
        if not reuse_only:
            supply(opened, chosen, out, everything=everything)
        wanted.append((name, chosen))
        libraries.append((opened, chosen))
    if options is not None:
        from qa.model.command import build_with_model

        raise typer.Exit(
            build_with_model(libraries, out, options, reporter, as_json=as_json, quiet=quiet)
        )
    with reporter.work("entries") as advance:
        built = build(wanted, out, source=source, jobs=jobs, progress=advance)
    replaced = others_in(out / "entries.jsonl", wanted)
    if replaced:
        some = ", ".join(sorted(replaced)[:5]) + (", …" if len(replaced) > 5 else "")
        reporter.note(
            f"{out / 'entries.jsonl'} held entries of {len(replaced)} other interfaces ({some}), "
            "which are gone now; name them too, or give another --out, to keep them"
        )
    write(out / "entries.jsonl", b"".join(built.entries))
    write(out / "rejects.jsonl", b"".join(built.rejects))
    write(out / "statistics.json", to_json(built.statistics))
    if as_json:
        print(json.dumps(built.statistics))
    elif not quiet:
        show(built.statistics, out)
    raise typer.Exit(1 if built.failed else 0)


def others_in(file: Path, wanted: Sequence[tuple[str, Sequence[str]]]) -> set[str]:
    """Interfaces that a file of entries has and a new build does not write, by their names."""
    if not file.is_file():
        return set()
    own = {(name, one) for name, all_ in wanted for one in all_}
    found = set()
    with file.open("rb") as rows:
        for row in rows:
            match = _WHOSE.search(row)
            if match and (match[1].decode(), match[2].decode()) not in own:
                found.add(match[2].decode())
    return found


def show(figures: dict[str, Any], out: Path) -> None:
    """Prints the figures of a build."""
    print(f"{out / 'entries.jsonl'}: {figures['entries']} entries of {figures['interfaces']} "
          f"interfaces, {figures['rejected']} rejected")  # fmt: skip
    for title in ("by_kind", "by_category", "by_level"):
        parts = ", ".join(f"{name} {count}" for name, count in figures[title].items())
        print(f"  {title.removeprefix('by_'):9} {parts}")
    print(f"  likeness  {figures['same_skeleton_share']:.1%} of answers equal another's but for "
          f"names and numbers; {figures['repeated_sentence_share']:.1%} of sentences")  # fmt: skip
    for name, count in figures["rejects"].items():
        print(f"  {name:16} rejects {count}")
    if figures.get("told_by_another_interface"):
        print(f"  told once {figures['told_by_another_interface']} more that another interface has")
    for why, count in figures.get("given_up", {}).items():
        print(f"  given up  {count} {why}")
    if figures.get("rows_left_out"):
        print(f"  left out  {figures['rows_left_out']} traces of hundreds of launches each")
