"""Objects of a library's host side, compiled for this machine and kept by content.

A host pass alone needs neither GPU nor device code: the object holds the library's own host code,
with launches as calls of the HIP runtime. What is kept is found again by the content of the unit,
of everything it can include, of its flags and of the compiler.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor import cache
from extractor.index.precompiled import Precompiled, planned
from extractor.project import Project
from extractor.spread import spread
from extractor.units import Unit

KIND = "trace-objects"
"""Kind of the entries in the cache folder."""

_FORMAT = "2"
# What the host side decides does not depend on optimisation, and this is the fastest to build.
_FLAGS = ("-O0", "-fPIC", "-w")
COUNTING = ("-fprofile-instr-generate", "-fcoverage-mapping")
"""Flags for objects that count what is executed, with a map from counters to the source."""
_SECONDS = 900

Progress = Callable[[int, int, str], None]
"""Told (done, total, path) after each unit."""


@dataclass
class Objects:
    """What came of compiling some units.

    Attributes:
        paths: By unit, its object, in the order asked for.
        failed: By the unit's path, the compiler's first error.
        compiled: How many were compiled now.
        cpu_seconds: Processor time of those that were compiled on this machine.
    """

    paths: dict[Unit, Path] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    compiled: int = 0
    cpu_seconds: float = 0.0


def compile_units(
    project: Project,
    units: Sequence[Unit],
    progress: Progress | None = None,
    flags: tuple[str, ...] = (),
) -> Objects:
    """Compiles what the cache lacks, several units at once.

    Each object is in the cache before the next one of its thread begins, so that an interrupted
    run goes on where it was.

    Args:
        project: Their library.
        units: Host units.
        progress: Told about each unit that is compiled.
        flags: Further flags of the compiler.

    Raises:
        StoreError: The cache cannot be written.
    """
    made = Objects()
    places = {unit: _place(project, unit, flags) for unit in units}
    missing = [unit for unit, place in places.items() if not place.exists()]
    headers = _headers(project, missing)
    requests = [
        _Request(
            (*project.toolchain.clang, *unit.arguments, *_FLAGS, *flags),
            unit.path,
            Path(project.tree.root),
            places[unit],
            headers.get(unit.arguments),
        )
        for unit in missing
    ]
    before = os.times()
    answers = spread(
        _compile, requests, jobs=project.indexer.jobs, engine=project.engine, threads=True
    )
    for done, (number, error) in enumerate(answers, start=1):
        path = missing[number].path
        if error:
            made.failed[path] = error
        else:
            made.compiled += 1
        if progress:
            progress(done, len(missing), path)
    after = os.times()
    made.cpu_seconds = sum(after[2:4]) - sum(before[2:4])
    made.paths = {u: place for u, place in places.items() if u.path not in made.failed}
    return made


def _place(project: Project, unit: Unit, flags: tuple[str, ...]) -> Path:
    key = project.indexer.closures.content_key(unit, KIND, _FORMAT, *_FLAGS, *flags)
    return cache.entry(KIND, f"{key[:2]}/{key}.o")


def _headers(project: Project, units: Sequence[Unit]) -> dict[tuple[str, ...], Path]:
    """By flags, a precompiled header, where there are enough units for it to pay."""
    counts: dict[tuple[str, ...], list[Unit]] = {}
    for unit in units:
        counts.setdefault(unit.arguments, []).append(unit)
    found = {}
    for arguments, group in counts.items():
        header = planned(project.rule.precompiled, group[0], project.indexer.closures)
        if header is None:
            continue
        path = cache.entry("trace-headers", header.key) / "prefix.pch"
        if not path.exists() and len(group) > 2:
            _precompile(project, header, path)
        if path.exists():
            found[arguments] = path
    return found


def _precompile(project: Project, header: Precompiled, path: Path) -> None:
    with cache.scratch("trace-headers") as work:
        source, output = work / "prefix.hip", work / "prefix.pch"
        source.write_text(header.text, encoding="utf-8")
        command = [*project.toolchain.clang, *header.arguments, *_FLAGS, "-Xclang", "-emit-pch"]
        # Without one the units are compiled as they are, only slower.
        if not _run([*command, "-c", str(source), "-o", str(output)]) and output.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            output.replace(path)


@dataclass(frozen=True)
class _Request:
    """One object to make, in words that another machine understands."""

    command: tuple[str, ...]
    path: str
    root: Path
    place: Path
    header: Path | None


def _compile(request: _Request) -> str:
    """Compiles one unit into the cache; the compiler's first error, empty where it had none."""
    with cache.scratch(KIND) as work:
        output = work / "unit.o"
        # Names of code objects follow the output's path where nothing else is given for them.
        identity = f"-cuid={request.place.stem[:16]}"
        rest = [identity, "-c", str(request.root / request.path), "-o", str(output)]
        header = request.header
        use = ["-Xclang", "-include-pch", "-Xclang", str(header)] if header else []
        error = _run([*request.command, *use, *rest])
        if error and header:
            error = _run([*request.command, *rest])
        if error or not output.exists():
            return f"{request.path}: {error or 'the compiler wrote no object'}"
        request.place.parent.mkdir(parents=True, exist_ok=True)
        output.replace(request.place)
    return ""


def _run(command: Sequence[str]) -> str:
    """The first error of a command, empty when it ended well."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            # Ctrl-C goes to the parent alone, which then starts no more of them.
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"the compiler took more than {_SECONDS} seconds"
    if not done.returncode:
        return ""
    lines = done.stderr.splitlines() or [f"the compiler ended with {done.returncode}"]
    return next((line for line in lines if "error" in line), lines[0]).strip()
