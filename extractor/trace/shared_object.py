"""The host side of an interface as one shared object that can be called.

The index says which units the entry points need. What the linker then finds undefined and another
unit of the library, or of a library it stands on, defines, brings that unit in, until nothing is
missing. What nobody defines is a boundary: a stand-in notes that it was called and returns zero.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from extractor import cache
from extractor.configuration_graph import ConfigurationGraph
from extractor.errors import ToolchainError
from extractor.project import Project
from extractor.trace.linking import link, undefined
from extractor.trace.objects import COUNTING, compile_units
from extractor.trace.recorder import (
    build_counts,
    build_recorder,
    build_watch,
    wrapped,
)
from extractor.units import Unit

_KIND = "trace-libraries"
_FORMAT = "2"
_MOST_ROUNDS = 24


@dataclass(frozen=True)
class SharedObject:
    """A library's host side, linked to the recorder.

    Attributes:
        path: The shared object.
        units: Units in it, as ``project:path``.
        boundaries: Functions that nothing defines, each with a stand-in.
        failed: By ``project:path``, the first error of units that did not compile.
        compiled: Units that had to be compiled for it.
        cpu_seconds: Processor time of the compiler.
        seconds: Wall time.
        objects: What is linked in it, besides the recorder.
    """

    path: Path
    units: tuple[str, ...]
    boundaries: tuple[str, ...]
    failed: dict[str, str] = field(default_factory=dict)
    compiled: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    objects: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Member:
    """A unit of a shared object.

    Attributes:
        project: The library that it is of.
        object: What it was compiled to.
        device: The same unit as it is compiled for a device; ``None`` where it is not.
    """

    project: Project
    object: Path
    device: Unit | None


@dataclass
class _Made:
    """Objects compiled so far."""

    objects: dict[tuple[int, Unit], Path] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    compiled: int = 0
    seconds: float = 0.0


class HostSide:
    """Builds shared objects of one library's host side.

    Args:
        project: The library.
        config: Its configuration. Of a library it stands on the first one is taken.
    """

    def __init__(self, project: Project, config: str) -> None:
        others = [
            Project(name, jobs=project.jobs, reporter=project.reporter)
            for name in project.rule.siblings
        ]
        self.project, self.config = project, config
        self._projects = (project, *others)
        self._configs = (config, *(other.configurations()[0] for other in others))
        self._graphs: dict[int, ConfigurationGraph] = {}
        self._plans: dict[int, list[Unit]] = {}
        self._devices: dict[int, dict[str, Unit]] = {}

    def build(self, entries: Sequence[str], support: Iterable[str] = ()) -> SharedObject:
        """Builds a shared object that has some entry points.

        Args:
            entries: Names of the library itself.
            support: Functions that calls need besides, such as the one that makes a handle.

        Raises:
            ToolchainError: The objects do not link.
        """
        begin = time.monotonic()
        made = _Made()
        key = f"trace-plan:{self.content_key([*entries, '', *sorted(support)])}"
        plan = self.project.store.recall(key)
        if plan is not None:
            self._compile(self._recalled(plan), made)
        else:
            self._search(entries, set(support), made)
        ordered = self._ordered(made.objects)
        objects = tuple(made.objects[key] for key in ordered)
        path, boundaries = self._linked(objects)
        if plan is None and not made.failed:
            rows = [[owner, unit.path] for owner, unit in ordered]
            self.project.store.remember(key, json.dumps(rows).encode())
        return SharedObject(
            path=path,
            units=tuple(self._name(*key) for key in ordered),
            boundaries=boundaries,
            failed=made.failed,
            compiled=made.compiled,
            cpu_seconds=made.seconds,
            seconds=time.monotonic() - begin,
            objects=objects,
        )

    def graphs(self) -> list[tuple[str, ConfigurationGraph]]:
        """Name and whole graph of the library, then of each that it stands on."""
        return [(one.rule.name, self._whole(n)) for n, one in enumerate(self._projects)]

    def watched(self, made: SharedObject) -> Path:
        """The same shared object with what tells of streams and copies between it and the recorder.

        Raises:
            ToolchainError: It does not link.
        """
        watch = build_watch(self.project.toolchain)

        def parts() -> tuple[Sequence[Path], set[str]]:
            return [*made.objects, watch], self._undefined(made.objects)

        return self._variant([made.path.parent.name, watch.name], parts, wrapped())

    def counted(self, made: SharedObject) -> Path:
        """The same shared object, compiled with counters of what is executed.

        Raises:
            ToolchainError: A unit does not compile with counters, or they do not link.
        """
        counts = build_counts(self.project.toolchain)

        def parts() -> tuple[Sequence[Path], set[str]]:
            every = [*self._counting(made), counts]
            return every, self._undefined(every)

        return self._variant([made.path.parent.name, counts.name, *COUNTING], parts)

    def _variant(
        self,
        names: Sequence[str],
        parts: Callable[[], tuple[Sequence[Path], set[str]]],
        wrapped: Sequence[str] = (),
    ) -> Path:
        """A shared object made from others' objects: found by names, else linked now.

        Args:
            names: What it is kept under.
            parts: Gives its objects and what they leave undefined.
            wrapped: Functions that are asked of one of the objects instead of the recorder.
        """
        key = hashlib.sha256("\0".join(names).encode()).hexdigest()[:32]
        place = cache.entry(_KIND, key) / "library.so"
        if not place.exists():
            with cache.locked(_KIND, key):
                if not place.exists():
                    recorder = build_recorder(self.project.toolchain)
                    every, missing = parts()
                    with cache.building(_KIND, key) as folder:
                        link(
                            self.project.toolchain, every, recorder, sorted(missing), folder,
                            wrapped,
                        )  # fmt: skip
        return place

    def _counting(self, made: SharedObject) -> list[Path]:
        """The objects of a shared object once more, with counters, in the same order."""
        found: dict[str, Path] = {}
        for number, project in enumerate(self._projects):
            units = [u for u in self._planned(number) if self._name(number, u) in made.units]
            if not units:
                continue
            with project.reporter.work(f"{project.rule.name} host objects") as advance:
                done = compile_units(project, units, advance, COUNTING)
            for path, error in done.failed.items():
                raise ToolchainError(f"{path} does not compile with counters: {error}")
            found |= {self._name(number, unit): path for unit, path in done.paths.items()}
        return [found[name] for name in made.units]

    def members(self, made: SharedObject) -> Iterator[Member]:
        """Units of a shared object, in the order in which they are linked."""
        owners = {project.rule.name: number for number, project in enumerate(self._projects)}
        for name, path in zip(made.units, made.objects, strict=True):
            owner, _, unit = name.partition(":")
            number = owners[owner]
            project = self._projects[number]
            if number not in self._devices:
                units = project.units(self._configs[number], "device")
                self._devices[number] = {one.path: one for one in units}
            yield Member(project, path, self._devices[number].get(unit))

    def _search(self, entries: Sequence[str], missing: set[str], made: _Made) -> None:
        """Adds units until nothing that a unit of the libraries defines is missing."""
        graph = self._whole(0)
        starts = [n for n in map(graph.host.find, entries) if n is not None]
        wanted = {
            (0, unit)
            for node in graph.host_walker.reach(starts, dead=True)
            if (unit := self._unit(0, graph.host.nodes[node].unit)) is not None
        }
        asked: set[str] = set()
        for _ in range(_MOST_ROUNDS):
            wanted |= self._providers(missing - asked)
            asked |= missing
            new = [
                key
                for key in wanted
                if key not in made.objects and self._name(*key) not in made.failed
            ]
            if not new and made.objects:
                return
            self._compile(new, made)
            missing = self._undefined([made.objects[k] for k in self._ordered(made.objects)])

    def _compile(self, keys: Sequence[tuple[int, Unit]], made: _Made) -> None:
        for number, project in enumerate(self._projects):
            units = [unit for owner, unit in keys if owner == number]
            if not units:
                continue
            with project.reporter.work(f"{project.rule.name} host objects") as advance:
                done = compile_units(project, units, advance)
            made.objects.update({(number, unit): path for unit, path in done.paths.items()})
            made.failed.update({f"{project.rule.name}:{p}": e for p, e in done.failed.items()})
            made.compiled += done.compiled
            made.seconds += done.cpu_seconds

    def content_key(self, names: Iterable[str]) -> str:
        """Changes with sources, rules of compiling and what is asked for; not with this program."""
        digest = hashlib.sha256(_FORMAT.encode())
        for project, config in zip(self._projects, self._configs, strict=True):
            rule = project.rule
            parts = [project.tree.content_key, project.toolchain.identity, config]
            parts += [rule.compile.model_dump_json(), *(u.model_dump_json() for u in rule.units)]
            parts += [item.model_dump_json() for item in rule.configurations]
            digest.update("\0".join(parts).encode())
        digest.update("\0".join(names).encode())
        return digest.hexdigest()[:32]

    def _recalled(self, plan: bytes) -> list[tuple[int, Unit]]:
        units = [{u.path: u for u in self._planned(n)} for n in range(len(self._projects))]
        return [(owner, units[owner][path]) for owner, path in json.loads(plan)]

    def _name(self, owner: int, unit: Unit) -> str:
        return f"{self._projects[owner].rule.name}:{unit.path}"

    def _planned(self, owner: int) -> list[Unit]:
        if owner not in self._plans:
            self._plans[owner] = self._projects[owner].units(self._configs[owner], "host")
        return self._plans[owner]

    def _ordered(self, chosen: Iterable[tuple[int, Unit]]) -> list[tuple[int, Unit]]:
        # The build's own order decides which of several weak definitions counts.
        have = set(chosen)
        return [
            (owner, unit)
            for owner in range(len(self._projects))
            for unit in self._planned(owner)
            if (owner, unit) in have
        ]

    def _providers(self, symbols: Iterable[str]) -> set[tuple[int, Unit]]:
        found: set[tuple[int, Unit]] = set()
        for symbol in sorted(symbols):
            for owner in range(len(self._projects)):
                host = self._whole(owner).host
                index = host.find(symbol)
                unit = None if index is None else self._unit(owner, host.nodes[index].unit)
                if unit is not None:
                    found.add((owner, unit))
                    break
        return found

    def _whole(self, owner: int) -> ConfigurationGraph:
        """The whole library, linked: which of several copies of a function runs is known there.

        It matters even where the copies are equal, since each unit has static kernels of its own.
        """
        if owner not in self._graphs:
            project = self._projects[owner]
            self._graphs[owner] = project.graph(self._configs[owner], None, device=False)
        return self._graphs[owner]

    def _unit(self, owner: int, number: int) -> Unit | None:
        if number < 0:
            return None
        path = self._whole(owner).host.units[number].path
        return next((unit for unit in self._planned(owner) if unit.path == path), None)

    def _undefined(self, objects: Sequence[Path]) -> set[str]:
        recorder = build_recorder(self.project.toolchain)
        names = "\0".join(path.name for path in (recorder, *objects))
        key = f"trace-undefined:{_FORMAT}:{hashlib.sha256(names.encode()).hexdigest()}"
        known = self.project.store.recall(key)
        if known is not None:
            return set(json.loads(known))
        with cache.scratch(_KIND) as work:
            found = undefined(self.project.toolchain, objects, work / "library.so")
        self.project.store.remember(key, json.dumps(sorted(found)).encode())
        return found

    def _linked(self, objects: Sequence[Path]) -> tuple[Path, tuple[str, ...]]:
        recorder = build_recorder(self.project.toolchain)
        digest = hashlib.sha256("\0".join([_FORMAT, recorder.name]).encode())
        for path in objects:
            digest.update(path.name.encode())
        key = digest.hexdigest()[:32]
        missing = tuple(sorted(self._undefined(objects)))
        place = cache.entry(_KIND, key) / "library.so"
        if not place.exists():
            with cache.locked(_KIND, key), cache.building(_KIND, key) as folder:
                link(self.project.toolchain, objects, recorder, missing, folder)
        real = tuple(name for name in missing if not name.startswith("__hip_fatbin"))
        return place, real
