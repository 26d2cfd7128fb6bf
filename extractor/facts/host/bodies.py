"""Bodies of instantiated host functions, read from the units that provide them and kept."""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from extractor.configuration_graph import ConfigurationGraph
from extractor.graph.linked import DEFINED, KERNEL, PROJECT, VARIABLE
from extractor.index import native_library
from extractor.index.pool import Pool, Task
from extractor.index.precompiled import planned
from extractor.project import Project
from extractor.units import Unit

Tree = dict[str, Any]
"""One function: ``symbol``, ``name``, ``file``, ``place``, ``result``, ``parameters``, ``body``."""

_NATIVE = Path(__file__).with_name("native")


@dataclass
class Bodies:
    """What was read.

    Attributes:
        trees: By node of the host graph.
        digests: Of each tree, by symbol.
        missing: Reason by node where there is no tree.
        read: Units parsed now; the others were in the store.
        seconds: Their CPU time.
    """

    trees: dict[int, Tree] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    missing: dict[int, str] = field(default_factory=dict)
    read: int = 0
    seconds: float = 0.0


def host_nodes(graph: ConfigurationGraph, reached: Iterable[int]) -> list[int]:
    """Nodes among those reached that are host functions of the library with a body."""
    nodes = graph.host.nodes
    return [
        index
        for index in reached
        if nodes[index].flags & DEFINED
        and nodes[index].flags & PROJECT
        and not nodes[index].flags & (KERNEL | VARIABLE)
        and nodes[index].unit >= 0
    ]


def bodies_of(project: Project, graph: ConfigurationGraph, wanted: Iterable[int]) -> Bodies:
    """Reads the bodies of some nodes of a host graph; from the store where nothing changed."""
    nodes, result = graph.host.nodes, Bodies()
    by_unit: dict[int, dict[str, int]] = {}
    for index in wanted:
        by_unit.setdefault(nodes[index].unit, {})[nodes[index].symbol] = index
    pending: list[tuple[Unit, str, dict[str, int], dict[str, bytes]]] = []
    for number, symbols in sorted(by_unit.items()):
        unit = graph.units[number]
        content = project.indexer.closures.content_key(unit, "host bodies")
        key = f"host-bodies:{_identity()}:{content}"
        data = project.store.recall(key)
        known: dict[str, bytes] = pickle.loads(data) if data else {}  # our own store
        if symbols.keys() <= known.keys():
            _keep(result, symbols, known)
        else:
            pending.append((unit, key, symbols, known))
    if pending:
        _read(project, graph, pending, result)
    return result


def _read(
    project: Project,
    graph: ConfigurationGraph,
    pending: list[tuple[Unit, str, dict[str, int], dict[str, bytes]]],
    result: Bodies,
) -> None:
    library = native_library.build(project.toolchain, _NATIVE, "librocquarry_bodies.so")
    tasks = []
    for number, (unit, _, symbols, known) in enumerate(pending):
        plain = list(project.indexer.closures.relevant_arguments(unit))
        header = planned(project.rule.precompiled, unit, project.indexer.closures)
        request = {
            "path": str(project.tree.root / unit.path),
            "arguments": [*plain, *(header.flags() if header else ())],
            "plain": plain,
            "root": str(project.tree.root),
            "wanted": sorted({*symbols, *known}),
        }
        tasks.append(Task(number, request))
    jobs = project.indexer.jobs
    with (
        project.reporter.work(f"{project.rule.name} {graph.name} host bodies") as advance,
        Pool(library, project.toolchain.libclang, jobs, "extractor.facts.host.body_worker") as pool,
    ):
        for done, answer in enumerate(pool.run(tasks), start=1):
            unit, key, symbols, _ = pending[answer.name]
            found = {symbol.decode(): data for symbol, data in answer.records}
            result.read += 1
            result.seconds += answer.seconds
            if not answer.crashed:
                # An empty text marks what the unit does not hold after all.
                found = {**dict.fromkeys(symbols, b""), **found}
                project.store.remember(key, pickle.dumps(found, protocol=5))
                _keep(result, symbols, found)
            else:
                for index in symbols.values():
                    result.missing[index] = answer.errors[0]
            advance(done, len(pending), unit.path)


def _keep(result: Bodies, symbols: dict[str, int], found: dict[str, bytes]) -> None:
    for symbol, index in symbols.items():
        if found[symbol]:
            data = zlib.decompress(found[symbol])
            result.trees[index] = orjson.loads(data)
            result.digests[symbol] = hashlib.blake2b(data, digest_size=20).digest()
        else:
            result.missing[index] = "its unit has no body for it"


@cache
def _identity() -> str:
    digest = hashlib.blake2b(digest_size=12)
    for source in sorted(_NATIVE.iterdir()):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()
