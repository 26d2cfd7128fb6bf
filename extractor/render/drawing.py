"""A scope as it is drawn: definitions are nodes, edges between them are summed over instantiations.

The edges between instantiations are kept beside the sums, because only they answer which kernel an
entry point reaches: two calls of one template rarely have anything to do with each other.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from extractor.render.launch_values import launch_parts, launch_values
from extractor.render.precision import precisions_of

KINDS = ("entry_point", "host", "launcher", "kernel", "device", "boundary", "excluded")
"""Kinds of nodes in the order in which they are drawn, from the caller to the hardware."""


@dataclass(frozen=True)
class Instantiation:
    """One instantiation of a definition; a plain function has exactly one."""

    id: str
    symbol: str
    arguments: tuple[str, ...]
    configs: tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """One node.

    Attributes:
        id: The scope's own identifier.
        key: Short name, unique in the drawing; deep links use it.
        name: Plain name.
        qualified_name: Name with namespaces.
        signature: Declaration without its body.
        kind: One of `KINDS`.
        file: File relative to the library's root; empty where there is none.
        start_line: First line, from 1.
        end_line: Last line, inclusive.
        text: Exact source text.
        note: Launch bounds of a kernel, library of a boundary, reason of an exclusion.
        infrastructure: Why the rules call it infrastructure; empty where they do not.
        count: For an excluded rule, how many callees it left out; else 0.
        precision: Precision letters of an entry point; else empty.
        instantiations: At least one.
    """

    id: str
    key: str
    name: str
    qualified_name: str
    signature: str
    kind: str
    file: str
    start_line: int
    end_line: int
    text: str
    note: str
    infrastructure: str
    count: int
    precision: str
    instantiations: tuple[Instantiation, ...]

    @property
    def times(self) -> int:
        """How many functions of the library it stands for; host and device copies are one."""
        return len({instantiation.symbol for instantiation in self.instantiations})


@dataclass(frozen=True)
class Site:
    """One place in the source where a definition calls, launches or names another.

    Attributes:
        caller: Index of a definition.
        callee: Index of a definition.
        kind: ``call``, ``launch`` or ``reference``.
        file: Where the site is written; a macro may put it outside the caller's own lines.
        start_line: First line of the site.
        end_line: Last line of the site.
        dead: Whether no instantiation ever runs it.
        reason: Why it is dead.
        macro: For a launch whose configuration a macro hides, the macro's call.
        launch: For a launch, (field, value, what more is known of it) triples.
    """

    caller: int
    callee: int
    kind: str
    file: str
    start_line: int
    end_line: int
    dead: bool
    reason: str
    macro: str
    launch: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Edge:
    """All sites of one kind between two definitions.

    Attributes:
        caller: Index of a definition.
        callee: Index of a definition.
        kind: ``call``, ``launch`` or ``reference``.
        count: How many pairs of instantiations it stands for.
        dead: Whether every one of them is dead.
        configs: Configurations in which it exists.
        sites: Indices of its sites.
    """

    caller: int
    callee: int
    kind: str
    count: int
    dead: bool
    configs: tuple[str, ...]
    sites: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """Everything that any output format needs, in an order that depends on the scope alone.

    Attributes:
        scope: The scope it was made from.
        definitions: Nodes.
        sites: Places in the source.
        edges: Sums between definitions.
        links: (caller, callee, site, configuration mask, dead) between instantiations; an
            instantiation's number counts through the definitions in their order.
        configs: Configurations; bit ``i`` of a mask stands for ``configs[i]``.
    """

    scope: Mapping[str, Any]
    definitions: tuple[Definition, ...]
    sites: tuple[Site, ...]
    edges: tuple[Edge, ...]
    links: tuple[tuple[int, int, int, int, int], ...]
    configs: tuple[str, ...]

    @property
    def title(self) -> str:
        """Project and interface, as a person would write them."""
        return f"{self.scope['project']} {self.scope['interface']}"


def draw(scope: Mapping[str, Any]) -> Drawing:
    """Turns a scope into a drawing.

    Args:
        scope: The content of ``scope.json``.

    Returns:
        The drawing; the same scope gives the same drawing, whatever order its lists are in.
    """
    configs = tuple(scope["configs"])
    records = _definition_records(scope)
    keys = _keys(records)
    entries = [record["name"] for record in records if record["kind"] == "entry_point"]
    precisions = precisions_of(entries, str(scope["interface"]))
    definitions = tuple(
        _definition(record, key, precisions, configs)
        for record, key in zip(records, keys, strict=True)
    )
    owner: dict[str, int] = {}
    number: dict[str, int] = {}
    for index, definition in enumerate(definitions):
        for instantiation in definition.instantiations:
            number[instantiation.id] = len(number)
            owner[instantiation.id] = index
    for index, definition in enumerate(definitions):
        if definition.id not in owner:
            owner[definition.id] = index
            number[definition.id] = number[definition.instantiations[0].id]
    sites, links = _links(scope, definitions, owner, number, configs)
    edges = _edges(sites, links, configs)
    return Drawing(scope, definitions, sites, edges, links, configs)


def keys_of(scope: Mapping[str, Any]) -> dict[str, str]:
    """Maps each definition's identifier to its key, which deep links into a page use."""
    records = _definition_records(scope)
    return {r["id"]: key for r, key in zip(records, _keys(records), strict=True)}


def _definition_records(scope: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Functions, then boundaries that no function stands for, then excluded rules."""
    library = {b["name"]: b["library"] for b in scope["boundaries"]}
    records: list[dict[str, Any]] = []
    for function in scope["functions"]:
        record = dict(function)
        if function["kind"] == "boundary":
            named = library.pop(function["name"], None)
            record["note"] = named or library.pop(function["qualified_name"], None) or ""
        else:
            record["note"] = function.get("launch_bounds") or ""
        records.append(record)
    for name, owner in library.items():
        records.append(_bare(f"boundary:{name}", name, "boundary", owner))
    for rule in scope["excluded"]:
        record = _bare(f"excluded:{rule['rule']}", rule["rule"], "excluded", rule["reason"])
        records.append(record | {"count": rule["count"]})

    def place(record: dict[str, Any]) -> tuple[int, str, int, str, str]:
        span = record.get("span") or {}
        line = span.get("start_line", 0)
        kind = KINDS.index(record["kind"])
        return (kind, span.get("file", ""), line, record["name"], record["id"])

    return sorted(records, key=place)


def _bare(identifier: str, name: str, kind: str, note: str) -> dict[str, Any]:
    return {"id": identifier, "name": name, "qualified_name": name, "kind": kind, "note": note}


def _keys(records: list[dict[str, Any]]) -> list[str]:
    seen = Counter(record["name"] for record in records)
    keys: list[str] = []
    for record in records:
        name = record["name"]
        if seen[name] > 1:
            name += "~" + hashlib.sha256(record["id"].encode()).hexdigest()[:8]
        keys.append(name)
    return keys


def _definition(
    record: dict[str, Any], key: str, precisions: dict[str, str], configs: tuple[str, ...]
) -> Definition:
    span = record.get("span") or {}
    instantiations = tuple(
        Instantiation(i["id"], i["symbol"], tuple(i["template_arguments"]), tuple(i["configs"]))
        for i in sorted(record.get("instantiations") or (), key=lambda i: str(i["id"]))
    )
    return Definition(
        id=record["id"],
        key=key,
        name=record["name"],
        qualified_name=record["qualified_name"],
        signature=record.get("signature") or "",
        kind=record["kind"],
        file=span.get("file") or "",
        start_line=span.get("start_line") or 0,
        end_line=span.get("end_line") or 0,
        text=record.get("text") or "",
        note=str(record["note"]),
        infrastructure=record.get("infrastructure") or "",
        count=record.get("count", 0),
        precision=precisions[record["name"]] if record["kind"] == "entry_point" else "",
        instantiations=instantiations or (Instantiation(record["id"], record["id"], (), configs),),
    )


def _links(
    scope: Mapping[str, Any],
    definitions: tuple[Definition, ...],
    owner: dict[str, int],
    number: dict[str, int],
    configs: tuple[str, ...],
) -> tuple[tuple[Site, ...], tuple[tuple[int, int, int, int, int], ...]]:
    """Sites without repeats, and the edges between instantiations that refer to them."""
    sites: dict[tuple[Any, ...], int] = {}
    rows: list[tuple[int, int, tuple[Any, ...], int, int]] = []
    bit = {config: 1 << index for index, config in enumerate(configs)}
    everywhere = sum(bit.values())
    called: set[tuple[int, int]] = set()

    @cache
    def values(
        parts: tuple[tuple[str, str, str], ...], text: str, line: int
    ) -> tuple[str, tuple[tuple[str, str, str], ...]]:
        return launch_values(parts, text, line)

    def launch(
        record: Mapping[str, Any], caller: Definition
    ) -> tuple[str, tuple[tuple[str, str, str], ...]]:
        at = record["at"]
        text = caller.text if at["file"] == caller.file else ""
        return values(launch_parts(record), text, at["start_line"] - caller.start_line)

    def add(record: Mapping[str, Any], callee: str, kind: str) -> None:
        caller, at = record["caller"], record["at"]
        dead = bool(record["dead"])
        site = (
            owner[caller],
            owner[callee],
            kind,
            at["file"],
            at["start_line"],
            at["end_line"],
            dead,
            str(record.get("dead_reason") or "") if dead else "",
            *(launch(record, definitions[owner[caller]]) if kind == "launch" else ("", ())),
        )
        mask = sum(bit[config] for config in record["configs"]) or everywhere
        rows.append((number[caller], number[callee], site, mask, int(dead)))
        sites.setdefault(site, 0)
        called.add((owner[caller], owner[callee]))

    for call in scope["calls"]:
        add(call, call["callee"], call["kind"])
    for started in scope["launches"]:
        add(started, started["kernel"], "launch")
    boundary = {d.name: d.id for d in definitions if d.kind == "boundary"}
    boundary |= {d.qualified_name: d.id for d in definitions if d.kind == "boundary"}
    drawn = frozenset(called)
    for record in scope["boundaries"]:
        callee = boundary[record["name"]]
        for caller in record["callers"]:
            if caller in owner and (owner[caller], owner[callee]) not in drawn:
                whole = definitions[owner[caller]]
                at = {"file": whole.file, "start_line": whole.start_line}
                at["end_line"] = whole.end_line
                edge = {"caller": caller, "at": at, "dead": False, "configs": configs}
                add(edge, callee, "call")
    ordered = sorted(
        sites,
        key=lambda s: (s[0], s[3], s[4], s[1], s[2], s[6], s[9], s),
    )
    for index, site in enumerate(ordered):
        sites[site] = index
    links = sorted({(row[0], row[1], sites[row[2]], row[3], row[4]) for row in rows})
    made = tuple(Site(*row) for row in ordered)
    return made, tuple(links)


def _edges(
    sites: tuple[Site, ...],
    links: tuple[tuple[int, int, int, int, int], ...],
    configs: tuple[str, ...],
) -> tuple[Edge, ...]:
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    for caller, callee, index, mask, dead in links:
        site = sites[index]
        edge = found.setdefault(
            (site.caller, site.callee, site.kind),
            {"pairs": set(), "dead": True, "mask": 0, "sites": set()},
        )
        edge["pairs"].add((caller, callee))
        edge["dead"] = edge["dead"] and bool(dead)
        edge["mask"] |= mask
        edge["sites"].add(index)
    return tuple(
        Edge(
            caller,
            callee,
            kind,
            len(edge["pairs"]),
            edge["dead"],
            tuple(c for i, c in enumerate(configs) if edge["mask"] >> i & 1),
            tuple(sorted(edge["sites"])),
        )
        for (caller, callee, kind), edge in sorted(found.items(), key=lambda item: item[0])
    )
