"""Which kernels a library launches, and which instantiation of each is cut out."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from extractor.demangle import demangle, template_arguments
from extractor.errors import UnknownName
from extractor.project import Project
from extractor.units import Unit

_SLUG = re.compile(r"[^A-Za-z0-9]+")
_WIDE = ("double", "complex", "half", "bfloat", "_Float16", "f8", "long", "signed char")


@dataclass(frozen=True)
class Chosen:
    """One kernel definition and the instantiation that stands for it.

    Attributes:
        function: Id of the definition as in ``scope.json``: ``file:line:qualified name``.
        name: Plain name.
        qualified_name: With its namespaces.
        symbol: Mangled symbol of the instantiation.
        config: Configuration it is taken from, the first that launches it.
        unit: Unit that owns it.
        configs: Every configuration in which the definition is launched.
        traced: Whether a trace shows this instantiation being launched.
    """

    function: str
    name: str
    qualified_name: str
    symbol: str
    config: str
    unit: str
    configs: tuple[str, ...]
    traced: bool = False

    @property
    def demangled(self) -> str:
        """The instantiation as a person reads it."""
        return demangle(self.symbol)

    @property
    def slug(self) -> str:
        """Name of its folder: plain name, file and line."""
        file, line, _ = self.function.split(":", 2) if self.function[:4] != "EXT:" else (
            self.function[4:].split(":", 2)
        )  # fmt: skip
        stem = file.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        return _SLUG.sub("-", f"{self.name}-{stem}-{line}").strip("-")


@dataclass(frozen=True)
class Launchable:
    """One kernel definition with everything that can be launched of it.

    Attributes:
        function: Id of the definition as in ``scope.json``.
        name: Plain name.
        qualified_name: With its namespaces.
        symbols: By mangled symbol of an instantiation, configuration and unit it is taken from.
        configs: Every configuration in which it is launched.
    """

    function: str
    name: str
    qualified_name: str
    symbols: Mapping[str, tuple[str, str]]
    configs: tuple[str, ...]


def choose_kernels(
    project: Project,
    configs: Sequence[str],
    entries: Iterable[str] | None = None,
    kernel: str | None = None,
    traced: Mapping[str, int] | None = None,
) -> list[Chosen]:
    """Chooses one instantiation of every kernel that can be launched.

    Args:
        project: The library, opened.
        configs: Configurations, in the order shown.
        entries: Entry points to start from; every one of the library when ``None``.
        kernel: Plain name, when only kernels of that name are wanted.
        traced: How often a trace shows a symbol being launched; such symbols come first, the
            simplest of them before the others.

    Raises:
        UnknownName: No live kernel has this name.
    """
    return choose(launchable_kernels(project, configs, entries, kernel), traced or {})


def launchable_kernels(
    project: Project,
    configs: Sequence[str],
    entries: Iterable[str] | None = None,
    kernel: str | None = None,
) -> list[Launchable]:
    """Every kernel that can be launched; the parameters are those of :func:`choose_kernels`.

    Raises:
        UnknownName: No live kernel has this name.
    """
    wanted = None if entries is None else list(entries)
    found: dict[str, dict[str, tuple[str, str]]] = {}
    names: dict[str, tuple[str, str]] = {}
    present: dict[str, list[str]] = {}
    for config in configs:
        graph = project.graph(config, wanted, device=False)
        host = graph.host
        starts = [host.find(name) for name in (wanted or project.defined([graph]))]
        live = graph.host_walker.reach([i for i in starts if i is not None], dead=False)
        for node in (host.nodes[index] for index in live):
            if not node.kernel or node.unit < 0:
                continue
            site = node.site
            place = f"{project.text.portable(site.file)}:{site.line}:{node.qualified_name}"
            names[place] = (node.name, node.qualified_name)
            if config not in present.setdefault(place, []):
                present[place].append(config)
            rows = found.setdefault(place, {})
            rows.setdefault(node.symbol, (config, host.units[node.unit].path))
    chosen = [
        Launchable(place, *names[place], rows, tuple(present[place]))
        for place, rows in sorted(found.items(), key=lambda item: _order(item[0]))
        if kernel is None or kernel in names[place]
    ]
    if kernel is not None and not chosen:
        raise UnknownName("kernel", kernel, {name for name, _ in names.values()})
    return chosen


def choose(kernels: Iterable[Launchable], traced: Container[str]) -> list[Chosen]:
    """One instantiation of each kernel, the simplest of those that are traced, else of all."""
    chosen = []
    for one in kernels:
        symbol = min(one.symbols, key=lambda name: (name not in traced, *simplicity(name)))
        config, unit = one.symbols[symbol]
        chosen.append(
            Chosen(
                one.function, one.name, one.qualified_name, symbol, config, unit, one.configs,
                symbol in traced,
            )
        )  # fmt: skip
    return chosen


def simplicity(symbol: str) -> tuple[int, int, int, str]:
    """Sorts instantiations, the simplest first: no arrays of pointers, single precision, a short
    name."""
    text = demangle(symbol)
    arguments = ", ".join(template_arguments(symbol)) or text
    plain = "float" in arguments and not any(word in arguments for word in _WIDE)
    nested = "* const*" in text or "**" in text
    return (int(nested), 0 if plain else 1, len(text), symbol)


def unit_of(project: Project, config: str, path: str) -> Unit:
    """The device pass of a unit.

    Raises:
        UnknownName: The configuration has no such unit.
    """
    for unit in project.units(config, "device"):
        if unit.path == path:
            return unit
    raise UnknownName("unit", path, [])


def _order(place: str) -> tuple[str, int, str]:
    head, _, rest = place.removeprefix("EXT:").partition(":")
    line, _, name = rest.partition(":")
    return (head, int(line), name)
