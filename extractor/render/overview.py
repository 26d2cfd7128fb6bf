"""The overview page of a whole library, made from the scopes that lie on disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from extractor.output import write
from extractor.render.drawing import keys_of
from extractor.render.formats import as_bytes
from extractor.render.inline import assemble, join_modules


@dataclass(frozen=True)
class FunctionSummary:
    """One definition as one interface sees it.

    Attributes:
        name: Plain name.
        kind: Kind of the scope's function.
        file: File relative to the library's root, or a boundary's library.
        key: Name in that interface's deep links.
        live: For a kernel, whether any entry point really launches it; else true.
    """

    name: str
    kind: str
    file: str
    key: str
    live: bool


@dataclass(frozen=True)
class InterfaceSummary:
    """What the overview says of one interface.

    Attributes:
        interface: Name of the interface.
        page: Its page relative to the overview, or an empty string when none was written.
        entry_points: Number of entry points.
        launches: Number of places in the source that launch a kernel.
        excluded: How many callees rules left out.
        unresolved: How many places stayed unresolved.
        failed_units: How many units did not parse cleanly.
        functions: Its definitions.
    """

    interface: str
    page: str
    entry_points: int
    launches: int
    excluded: int
    unresolved: int
    failed_units: int
    functions: tuple[FunctionSummary, ...]


@dataclass(frozen=True)
class LibraryOverview:
    """All interfaces of one library that were extracted.

    Attributes:
        project: Name of the project.
        source: Name, version, commit and licence of the source, of the first interface.
        tool_version: Version of rocQuarry that wrote the scopes.
        interfaces: By name.
        unread: (file, reason) of scopes that could not be read; the page lists them.
        versions: Every source version found; more than one is said on the page.
    """

    project: str
    source: Mapping[str, str]
    tool_version: str
    interfaces: tuple[InterfaceSummary, ...]
    unread: tuple[tuple[str, str], ...]
    versions: tuple[str, ...]


def load_overview(out: Path, project: str) -> LibraryOverview:
    """Reads every ``scope.json`` of a project.

    Args:
        out: The output folder of ``extract``.
        project: Name of the project, which is the name of its folder.

    Raises:
        UserError: There is no readable scope.
    """
    interfaces: list[InterfaceSummary] = []
    unread: list[tuple[str, str]] = []
    sources: list[Mapping[str, str]] = []
    tool_version = ""
    for path in sorted((out / project).glob("*/scope.json")):
        name = path.relative_to(out / project).as_posix()
        try:
            scope = json.loads(path.read_text(encoding="utf-8"))
            interfaces.append(summarise(scope, path.parent))
            sources.append(scope["source"])
            tool_version = tool_version or scope["tool_version"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            unread.append((name, f"{type(error).__name__}: {error}"))
    if not interfaces:
        raise UserError(
            f"no scope.json below {out / project}; "
            f"run: extract {project} --interface NAME --out {out}"
        )
    versions = tuple(sorted({str(source["version"]) for source in sources}))
    return LibraryOverview(
        project, sources[0], tool_version, tuple(interfaces), tuple(unread), versions
    )


def summarise(scope: Mapping[str, Any], folder: Path) -> InterfaceSummary:
    """Sums one scope up.

    Args:
        scope: The content of ``scope.json``.
        folder: Where it lies; its page is linked when it lies there too.
    """
    live = {
        kernel
        for by_config in scope["per_entry"].values()
        for kernels in by_config.values()
        for kernel in kernels
    }
    keys = keys_of(scope)
    library = {b["name"]: b["library"] for b in scope["boundaries"]}
    functions = [
        FunctionSummary(
            f["name"],
            f["kind"],
            _place(f, library),
            keys[f["id"]],
            f["kind"] != "kernel"
            or f["id"] in live
            or any(i["id"] in live for i in f["instantiations"]),
        )
        for f in scope["functions"]
    ]
    functions += [
        FunctionSummary(name, "boundary", owner, keys[f"boundary:{name}"], True)
        for name, owner in library.items()
        if f"boundary:{name}" in keys
    ]
    page = folder / "callgraph.html"
    return InterfaceSummary(
        interface=scope["interface"],
        page=f"{folder.name}/{page.name}" if page.is_file() else "",
        entry_points=len(scope["entry_points"]),
        launches=len({(s["at"]["file"], s["at"]["start_line"]) for s in scope["launches"]}),
        excluded=sum(rule["count"] for rule in scope["excluded"]),
        unresolved=len(scope["unresolved"]),
        failed_units=len(scope["failed_units"]),
        functions=tuple(sorted(functions, key=lambda f: (f.kind, f.name, f.file, f.key))),
    )


def _place(function: Mapping[str, Any], library: Mapping[str, str]) -> str:
    if function["kind"] == "boundary":
        return library.get(function["qualified_name"]) or library.get(function["name"]) or ""
    return str((function["span"] or {}).get("file", ""))


def render_overview(out: Path, project: str) -> Path:
    """Writes ``index.html`` into the project's output folder.

    Args:
        out: The output folder of ``extract``.
        project: Name of the project.

    Returns:
        The page.

    Raises:
        UserError: There is no readable scope, or the folder cannot be written.
    """
    page = to_overview(load_overview(out, project))
    return write(out / project / "index.html", as_bytes(page))


def to_overview(overview: LibraryOverview) -> str:
    """Writes the page of a library; it needs nothing from outside and carries no source text."""
    return assemble(
        "overview.html",
        ["colours.css", "base.css", "overview.css"],
        {"script": join_modules("overview", "start();")},
        {
            "title": f"{overview.project}: interfaces and kernels",
            "heading": overview.project,
            "version": f"{overview.source['name']} {', '.join(overview.versions)}",
            "generator": f"rocQuarry {overview.tool_version}",
        },
        _data(overview),
    )


def _data(overview: LibraryOverview) -> dict[str, Any]:
    """Functions once for the whole library, each with the interfaces that hold it."""
    shared: dict[tuple[str, str, str], list[list[Any]]] = {}
    for index, interface in enumerate(overview.interfaces):
        for f in interface.functions:
            key = "" if f.key == f.name else f.key
            shared.setdefault((f.kind, f.name, f.file), []).append([index, int(f.live), key])
    return {
        "project": overview.project,
        "source": dict(overview.source),
        "versions": list(overview.versions),
        "unread": [list(item) for item in overview.unread],
        "interfaces": [
            {
                "name": i.interface,
                "page": i.page,
                "entry_points": i.entry_points,
                "launches": i.launches,
                "excluded": i.excluded,
                "unresolved": i.unresolved,
                "failed_units": i.failed_units,
            }
            for i in overview.interfaces
        ],
        "functions": [
            {"kind": kind, "name": name, "file": file, "in": found}
            for (kind, name, file), found in sorted(shared.items())
        ],
    }
