"""``kernels export``, ``import`` and ``profile``: tasks on a card, here or elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from extractor.errors import UserError

if TYPE_CHECKING:
    from kernels.transfer.results import Imported

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Tasks = Annotated[
    list[Path], typer.Argument(metavar="TASKS…", help="Task folders, or folders of such.")
]


def export(
    tasks: Tasks,
    out: Annotated[Path, typer.Option("--out", help="The archive to write.")] = Path(
        "tasks.tar.gz"
    ),
    expect: Annotated[
        bool,
        typer.Option(
            "--expect/--no-expect", help="Run the baselines here, to have values to compare with."
        ),
    ] = True,
    largest: Annotated[
        int,
        typer.Option("--largest", metavar="BYTES", help="Leave out cases with more in buffers."),
    ] = 8 << 20,
    as_json: Json = False,
) -> None:
    """Pack tasks for a machine with a card: it needs Python, and nvcc or hipcc, and nothing else.

    There: tar xzf tasks.tar.gz -C work && python3 work/worker.py --out results.tar.gz

    Example: kernels export out/rocblas/tasks --out tasks.tar.gz
    """
    from kernels.transfer.archive import export_tasks

    if not out.name.endswith(".tar.gz"):
        raise UserError(f"--out {out}: the name must end with .tar.gz")
    made = export_tasks(tasks, out, expect=expect, largest=largest)
    if as_json:
        print(json.dumps({**asdict(made), "archive": str(made.archive), "stays": str(made.stays)}))
    else:
        print(f"{made.archive}: {len(made.tasks)} tasks; keep {made.stays} for kernels import")
        for name, why in made.left_out.items():
            print(f"  left out {name}: {why}")
    raise typer.Exit(0 if made.tasks else 1)


def import_(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="What the worker packed.")],
    archive: Annotated[
        Path, typer.Option("--archive", help="The archive that was exported.")
    ] = Path("tasks.tar.gz"),
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a report page.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Write the results as JSON.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check what came back from a machine with a card, and judge it.

    Example: kernels import results.tar.gz --archive tasks.tar.gz --page report.html
    """
    from kernels.transfer.results import import_results

    found = import_results(results, archive)
    _show(found, page, save, as_json=as_json)
    good = all(one.correct is not False and not one.error for one in found.tasks)
    raise typer.Exit(0 if good else 1)


def profile(
    tasks: Tasks,
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            help="cuda or amd to time on this machine's card; compile for "
            "registers, LDS and occupancy without a card.",
        ),
    ] = "compile",
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", help="Write a report page.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Write the results as JSON.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say how fast kernels are on this machine's card, or what they take on AMD GPUs.

    Timed by device events after 25 ms of warm-up, for 100 ms, with caches flushed before each
    call: median, its 95 % interval, and the share of the card's roofline.

    Example: kernels profile out/rocblas/tasks --backend cuda --page report.html
    """  # fmt: skip
    from kernels.backends import get_backend

    chosen = get_backend(backend)
    if chosen.name == "cpu":
        raise UserError("--backend cpu: its speed says nothing; use cuda, amd or compile")
    chosen.require_usable()
    if chosen.name == "compile":
        raise typer.Exit(_resources(tasks, as_json=as_json))
    from kernels.transfer.archive import export_tasks
    from kernels.transfer.results import import_results

    with tempfile.TemporaryDirectory(prefix="rocquarry-profile-") as name:
        folder = Path(name)
        archive, results = folder / "tasks.tar.gz", folder / "results.tar.gz"
        made = export_tasks(tasks, archive)
        for task, why in made.left_out.items():
            print(f"  left out {task}: {why}", file=sys.stderr)
        if not made.tasks:
            raise UserError(f"nothing could be packed: {next(iter(made.left_out.values()))}")
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "work", filter="data")
        command = [sys.executable, str(folder / "work" / "worker.py"), "--out", str(results)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not results.is_file():
            raise UserError(f"the worker failed: {(done.stderr or done.stdout).strip()[-300:]}")
        found = import_results(results, archive)
    _show(found, page, save, as_json=as_json)
    ran = all(not one.error for one in found.tasks) and not made.left_out
    raise typer.Exit(0 if ran else 1)


def _resources(tasks: list[Path], *, as_json: bool) -> int:
    from kernels.backends import get_backend
    from kernels.task.folder import BASELINE, TASK

    compiler = get_backend("compile")
    rows: list[dict[str, Any]] = []
    status = 0
    folders = [
        f for given in tasks
        for f in ([given] if (given / TASK).is_file() else
                  sorted(p.parent for p in given.glob(f"**/{TASK}")))
    ]  # fmt: skip
    if not folders:
        raise UserError("there is no task; a task is a folder with task.json")
    for folder in folders:
        made = compiler.compile(folder / BASELINE)
        status |= not made.built
        for one in made.resources:
            rows.append({"task": folder.name, **asdict(one)})
        if not made.built:
            rows.append({"task": folder.name, "error": made.diagnostics.strip()[:300]})
    if as_json:
        print(json.dumps(rows, indent=1))
        return int(status)
    for row in rows:
        words = ", ".join(f"{k} {v}" for k, v in row.items() if k not in ("task", "kernel"))
        print(f"{row['task']} {row.get('kernel', '')}: {words}")
    return int(status)


def _show(found: Imported, page: Path | None, save: Path | None, *, as_json: bool) -> None:
    from extractor.output import write
    from kernels.profile.report import report_page

    if page:
        write(page, report_page(found).encode())
    data = json.dumps(found.as_json(), indent=1)
    if save:
        write(save, data.encode() + b"\n")
    if as_json:
        print(data)
        return
    for one in found.tasks:
        state = {True: "right", False: "WRONG", None: "not judged"}[one.correct]
        words = f"{one.task}: {state} on {one.inputs_passed} inputs"
        if one.timing and one.roofline:
            share = one.roofline.share
            words += (
                f", {1e3 * one.timing.median_ms:.1f} µs "
                f"({1e3 * one.timing.low_ms:.1f} to {1e3 * one.timing.high_ms:.1f}), "
                f"{one.roofline.gigabytes_per_second:.0f} GB/s"
                + ("" if share is None else f", {100 * share:.1f} % of the roofline")
            )
        print(words + (f"; {one.error}" if one.error else ""))
        for text in (*one.failures, *one.inputs_skipped)[:3]:
            print(f"  {text}")
    figures = found.summary()
    print(
        f"{found.hardware}: {figures['tasks']} tasks, {figures['agree']} agree, "
        f"{figures['differ']} differ, {figures['not_judged']} not judged, "
        f"{figures['did_not_run']} did not run; {figures['timed']} timed; "
        "times are of this card only"
    )
