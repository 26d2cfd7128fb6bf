"""The host side of one configuration, opened for facts: graph, trees and names of functions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from extractor.configuration_graph import ConfigurationGraph
from extractor.facts.host.bodies import Bodies, bodies_of, host_nodes
from extractor.facts.host.trees import Trees
from extractor.project import Project
from extractor.records import Span


class HostProgram:
    """What one configuration's entry points reach on the host.

    Args:
        project: The opened library.
        entries: Entry points; ``None`` for the whole library.
        config: Configuration.
        linked: Link the units of the whole library even for some entry points; for many of them
            that is quicker than to find out which units they need.
    """

    def __init__(
        self,
        project: Project,
        entries: Sequence[str] | None,
        config: str,
        *,
        linked: bool = False,
    ) -> None:
        self.project, self.config = project, config
        wanted = None if entries is None else list(entries)
        chosen = None if linked else wanted
        self.graph: ConfigurationGraph = project.graph(config, chosen, device=False)
        names = wanted if wanted is not None else project.defined([self.graph])
        found = {name: self.graph.host.find(name) for name in names}
        self.entries: dict[str, int] = {n: i for n, i in sorted(found.items()) if i is not None}
        self.reached: Sequence[int] = list(
            self.graph.host_walker.reach(self.entries.values(), dead=False)
        )
        self.functions = host_nodes(self.graph, self.reached)

    @cached_property
    def bodies(self) -> Bodies:
        """Trees of the host functions."""
        return bodies_of(self.project, self.graph, self.functions)

    @cached_property
    def trees(self) -> Trees:
        """Trees by symbol, with their summaries."""
        trees = {tree["symbol"]: tree for tree in self.bodies.trees.values()}
        return Trees(trees, self.project.rule.facts.workspace)

    def identity(self, index: int) -> str:
        """Id of a node's definition, as in ``scope.json``."""
        node = self.graph.host.nodes[index]
        file = self.project.text.portable(node.site.file)
        return f"{file}:{node.site.line}:{node.qualified_name}"

    def entry_symbol(self, name: str) -> str:
        """Symbol of an entry point's definition."""
        return self.graph.host.nodes[self.entries[name]].symbol

    @cached_property
    def kernels(self) -> dict[str, int]:
        """Nodes of kernels by symbol."""
        nodes = self.graph.host.nodes
        return {nodes[i].symbol: i for i in self.reached if nodes[i].kernel}

    def kernel(self, stub: str, name: str) -> tuple[str, str]:
        """Symbol and id of the kernel that a launch stub of the host stands for."""
        symbol = kernel_symbol(stub, name)
        index = self.kernels.get(symbol)
        return symbol, self.identity(index) if index is not None else name

    def span(self, file: str, start: int, end: int) -> Span:
        """Lines of a file."""
        return self.project.text.span(file, start, end)


def kernel_symbol(stub: str, name: str) -> str:
    """Symbol of a kernel from that of its launch stub, which clang marks in the name.

    Example:
        >>> kernel_symbol("_Z19__device_stub__scalei", "scale")
        '_Z5scalei'
    """
    mark = "__device_stub__"
    at = stub.find(mark + name)
    if at < 0:
        return stub
    length = str(len(mark) + len(name))
    if stub[:at].endswith(length):
        return f"{stub[: at - len(length)]}{len(name)}{stub[at + len(mark) :]}"
    return stub[:at] + stub[at + len(mark) :]
