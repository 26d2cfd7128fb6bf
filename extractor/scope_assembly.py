"""One scope in the making: what the walks of its configurations reach, as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from extractor import __version__
from extractor.configuration_graph import ConfigurationGraph
from extractor.demangle import template_arguments
from extractor.function_head import head_of
from extractor.graph.linked import LinkedGraph, Node, Site
from extractor.graph.walk import Step, Walker
from extractor.launch_text import LaunchPlace, LaunchText
from extractor.records import (
    Boundary,
    Call,
    Divergent,
    Excluded,
    Function,
    FunctionKind,
    Indirect,
    Instantiation,
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
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


@dataclass
class Materials:
    """What every scope of a library is made from.

    Attributes:
        rule: The library's rule file.
        source: Provenance of every record.
        graphs: One for each configuration, in the order shown.
        text: Reads source files.
        launches: Finds the text of launches.
        heads: Signature and launch bounds by definition, found once.
    """

    rule: Rule
    source: Source
    graphs: Sequence[ConfigurationGraph]
    text: SourceText
    launches: LaunchText
    heads: dict[tuple[str, int, int], tuple[str, str | None]] = field(default_factory=dict)


@dataclass
class _Collected:
    """A definition on its way to becoming a record."""

    node: Node
    unit: Unit
    kinds: set[str] = field(default_factory=set)
    instantiations: dict[str, tuple[str, set[str]]] = field(default_factory=dict)


class Assembly:
    """Collects what the walks of one interface reach, configuration by configuration.

    Args:
        materials: What every scope of the library is made from.
        interface: Family or entry point asked for.
        entries: Entry points that may be defined.
    """

    def __init__(self, materials: Materials, interface: str, entries: list[str]) -> None:
        self.b = materials
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
        self.pointers: dict[Site, str] = {}
        for graph in materials.graphs:
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
        key = f"{self.b.text.portable(site.file)}:{site.line}:{node.qualified_name}"
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
            self.pointers.update(ends.pointers)

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
        return self.b.text.span(site.file, site.line, site.end_line)

    def scope(self) -> Scope:
        """The finished record, everything in it in a fixed order."""
        configs = tuple(graph.name for graph in self.b.graphs)
        return Scope(
            tool_version=__version__,
            project=self.b.rule.name,
            interface=self.interface,
            configs=configs,
            source=self.b.source,
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
                    text=_folded(self.b.text.slice(site.file, site.begin, site.end)) or name,
                    reason=reason,
                )
                for (site, name), reason in sorted(self.unresolved.items())
            ),
            indirect=tuple(
                Indirect(
                    at=self._span(site),
                    text=_folded(self.b.text.slice(site.file, site.begin, site.end)),
                    caller=caller,
                )
                for site, caller in sorted(self.pointers.items())
            ),
            divergent=tuple(self.divergent[symbol] for symbol in sorted(self.divergent)),
            failed_units=tuple(failed for graph in self.b.graphs for failed in graph.failed),
        )

    def _functions(self, configs: tuple[str, ...]) -> Iterable[Function]:
        def place(item: tuple[str, _Collected]) -> tuple[str, int, str]:
            site = item[1].node.site
            return (self.b.text.portable(site.file), site.line, item[0])

        for key, collected in sorted(self.definitions.items(), key=place):
            node, site = collected.node, collected.node.site
            signature, bounds = self._head(node, collected.unit)
            pattern = self.b.rule.infrastructure_of(node.qualified_name, node.file)
            yield Function(
                id=key,
                name=node.name,
                qualified_name=node.qualified_name,
                signature=signature,
                kind=self._kind(collected),
                span=self._span(site),
                text=self.b.text.text(site.file, site.line, site.end_line),
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
        known = self.b.heads.get(key)
        if known is None:
            end = body if site.begin < body <= site.end else site.end
            text = self.b.text.slice(site.file, site.begin, end)
            if end == site.end:
                text = head_of(text)
            if "::" in node.qualified_name:
                text = _without_initialisers(text)
            signature = _folded(text).removesuffix(" try")
            bounds = self.b.launches.bounds(unit, signature) if node.kernel else None
            known = self.b.heads[key] = (signature, bounds)
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
            grid, block, shared, stream = self.b.launches.parts(
                unit,
                LaunchPlace(site.file, site.line, site.end_line, nth),
                self.b.text.slice(site.file, site.begin, site.end),
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


def _without_initialisers(head: str) -> str:
    """A constructor's head without its member initialisers."""
    depth = 0
    for index, character in enumerate(head):
        depth += {"(": 1, ")": -1}.get(character, 0)
        around = head[max(0, index - 1) : index + 2]
        if character == ":" and depth == 0 and "::" not in around and ")" in head[:index]:
            return head[:index]
    return head


def _device_id(node: Node) -> str:
    return f"{node.id}@device"


def _ordered(configs: tuple[str, ...], present: set[str]) -> tuple[str, ...]:
    return tuple(config for config in configs if config in present)


def _folded(text: str) -> str:
    """Text on one line. Comments go: a ``//`` would swallow the rest of the line."""
    return _SPACE.sub(" ", _COMMENT.sub(" ", text)).strip()
