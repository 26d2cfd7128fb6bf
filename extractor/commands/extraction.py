"""``extract PROJECT …``: which of its jobs is asked for, and whether it ended well."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from extractor import settings
from extractor.console import answer
from extractor.errors import UserError

if TYPE_CHECKING:
    from extractor.progress import Reporter
    from extractor.project import Project


@dataclass(frozen=True)
class Request:
    """What the user asked for.

    Attributes:
        library: Name of a shipped rule file, path of one, or a folder.
        rules: Rule file for the folder.
        database: Compilation database that says what is compiled.
        engine: Where units are parsed and compiled.
        interfaces: Families or entry points; none for the whole library.
        kernel: A kernel whose entry points are wanted.
        everything: ``--all``.
        kernels: File for one line for each entry point and configuration.
        scopes: Write scopes with ``--all``.
        check: Hold the answer against the compiler, or facts against traces.
        diff: Two revisions, configurations or folders of scopes.
        facts: State facts.
        trace: Trace launches.
        call: One call: an entry point, then ``NAME=VALUE``.
        sweep: Table of calls.
        execute: Run the kernels of calls, too.
        tests: Say how the tests of the host code came out in calls, too.
        archs: Architectures of traces and facts.
        arch_named: Whether the user named them.
        cases: Traced cases kept for each entry point.
        formats: Of the call graph.
        config: Configuration, or ``all``.
        out: Folder for what is written.
        source: Folder, ``URL@REF`` or version instead of the first pin.
        jobs: Worker processes.
        as_json: Print data.
        quiet: Print errors only.
        verbose: Print more.
    """

    library: str
    rules: Path | None
    database: Path | None
    engine: str
    interfaces: tuple[str, ...]
    kernel: str | None
    everything: bool
    kernels: Path | None
    scopes: bool
    check: bool
    diff: tuple[str, str] | None
    facts: bool
    trace: bool
    call: tuple[str, ...]
    sweep: Path | None
    execute: bool
    tests: bool
    archs: tuple[str, ...]
    arch_named: bool
    cases: int
    formats: tuple[str, ...]
    config: str
    out: Path
    source: str | None
    jobs: int
    as_json: bool
    quiet: bool
    verbose: bool

    def tell(self, found: Any, show: Callable[[Any], None]) -> None:
        """Prints an answer as the user wants it."""
        answer(found, show, as_json=self.as_json, quiet=self.quiet)


def run(request: Request) -> None:
    """Does the job.

    Raises:
        UserError: Something is for the user to mend.
        typer.Exit: With 1 where something could not be parsed, resolved or proved.
    """
    from extractor.progress import Reporter

    reporter = Reporter(quiet=request.quiet, verbose=request.verbose)
    project = _opened(request, request.source, reporter)
    if request.interfaces and (
        request.kernels is not None or request.kernel is not None or request.everything
    ):
        raise UserError(
            "--interface goes with neither --kernel, --kernels nor --all; run them apart"
        )
    ok = _job(request)(request, project, list(project.configurations(request.config)))
    if request.verbose:
        for done in project.runs:
            if done.indexed:
                project.reporter.detail(
                    f"{done.indexed} units indexed in {done.seconds:.1f} CPU seconds, "
                    f"largest worker {done.memory_mb} MB"
                )
    if not ok:
        raise typer.Exit(1)


_Job = Callable[[Request, "Project", list[str]], bool]


def _job(request: Request) -> _Job:
    library = request.everything or request.kernels is not None or "html" in request.formats
    for asked, job in (
        (request.diff is not None, _difference),
        (request.facts, _facts),
        (request.check, _check),
        (request.trace and bool(request.call or request.sweep), _calls),
        (request.trace, _traces),
        (request.kernel is not None, _kernel),
        (bool(request.interfaces), _interfaces),
        (library, _library),
    ):
        if asked:
            return job
    return _listing


def _difference(request: Request, project: Project, _: list[str]) -> bool:
    from extractor.commands import difference
    from extractor.difference.sides import Request as Sides

    assert request.diff
    name = project.rule.name
    sides = Sides(
        project.rule,
        list(request.interfaces),
        request.config,
        request.source or None,
        request.out / name / "sides",
        lambda chosen: _opened(request, chosen, project.reporter),
        conditions=request.facts,
    )
    compared, files, notes = difference.run(request.diff, sides, name, request.out)
    if request.as_json:
        print(json.dumps(difference.summary(compared, files, notes)))
    elif not request.quiet:
        difference.show(compared, files, notes)
    return difference.complete(compared)


def _facts(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import facts

    interfaces = list(request.interfaces)
    if request.check and not interfaces:
        raise UserError("--facts --check compares with traces: add --interface NAME")
    # The compiler's part of a whole library takes long: it has to be asked for.
    compiled = request.archs if interfaces or request.arch_named else ()
    stated = facts.run(project, interfaces, configs, request.out, compiled)
    if not request.check:
        request.tell(stated, facts.show)
        return True
    from extractor.commands import facts_agreement as agreement
    from extractor.trace.run import Effort

    agreed = []
    for interface, summary in zip(interfaces, stated, strict=True):
        effort = Effort(budget=request.cases)
        found = agreement.run(project, interface, configs, request.out, request.archs, effort)
        summary["agreement"] = found
        agreed.append(found)
    request.tell(stated, facts.show)
    if not request.as_json and not request.quiet:
        agreement.show(agreed)
    return agreement.complete(agreed)


def _check(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import check

    entries = None if request.everything or not request.interfaces else list(request.interfaces)
    found = check.run(project, entries, configs)
    if request.as_json:
        print(json.dumps(check.to_json(found)))
    elif not request.quiet:
        check.show(found)
    return check.complete(found)


def _calls(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import call

    words = list(request.call)
    if request.sweep is None:
        points = [call.parse(words)]
    else:
        points = call.read_sweep(request.sweep, words[0] if words else None)
    if request.execute and any(point.arch != settings.DEFAULT_ARCHITECTURE for point in points):
        raise UserError(f"--execute runs kernels as {settings.DEFAULT_ARCHITECTURE} alone")
    out = request.out if request.execute else None
    answers = call.run(project, configs[0], points, out, tests=request.tests)
    if request.as_json:
        for one in answers:  # an object a line, as they come
            print(json.dumps(one), flush=True)
    else:
        call.show(answers)
    return True


def _traces(request: Request, project: Project, configs: list[str]) -> bool:
    if not request.interfaces and not request.everything:
        raise UserError(
            "--trace goes with --interface NAME or with --all, or with a call: "
            "--trace ENTRY NAME=VALUE"
        )
    from extractor.commands import trace
    from extractor.trace.run import Effort

    wanted = None if request.everything else list(request.interfaces)
    effort = Effort(budget=request.cases)
    traced = trace.run(project, wanted, configs, request.out, request.archs, effort)
    request.tell(traced, trace.show)
    return trace.complete(traced)


def _kernel(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import kernel

    assert request.kernel is not None
    request.tell(kernel.run(project, request.kernel, configs), kernel.show)
    return True


def _interfaces(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import interface

    names, formats = list(request.interfaces), list(request.formats)
    summaries = interface.run(project, names, configs, request.out, formats)
    request.tell(summaries, interface.show)
    return interface.complete(summaries)


def _library(request: Request, project: Project, configs: list[str]) -> bool:
    from extractor.commands import library

    drawn = "html" in request.formats
    scopes = request.scopes or drawn
    total = library.run(project, configs, request.out, request.kernels, scopes=scopes)
    if drawn:
        total["overview"] = str(library.draw(project, request.out))
    request.tell(total, library.show)
    return library.complete(total)


def _listing(request: Request, project: Project, _: list[str]) -> bool:
    from extractor.commands import listing

    if request.as_json:
        print(json.dumps(listing.rows(project)))
    else:
        listing.show(project)
    return True


def _opened(request: Request, source: str | None, reporter: Reporter) -> Project:
    from extractor.folder_project import is_folder, open_folder
    from extractor.project import Project
    from extractor.spread.choice import read_engine

    name, jobs = request.library, request.jobs
    engine = read_engine(request.engine)
    if request.rules is None and request.database is None and not is_folder(name):
        return Project(name, source=source, jobs=jobs, reporter=reporter, engine=engine)
    opened = open_folder(name, rules=request.rules, database=request.database)
    if opened.note:
        reporter.note(opened.note)
    chosen = source or opened.source
    return Project(opened.rule, source=chosen, jobs=jobs, reporter=reporter, engine=engine)
