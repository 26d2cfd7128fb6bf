"""A library opened for extraction: its rule file, source, toolchain, units and store together."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from extractor import settings
from extractor.compile_commands import build_identity
from extractor.configuration_graph import ConfigurationGraph
from extractor.entry_points import EntryPoint, declared, undeclared
from extractor.errors import UnknownName, UserError
from extractor.graph.linked import LinkedGraph, Record
from extractor.graph.selection import Selection
from extractor.index.closure import SCHEMA, native_identity
from extractor.index.indexer import Indexer, Run
from extractor.index.store import Store, StoredUnit
from extractor.launch_text import LaunchText
from extractor.progress import Reporter
from extractor.records import FailedUnit, Source
from extractor.rules import Rule, load_rule
from extractor.scope import ScopeBuilder
from extractor.source.obtain import obtain
from extractor.source.tree import SourceTree
from extractor.source_text import SourceText
from extractor.spread import Engine
from extractor.toolchain.find import find
from extractor.toolchain.model import Toolchain
from extractor.unit_plan import plan_units
from extractor.units import Side, Unit


class Project:
    """One library, ready to be asked.

    Args:
        name: Project, path of a rule file, or a rule.
        source: ``--source``: a folder, ``URL@REF``, or a version that the rule pins.
        jobs: Worker processes; the number of cores when 0.
        reporter: Tells the user what goes on.
        precompiled: Use precompiled headers.
        engine: Where units are parsed and compiled: ``local``, or ``ray`` for a cluster.
    """

    def __init__(
        self,
        name: str | Path | Rule,
        *,
        source: str | None = None,
        jobs: int = 0,
        reporter: Reporter | None = None,
        precompiled: bool = True,
        engine: Engine = "local",
    ) -> None:
        self.engine: Engine = engine
        self.reporter = reporter or Reporter(quiet=True)
        self.rule: Rule = name if isinstance(name, Rule) else load_rule(name)
        self.override = source
        self.jobs = jobs
        self._precompiled = precompiled
        self.runs: list[Run] = []
        self._records: dict[bytes, Record] = {}

    @cached_property
    def tree(self) -> SourceTree:
        """The source; fetched when the cache lacks it."""
        return obtain(self.rule, self.override)

    @cached_property
    def toolchain(self) -> Toolchain:
        """What parses it."""
        return find(self.rule)

    @cached_property
    def store(self) -> Store:
        """The index's store."""
        return Store(notice=self.reporter.note)

    @cached_property
    def indexer(self) -> Indexer:
        """Brings units into the store."""
        return Indexer(
            self.rule,
            self.tree,
            self.toolchain,
            self.store,
            jobs=self.jobs,
            precompiled=self._precompiled,
            engine=self.engine,
        )

    @cached_property
    def text(self) -> SourceText:
        """Reads source files."""
        # `EXT:` marks a file of another package, by its name below that package's include folder.
        outside = [(self.tree.generated, "generated/")]
        outside += [(self.tree.build, "build/")] if self.tree.build is not None else []
        outside += [(prefix / "include", "EXT:") for prefix in self.toolchain.prefixes]
        outside += [(prefix, "EXT:") for prefix in self.toolchain.prefixes]
        return SourceText(self.tree.root, outside)

    @property
    def source(self) -> Source:
        """Provenance of every record."""
        tree = self.tree
        return Source(
            name=tree.name, version=tree.version, commit=tree.commit, license=tree.license
        )

    @cached_property
    def state(self) -> str:
        """Changes whenever anything that an answer depends on changes."""
        digest = hashlib.blake2b(digest_size=16)
        parts = [self.code, self.tree.content_key, str(self.tree.root)]
        if self.rule.compile.database is not None:
            parts.append(build_identity(self.rule.database))
        for part in parts:
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()

    @cached_property
    def code(self) -> str:
        """Changes with this program and with the rule file, whatever the source."""
        digest = hashlib.blake2b(digest_size=16)
        parts = (SCHEMA, native_identity(), _code(), self.toolchain.identity)
        for part in (*parts, self.rule.model_dump_json()):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()

    @cached_property
    def entry_points(self) -> dict[str, EntryPoint]:
        """Declared public functions by name."""
        key = f"entries:{self.state}"
        data = self.store.recall(key)
        if data is None:
            found = declared(self.rule, self.tree)
            rows = [[entry.name, entry.file, entry.line] for entry in found]
            self.store.remember(key, json.dumps(rows).encode())
        else:
            found = [EntryPoint(*row) for row in json.loads(data)]
        return {entry.name: entry for entry in found}

    @cached_property
    def exported(self) -> dict[str, EntryPoint]:
        """Declared entry points, and names that may be exported without a declaration."""
        if not self.rule.entry_points.undeclared:
            return self.entry_points
        key = f"exported:{self.state}"
        data = self.store.recall(key)
        if data is None:
            files: set[str] = set()
            for config in self.configurations():
                for unit in self.units(config, "host"):
                    files |= self.indexer.closures.files_of(unit)
            root = f"{self.indexer.closures.root}"
            texts = (
                (file.removeprefix(root), self.indexer.closures.data_of(file))
                for file in sorted(files)
            )
            found = undeclared(self.rule, texts, self.entry_points)
            self.store.remember(
                key, json.dumps([[e.name, e.file, e.line, False] for e in found]).encode()
            )
        else:
            found = [EntryPoint(*row) for row in json.loads(data)]
        return {**{entry.name: entry for entry in found}, **self.entry_points}

    def defined(self, graphs: Sequence[ConfigurationGraph]) -> list[str]:
        """Every entry point that a whole library's graphs define, by name."""
        names = set(self.entry_points)
        for graph in graphs if self.rule.entry_points.undeclared else ():
            names.update(
                symbol
                for symbol in graph.host.external_symbols()
                if not symbol.startswith("_Z") and self.rule.is_entry_point(symbol)
            )
        return sorted(n for n in names if any(g.host.find(n) is not None for g in graphs))

    def configurations(self, chosen: str = "all") -> tuple[str, ...]:
        """Names of configurations, in the rule's order."""
        names = tuple(configuration.name for configuration in self.rule.configurations)
        if chosen == "all":
            return names
        if chosen not in names:
            raise UnknownName("configuration", chosen, names, f"known: {', '.join(names)}")
        return (chosen,)

    def resolve(self, interface: str) -> list[str]:
        """Entry points of an interface.

        Raises:
            UnknownName: Nothing has this name.
        """
        try:
            return self.rule.resolve_interface(interface, self.exported)
        except UnknownName:
            if not self.offered:
                raise UserError(
                    f"{self.rule.name} has no entry point at all; see [entry_points] in "
                    f"{self.rule.path}"
                ) from None
            # Suggest what is public, not what only might be.
            return self.rule.resolve_interface(interface, self.offered)

    @property
    def offered(self) -> dict[str, EntryPoint]:
        """Declared public functions; where no header declares any, what may be exported."""
        return self.entry_points or self.exported

    def families(self) -> dict[str, list[str]]:
        """Entry points by interface family."""
        return self.rule.group_entries(self.offered)

    def units(self, config: str, side: Side) -> list[Unit]:
        """All units of a configuration, in build order."""
        return plan_units(self.rule, self.tree, self.toolchain, config, side)

    def builder(
        self, configs: Sequence[str], entries: Iterable[str] | None, *, device: bool = True
    ) -> ScopeBuilder:
        """Indexes what is needed and opens it.

        Args:
            configs: Configurations, in the order shown.
            entries: Entry points, or ``None`` for the whole library.
            device: Index the device side too.
        """
        wanted = None if entries is None else list(entries)
        graphs = [self.graph(config, wanted, device=device) for config in configs]
        launches = LaunchText(self.toolchain, self.indexer.closures, self.store)
        return ScopeBuilder(self.rule, self.source, graphs, self.text, launches)

    def graph(
        self, config: str, entries: Sequence[str] | None, *, device: bool = True
    ) -> ConfigurationGraph:
        """The linked graph of one configuration, for some entry points or for all."""
        units = self.units(config, "host")
        with self.reporter.work(f"{self.rule.name} {config} host") as advance:
            if entries is None:
                run = self.indexer.ensure(units, advance)
                self.runs.append(run)
                used = [unit for unit in units if unit.path not in run.lost]
                host = self._link(used)
            else:
                selection = Selection(self.indexer, units, self.rule)
                required = [name for name in entries if name in self.entry_points]
                optional = [name for name in entries if name not in self.entry_points]
                numbers, host = selection.choose(required, optional, advance)
                self.runs.extend(selection.runs)
                lost = {path for run in selection.runs for path in run.lost}
                used = [units[n] for n in numbers if units[n].path not in lost]
        failed = self._failures(used, config, "host")
        graph = ConfigurationGraph(config, host, None, used, (), self.rule)
        if device:
            with self.reporter.work(f"{self.rule.name} {config} device") as advance:
                owners = self._kernel_units(graph, entries)
                device_units = [u for u in self.units(config, "device") if u.path in owners]
                run = self.indexer.ensure(device_units, advance)
                self.runs.append(run)
                device_used = [unit for unit in device_units if unit.path not in run.lost]
                graph.device = self._link(device_used)
                failed += self._failures(device_used, config, "device")
        for run in self.runs:
            failed += [
                FailedUnit(path=path, config=config, side="host", errors=(why,))
                for path, why in run.lost.items()
            ]
            run.lost.clear()
        graph.failed = tuple(failed)
        return graph

    def _link(self, units: Sequence[Unit]) -> LinkedGraph:
        stored = self.store.units([self.indexer.key_of(unit) for unit in units])
        # Configurations share most of their records; each is decoded once.
        hashes = {digest for unit in stored for digest in unit.functions}
        self._records.update(self.store.functions(hashes - self._records.keys()))
        return LinkedGraph(stored, self._records)

    def _failures(self, units: Sequence[Unit], config: str, side: Side) -> list[FailedUnit]:
        stored: list[StoredUnit] = self.store.units([self.indexer.key_of(u) for u in units])
        root = f"{self.tree.root}/"
        return [
            FailedUnit(
                path=unit.path,
                config=config,
                side=side,
                errors=tuple(error.replace(root, "") for error in unit.errors[:5]),
            )
            for unit in stored
            if unit.errors
        ]

    def _kernel_units(self, graph: ConfigurationGraph, entries: Sequence[str] | None) -> set[str]:
        host = graph.host
        if entries is None:
            entries = [name for name in host.external_symbols() if self.rule.is_entry_point(name)]
        starts = [index for index in map(host.find, entries) if index is not None]
        return {
            host.units[host.nodes[index].unit].path
            for index in graph.host_walker.reach(starts, dead=True)
            if host.nodes[index].kernel and host.nodes[index].unit >= 0
        }


def _code() -> str:
    """Identity of this program's own text: an edited checkout never sees a stale answer."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        stat = path.stat()
        digest.update(f"{path.name}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return digest.hexdigest()


@functools.lru_cache(maxsize=2)
def opened(rules: str, source: str | None) -> Project:
    """A library for calls that are spread over processes: opened once in each.

    Args:
        rules: Name or path of its rule file.
        source: Folder or ``URL@REF`` instead of the pinned source.
    """
    return Project(rules, source=source, jobs=1)


def output_folder(out: Path, project: str, interface: str) -> Path:
    """Where an interface's files go: ``OUT/PROJECT/INTERFACE``."""
    return out / project / interface


DEFAULT_ARCHITECTURE = settings.DEFAULT_ARCHITECTURE
