"""What workers find in units: asked for, kept in the store, told apart by architecture."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from extractor import settings
from extractor.facts.device.architectures import told_apart
from extractor.facts.device.trees import NAME, SOURCES
from extractor.index import native_library
from extractor.index.pool import Pool, Task
from extractor.index.precompiled import planned
from extractor.project import Project
from extractor.units import Unit

_DECIDING_NOTHING = frozenset({"architectures", "library", "representatives", "unit_findings"})
"""Modules that no worker needs: they choose what is read and put together what was found."""

Finding = dict[str, Any]
BySymbol = dict[str, list[Finding]]


@dataclass
class UnitFindings:
    """What was found.

    Attributes:
        findings: By unit, then by symbol.
        lost: Reason by unit that could not be read.
        read: Units parsed now; the others were in the store.
        seconds: Their CPU time.
    """

    findings: dict[str, BySymbol] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    read: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class _Question:
    """A unit to be read for an architecture, and where the store keeps what comes of it."""

    path: str
    arch: str
    key: str
    request: dict[str, Any]


def read_units(
    project: Project,
    kernels: Mapping[str, Sequence[str]],
    units: Mapping[str, Unit],
    dependent: Collection[str],
) -> UnitFindings:
    """Reads kernels and the device functions below them.

    Args:
        project: The library.
        kernels: Symbols to read by unit.
        units: Device units by path.
        dependent: Symbols that are not written the same for all architectures: their units are
            read for each, the others for one.
    """
    pending: list[_Question] = []
    known: dict[str, dict[str, BySymbol]] = {}
    for path, unsorted in sorted(kernels.items()):
        symbols, unit = sorted(unsorted), units[path]
        differs = not set(dependent).isdisjoint(symbols)
        for arch in settings.ARCHITECTURES if differs else (settings.DEFAULT_ARCHITECTURE,):
            key = _key(project, unit, arch, symbols)
            data = project.store.recall(key)
            if data is None:
                pending.append(_Question(path, arch, key, _request(project, unit, arch, symbols)))
            else:
                known.setdefault(path, {})[arch] = orjson.loads(data)
    result = UnitFindings()
    if pending:
        _ask(project, pending, known, result)
    for path, found in known.items():
        if path not in result.lost:
            result.findings[path] = told_apart(found)
    return result


def _key(project: Project, unit: Unit, arch: str, symbols: Sequence[str]) -> str:
    asked = hashlib.blake2b("\n".join(symbols).encode(), digest_size=12).hexdigest()
    content = project.indexer.closures.content_key(unit, "device facts")
    other = "" if arch == settings.DEFAULT_ARCHITECTURE else f":{arch}"
    return f"device-facts:{_identity()}:{content}:{asked}{other}"


def _request(project: Project, unit: Unit, arch: str, symbols: Sequence[str]) -> dict[str, Any]:
    closures = project.indexer.closures
    plain = list(closures.relevant_arguments(unit))
    header = planned(project.rule.precompiled, unit, closures)
    if arch != settings.DEFAULT_ARCHITECTURE:
        usual, header = f"--offload-arch={settings.DEFAULT_ARCHITECTURE}", None
        plain = [f"--offload-arch={arch}" if flag == usual else flag for flag in plain]
    return {
        "path": str(project.tree.root / unit.path),
        "arguments": [*plain, *(header.flags() if header else ())],
        "plain": plain,
        "root": str(project.tree.root),
        "kernels": list(symbols),
    }


def _ask(
    project: Project,
    pending: Sequence[_Question],
    known: dict[str, dict[str, BySymbol]],
    result: UnitFindings,
) -> None:
    library = native_library.build(project.toolchain, SOURCES, NAME)
    tasks = [Task(number, one.request) for number, one in enumerate(pending)]
    jobs, libclang = project.indexer.jobs, project.toolchain.libclang
    with (
        project.reporter.work(f"{project.rule.name} device facts") as advance,
        Pool(library, libclang, jobs, "extractor.facts.device.worker") as pool,
    ):
        for done, answer in enumerate(pool.run(tasks), start=1):
            asked = pending[answer.name]
            result.read += 1
            result.seconds += answer.seconds
            if answer.crashed:
                result.lost[asked.path] = answer.errors[0]
            else:
                found = {s.decode(): orjson.loads(zlib.decompress(d)) for s, d in answer.records}
                project.store.remember(asked.key, orjson.dumps(found))
                known.setdefault(asked.path, {})[asked.arch] = found
            advance(done, len(pending), asked.path)


@cache
def _identity() -> str:
    digest = hashlib.blake2b(digest_size=12)
    folder = Path(__file__).parent
    read = [path for path in folder.glob("*.py") if path.stem not in _DECIDING_NOTHING]
    for source in sorted([*read, *SOURCES.iterdir()]):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
