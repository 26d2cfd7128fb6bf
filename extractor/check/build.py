"""All units of one configuration: compiled side by side, then linked in build order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor.check import unit_cache
from extractor.check.answer import Answer
from extractor.check.compile import compile_unit
from extractor.check.link import Program
from extractor.check.reach import answer_of
from extractor.errors import UnitError
from extractor.spread import Engine, spread
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

Progress = Callable[[str, bool], None]
"""Told each unit's path when it is ready, and whether it came from the cache."""


@dataclass
class Built:
    """A linked program and what is missing from it.

    Attributes:
        program: The program.
        failed: Path to the compiler's first error, of units that did not compile.
        compiled: Units compiled now.
        cached: Units taken from the cache.
    """

    program: Program = field(default_factory=Program)
    failed: dict[str, str] = field(default_factory=dict)
    compiled: int = 0
    cached: int = 0


def build(
    units: Sequence[Unit],
    root: Path,
    toolchain: Toolchain,
    *,
    jobs: int = 1,
    engine: Engine = "local",
    progress: Progress | None = None,
) -> Built:
    """Compile what is not cached and link everything.

    A unit's result is on disk, whole, before the next one of its worker begins, so an
    interrupted run goes on where it stopped.

    Args:
        units: Host units in the build's own link order, which decides between weak definitions.
        root: Root of the source tree.
        toolchain: Compiler and its flags.
        jobs: Compilations at a time, each in a process of its own.
        engine: Where they are made.
        progress: Called in this process for each unit, in the order in which they are ready.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    built = Built()
    host = [unit for unit in units if unit.side == "host"]
    records: dict[str, Path] = {}
    for unit in host:
        record = unit_cache.find(unit, root, toolchain)
        if record is not None:
            records[unit.path] = record
            built.cached += 1
            if progress is not None:
                progress(unit.path, True)
    missing = [unit for unit in host if unit.path not in records]
    requests = [(unit, root, toolchain) for unit in missing]
    for number, result in spread(_prepare, requests, jobs=jobs, engine=engine):
        unit = missing[number]
        if isinstance(result, Path):
            records[unit.path] = result
            built.compiled += 1
        else:
            built.failed[unit.path] = result
        if progress is not None:
            progress(unit.path, False)
    for unit in host:
        if unit.path in records:
            built.program.add(unit.path, unit_cache.load(records[unit.path]))
    return built


def ask_compiler(
    units: Sequence[Unit],
    root: Path,
    toolchain: Toolchain,
    entries: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Answer:
    """The compiler's answer: :func:`build`, then a walk from each entry point.

    Args:
        units: As for :func:`build`.
        root: As for :func:`build`.
        toolchain: As for :func:`build`.
        entries: Exported C symbols; None takes every one that the program exports.
        jobs: As for :func:`build`.
        progress: As for :func:`build`.
    """
    built = build(units, root, toolchain, jobs=jobs, progress=progress)
    answer = answer_of(built.program, root, entries)
    answer.failed = built.failed
    return answer


def _prepare(request: tuple[Unit, Path, Toolchain]) -> Path | str:
    """Compile one unit into the cache: its record, or the compiler's error."""
    unit, root, toolchain = request
    try:
        return unit_cache.keep(unit, root, toolchain, compile_unit(unit, root, toolchain))
    except UnitError as error:
        return str(error)
