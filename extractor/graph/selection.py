"""Which units one interface needs: name search proposes, the index decides, until nothing is
missing.

The result has to be the same as if the whole library had been indexed. Two things can make it
differ: a function that no chosen unit defines, and a symbol that a unit not chosen defines as well,
with another body, and earlier in the link order. Both are looked for by name until neither is left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from extractor.graph.linked import INLINE, INSTANTIATION, WEAK, LinkedGraph, Node
from extractor.graph.walk import Walker
from extractor.index.indexer import Advance, Indexer, Run
from extractor.index.names import stems
from extractor.rules import Rule
from extractor.units import Unit

_COMPILER = ("llvm.", "__builtin_")
_PURE = re.compile(rb"\)[^(){};]*=\s*0\s*;?\s*$")
_COMMON = 0.3
"""A file in the closure of more than this share of the units says nothing about any of them."""


class Selection:
    """Chooses units for entry points, and indexes them on the way.

    Args:
        indexer: Brings units into the store.
        units: All units of the configuration's host side, in build order.
        rule: The library's rule file.
    """

    def __init__(self, indexer: Indexer, units: Sequence[Unit], rule: Rule) -> None:
        self._indexer = indexer
        self._units = units
        self._rule = rule
        self._closures = [indexer.closures.files_of(unit) for unit in units]
        counts: dict[str, int] = {}
        for files in self._closures:
            for file in files:
                counts[file] = counts.get(file, 0) + 1
        limit = max(2, int(len(units) * _COMMON))
        self._own = [
            frozenset(file for file in files if counts[file] <= limit) for files in self._closures
        ]
        root = indexer.closures.root
        self._paths = [root + unit.path for unit in units]
        self._search = indexer.search(counts)
        self.runs: list[Run] = []

    def choose(
        self,
        entries: Sequence[str],
        optional: Sequence[str] = (),
        advance: Advance | None = None,
    ) -> tuple[list[int], LinkedGraph]:
        """Numbers of the units that the entry points need, and their linked graph.

        Args:
            entries: Names that some unit must define.
            optional: Names that a unit may define.
            advance: Told about units as they are indexed.
        """
        chosen: set[int] = set()
        for entry in entries:
            chosen |= self._providers(entry)
        for entry in optional:
            chosen |= self._spelling(entry)
        asked: dict[str, int] = {}
        checked: set[str] = set()
        while True:
            graph = self._link(chosen, advance)
            missing, weak = self._open_ends(graph, entries, optional)
            more: set[int] = set()
            for name, last in sorted(missing.items()):
                step = asked.get(name, 0)
                while not more - chosen and step < last:
                    more |= _TIERS[step](self, name) - chosen
                    step += 1
                asked[name] = step
            for name in sorted(weak - checked):
                checked.add(name)
                more |= self._rivals(name)
            if more <= chosen:
                return sorted(chosen), graph
            chosen |= more

    def _link(self, chosen: set[int], advance: Advance | None) -> LinkedGraph:
        numbers = sorted(chosen)
        run = self._indexer.ensure([self._units[n] for n in numbers], advance)
        self.runs.append(run)
        units = self._indexer.store.units(
            [
                key
                for key, n in zip(run.keys, numbers, strict=True)
                if self._units[n].path not in run.lost
            ]
        )
        hashes = {digest for unit in units for digest in unit.functions}
        return LinkedGraph(units, self._indexer.store.functions(hashes))

    def _open_ends(
        self, graph: LinkedGraph, entries: Iterable[str], optional: Iterable[str]
    ) -> tuple[dict[str, int], set[str]]:
        """Undefined names, each with how many tiers to ask, and names of weak functions."""
        walker = Walker(graph, self._rule)
        missing: dict[str, int] = {}
        starts = []
        for entry in entries:
            index = graph.find(entry)
            if index is None:
                missing[entry] = len(_TIERS)
            else:
                starts.append(index)
        starts += [index for index in map(graph.find, optional) if index is not None]
        weak: set[str] = set()
        live = walker.reach(starts, dead=False)
        for index in walker.reach(starts, dead=True):
            node = graph.nodes[index]
            for edge in graph.expand(index):
                target = graph.nodes[edge.callee]
                if (
                    target.project
                    and not target.defined
                    and not target.symbol.startswith(_COMPILER)
                    and not self._is_pure(target)
                ):
                    file, name = target.file, target.qualified_name
                    if self._rule.boundary_of(name, file):
                        # Another library's, unless a text of the tree defines it.
                        last = _BY_DEFINITION
                    elif self._rule.excluded_by(name, file):
                        continue
                    else:
                        alive = index in live and not edge.dead
                        last = len(_TIERS) if alive else len(_TIERS) - 1
                    missing[target.name] = max(missing.get(target.name, 0), last)
            if node.flags & (INLINE | INSTANTIATION | WEAK) and not node.kernel:
                weak.add(node.name)
        return missing, weak

    def _is_pure(self, node: Node) -> bool:
        """Whether a function is declared without a body for good: a pure virtual one, which every
        constructor of its class refers to and no unit has to define.
        """
        site = node.site
        if not site.file or site.end <= site.begin:
            return False
        file = site.file if site.file.startswith("/") else self._indexer.closures.root + site.file
        text = self._indexer.closures.data_of(file)[site.begin : site.end]
        return _PURE.search(text) is not None

    def _providers(self, entry: str) -> set[int]:
        """Units whose own files hold the longest beginning of the name."""
        for stem in stems(entry):
            files = self._search.mentioning(stem)
            found = {n for n, own in enumerate(self._own) if not own.isdisjoint(files)}
            if found:
                exact = {n for n in found if self._paths[n] in files}
                return exact or found
        return set()

    def _spelling(self, name: str) -> set[int]:
        """Units whose own files hold the whole name."""
        files = self._search.mentioning(name)
        return {n for n, own in enumerate(self._own) if not own.isdisjoint(files)}

    def _defined_and_spelled(self, name: str) -> set[int]:
        # A template is instantiated where its definition can be seen and its name is written.
        return self._defined(name) & self._spelled(name)

    def _defined(self, name: str) -> set[int]:
        files = self._search.defining(name)
        return {n for n, own in enumerate(self._closures) if not own.isdisjoint(files)}

    def _spelled(self, name: str) -> set[int]:
        files = self._search.mentioning(name)
        return {n for n, path in enumerate(self._paths) if path in files}

    def _everything(self, name: str) -> set[int]:
        return set(range(len(self._units)))

    def _rivals(self, name: str) -> set[int]:
        """Units that may define a weak function of this name from another text."""
        if not name.isidentifier():
            return set()
        files = self._search.defining(name)
        rivals: set[int] = set()
        for file in files:
            # Where one unit sees both, they are overloads: two bodies of one symbol would not
            # compile.
            if all(
                other == file or any({file, other} <= own for own in self._closures)
                for other in files
            ):
                continue
            rivals |= {n for n in self._spelled(name) if file in self._closures[n]}
        return rivals


_TIERS: tuple[Callable[[Selection, str], set[int]], ...] = (
    Selection._defined_and_spelled,
    Selection._defined,
    Selection._spelled,
    Selection._everything,
)
_BY_DEFINITION = 2
"""How many of the tiers look for a definition."""
