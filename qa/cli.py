"""The ``qa`` command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from extractor.console import run_console
from qa.commands import register

app = typer.Typer(
    name="qa",
    help="Questions and answers about GPU kernels: built from what tools proved, and checked.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]
Source = Annotated[
    str | None,
    typer.Option("--source", help="Source folder, or URL@REF, instead of the pinned one."),
]


@app.command(epilog="Example: qa check entries.jsonl --json")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Entries, one JSON object a line.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Folder that extract and qa build wrote: scopes, facts and traces are taken from "
            "it where they are of the same source, and made where they are not there.",
        ),
    ] = Path("out"),
    traces: Annotated[
        list[Path] | None, typer.Option("--traces", help="Further launch traces. Repeatable.")
    ] = None,
    rejected: Annotated[
        Path | None, typer.Option("--rejects", help="Write what failed, with the reason, here.")
    ] = None,
    source: Source = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print {id, passed, gates, reason} a line.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Hold entries, one's own or others', against source, scopes, facts and traces.

    Exit status 0: all passed. 1: some did not. 2: something must be mended first.
    """
    from extractor.output import to_json, write
    from extractor.progress import Reporter
    from extractor.project import Project
    from qa.judgement import Judge, count_gates, judge_file, load_traces, rejects

    reporter = Reporter(quiet=quiet or as_json)
    judge = Judge(
        lambda name: Project(name, source=source, reporter=reporter), out,
        load_traces(traces or ()), write_again=True,
    )  # fmt: skip
    with reporter.work("checked") as advance:
        judged = list(judge_file(file, judge, advance))
    for _row, verdict in judged if as_json else ():
        print(json.dumps(verdict.as_json(), ensure_ascii=False))
    if rejected is not None:
        write(rejected, b"".join(to_json(line) for line in rejects(judged)))
    failed = [verdict for _row, verdict in judged if not verdict.passed]
    if not as_json and not quiet:
        print(f"{file}: {len(judged) - len(failed)} of {len(judged)} entries pass")
        for name, count in count_gates(failed).items():
            print(f"  {name:16} rejects {count}")
        for verdict in failed[:20]:
            print(f"  {verdict.id}  {verdict.reason}")
        if len(failed) > 20:
            print(f"  and {len(failed) - 20} more; --json or --rejects FILE list all")
    for name, count in judge.left_out().items() if not quiet else ():
        print(f"  not weighed: {count:,} {name}", file=sys.stderr if as_json else sys.stdout)
    raise typer.Exit(1 if failed else 0)


register(app)


def main() -> None:
    """Entry point of the console script."""
    run_console(app, "qa", "interrupted; what was finished is kept")


if __name__ == "__main__":
    main()
