"""The ``extract`` command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from extractor import __version__
from extractor.commands import upkeep
from extractor.console import answer, run_console
from extractor.errors import UserError

EXAMPLES = """
Examples:

  extract rocblas                                   list the interfaces of rocBLAS

  extract rocblas --interface gemm                  scope.json and callgraph.json of gemm

  extract rocsolver --interface getrf --view        and a call-graph page to look at

  extract rocblas --interface rocblas_saxpy --config source --json

  extract rocblas --kernel rocblas_saxpy_2_kernel   which entry points reach this kernel

  extract rocblas --all --kernels kernels.jsonl     every entry point and its kernels

  extract rocblas --interface gemv --check          hold the answer against the compiler's own IR

  extract rocblas --interface axpy --trace --config source   launches of concrete calls

  extract rocblas --trace rocblas_saxpy n=1000 incx=2        of this one

  extract rocblas --diff 5.5.1 6.4.4 -i gemv        what changed between two revisions

  extract rocblas --interface gemv --facts          what tools proved of its kernels, as a page

  extract my-rules.toml --interface foo             a library of your own, by its rule file

  extract --init path/to/tree                       draft that rule file from the tree

  extract path/to/tree --rules FILE                 a tree of yours under a rule file

  extract path/to/tree                              the same by its compile_commands.json

  extract --doctor                                  what was found, and how to mend what is missing
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_CASES = 24
_FORMATS = ("html", "json", "dot", "svg", "graphml", "mermaid")


@app.command(epilog=EXAMPLES)
def extract(
    project: Annotated[
        str | None,
        typer.Argument(
            help="A library: the name of a shipped rule file, the path of one, or a folder."
        ),
    ] = None,
    call: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ENTRY NAME=VALUE...]",
            help="With --trace: one call, such as rocblas_saxpy n=1000 incx=2 arch=gfx90a.",
        ),
    ] = None,
    interface: Annotated[
        list[str] | None,
        typer.Option(
            "--interface", "-i", help="Family such as gemm, or one entry point. Repeatable."
        ),
    ] = None,
    kernel: Annotated[
        str | None,
        typer.Option("--kernel", help="Answer the other way round: who reaches this kernel."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Index the whole library and write every scope.")
    ] = False,
    kernels: Annotated[
        Path | None,
        typer.Option(
            "--kernels",
            help="With --all: write one JSON line for each entry point and configuration here.",
        ),
    ] = None,
    scopes: Annotated[
        bool,
        typer.Option(
            "--scopes/--no-scopes", help="With --all: write the scopes, or only --kernels."
        ),
    ] = True,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Compare with the compiler's unoptimised IR; with --facts, facts with traces.",
        ),
    ] = False,
    facts: Annotated[
        bool,
        typer.Option(
            "--facts",
            help="Write what tools proved of every kernel and launcher: facts.jsonl, facts.html.",
        ),
    ] = False,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Call the entry points on this machine and write which launches they chose.",
        ),
    ] = False,
    arch: Annotated[
        str | None,
        typer.Option("--arch", help="With --trace or --facts: such as gfx90a,gfx942."),
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep",
            help="With --trace: calls to make, a CSV table with a header or an object a line.",
        ),
    ] = None,
    execute: Annotated[
        bool,
        typer.Option(
            "--execute",
            help="With --trace ENTRY: run the kernels as well, on the CPU runtime.",
        ),
    ] = False,
    tests: Annotated[
        bool,
        typer.Option(
            "--tests",
            help="With --trace ENTRY: say how each test of the host code came out in the call.",
        ),
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(
            "--cases", min=1, help="With --trace: cases kept per entry point; 24 if not given."
        ),
    ] = None,
    diff: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--diff",
            metavar="OLD NEW",
            help="Compare two revisions (version, tag, folder, URL@REF), configurations or scopes.",
        ),
    ] = None,
    view: Annotated[
        bool, typer.Option("--view", help="Write callgraph.html, one page that works offline.")
    ] = False,
    formats: Annotated[
        str, typer.Option("--format", help=f"Comma-separated: {', '.join(_FORMATS)}; or all.")
    ] = "json",
    config: Annotated[
        str, typer.Option("--config", help="One configuration of the rule file, or all.")
    ] = "all",
    out: Annotated[Path, typer.Option("--out", help="Folder for what is written.")] = Path("out"),
    source: Annotated[
        str | None,
        typer.Option(
            "--source", help="Folder, URL@REF, or pinned version, instead of the first pin."
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option("--rules", help="Rule file for the folder that is given as the library."),
    ] = None,
    compile_commands: Annotated[
        Path | None,
        typer.Option(
            "--compile-commands", help="Compilation database that says what is compiled and how."
        ),
    ] = None,
    init: Annotated[
        Path | None,
        typer.Option("--init", help="Draft a commented rule file for a source tree."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Worker processes; 0 for one a core.")
    ] = 0,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", help="Where units are parsed and compiled: local, or ray for a cluster."
        ),
    ] = "local",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer as one JSON object.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print more.")] = False,
    doctor: Annotated[
        bool, typer.Option("--doctor", help="Say what was found, where, and what to mend.")
    ] = False,
    pins: Annotated[
        bool, typer.Option("--pins", help="With --doctor: ask whether each pinned file is there.")
    ] = False,
    clear_cache: Annotated[
        str | None,
        typer.Option("--clear-cache", help="Empty the cache: all, or kinds such as store,trees."),
    ] = None,
    export_cache: Annotated[
        Path | None,
        typer.Option("--export-cache", help="Write sources and packages for another machine."),
    ] = None,
    import_cache: Annotated[
        Path | None, typer.Option("--import-cache", help="Read what --export-cache wrote.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schemas of all records.")
    ] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Follow a library's public interface down to its device kernels, exactly."""
    if version:
        print(f"rocquarry {__version__}")
    elif schema:
        upkeep.print_schemas()
    elif stray := _stray(trace=trace, facts=facts, arch=arch, sweep=sweep, budget=budget):
        raise UserError(stray)
    elif execute and not (trace and (call or sweep)):
        raise UserError("--execute goes with a call: --trace ENTRY NAME=VALUE")
    elif tests and not (trace and (call or sweep)):
        raise UserError("--tests goes with a call: --trace ENTRY NAME=VALUE")
    elif call and not trace:
        raise UserError(
            f"'{call[0]}' is no option; an interface is named by --interface {call[0]}, "
            "a call by --trace ENTRY NAME=VALUE"
        )
    elif doctor or pins:
        upkeep.doctor(project, pins=pins, as_json=as_json)
    elif clear_cache or export_cache or import_cache:
        upkeep.cache(clear_cache, export_cache, import_cache, as_json=as_json)
    elif init is not None:
        from extractor.commands import init as drafting

        drafted = drafting.run(init, rules, compile_commands)
        answer(drafted, drafting.show, as_json=as_json, quiet=quiet)
    elif project is None:
        from extractor.rules import list_rules

        raise UserError(
            f"name a library: {', '.join(list_rules())}, a rule file or a folder; see --help"
        )
    else:
        from extractor.commands import extraction

        extraction.run(
            extraction.Request(
                library=project,
                rules=rules,
                database=compile_commands,
                engine=engine,
                interfaces=tuple(interface or ()),
                kernel=kernel,
                everything=everything,
                kernels=kernels,
                scopes=scopes,
                check=check,
                diff=diff,
                facts=facts,
                trace=trace,
                call=tuple(call or ()),
                sweep=sweep,
                execute=execute,
                tests=tests,
                archs=_architectures(arch),
                arch_named=arch is not None,
                cases=budget or _CASES,
                formats=tuple(_formats(formats, view)),
                config=config,
                out=out,
                source=source,
                jobs=jobs,
                as_json=as_json,
                quiet=quiet,
                verbose=verbose,
            )
        )


def _stray(
    *, trace: bool, facts: bool, arch: str | None, sweep: Path | None, budget: int | None
) -> str:
    """Which option was given that nothing would look at; empty where none was."""
    if sweep is not None and not trace:
        return "--sweep names calls for --trace: add it"
    if arch is not None and not (trace or facts):
        return "--arch goes with --trace or --facts"
    if budget is not None and not (trace or facts):
        return "--cases goes with --trace, or with --facts --check"
    return ""


def _architectures(text: str | None) -> tuple[str, ...]:
    from extractor import settings
    from extractor.errors import UnknownName

    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    for name in names:
        if name not in settings.DEVICES:
            known = ", ".join(settings.DEVICES)
            raise UnknownName("architecture", name, settings.DEVICES, f"known: {known}")
    return names or settings.TRACE_ARCHITECTURES


def _formats(text: str, view: bool) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        names = list(_FORMATS)
    for name in names:
        if name not in _FORMATS:
            raise UserError(f"unknown format '{name}'; known: {', '.join(_FORMATS)}")
    if view and "html" not in names:
        names.append("html")
    return names


def main() -> None:
    """Entry point of the console script."""
    run_console(app, "extract", "interrupted; what was indexed so far is kept")


if __name__ == "__main__":
    main()
