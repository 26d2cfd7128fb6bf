"""``kernels export``: one archive with everything that a machine with a card needs."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from extractor import __version__
from extractor.errors import UserError
from extractor.output import write
from kernels.backends.cpu import CpuBackend
from kernels.building.step import BuildError
from kernels.isolation import EXECUTION, waiting_threads
from kernels.isolation.sandbox import best_sandbox
from kernels.profile.counted import count
from kernels.profile.request import choose_request, request_bytes
from kernels.task import Task, load_task
from kernels.task.folder import BASELINE, TASK
from kernels.task.inputs import make_inputs
from kernels.verify.compare import first_difference
from kernels.verify.conditions import Call
from kernels.verify.exchange import write_input
from kernels.verify.program import build_runner
from kernels.verify.runs import CaseRun, run_cases

_KERNELS = Path(__file__).parent.parent
_WORKER = Path(__file__).with_name("worker.py")
_STAYS = ".expected.tar.gz"
LARGEST_CASE = 8 << 20
"""Bytes of a case that is sent, unless another number is asked for."""

_PROGRAM = """\
#define main rocquarry_candidate_main
#include "baseline.hip"
#undef main
#include "{header}"

int main(int argc, char** argv) {{
  return rocquarry::{function}(argc, argv, [](const rocquarry::Call& call) {{
    return rocquarry::{how}({entry}, call);
  }});
}}
"""
_HUGE = 32 << 20


@dataclass(frozen=True)
class _Expected:
    """What a baseline gives, by number; the names of cases that count on 64 lanes; whether it is
    itself only where the lanes of a wavefront run in lockstep."""

    values: list[bytes | None]
    wide: list[str]
    lockstep: bool


@dataclass(frozen=True)
class Exported:
    """What came of an export.

    Attributes:
        archive: The file that travels.
        stays: The file with expected values, which does not.
        tasks: Names of the tasks in it.
        left_out: Tasks that are not in it, with the reason.
    """

    archive: Path
    stays: Path
    tasks: tuple[str, ...]
    left_out: dict[str, str]


def expected_beside(archive: Path) -> Path:
    """The file with expected values that belongs to an archive."""
    return archive.with_name(archive.name.removesuffix(".tar.gz") + _STAYS)


def export_tasks(
    folders: Sequence[Path], archive: Path, *, expect: bool = True, largest: int = LARGEST_CASE
) -> Exported:
    """Packs tasks.

    Args:
        folders: Task folders, or folders of such.
        archive: The file to write, ``NAME.tar.gz``.
        expect: Run every baseline on the cpu backend, to have values that outputs of the card are
            held to, and to count what the call that is timed does.
        largest: Bytes of buffers beyond which a case is not sent; the import lists it.

    Raises:
        UserError: There is no task, or the file cannot be written.
    """
    tasks = [(folder, load_task(folder)) for folder in _task_folders(folders)]
    if not tasks:
        raise UserError("there is no task to export; a task is a folder with task.json")
    files: dict[str, bytes] = {"worker.py": _WORKER.read_bytes()}
    for native in sorted((_KERNELS / "native").glob("*.h[pi]p")):
        files[f"native/{native.name}"] = native.read_bytes()
    include = _KERNELS / "cuda" / "include"
    for header in sorted(include.glob("**/*.h")):
        files[f"cuda/{header.relative_to(include)}"] = header.read_bytes()
    files["cuda/dialect.py"] = (_KERNELS / "cuda" / "dialect.py").read_bytes()
    stays: dict[str, bytes] = {}
    names: list[str] = []
    left_out: dict[str, str] = {}

    def one(pair: tuple[Path, Task]) -> tuple[dict[str, bytes], dict[str, bytes]] | str:
        try:
            return _packed(pair[1], pair[0], expect=expect, largest=largest)
        except UserError as error:
            return str(error)

    with waiting_threads(os.cpu_count() or 1) as pool:
        made = list(pool.map(one, tasks))
    for (folder, _), result in zip(tasks, made, strict=True):
        name = _unique(folder.name, [*names, *left_out])
        if isinstance(result, str):
            left_out[name] = result
            continue
        inside, kept = result
        names.append(name)
        files.update({f"tasks/{name}/{path}": data for path, data in inside.items()})
        stays.update({f"{name}/{path}": data for path, data in kept.items()})
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())}
    label = hashlib.sha256(json.dumps(hashes).encode()).hexdigest()
    manifest = {
        "archive": label, "tool_version": __version__, "tasks": names, "files": hashes,
    }  # fmt: skip
    files["manifest.json"] = json.dumps(manifest, indent=1).encode()
    stays["archive.json"] = json.dumps({"archive": label, "tasks": names}).encode()
    beside = expected_beside(archive)
    write(archive, packed(files))
    write(beside, packed(stays))
    return Exported(archive, beside, tuple(names), left_out)


def packed(files: dict[str, bytes]) -> bytes:
    """A compressed archive whose bytes depend on nothing but the files."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(data))
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=6, mtime=0) as compressed:
        compressed.write(raw.getvalue())
    return out.getvalue()


def _packed(
    task: Task, folder: Path, *, expect: bool, largest: int
) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """What travels of a task, and what stays."""
    baseline = (folder / BASELINE).read_bytes()
    definition = task.model_dump_json(by_alias=True, indent=1).encode()
    inside = {TASK: definition, BASELINE: baseline}
    how = "launch_kernel" if task.entry.kind == "kernel" else "call_function"
    for program, function in (("runner", "run"), ("profiler", "profile")):
        text = _PROGRAM.format(
            header=f"{program}.hpp", function=function, how=how, entry=task.entry.name
        )
        inside[f"{program}.hip"] = text.encode()
    calls = [_call(task, case) for case in task.cases]
    known = [(c.name, call) for c, call in zip(task.cases, calls, strict=True) if call]
    # The smallest is sent all the same, unless it is huge: a task without any proves nothing.
    least = min(min([_bytes(call) for _, call in known], default=0), _HUGE)
    launched = [(name, call) for name, call in known if _bytes(call) <= max(largest, least)]
    large = [name for name, call in known if _bytes(call) > max(largest, least)]
    with tempfile.TemporaryDirectory(prefix="rocquarry-export-") as place:
        for number, (_, call) in enumerate(launched):
            path = Path(place) / f"{number}.in"
            write_input(path, call.geometry, call.values)
            inside[path.name] = path.read_bytes()
    request = choose_request(task)
    inside["profile.request"] = request_bytes(task, request)
    counts = count(task, folder / BASELINE, request) if expect else "not asked for"
    moved, flops, why = request.bytes, request.flops, ""
    if isinstance(counts, str):
        why = counts
    else:
        moved, flops = counts.read + counts.written, request.flops or counts.operations
    about: dict[str, Any] = {
        "cases": [name for name, _ in launched], "moved": moved, "flops": flops,
        "profiled": request.case.name, "scalars": request.case.scalars, "grown": request.grown,
        "not_counted": why, "too_large": large, "counts_on_64": [],
        "lockstep": False,
    }  # fmt: skip
    kept = {TASK: definition, BASELINE: baseline}
    if expect:
        expected = _expected(task, folder / BASELINE, launched)
        about["counts_on_64"], about["lockstep"] = expected.wide, expected.lockstep
        for number, data in enumerate(expected.values):
            if data is not None:
                kept[f"{number}.expected"] = data
    kept["about.json"] = json.dumps(about).encode()
    return inside, kept


def _bytes(call: Call) -> int:
    return sum(len(value.data) for value in call.values)


def _call(task: Task, case: Any) -> Call | None:
    geometry = task.geometry(case)
    return None if 0 in geometry[:6] else Call(geometry, make_inputs(task, case))


def _expected(task: Task, baseline: Path, launched: Sequence[tuple[str, Call]]) -> _Expected:
    """What the baseline gives on the cpu backend.

    Where the order of its threads makes a difference, its lanes are put into lockstep, as a card
    runs them. Where the order of wavefronts and blocks still makes one, there is no value to hold a
    card to.
    """
    calls = [(call.geometry, call.values) for _, call in launched]
    limits = changed(EXECUTION, wall_seconds=120)
    with tempfile.TemporaryDirectory(prefix="rocquarry-export-") as work:

        def runs(backend: CpuBackend, name: str, schedules: Sequence[str]) -> list[list[CaseRun]]:
            try:
                program = build_runner(task.entry, baseline, backend, Path(work), name, ())
            except BuildError as error:
                raise UserError(f"the baseline does not build for the cpu: {error}") from error
            return [
                run_cases(program, calls, {"HIPCPU_SCHEDULE": schedule, "HIPCPU_EXITED": "allow"},
                          limits, best_sandbox())
                for schedule in schedules
            ]  # fmt: skip

        first, second = runs(CpuBackend(), "plain", ("ascending", "descending"))
        lockstep = not all(map(_alike, first, second))
        if lockstep:
            first, second = runs(CpuBackend(lockstep=True), "lockstep", ("together", "descending"))
        schedule = "together" if lockstep else "ascending"
        (narrow,) = runs(CpuBackend(32, lockstep=lockstep), "narrow", (schedule,))
    values = [
        b"".join(one.buffers) if one.buffers is not None and _alike(one, two) else None
        for one, two in zip(first, second, strict=True)
    ]
    wide = [
        name
        for (name, call), one, two in zip(launched, first, narrow, strict=True)
        if one.buffers is not None and not _agree(task, call, one, two)
    ]
    return _Expected(values, wide, lockstep)


def _agree(task: Task, call: Call, one: CaseRun, two: CaseRun) -> bool:
    if one.buffers is None or two.buffers is None or two.error:
        return False
    return first_difference(task, call.values, one.buffers, two.buffers) is None


def _alike(one: CaseRun, two: CaseRun) -> bool:
    return not one.error and not two.error and one.buffers == two.buffers


def _task_folders(folders: Sequence[Path]) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        if (folder / TASK).is_file():
            found.append(folder)
        elif folder.is_dir():
            found.extend(sorted(path.parent for path in folder.glob(f"**/{TASK}")))
        else:
            raise UserError(f"{folder}: there is no such folder")
    return list(dict.fromkeys(found))


def _unique(name: str, taken: Sequence[str]) -> str:
    plain = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
    number, candidate = 2, plain
    while candidate in taken:
        candidate = f"{plain}-{number}"
        number += 1
    return candidate
