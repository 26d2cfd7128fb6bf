"""The scope of an interface, put together from the walks of its configurations."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from extractor import __version__
from extractor.demangle import template_arguments
from extractor.graph.linked import DeviceJoin, Divergence, LinkedGraph, Node, Site
from extractor.graph.walk import Step, Walker
from extractor.launch_text import LaunchPlace, LaunchText
from extractor.records import (
    Boundary,
    Call,
    Divergent,
    EntryLine,
    Excluded,
    FailedUnit,
    Function,
    FunctionKind,
    Instantiation,
    KernelLine,
    Launch,
    Scope,
    Source,
    Span,
    Unresolved,
)
from extractor.rules import Rule
from extractor.source_text import SourceText
from extractor.units import Unit

_SPACE = re.compile(r"\s+")


@dataclass
class ConfigurationGraph:
    """Both sides of one configuration.

    Attributes:
        name: The configuration.
        host: Host side, linked.
        device: Device side, linked; kernels join by symbol and unit.
        units: Host units by their number in ``host``.
        failed: Units with errors among those read.
    """

    name: str
    host: LinkedGraph
    device: LinkedGraph | None
    units: Sequence[Unit]
    failed: Sequence[FailedUnit] = ()
    rule: Rule | None = None

    @cached_property
    def host_walker(self) -> Walker:
        """Walks the host side."""
        return Walker(self.host, self.rule)

    @cached_property
    def device_walker(self) -> Walker | None:
        """Walks the device side."""
        if self.device is None:
            return None
        return Walker(self.device, self.rule, stop_at_kernels=False)

    @cached_property
    def divergences(self) -> list[Divergence]:
        """Symbols with several bodies on the host side."""
        return self.host.divergences()

    @cached_property
    def join(self) -> DeviceJoin | None:
        """Finds a host kernel on the device side."""
        return DeviceJoin(self.host, self.device) if self.device is not None else None


@dataclass
class _Collected:
    """A definition on its way to becoming a record."""

    node: Node
    unit: Unit
    kinds: set[str] = field(default_factory=set)
    instantiations: dict[str, tuple[str, set[str]]] = field(default_factory=dict)


class ScopeBuilder:
    """Builds scopes over graphs that are already there.

    Args:
        rule: The library's rule file.
        source: Provenance of every record.
        graphs: One for each configuration, in the order shown.
        text: Reads source files.
        launches: Finds the text of launches.
    """

    def __init__(
        self,
        rule: Rule,
        source: Source,
        graphs: Sequence[ConfigurationGraph],
        text: SourceText,
        launches: LaunchText,
    ) -> None:
        self._rule, self._source, self.graphs = rule, source, graphs
        self._text, self._launches = text, launches
        self._heads: dict[tuple[str, int, int], tuple[str, str | None]] = {}
        self._rows: dict[tuple[int, int], str] = {}

    def entry_lines(self, entry: str) -> list[EntryLine]:
        """One line of ``--kernels`` for each configuration that defines the entry point."""
        lines = []
        for graph in self.graphs:
            start = graph.host.find(entry)
            if start is None:
                continue
            walker = graph.host_walker
            live = walker.reach([start], dead=False)
            every = walker.reach([start], dead=True)
            kernels: dict[tuple[str, str], tuple[set[str], set[str], list[str]]] = {}
            for index in every:
                node = graph.host.nodes[index]
                if node.kernel:
                    row = kernels.setdefault(
                        (node.name, self._text.portable(node.file)), (set(), set(), [])
                    )
                    (row[0] if index in live else row[1]).add(node.symbol)
            if any(not row[0] for row in kernels.values()):
                for index in every:
                    for step in walker.steps(index):
                        node = graph.host.nodes[step.target]
                        if node.kernel and step.dead:
                            key = (node.name, self._text.portable(node.file))
                            kernels[key][2].append(
                                f"{step.site.file}:{step.site.line}: {step.dead}"
                            )
            boundaries: set[str] = set()
            unresolved: set[tuple[Site, str]] = set()
            for index in live:
                ends = walker.ends(index)
                boundaries.update(ends.boundaries)
                unresolved.update(ends.unresolved)
            lines.append(
                EntryLine(
                    entry=entry,
                    config=graph.name,
                    kernels=tuple(
                        KernelLine(
                            name=name,
                            file=file,
                            instantiations=len(alive or gone),
                            dead=not alive,
                            reason=None if alive else (min(why) if why else "only dead callers"),
                        )
                        for (name, file), (alive, gone, why) in sorted(kernels.items())
                    ),
                    boundaries=tuple(sorted(boundaries)),
                    unresolved=len(unresolved),
                )
            )
        return lines

    def digest(self, entries: Iterable[str]) -> str:
        """Changes whenever the scope of these entry points can change, its ``source`` apart.

        It covers the reached functions' records, the text of their files, and, where a launch's
        text is expanded, everything its unit includes.
        """
        names = list(entries)
        state = hashlib.blake2b(digest_size=16)
        for graph in self.graphs:
            state.update(f"{graph.name}\0".encode())
            starts = [i for i in map(graph.host.find, names) if i is not None]
            reached = graph.host_walker.reach(starts, dead=True)
            sides = [(graph.host, graph.host_walker, reached)]
            if graph.device_walker is not None and graph.join is not None:
                assert graph.device is not None
                kernels = [i for i in reached if graph.host.nodes[i].kernel]
                found = [i for i in map(graph.join.find, kernels) if i is not None]
                below = graph.device_walker.reach(found, dead=True)
                sides.append((graph.device, graph.device_walker, below))
            for linked, walker, nodes in sides:
                rows = [self._row(graph, linked, walker, index) for index in nodes]
                state.update("\n".join(sorted(rows)).encode())
            symbols = {graph.host.nodes[index].symbol for index in reached}
            for divergence in graph.divergences:
                if divergence.symbol in symbols:
                    state.update(repr(divergence).encode())
            state.update(repr(graph.failed).encode())
        return state.hexdigest()

    def _row(
        self, graph: ConfigurationGraph, linked: LinkedGraph, walker: Walker, index: int
    ) -> str:
        key = (id(linked), index)
        known = self._rows.get(key)
        if known is None:
            node = linked.nodes[index]
            content = self._launches.hash_of(node.file)
            known = f"{node.id}\0{node.digest.hex()}\0{content}"
            if any(step.kind == "l" for step in walker.steps(index)):
                known += f"\0{linked.units[node.unit].key}"
            self._rows[key] = known
        return known

    def build(self, interface: str, entries: Iterable[str]) -> Scope:
        """The scope of an interface's entry points."""
        return _Assembly(self, interface, list(entries)).scope()


class _Assembly:
    """One scope in the making."""

    def __init__(self, builder: ScopeBuilder, interface: str, entries: list[str]) -> None:
        self.b = builder
        self.interface, self.entries = interface, entries
        self.definitions: dict[str, _Collected] = {}
        self.calls: dict[tuple[str, str, str, Site, str], set[str]] = {}
        self.launches: dict[tuple[str, str, Site, int, str], tuple[set[str], Unit, Node]] = {}
        self.per_entry: dict[str, dict[str, tuple[str, ...]]] = {}
        self.boundaries: dict[tuple[str, str], tuple[set[str], set[str]]] = {}
        self.excluded: dict[tuple[str, str], set[str]] = {}
        self.unresolved: dict[tuple[Site, str], str] = {}
        self.divergent: dict[str, Divergent] = {}
        self.launchers: set[str] = set()
        self.live: set[str] = set()
        for graph in builder.graphs:
            self._add(graph)

    def _add(self, graph: ConfigurationGraph) -> None:
        walker, host = graph.host_walker, graph.host
        starts = {entry: host.find(entry) for entry in self.entries}
        known = {entry: index for entry, index in starts.items() if index is not None}
        for entry, start in known.items():
            live = walker.reach([start], dead=False)
            kernels = sorted(host.nodes[i].id for i in live if host.nodes[i].kernel)
            self.per_entry.setdefault(entry, {})[graph.name] = tuple(kernels)
            self.live.update(kernels)
        entry_nodes = set(known.values())
        reached = walker.reach(known.values(), dead=True)
        alive = walker.reach(known.values(), dead=False)
        for index in reached:
            node = host.nodes[index]
            kind = "kernel" if node.kernel else "entry_point" if index in entry_nodes else "host"
            self._define(node, node.id, kind, graph.name, graph.units[node.unit])
            for step in walker.steps(index):
                self._step(graph, node, node.id, host, step, "")
            self._end(graph, walker, index, node.id, alive=index in alive)
        if graph.device_walker is not None and graph.join is not None:
            self._add_device(graph, [i for i in reached if host.nodes[i].kernel])
        self._diverge(graph, reached)

    def _add_device(self, graph: ConfigurationGraph, kernels: list[int]) -> None:
        walker, device, join = graph.device_walker, graph.device, graph.join
        assert walker is not None
        assert device is not None
        assert join is not None
        starts: dict[int, str] = {}
        for index in kernels:
            found = join.find(index)
            if found is not None:
                starts[found] = graph.host.nodes[index].id
        live_kernels = [i for i, kernel in starts.items() if kernel in self.live]
        alive = walker.reach(live_kernels, dead=False)
        for index in walker.reach(starts, dead=True):
            node = device.nodes[index]
            name = starts.get(index) or _device_id(node)
            if index not in starts:
                self._define(node, name, "device", graph.name, graph.units[0])
            for step in walker.steps(index):
                self._step(graph, node, name, device, step, "@device")
            self._end(graph, walker, index, name, alive=index in alive)

    def _define(self, node: Node, name: str, kind: str, config: str, unit: Unit) -> None:
        site = node.site
        key = f"{self.b._text.portable(site.file)}:{site.line}:{node.qualified_name}"
        collected = self.definitions.get(key)
        if collected is None:
            collected = self.definitions[key] = _Collected(node, unit)
        collected.kinds.add(kind)
        instantiation = collected.instantiations.get(name)
        if instantiation is None:
            instantiation = collected.instantiations[name] = (node.symbol, set())
        instantiation[1].add(config)

    def _step(
        self,
        graph: ConfigurationGraph,
        caller: Node,
        caller_id: str,
        linked: LinkedGraph,
        step: Step,
        suffix: str,
    ) -> None:
        target = linked.nodes[step.target]
        target_id = _device_id(target) if suffix and not target.kernel else target.id
        if step.kind == "l":
            key = (caller_id, target_id, step.site, step.nth, step.dead)
            row = self.launches.get(key)
            if row is None:
                row = self.launches[key] = (set(), graph.units[caller.unit], target)
            row[0].add(graph.name)
            if not step.dead:
                self.launchers.add(caller_id)
        else:
            kind = "call" if step.kind == "c" else "reference"
            self.calls.setdefault((caller_id, target_id, kind, step.site, step.dead), set()).add(
                graph.name
            )

    def _end(
        self, graph: ConfigurationGraph, walker: Walker, index: int, name: str, *, alive: bool
    ) -> None:
        ends = walker.ends(index)
        for boundary, (library, _) in ends.boundaries.items():
            row = self.boundaries.setdefault((boundary, library), (set(), set()))
            row[0].add(name)
            row[1].add(graph.name)
        for rule, nodes in ends.excluded.items():
            self.excluded.setdefault(rule, set()).update(
                walker.graph.nodes[node].id for node in nodes
            )
        if alive:
            # What code that never runs would call is not a gap in the answer.
            self.unresolved.update(ends.unresolved)

    def _diverge(self, graph: ConfigurationGraph, reached: Iterable[int]) -> None:
        symbols = {graph.host.nodes[index].symbol for index in reached}
        for found in graph.divergences:
            if found.symbol in symbols and found.symbol not in self.divergent:
                self.divergent[found.symbol] = Divergent(
                    usr=found.usr,
                    symbol=found.symbol,
                    at=tuple(self._span(site) for _, site in found.places),
                    units=tuple(unit for unit, _ in found.places),
                )

    def _span(self, site: Site) -> Span:
        return self.b._text.span(site.file, site.line, site.end_line)

    def scope(self) -> Scope:
        configs = tuple(graph.name for graph in self.b.graphs)
        return Scope(
            tool_version=__version__,
            project=self.b._rule.name,
            interface=self.interface,
            configs=configs,
            source=self.b._source,
            entry_points=tuple(sorted(self.per_entry)),
            functions=tuple(self._functions(configs)),
            calls=tuple(self._calls(configs)),
            launches=tuple(self._launches(configs)),
            per_entry={
                entry: {config: rows[config] for config in configs if config in rows}
                for entry, rows in sorted(self.per_entry.items())
            },
            boundaries=tuple(
                Boundary(
                    name=name,
                    library=library,
                    callers=tuple(sorted(callers)),
                    configs=_ordered(configs, present),
                )
                for (name, library), (callers, present) in sorted(self.boundaries.items())
            ),
            excluded=tuple(
                Excluded(rule=rule, reason=reason, count=len(nodes))
                for (rule, reason), nodes in sorted(self.excluded.items())
            ),
            unresolved=tuple(
                Unresolved(
                    at=self._span(site),
                    text=_folded(self.b._text.slice(site.file, site.begin, site.end)) or name,
                    reason=reason,
                )
                for (site, name), reason in sorted(self.unresolved.items())
            ),
            divergent=tuple(self.divergent[symbol] for symbol in sorted(self.divergent)),
            failed_units=tuple(failed for graph in self.b.graphs for failed in graph.failed),
        )

    def _functions(self, configs: tuple[str, ...]) -> Iterable[Function]:
        def place(item: tuple[str, _Collected]) -> tuple[str, int, str]:
            site = item[1].node.site
            return (self.b._text.portable(site.file), site.line, item[0])

        for key, collected in sorted(self.definitions.items(), key=place):
            node, site = collected.node, collected.node.site
            signature, bounds = self._head(node, collected.unit)
            pattern = self.b._rule.infrastructure_of(node.qualified_name, node.file)
            yield Function(
                id=key,
                name=node.name,
                qualified_name=node.qualified_name,
                signature=signature,
                kind=self._kind(collected),
                span=self._span(site),
                text=self.b._text.text(site.file, site.line, site.end_line),
                launch_bounds=bounds if node.kernel else None,
                infrastructure=pattern.reason if pattern else None,
                instantiations=tuple(
                    Instantiation(
                        id=name,
                        symbol=symbol,
                        template_arguments=template_arguments(symbol),
                        configs=_ordered(configs, present),
                    )
                    for name, (symbol, present) in sorted(collected.instantiations.items())
                ),
            )

    def _kind(self, collected: _Collected) -> FunctionKind:
        if "kernel" in collected.kinds:
            return "kernel"
        if "entry_point" in collected.kinds:
            return "entry_point"
        if any(name in self.launchers for name in collected.instantiations):
            return "launcher"
        return "host" if "host" in collected.kinds else "device"

    def _head(self, node: Node, unit: Unit) -> tuple[str, str | None]:
        site = node.site
        body = int(node.record["b"])
        key = (site.file, site.begin, body)
        known = self.b._heads.get(key)
        if known is None:
            end = body if site.begin < body <= site.end else site.end
            text = self.b._text.slice(site.file, site.begin, end)
            if end == site.end:
                text = text.partition("{")[0]
            signature = _folded(text).removesuffix(" try")
            bounds = self.b._launches.bounds(unit, signature) if node.kernel else None
            known = self.b._heads[key] = (signature, bounds)
        return known

    def _calls(self, configs: tuple[str, ...]) -> Iterable[Call]:
        for (caller, callee, kind, site, dead), present in sorted(self.calls.items()):
            yield Call(
                caller=caller,
                callee=callee,
                kind="call" if kind == "call" else "reference",
                at=self._span(site),
                dead=bool(dead),
                dead_reason=dead or None,
                configs=_ordered(configs, present),
            )

    def _launches(self, configs: tuple[str, ...]) -> Iterable[Launch]:
        for key, (present, unit, kernel) in sorted(self.launches.items(), key=lambda i: i[0]):
            caller, kernel_id, site, nth, dead = key
            grid, block, shared, stream = self.b._launches.parts(
                unit,
                LaunchPlace(site.file, site.line, site.end_line, nth),
                self.b._text.slice(site.file, site.begin, site.end),
                kernel.name,
            )
            yield Launch(
                caller=caller,
                kernel=kernel_id,
                at=self._span(site),
                grid=grid,
                block=block,
                shared_bytes=shared,
                stream=stream,
                dead=bool(dead),
                dead_reason=dead or None,
                configs=_ordered(configs, present),
            )


def _device_id(node: Node) -> str:
    return f"{node.id}@device"


def _ordered(configs: tuple[str, ...], present: set[str]) -> tuple[str, ...]:
    return tuple(config for config in configs if config in present)


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
