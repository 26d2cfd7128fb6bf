"""Units bound into one program as the ELF linker binds them.

A strong definition wins over weak ones, and of the weak ones the first in build order stays.
(The linker keeps or drops COMDAT groups as a whole; clang emits the same members of a group in
every unit, so that symbol by symbol comes to the same.) Internal symbols bind inside their unit. A
mention of a symbol that no unit defines is a boundary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from extractor.check.symbols import Definition, Mention, UnitSymbols


@dataclass(frozen=True, slots=True)
class Bound:
    """A definition that the linker keeps.

    Attributes:
        unit: Number of its unit in build order.
        definition: The definition.
    """

    unit: int
    definition: Definition


@dataclass(frozen=True, slots=True)
class Edge:
    """A mention bound to what it means.

    Attributes:
        target: Number of the definition in ``Program.bound``.
        mention: The mention, or None for a variable's way to its initialiser.
    """

    target: int
    mention: Mention | None


@dataclass
class Program:
    """The program after linking. Definitions are numbered; ``bound`` is their table.

    Attributes:
        units: Paths of the units in build order.
        bound: Kept definitions.
        bodies: Symbol to the place of the first definition with each body, the kept one first.
        declared: Functions that some unit declares and does not define.
        duplicates: Strong symbols that several units define, with the units after the first.
    """

    units: list[str] = field(default_factory=list)
    bound: list[Bound] = field(default_factory=list)
    bodies: dict[str, dict[str, str]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    duplicates: dict[str, list[str]] = field(default_factory=dict)
    _shared: dict[str, int] = field(default_factory=dict)
    _local: list[dict[str, int]] = field(default_factory=list)
    _initialisers: dict[int, list[int]] = field(default_factory=dict)
    _edges: dict[int, tuple[list[Edge], list[str]]] = field(default_factory=dict)

    def add(self, path: str, unit: UnitSymbols) -> None:
        """Link one more unit. The order of calls is the build order."""
        number = len(self.units)
        self.units.append(path)
        local: dict[str, int] = {}
        self._local.append(local)
        for each in unit.definitions:
            if each.linkage == "internal":
                local[each.symbol] = self._keep(number, each)
            else:
                self._bind(number, each)
        self.declared.update(unit.declared)
        for variable, initialiser in unit.initialisers:
            owner = self.find(variable, number)
            if owner is not None and self.bound[owner].unit == number:
                target = self.find(initialiser, number)
                if target is not None:
                    self._initialisers.setdefault(owner, []).append(target)

    def _keep(self, unit: int, definition: Definition) -> int:
        self.bound.append(Bound(unit, definition))
        return len(self.bound) - 1

    def _bind(self, unit: int, each: Definition) -> None:
        path = self.units[unit]
        if each.body:
            place = f"{path}: {each.file}:{each.line}"
            self.bodies.setdefault(each.symbol, {}).setdefault(each.body, place)
        known = self._shared.get(each.symbol)
        if each.linkage == "strong":
            if known is not None and self.bound[known].definition.linkage == "strong":
                self.duplicates.setdefault(each.symbol, []).append(path)
                return
            if known is not None:
                # The number stays, so that what is bound already is bound to the strong one.
                self.bound[known] = Bound(unit, each)
                self._kept_body_first(each)
                return
        elif known is not None:
            return
        self._shared[each.symbol] = self._keep(unit, each)

    def _kept_body_first(self, each: Definition) -> None:
        bodies = self.bodies.get(each.symbol)
        if bodies and each.body in bodies:
            self.bodies[each.symbol] = {each.body: bodies.pop(each.body), **bodies}

    def find(self, symbol: str, unit: int = -1) -> int | None:
        """The definition that a symbol means inside a unit, or anywhere when unit is -1."""
        local = self._local[unit].get(symbol) if unit >= 0 else None
        return self._shared.get(symbol) if local is None else local

    def edges(self, number: int) -> tuple[list[Edge], list[str]]:
        """What a definition leads to, and the functions it mentions that no unit defines."""
        known = self._edges.get(number)
        if known is None:
            known = self._edges[number] = self._resolve(number)
        return known

    def _resolve(self, number: int) -> tuple[list[Edge], list[str]]:
        bound = self.bound[number]
        edges, undefined = [], []
        for mention in bound.definition.mentions:
            target = self.find(mention.symbol, bound.unit)
            if target is not None:
                edges.append(Edge(target, mention))
            elif mention.symbol in self.declared:
                undefined.append(mention.symbol)
        edges.extend(Edge(target, None) for target in self._initialisers.get(number, ()))
        return edges, undefined

    def reach(self, start: int) -> set[int]:
        """Every definition that one leads to, itself among them."""
        seen, stack = {start}, [start]
        while stack:
            for edge in self.edges(stack.pop())[0]:
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return seen

    def exported(self) -> Iterator[str]:
        """Strong functions with an unmangled name: what a C program can call."""
        for symbol, number in self._shared.items():
            each = self.bound[number].definition
            if each.kind == "function" and each.linkage == "strong" and symbol[:2] != "_Z":
                yield symbol
