"""Scopes over graphs that are already there, and the kernels of one entry point."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from extractor.configuration_graph import ConfigurationGraph
from extractor.graph.linked import LinkedGraph, Site
from extractor.graph.walk import Walker
from extractor.launch_text import LaunchText
from extractor.records import EntryLine, KernelLine, Scope, Source
from extractor.rules import Rule
from extractor.scope_assembly import Assembly, Materials
from extractor.source_text import SourceText


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
        self.graphs = graphs
        self._text, self._launches = text, launches
        self._materials = Materials(rule, source, graphs, text, launches)
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
        return Assembly(self._materials, interface, list(entries)).scope()
