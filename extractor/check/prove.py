"""The check from end to end: an index's answer, proved against the compiler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from extractor.check.answer import Answer
from extractor.check.build import Progress, build
from extractor.check.compare import compare
from extractor.check.comparison import Comparison
from extractor.check.dead import find_alive
from extractor.check.reach import answer_of
from extractor.spread import Engine
from extractor.toolchain.model import Toolchain
from extractor.units import Unit


def prove(
    index: Answer,
    units: Sequence[Unit],
    root: Path,
    toolchain: Toolchain,
    entries: Iterable[str] | None = None,
    *,
    jobs: int = 1,
    engine: Engine = "local",
    progress: Progress | None = None,
) -> Comparison:
    """Compile the units, answer for the entry points from their symbols, and compare.

    Args:
        index: The index's answer for the same units.
        units: Units in the build's own link order, as the index had them.
        root: Root of the source tree.
        toolchain: Compiler and its flags.
        entries: Exported C symbols to compare; None takes those of the index's answer.
        jobs: Compilations at a time, each in a process of its own.
        engine: Where they are made.
        progress: Told each unit's path when it is ready, and whether it came from the cache.

    Raises:
        StoreError: The disk is full, or the cache folder cannot be written.
    """
    built = build(units, root, toolchain, jobs=jobs, engine=engine, progress=progress)
    compiler = answer_of(built.program, root, index.entries if entries is None else entries)
    compiler.failed = built.failed
    alive = find_alive(index, built.program, units, root, toolchain)
    return compare(index, compiler, alive)
