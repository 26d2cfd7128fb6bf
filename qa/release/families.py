"""Kernel families: what must stay on one side of a split.

Rows belong to one family when they are about one interface, when one kernel is in the evidence of
both (or is launched by what is), when one function that is no widely shared helper is, or when
their code is the same or nearly so. Families are the connected components of that.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qa.records import Entry
from qa.release.library import Definition
from qa.release.near_code import near_pairs

WIDE = 4
"""A function that more interfaces than this reach is a shared helper and ties nothing.

So is one that most interfaces of a small release reach. Kernels always tie."""

_PAIR = 2
_WORD = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True)
class Evidence:
    """What a row stands on.

    Attributes:
        kernels: Plain names of kernels, infrastructure aside.
        functions: ``project:qualified name`` of the other functions.
    """

    kernels: tuple[str, ...]
    functions: tuple[str, ...]


@dataclass(frozen=True)
class Families:
    """A family for each row.

    Attributes:
        of: Family by id of the row.
        members: Ids by family.
        interfaces: ``project/interface`` by family.
        wide: Shared helpers in the evidence, with the number of interfaces that reach them.
    """

    of: dict[str, str]
    members: dict[str, tuple[str, ...]]
    interfaces: dict[str, tuple[str, ...]]
    wide: dict[str, int]


def evidence_of(entry: Entry, definitions: Sequence[Definition]) -> Evidence:
    """Kernels and functions that an entry's evidence, context and words are about.

    A kernel counts when lines of it are shown, when a shown function launches it, or when the
    question or the answer names it.
    """
    spans = [*entry.evidence, *(context.span for context in entry.context)]
    files = {span.file for span in spans}
    shown = [d for d in definitions if d.file in files and any(d.overlaps(s) for s in spans)]
    infrastructure = {d.plain for d in definitions if d.infrastructure}
    names = {d.plain for d in definitions if d.kind == "kernel"} - infrastructure
    words = set(_WORD.findall(f"{entry.question}\n{entry.answer}"))
    kernels = words & names
    kernels |= {name for d in shown for name in (d.plain, *d.launches) if name in names}
    functions = {
        f"{entry.project}:{d.name}"
        for d in shown
        if d.kind not in ("kernel", "boundary") and not d.infrastructure
    }
    return Evidence(tuple(sorted(kernels)), tuple(sorted(functions)))


def shared_helpers(scopes: Mapping[str, Sequence[Definition]]) -> dict[str, int]:
    """Functions that are too widely shared to tie families, with how many interfaces reach them.

    Args:
        scopes: What each interface reaches, by ``project/interface``.
    """
    reach: Counter[str] = Counter()
    size = Counter(name.partition("/")[0] for name in scopes)
    for interface, definitions in scopes.items():
        project = interface.partition("/")[0]
        reach.update({f"{project}:{d.name}" for d in definitions if d.kind != "kernel"})
    return {
        name: number
        for name, number in reach.items()
        if number > WIDE or (number > _PAIR and 2 * number > size[name.partition(":")[0]])
    }


def group(
    rows: Sequence[tuple[Entry, Evidence]], helpers: Mapping[str, int] | None = None
) -> Families:
    """Connects rows into families.

    Args:
        rows: Entries with what they stand on.
        helpers: Functions that tie nothing, as ``shared_helpers`` finds them.
    """
    helpers = helpers or {}
    seen = {function for _, evidence in rows for function in evidence.functions}
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        parent.setdefault(node, node)
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def tie(one: str, two: str) -> None:
        first, second = sorted((root(one), root(two)))
        parent[second] = first

    for entry, evidence in rows:
        for node in _ties(entry, evidence, helpers):
            tie(f"interface {_interface(entry)}", node)
    entries = [entry for entry, _ in rows]
    for one, two in near_pairs(entries):
        tie(f"interface {_interface(entries[one])}", f"interface {_interface(entries[two])}")
    interfaces: dict[str, set[str]] = {}
    ids: dict[str, list[str]] = {}
    for entry, _ in rows:
        component = root(f"interface {_interface(entry)}")
        interfaces.setdefault(component, set()).add(_interface(entry))
        ids.setdefault(component, []).append(entry.id)
    name = {component: _name(sorted(inside)) for component, inside in interfaces.items()}
    return Families(
        {id_: name[component] for component, inside in ids.items() for id_ in inside},
        {name[component]: tuple(sorted(inside)) for component, inside in sorted(ids.items())},
        {name[c]: tuple(sorted(inside)) for c, inside in sorted(interfaces.items())},
        {name: helpers[name] for name in sorted(seen & helpers.keys())},
    )


def _interface(entry: Entry) -> str:
    return f"{entry.project}/{entry.interface}"


def _ties(entry: Entry, evidence: Evidence, helpers: Mapping[str, int]) -> Iterable[str]:
    yield from (f"kernel {entry.project}:{name}" for name in evidence.kernels)
    yield from (f"function {name}" for name in evidence.functions if name not in helpers)
    if entry.kind != "qa":
        yield f"code {hashlib.sha256(' '.join(entry.answer.split()).encode()).hexdigest()}"


def _name(interfaces: Sequence[str]) -> str:
    more = len(interfaces) - 1
    return interfaces[0] + (f"+{more}" if more else "")
