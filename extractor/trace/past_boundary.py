"""Kernels that a call may launch past the library's boundary: those of what it stands on.

A scope ends where another library begins. What is launched beyond is held against that library's
own graph, walked from just the functions that the entry point's host code calls there,
instantiation by instantiation. The index leaves out calls within headers of other libraries:
what is only called there counts as a launch that the graph does not lead to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from extractor.configuration_graph import ConfigurationGraph
from extractor.graph.linked import Edge
from extractor.trace.records import RecordedLaunch, Trace


class PastBoundary:
    """Walks on from one library into those it stands on.

    Args:
        graphs: Name and whole graph of the library, then of each that it stands on.
    """

    def __init__(self, graphs: Sequence[tuple[str, ConfigurationGraph]]) -> None:
        self._graphs = graphs
        self._known: dict[str, dict[str, str]] = {}
        self._marked: dict[tuple[str, RecordedLaunch], RecordedLaunch] = {}

    def kernels(self, entry: str) -> dict[str, str]:
        """Symbols of the kernels that an entry point can launch past the boundary.

        Returns:
            The library of each.
        """
        if entry not in self._known:
            self._known[entry] = self._walked(entry)
        return self._known[entry]

    def marked(self, trace: Trace) -> Trace:
        """The trace, with the library of each launch past the boundary."""
        past = self.kernels(trace.entry)
        if not any(launch.symbol in past for launch in trace.launches):
            return trace
        launches = tuple(
            self._of(past[launch.symbol], launch) if launch.symbol in past else launch
            for launch in trace.launches
        )
        return trace.model_copy(update={"launches": launches})

    def _of(self, library: str, launch: RecordedLaunch) -> RecordedLaunch:
        # Thousands of launches are the same few.
        key = (library, launch)
        if key not in self._marked:
            self._marked[key] = launch.model_copy(update={"library": library})
        return self._marked[key]

    def _walked(self, entry: str) -> dict[str, str]:
        begin = self._graphs[0][1].host.find(entry)
        pending = [(0, [] if begin is None else [begin])]
        seen: list[set[int]] = [set() for _ in self._graphs]
        found: dict[str, str] = {}
        while pending:
            owner, starts = pending.pop()
            name, graph = self._graphs[owner]
            reached = graph.host_walker.reach(starts, dead=False)
            new = [index for index in reached if index not in seen[owner]]
            seen[owner].update(new)
            if owner:
                nodes = (graph.host.nodes[index] for index in new)
                found.update({node.symbol: name for node in nodes if node.kernel})
            crossings: dict[int, list[int]] = {}
            for other, index in self._crossings(owner, new):
                if index not in seen[other]:
                    crossings.setdefault(other, []).append(index)
            pending.extend(crossings.items())
        return found

    def _crossings(self, owner: int, indices: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Library and node of each function of another library that some functions may call."""
        graph = self._graphs[owner][1]
        own = set(indices)
        stack: list[Edge] = [edge for index in indices for edge in graph.host.expand(index)]
        while stack:
            edge = stack.pop()
            if edge.dead or edge.callee in own:
                continue
            own.add(edge.callee)
            node = graph.host.nodes[edge.callee]
            if node.project and node.defined:
                continue
            other = self._provider(owner, node.symbol)
            if other is not None:
                yield other
            elif node.defined:
                # Headers of others stand between, and come back.
                stack.extend(graph.host.expand(edge.callee))

    def _provider(self, owner: int, symbol: str) -> tuple[int, int] | None:
        for other, (_, graph) in enumerate(self._graphs):
            index = graph.host.find(symbol) if other != owner else None
            if index is not None:
                node = graph.host.nodes[index]
                if node.project and node.defined:
                    return other, index
        return None
