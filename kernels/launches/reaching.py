"""Which entry points of a whole library lead to a kernel: those that launch it, then the nearest.

A call of the interface at hand may never take the way to a kernel that another interface takes
with every call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from extractor.configuration_graph import ConfigurationGraph
from extractor.errors import UserError
from extractor.project import Project

_MOST_ENTRIES = 5
_TRACES = "traces.jsonl"


class ReachingEntries:
    """Entry points by the kernels that they lead to.

    Args:
        project: The library, opened.
        config: Configuration.
        folder: Output folder of the project; traces of any interface there come first.
    """

    def __init__(self, project: Project, config: str, folder: Path) -> None:
        self._project, self._config, self._folder = project, config, folder

    def of(self, symbols: Sequence[str]) -> list[str]:
        """Entry points that lead to one of these instantiations, few, each of another family.

        Args:
            symbols: Mangled symbols, the wanted ones first.
        """
        chosen: dict[str, str] = {}
        for entry in (*self._seen(symbols), *self._near(symbols)):
            chosen.setdefault(self._family.get(entry, entry), entry)
            if len(chosen) == _MOST_ENTRIES:
                break
        return list(chosen.values())

    def _seen(self, symbols: Sequence[str]) -> Iterator[str]:
        for symbol in symbols:
            yield from sorted(self._traced.get(symbol, ()), key=lambda name: (len(name), name))

    def _near(self, symbols: Sequence[str]) -> Iterator[str]:
        """By the number of calls in between, backwards from all instantiations at once."""
        nodes, callers = self._graph.host.nodes, self._callers
        found = [self._nodes[symbol] for symbol in symbols if symbol in self._nodes]
        seen = set(found)
        while found:
            yield from sorted(
                (nodes[i].name for i in found if i in self._starts),
                key=lambda name: (len(name), name),
            )
            found = sorted({c for i in found for c in callers.get(i, ()) if c not in seen})
            seen.update(found)

    @cached_property
    def _graph(self) -> ConfigurationGraph:
        return self._project.graph(self._config, None, device=False)

    @cached_property
    def _starts(self) -> frozenset[int]:
        find = self._graph.host.find
        places = (find(entry) for entry in self._project.defined([self._graph]))
        return frozenset(place for place in places if place is not None)

    @cached_property
    def _callers(self) -> dict[int, list[int]]:
        walker = self._graph.host_walker
        found: dict[int, list[int]] = {}
        for index in walker.reach(sorted(self._starts), dead=False):
            for step in walker.steps(index):
                if not step.dead:
                    found.setdefault(step.target, []).append(index)
        return found

    @cached_property
    def _nodes(self) -> dict[str, int]:
        nodes = self._graph.host.nodes
        return {nodes[i].symbol: i for i in self._callers if nodes[i].kernel}

    @cached_property
    def _family(self) -> dict[str, str]:
        families = self._project.families()
        return {entry: name for name, entries in families.items() for entry in entries}

    @cached_property
    def _traced(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for file in sorted(self._folder.glob(f"*/{_TRACES}")):
            for number, line in enumerate(file.read_bytes().splitlines(), start=1):
                try:
                    row = json.loads(line)
                    for launch in row["launches"]:
                        found.setdefault(launch["symbol"], set()).add(row["entry"])
                except (ValueError, KeyError, TypeError) as error:
                    raise UserError(f"{file}:{number}: is no trace; trace again") from error
        return found
