"""``extract PROJECT --all``: every interface of a library, and ``--kernels FILE``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from extractor.node_link import node_link
from extractor.output import to_json, write
from extractor.project import Project, output_folder
from extractor.scope import ScopeBuilder


def kernel_lines(project: Project, configs: Sequence[str]) -> bytes:
    """One JSON line for each entry point and configuration; from the store when nothing changed."""
    key = f"kernels:{project.state}:{','.join(configs)}"
    data = project.store.recall(key)
    if data is None:
        builder = project.builder(configs, None)
        data = _lines(project, builder)
        _remember(project, key, data)
    return data


def _lines(project: Project, builder: ScopeBuilder) -> bytes:
    return b"".join(
        line.model_dump_json().encode() + b"\n"
        for entry in project.defined(builder.graphs)
        for line in builder.entry_lines(entry)
    )


def _remember(project: Project, key: str, data: bytes) -> None:
    if not any(run.lost for run in project.runs):
        project.store.remember(key, data)


def run(
    project: Project, configs: Sequence[str], out: Path, kernels: Path | None, *, scopes: bool
) -> dict[str, Any]:
    """Indexes the whole library and writes every interface's scope.

    Args:
        project: The library.
        configs: Configurations, in the order shown.
        out: Output folder.
        kernels: Where ``--kernels`` goes.
        scopes: Write the scopes, not only the kernels.
    """
    if not project.entry_points and not project.exported:
        raise UserError(f"{project.rule.name} declares no entry points; see its [entry_points]")
    key = f"library:{project.state}:{','.join(configs)}:{out.resolve()}"
    known = project.store.recall(key)
    state: dict[str, Any] = json.loads(known) if known else {}
    stale = scopes and not (
        state.get("scopes")
        and all(
            _same(output_folder(out, project.rule.name, family), files)
            for family, files in state["scopes"].items()
        )
    )
    lines = None
    if not state or stale:
        builder = project.builder(configs, None)
        lines = _lines(project, builder)
        _remember(project, f"kernels:{project.state}:{','.join(configs)}", lines)
        families = project.rule.group_entries(project.defined(builder.graphs))
        state["interfaces"] = len(families)
        if scopes:
            state["scopes"] = _write_scopes(project, builder, families, out, configs)
        state["failed_units"] = [
            failed.model_dump() for graph in builder.graphs for failed in graph.failed
        ]
        state["divergent"] = {
            graph.name: [found.symbol for found in graph.divergences] for graph in builder.graphs
        }
        if not state["failed_units"] or not any(r.lost for r in project.runs):
            _remember(project, key, json.dumps(state).encode())
    if lines is None:
        lines = kernel_lines(project, configs)
    if kernels is not None:
        write(kernels, lines)
    return _summary(project, configs, lines, state, out, kernels)


def _write_scopes(
    project: Project,
    builder: ScopeBuilder,
    families: dict[str, list[str]],
    out: Path,
    configs: Sequence[str],
) -> dict[str, list[Any]]:
    """Writes every interface's files; what no change can have touched is left as it is."""
    memory = f"slices:{project.rule.name}:{','.join(configs)}:{out.resolve()}"
    data = project.store.recall(memory)
    before: dict[str, dict[str, Any]] = json.loads(data) if data else {}
    now: dict[str, dict[str, Any]] = {}
    source = to_json(project.source.model_dump()).strip()
    with project.reporter.work(f"{project.rule.name} scopes") as advance:
        for done, (family, entries) in enumerate(sorted(families.items()), start=1):
            folder = output_folder(out, project.rule.name, family)
            digest = f"{builder.digest(entries)}:{project.code}"
            old = before.get(family)
            kept = old is not None and old["digest"] == digest and _same(folder, old["files"])
            if old is None or not kept:
                scope = builder.build(family, entries)
                content = scope.model_dump_json(by_alias=True).encode() + b"\n"
                files = _put(folder, content)
            elif old["source"].encode() != source:
                content = (folder / _NAMES[0]).read_bytes()
                files = _put(folder, content.replace(old["source"].encode(), source, 1))
            else:
                files = old["files"]
            now[family] = {"digest": digest, "source": source.decode(), "files": files}
            advance(done, len(families), family)
    _remember(project, memory, json.dumps(now).encode())
    return {family: row["files"] for family, row in now.items()}


_NAMES = ("scope.json", "callgraph.json")


def _put(folder: Path, scope: bytes) -> list[Any]:
    contents = (scope, to_json(node_link(json.loads(scope))))
    files = []
    for name, content in zip(_NAMES, contents, strict=True):
        path = write(folder / name, content)
        digest = hashlib.sha256(content).hexdigest()
        files.append([len(content), digest, path.stat().st_mtime_ns])
    return files


def _same(folder: Path, files: list[Any]) -> bool:
    """The files are the ones written: same size, and same time stamp or same content."""
    for name, (size, digest, written) in zip(_NAMES, files, strict=True):
        path = folder / name
        try:
            stat = path.stat()
        except OSError:
            return False
        if stat.st_size != size:
            return False
        if stat.st_mtime_ns != written:
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                    return False
    return True


def _summary(
    project: Project,
    configs: Sequence[str],
    lines: bytes,
    state: dict[str, Any],
    out: Path,
    kernels: Path | None,
) -> dict[str, Any]:
    per_config: dict[str, dict[str, Any]] = {}
    names: dict[str, set[tuple[str, str]]] = {config: set() for config in configs}
    for line in lines.splitlines():
        row = json.loads(line)
        totals = per_config.setdefault(
            row["config"], {"entry_points": 0, "pairs": 0, "dead_pairs": 0, "unresolved": 0}
        )
        totals["entry_points"] += 1
        totals["unresolved"] += row["unresolved"]
        for kernel in row["kernels"]:
            totals["dead_pairs" if kernel["dead"] else "pairs"] += 1
            if not kernel["dead"]:
                names[row["config"]].add((kernel["name"], kernel["file"]))
    for config, totals in per_config.items():
        totals["kernels"] = len(names[config])
        totals["divergent"] = len(state.get("divergent", {}).get(config, ()))
    source = project.source
    return {
        "project": project.rule.name,
        "source": source.model_dump(),
        "interfaces": state["interfaces"],
        "configs": per_config,
        "failed_units": state.get("failed_units", []),
        "scopes": str(out / project.rule.name) if state.get("scopes") else None,
        "kernels": str(kernels) if kernels else None,
        "indexed_units": sum(run.indexed for run in project.runs),
    }


def show(summary: dict[str, Any]) -> None:
    """Prints the figures of a whole library."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    source = summary["source"]
    console.print(
        f"[bold]{source['name']} {source['version']}[/bold]  {summary['interfaces']} interfaces, "
        f"{summary['indexed_units']} units indexed now"
    )
    table = Table(box=None)
    columns = ("entry_points", "kernels", "pairs", "dead_pairs", "unresolved", "divergent")
    table.add_column("configuration")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right")
    for config, totals in summary["configs"].items():
        table.add_row(config, *(str(totals[column]) for column in columns))
    console.print(table)
    for failed in summary["failed_units"]:
        console.print(
            escape(
                f"failed unit {failed['path']} ({failed['config']}, {failed['side']}): "
                f"{failed['errors'][0]}"
            )
        )
    for name in ("scopes", "kernels", "overview"):
        if summary.get(name):
            console.print(escape(f"{name}: {summary[name]}"))


def complete(summary: dict[str, Any]) -> bool:
    """Nothing in the answer could not be parsed or resolved."""
    return not summary["failed_units"] and not any(
        totals["unresolved"] for totals in summary["configs"].values()
    )


def draw(project: Project, out: Path) -> Path:
    """Draws a page for each interface; the overview of all of them is returned."""
    from extractor.render import render_library

    with project.reporter.work(f"{project.rule.name} pages") as advance:
        count = 0

        def told(interface: str, _done: int, total: int) -> None:
            nonlocal count
            count += 1
            advance(count, total, interface)

        pages = render_library(out, project.rule.name, jobs=project.jobs, done=told)
    return pages[0]
