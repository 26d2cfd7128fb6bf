"""``kernels seed PROJECT``: slices and tasks of a library's kernels, and the table at the end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

_LAUNCHES = {
    "launches+text": "launches that the library makes, by the formula of its source",
    "launches+fit": "launches that the library makes, by a formula that all of them follow",
    "launches": "launches that the library makes, each case with its own grid",
    "text": "grid and block as the source says, sizes made up",
    "facts": "grid and block by host facts, sizes made up",
    "traces": "grid and block of a traced launch, sizes made up",
    "guess": "a guessed grid and block",
}


@dataclass(frozen=True)
class LibraryRequest:
    """What the user asked for.

    Attributes:
        project: Library, or path of a rule file.
        source: Folder or ``URL@REF`` to take instead; empty for the pinned one.
        interface: Family or entry point; empty for the whole library.
        kernel: Name of the only kernel wanted; empty for all.
        config: Configuration, or ``all``.
        jobs: Units at once; the number of cores when 0.
        tasks: Make tasks too.
        engine: Where units are cut: ``local``, or ``ray`` for a cluster.
    """

    project: str
    source: str
    interface: str
    kernel: str
    config: str
    jobs: int
    tasks: bool
    engine: str = "local"


def seed_library(request: LibraryRequest, out: Path, *, quiet: bool, as_json: bool) -> None:
    """Seeds and prints what came of it.

    Raises:
        UserError: There is no such interface, configuration or kernel.
        typer.Exit: Always: 0 when every kernel is sliced, compiled and equal, else 1.
    """
    from extractor.progress import Reporter
    from extractor.project import Project
    from extractor.spread.choice import read_engine
    from kernels.slice.seeding import seed_project

    opened = Project(
        request.project,
        source=request.source or None,
        jobs=request.jobs,
        reporter=Reporter(quiet=quiet or as_json),
        engine=read_engine(request.engine),
    )
    outcome = seed_project(
        opened,
        out,
        interface=request.interface,
        kernel=request.kernel,
        config=request.config,
        tasks=request.tasks,
        jobs=request.jobs,
    )
    found = outcome.summary()
    print(json.dumps(found, indent=1) if as_json else table(found))
    raise typer.Exit(0 if outcome.whole else 1)


def table(found: dict[str, Any]) -> str:
    """The summary as a person reads it: counts first, then every reason."""
    total = found["kernels"]
    rows = [f"kernels    {total}", f"sliced     {found['sliced']}"]
    for architecture, count in found["compiled"].items():
        rows.append(f"compiled   {count} for {architecture}")
    for architecture, count in found["equal"].items():
        rows.append(f"equal      {count} on {architecture}: the library's own code")
    if found["tasks_asked_for"]:
        rows.append(f"tasks      {found['tasks']} that run on the cpu backend")
        rows += [f"  {n} with {_LAUNCHES[origin]}" for origin, n in found["task_launches"].items()]
    for function, reason in found["slice_reasons"].items():
        rows.append(f"  {function}: {reason}")
    for kernel, reason in found["task_reasons"].items():
        rows.append(f"  no task of {kernel}: {reason}")
    for kernel, notes in found["task_notes"].items():
        rows.append(f"  task {kernel}: {'; '.join(notes)}")
    return "\n".join(rows)
