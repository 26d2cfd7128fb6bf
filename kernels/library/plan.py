"""Which units of a library, and of those it stands on, one interface needs to be called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from extractor.errors import UserError
from extractor.graph.linked import LinkedGraph
from extractor.project import Project
from extractor.source.manifest import tree_files
from extractor.units import Unit
from kernels.building.constants import Constants, require_defined
from kernels.library.overlay import make_overlay

# What comes with a value of its own in the next argument.
_TAKEN_WITH_VALUE = ("-idirafter", "-isystem", "-include", "-iquote")
_TAKEN = ("-D", "-U", "-I", "-std=")
_HANDLES = "create_handle"


@dataclass(frozen=True)
class LibraryUnit:
    """One unit to be compiled for this machine.

    Attributes:
        project: Library it belongs to.
        path: File relative to that library's root.
        file: The file.
        arguments: Its own flags: macros and include folders.
    """

    project: str
    path: str
    file: Path
    arguments: tuple[str, ...]


class UnitFinder:
    """Finds units by what they define, in one library and the libraries it stands on.

    Args:
        project: The library.
        config: Its configuration. Of another library the first one is taken.
        constants: Compile-time constants of the library itself that get another value.
    """

    def __init__(
        self, project: Project, config: str, constants: Constants = MappingProxyType({})
    ) -> None:
        self._constants = constants
        others = [
            Project(name, jobs=project.jobs, reporter=project.reporter)
            for name in project.rule.siblings
        ]
        self.project = project
        self._configs = {project.rule.name: config}
        for other in others:
            self._configs[other.rule.name] = other.configurations()[0]
        self._projects = (project, *others)
        self._graphs: dict[str, LinkedGraph] = {}
        self._overlays: dict[str, Path | None] = {}

    def for_entries(self, entries: Sequence[str]) -> list[LibraryUnit]:
        """Units that some entry points of the library itself need."""
        graph = self.project.graph(self._configs[self.project.rule.name], entries, device=False)
        return [self._unit(self.project, unit) for unit in graph.units]

    @cached_property
    def support(self) -> dict[str, list[str]]:
        """By library, the entry points declared beside the one that makes a handle.

        Without them the others could not be called.
        """
        found = {}
        for project in self._projects:
            entries = project.entry_points
            files = {e.file for name, e in entries.items() if name.endswith(_HANDLES)}
            found[project.rule.name] = [n for n, e in entries.items() if e.file in files]
        return found

    def providers(self, symbols: Iterable[str]) -> dict[LibraryUnit, list[str]]:
        """Units that define symbols, with those of the symbols that each defines.

        The whole library has to be indexed for this, once.
        """
        found: dict[LibraryUnit, list[str]] = {}
        for symbol in sorted(symbols):
            for project in self._projects:
                unit = self._provider(project, symbol)
                if unit:
                    found.setdefault(unit, []).append(symbol)
                    break
        return found

    def _provider(self, project: Project, symbol: str) -> LibraryUnit | None:
        name = project.rule.name
        if name not in self._graphs:
            whole = project.graph(self._configs[name], None, device=False)
            self._graphs[name] = whole.host
        graph = self._graphs[name]
        index = graph.find(symbol)
        if index is None or graph.nodes[index].unit < 0:
            return None
        path = graph.units[graph.nodes[index].unit].path
        units = {unit.path: unit for unit in project.units(self._configs[name], "host")}
        return self._unit(project, units[path]) if path in units else None

    def _unit(self, project: Project, unit: Unit) -> LibraryUnit:
        file = Path(project.tree.root) / unit.path
        if not file.is_file():
            raise UserError(f"{file}: the source is not there; run: extract {project.rule.name}")
        overlay = self._overlay(project)
        shown = ("-ivfsoverlay", str(overlay)) if overlay else ()
        arguments = (*own_arguments(unit.arguments), *shown)
        return LibraryUnit(project.rule.name, unit.path, file, arguments)

    def _overlay(self, project: Project) -> Path | None:
        name = project.rule.name
        if name not in self._overlays:
            root = Path(project.tree.root)
            files = [path for path, _, _ in tree_files(root, project.rule.source.leave_out)]
            constants = self._constants if project is self.project else {}
            self._overlays[name], defined = make_overlay(root, files, constants)
            require_defined(constants, defined, name)
        return self._overlays[name]


def own_arguments(arguments: Sequence[str]) -> tuple[str, ...]:
    """The flags of a unit that say something of it and nothing of the GPU's toolchain."""
    kept: list[str] = []
    words = iter(arguments)
    for word in words:
        if word in _TAKEN_WITH_VALUE:
            kept += [word, next(words)]
        elif word.startswith(_TAKEN) and not word.startswith("-D__AMDGCN_WAVEFRONT_SIZE"):
            kept.append(word)
    return tuple(kept)
