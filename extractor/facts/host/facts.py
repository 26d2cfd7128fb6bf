"""Facts of one host function, over its own parameters or over those of an entry point."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from extractor.facts.host.compose import Composition, compose
from extractor.facts.host.program import HostProgram
from extractor.facts.host.statements import Writer
from extractor.facts.host.summary import Summary
from extractor.facts.host.trees import Trees
from extractor.facts.records import Fact


class HostFacts:
    """Facts of one program's functions.

    Args:
        program: The host side of a configuration.
    """

    def __init__(self, program: HostProgram) -> None:
        self._program = program
        self._writer = Writer(program)

    @property
    def trees(self) -> Trees:
        """Trees and summaries."""
        return self._program.trees

    def definition(self, function: str, members: Sequence[int]) -> Iterator[Fact]:
        """Facts of all instantiations; what all of them say alike is said once.

        Args:
            function: Id of the definition.
            members: Its nodes in the host graph.
        """
        nodes = self._program.graph.host.nodes
        said: dict[tuple[str, str, int], dict[str, Fact]] = {}
        symbols = sorted({nodes[index].symbol for index in members})
        for index in members:
            if index in self._program.bodies.missing:
                yield self._missing(function, index)
        for symbol in symbols:
            summary = self.trees.summary(symbol)
            if summary is None:
                continue
            counts: dict[tuple[str, str], int] = {}
            for fact in self._instantiation(function, summary):
                place = (fact.fact, fact.subject)
                counts[place] = nth = counts.get(place, -1) + 1
                said.setdefault((*place, nth), {})[symbol] = fact
        for by_symbol in said.values():
            yield from _merged(by_symbol, symbols)

    def _instantiation(self, function: str, summary: Summary) -> Iterator[Fact]:
        if summary.problem:
            yield self._writer.record(
                function,
                summary.name,
                "launch_condition",
                None,
                (summary.file, *summary.place),
                instantiation=summary.symbol,
                reason=summary.problem,
            )
            return
        yield from self._writer.ways_out(function, summary, summary.symbol)
        yield from self._writer.sizes(function, summary, summary.symbol)
        for event in summary.events:
            if event.kind == "launch":
                yield from self._writer.launch(function, event, summary.symbol, {})

    def _missing(self, function: str, index: int) -> Fact:
        node = self._program.graph.host.nodes[index]
        return self._writer.record(
            function,
            node.name,
            "launch_condition",
            None,
            (node.site.file, node.site.line, node.site.end_line),
            instantiation=node.symbol,
            reason=self._program.bodies.missing[index],
        )

    def entry(self, name: str) -> Iterator[Fact]:
        """Launches below an entry point, over its arguments."""
        index = self._program.entries[name]
        node = self._program.graph.host.nodes[index]
        function = self._program.identity(index)
        composed: Composition = compose(node.symbol, self.trees)
        for launch in composed.launches:
            through = [f"{name}:{line}" for name, line in launch.path[:-1]]
            extra = {"launcher": launch.launcher, "through": through}
            yield from self._writer.launch(function, launch.event, node.symbol, extra)
        for problem in composed.problems:
            yield self._writer.record(
                function,
                node.name,
                "launch_condition",
                None,
                (node.site.file, node.site.line, node.site.end_line),
                instantiation=node.symbol,
                reason=problem,
            )


def _merged(by_symbol: dict[str, Fact], symbols: list[str]) -> Iterator[Fact]:
    """One fact without an instantiation where all instantiations agree, else one for each."""
    texts = {json.dumps([_general(f.value), f.reason], sort_keys=True) for f in by_symbol.values()}
    first = next(iter(by_symbol.values()))
    if len(texts) == 1 and len(by_symbol) == len(symbols):
        yield first.model_copy(update={"instantiation": None, "value": _general(first.value)})
    else:
        yield from by_symbol.values()


def _general(value: Any) -> Any:
    # Which instantiation of the kernel a launch starts goes with its own instantiation.
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if key != "symbol"}
    return value
