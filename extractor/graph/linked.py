"""The linked graph: functions of all units bound to each other as the linker binds them.

A function with external linkage is one node: its strong definition, else the first weak one in
build
order. One with internal linkage belongs to its unit; copies in several units are one node when
their
bodies and everything internal they call are equal, and two nodes when not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from extractor.index.store import StoredUnit

# Flags of a function record, as the compiled part sets them.
DEFINED, KERNEL, DEVICE, HOST, INTERNAL, INLINE, INSTANTIATION = 1, 2, 4, 8, 16, 32, 64
PROJECT, VARIABLE, LAMBDA, IMPLICIT, C_LINKAGE, WEAK = 128, 256, 512, 1024, 2048, 8192

Record = dict[str, Any]


class Site(NamedTuple):
    """A place in a file: lines from 1, byte offsets with the end exclusive."""

    file: str
    line: int
    end_line: int
    begin: int
    end: int


class Edge(NamedTuple):
    """One use of a function by another.

    Attributes:
        callee: Index of the node.
        kind: ``c`` call, ``r`` reference, ``l`` launch.
        site: Where.
        dead: Why it can never run; empty when it can.
        nth: Which launch it is at that site, in source order; -1 for others.
    """

    callee: int
    kind: str
    site: Site
    dead: str
    nth: int


class Node:
    """One function of the linked program.

    Attributes:
        id: Mangled symbol; for internal linkage with file and content, since each unit has its own.
        record: The index's record of the definition, or of a declaration where nothing defines it.
        unit: Number of the unit that provides it; -1 for a declaration.
        digest: Hash of the record.
        flags: Flags of the record.
        defined: Some unit has its body.
        project: It stands in the library's own tree.
        kernel: It is a device kernel.
        edges: Its edges, once it was expanded.
    """

    __slots__ = ("defined", "digest", "edges", "flags", "id", "kernel", "project", "record", "unit")

    def __init__(self, name: str, record: Record, unit: int, digest: bytes) -> None:
        self.id, self.record, self.unit, self.digest = name, record, unit, digest
        self.flags = flags = int(record["k"])
        self.defined = bool(flags & DEFINED)
        self.project = bool(flags & PROJECT)
        self.kernel = bool(flags & KERNEL)
        self.edges: list[Edge] | None = None

    @property
    def name(self) -> str:
        """Plain name."""
        return str(self.record["n"])

    @property
    def qualified_name(self) -> str:
        """Name with its scopes, without template arguments."""
        return str(self.record["q"])

    @property
    def symbol(self) -> str:
        """Mangled symbol."""
        return str(self.record["m"])

    @property
    def file(self) -> str:
        """File that defines (or declares) it."""
        number = self.record["s"][0]
        return str(self.record["f"][number]) if number >= 0 else ""

    @property
    def site(self) -> Site:
        """Where its text is."""
        return site_of(self.record, self.record["s"])


@dataclass(frozen=True)
class Divergence:
    """One symbol with several bodies; the linker keeps the first listed.

    Attributes:
        usr: The symbol's unified symbol resolution string.
        symbol: Mangled symbol.
        places: For each body the unit that brings it and the definition's site.
    """

    usr: str
    symbol: str
    places: tuple[tuple[str, Site], ...]


def site_of(record: Record, numbers: Sequence[int]) -> Site:
    """Reads a site of a record; its first number is an index into the record's files."""
    name = record["f"][numbers[0]] if numbers[0] >= 0 else ""
    return Site(name, numbers[1], numbers[2], numbers[3], numbers[4])


class LinkedGraph:
    """All functions of a set of units, bound to each other. Nodes are made as they are reached.

    Args:
        units: The units in build order.
        records: Function records by hash.
    """

    def __init__(self, units: Sequence[StoredUnit], records: dict[bytes, Record]) -> None:
        self.units = units
        self.records = records
        self.nodes: list[Node] = []
        self._by_id: dict[str, int] = {}
        self._external: dict[int, tuple[int, bytes]] = {}
        self._candidates: dict[int, list[tuple[int, bytes]]] = {}
        self._internal: list[dict[int, bytes]] = []
        self._declared: dict[int, bytes] = {}
        self._by_symbol: dict[str, int] = {}
        self._deep: dict[tuple[int, int], str] = {}
        self._bind()

    def _bind(self) -> None:
        strong: set[int] = set()
        for number, unit in enumerate(self.units):
            internal: dict[int, bytes] = {}
            for digest in unit.functions:
                record = self.records[digest]
                flags, identity = record["k"], record["i"]
                if not flags & DEFINED:
                    self._declared.setdefault(identity, digest)
                    continue
                if flags & INTERNAL:
                    internal[identity] = digest
                    continue
                self._candidates.setdefault(identity, []).append((number, digest))
                is_strong = not flags & (INLINE | INSTANTIATION | WEAK)
                if identity not in self._external or (is_strong and identity not in strong):
                    self._external[identity] = (number, digest)
                    if not flags & KERNEL:
                        self._by_symbol[record["m"]] = identity
                if is_strong:
                    strong.add(identity)
            self._internal.append(internal)

    def find(self, symbol: str) -> int | None:
        """Node of a function with external linkage by its symbol; ``None`` when undefined.

        A kernel is none: nobody calls it by its name, however it is exported.
        """
        identity = self._by_symbol.get(symbol)
        if identity is None:
            return None
        number, digest = self._external[identity]
        return self._node(identity, number, digest)

    def locate(self, unit: int, identity: int) -> int | None:
        """Node that a unit's use of an identity is bound to; ``None`` when nothing defines it."""
        index = self._resolve(unit, identity)
        return index if index is not None and self.nodes[index].defined else None

    def external_symbols(self) -> Iterable[str]:
        """Symbols of every defined function with external linkage; kernels are none."""
        return self._by_symbol.keys()

    def expand(self, index: int) -> list[Edge]:
        """Edges of a node; made on first use."""
        node = self.nodes[index]
        if node.edges is not None:
            return node.edges
        record = node.record
        edges = []
        for callee, kind, *rest in record["e"]:
            target = self._resolve(node.unit, callee)
            if target is None:
                continue
            dead = record["d"][rest[5] - 1] if rest[5] else ""
            edges.append(Edge(target, kind, site_of(record, rest), dead, rest[6]))
        node.edges = edges
        return edges

    def divergences(self) -> list[Divergence]:
        """Symbols that units define with different bodies, in the order of their symbols."""
        found = []
        for identity, candidates in self._candidates.items():
            if len({digest for _, digest in candidates}) < 2:
                continue
            bound = self._external[identity]
            places: dict[bytes, tuple[str, Site]] = {}
            for number, digest in [bound, *candidates]:
                if digest not in places:
                    record = self.records[digest]
                    site = site_of(record, record["s"])
                    places[digest] = (self.units[number].path, site)
            record = self.records[bound[1]]
            found.append(Divergence(record.get("u", ""), record["m"], tuple(places.values())))
        return sorted(found, key=lambda one: one.symbol)

    def _resolve(self, unit: int, identity: int) -> int | None:
        if unit >= 0:
            digest = self._internal[unit].get(identity)
            if digest is not None:
                return self._node(identity, unit, digest)
        bound = self._external.get(identity)
        if bound is not None:
            return self._node(identity, *bound)
        declared = self._declared.get(identity)
        if declared is not None:
            return self._node(identity, -1, declared)
        return None

    def _node(self, identity: int, unit: int, digest: bytes) -> int:
        record = self.records[digest]
        name = record["m"]
        if record["k"] & INTERNAL and unit >= 0:
            name = f"{name}@{self._depth(unit, identity)}"
        index = self._by_id.get(name)
        if index is None:
            index = self._by_id[name] = len(self.nodes)
            self.nodes.append(Node(name, record, unit, digest))
        return index

    def _depth(self, unit: int, start: int) -> str:
        """Hash of an internal function's body with those of everything internal below it.

        The functions of one cycle have one hash of the whole cycle, and each its own record in it
        (Tarjan's algorithm, without recursion: chains of static functions can be long).
        """
        known = self._deep.get((unit, start))
        if known is not None:
            return known
        internal = self._internal[unit]
        order: dict[int, int] = {}
        low: dict[int, int] = {}
        stack: list[int] = []
        on_stack: set[int] = set()
        work: list[tuple[int, list[int]]] = [(start, self._below(unit, start))]
        order[start] = low[start] = 0
        stack.append(start)
        on_stack.add(start)
        while work:
            identity, below = work[-1]
            if below:
                callee = below.pop()
                if (unit, callee) in self._deep:
                    continue
                if callee not in order:
                    order[callee] = low[callee] = len(order)
                    stack.append(callee)
                    on_stack.add(callee)
                    work.append((callee, self._below(unit, callee)))
                elif callee in on_stack:
                    low[identity] = min(low[identity], order[callee])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[identity])
            if low[identity] == order[identity]:
                members = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    members.append(member)
                    if member == identity:
                        break
                self._close_cycle(unit, members, internal)
        return self._deep[unit, start]

    def _below(self, unit: int, identity: int) -> list[int]:
        internal = self._internal[unit]
        callees = {edge[0] for edge in self.records[internal[identity]]["e"]}
        return sorted(callee for callee in callees if callee in internal)

    def _close_cycle(self, unit: int, members: list[int], internal: dict[int, bytes]) -> None:
        inside = set(members)
        whole = hashlib.blake2b(digest_size=16)
        for member in sorted(members):
            whole.update(internal[member])
            for callee in self._below(unit, member):
                if callee not in inside:
                    whole.update(self._deep[unit, callee].encode())
        for member in members:
            own = hashlib.blake2b(whole.digest() + internal[member], digest_size=5)
            self._deep[unit, member] = own.hexdigest()


class DeviceJoin:
    """Finds the kernels of a host graph in the device graph of the same units.

    Args:
        host: Host side.
        device: Device side.
    """

    def __init__(self, host: LinkedGraph, device: LinkedGraph) -> None:
        self._host, self._device = host, device
        self._units = {unit.path: number for number, unit in enumerate(device.units)}

    def find(self, kernel: int) -> int | None:
        """Device node of a host kernel; ``None`` when the device side lacks it."""
        node = self._host.nodes[kernel]
        path = self._host.units[node.unit].path
        number = self._units.get(path)
        if number is None:
            return None
        return self._device.locate(number, int(node.record["i"]))
