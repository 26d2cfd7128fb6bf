"""Indexing units: what is missing in the store is parsed, in parallel, and stored as it comes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor import cache
from extractor.index import native_library
from extractor.index.closure import Closures
from extractor.index.names import NameSearch
from extractor.index.pool import Pool, Task
from extractor.index.precompiled import Precompiled, planned
from extractor.index.ray_pool import RayPool
from extractor.index.store import Store
from extractor.rules import Rule
from extractor.source.tree import SourceTree
from extractor.spread import Engine
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

Advance = Callable[[int, int, str], None]
"""Called after each unit with (done, total, path)."""


@dataclass
class Run:
    """What one call of ``Indexer.ensure`` did.

    Attributes:
        keys: Content key of every unit asked for, in the order asked.
        indexed: How many were parsed now; the others were in the store.
        lost: Units whose worker died, with the reason. They are not stored and are tried again.
        seconds: CPU seconds of the units parsed now.
        memory_mb: Largest worker of this run.
    """

    keys: list[str]
    indexed: int = 0
    lost: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    memory_mb: int = 0


class Indexer:
    """Brings units into the store.

    Args:
        rule: The library's rule file.
        tree: Its source.
        toolchain: What parses it.
        store: Where the index goes.
        jobs: Worker processes; the number of cores when 0.
        precompiled: Use precompiled headers.
        engine: Where units are parsed: ``local``, or ``ray`` for a cluster.
    """

    def __init__(
        self,
        rule: Rule,
        tree: SourceTree,
        toolchain: Toolchain,
        store: Store,
        *,
        jobs: int = 0,
        precompiled: bool = True,
        engine: Engine = "local",
    ) -> None:
        self._engine = engine
        self.tree = tree
        self.toolchain = toolchain
        self.store = store
        self.jobs = jobs or len(os.sched_getaffinity(0))
        self._lines = rule.precompiled if precompiled else ()
        self.closures = Closures(tree, toolchain, optional_flags(rule))
        self._keys: dict[Unit, str] = {}
        self._search: tuple[frozenset[str], NameSearch] | None = None

    def search(self, files: Iterable[str]) -> NameSearch:
        """Searches files by name; what was found stays for the next configuration."""
        wanted = frozenset(files)
        if self._search is None or self._search[0] != wanted:
            self._search = (wanted, NameSearch(self.closures, wanted))
        return self._search[1]

    def key_of(self, unit: Unit) -> str:
        """Content key of a unit."""
        key = self._keys.get(unit)
        if key is None:
            key = self._keys[unit] = self.closures.key_of(unit)
        return key

    def ensure(self, units: Sequence[Unit], advance: Advance | None = None) -> Run:
        """Indexes those of the units that the store lacks."""
        run = Run([self.key_of(unit) for unit in units])
        known = self.store.known(run.keys)
        missing: dict[str, Unit] = {}
        for unit, key in zip(units, run.keys, strict=True):
            if key not in known:
                missing.setdefault(key, unit)
        if not missing:
            return run
        library = native_library.build(self.toolchain)
        with self._pool(library) as pool:
            headers = self._precompile(pool, missing.values())
            pending = list(missing.items())
            tasks = [
                Task(number, self._request(unit, headers.get(unit.arguments)))
                for number, (_, unit) in enumerate(pending)
            ]
            for done, answer in enumerate(pool.run(tasks), start=1):
                key, unit = pending[answer.name]
                if answer.crashed:
                    run.lost[unit.path] = answer.errors[0]
                else:
                    self.store.put(
                        key,
                        unit.path,
                        unit.side,
                        answer.errors,
                        answer.records,
                        answer.seconds,
                        answer.memory_mb,
                    )
                    run.indexed += 1
                run.seconds += answer.seconds
                run.memory_mb = max(run.memory_mb, answer.memory_mb)
                if advance:
                    advance(done, len(pending), unit.path)
        return run

    def _pool(self, library: Path) -> Pool | RayPool:
        if self._engine == "ray":
            return RayPool(library, self.toolchain.libclang, self.jobs)
        return Pool(library, self.toolchain.libclang, self.jobs)

    def _request(self, unit: Unit, header: Precompiled | None) -> dict[str, object]:
        plain = list(self.closures.relevant_arguments(unit))
        arguments = plain if header is None else [*plain, *header.flags()]
        return {
            "path": str(self.tree.root / unit.path),
            "arguments": arguments,
            "plain": plain,
            "root": str(self.tree.root),
            "device": unit.side == "device",
        }

    def _precompile(
        self, pool: Pool | RayPool, units: Iterable[Unit]
    ) -> dict[tuple[str, ...], Precompiled]:
        planned_headers: dict[tuple[str, ...], Precompiled] = {}
        counts: dict[tuple[str, ...], int] = {}
        for unit in units:
            counts[unit.arguments] = counts.get(unit.arguments, 0) + 1
            if unit.arguments not in planned_headers:
                header = planned(self._lines, unit, self.closures)
                if header is not None:
                    planned_headers[unit.arguments] = header
        # For a unit or two the header costs more than it saves.
        worth = {
            arguments: header
            for arguments, header in planned_headers.items()
            if header.path.exists() or counts[arguments] > 2
        }
        missing = [header for header in worth.values() if not header.path.exists()]
        folders: list[Path] = []
        tasks = []
        for number, header in enumerate(missing):
            folder = header.path.parent
            folder.mkdir(parents=True, exist_ok=True)
            source = folder / "prefix.hip"
            cache.write_file(source, header.text.encode())
            folders.append(folder)
            request = {
                "path": str(source),
                "arguments": list(header.arguments),
                "precompile": str(folder / f"prefix-{os.getpid()}.tmp"),
            }
            tasks.append(Task(number, request))
        for answer in pool.run(tasks):
            made = folders[answer.name] / f"prefix-{os.getpid()}.tmp"
            if made.exists() and not answer.errors:
                made.replace(missing[answer.name].path)
            else:
                made.unlink(missing_ok=True)
        return worth


def optional_flags(rule: Rule) -> tuple[str, ...]:
    """Macro flags that not every configuration of a rule has."""
    sets = [set(configuration.flags) for configuration in rule.configurations]
    common = set.intersection(*sets) if sets else set()
    return tuple(sorted(flag for flag in set().union(*sets) - common if flag.startswith("-D")))
