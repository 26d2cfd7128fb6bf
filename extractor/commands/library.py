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
    key = f"library:{project.state}:{','.join(configs)}"
    known = project.store.recall(key)
    state: dict[str, Any] = json.loads(known) if known else {}
    stale = scopes and not (
        state.get("scopes")
        and all(_unchanged(project, out, family, state["scopes"]) for family in state["scopes"])
    )
    lines = None
    if not state or stale:
        builder = project.builder(configs, None)
        lines = _lines(project, builder)
        _remember(project, f"kernels:{project.state}:{','.join(configs)}", lines)
        families = project.rule.group_entries(project.defined(builder.graphs))
        state["interfaces"] = len(families)
        if scopes:
            state["scopes"] = _write_scopes(project, builder, families, out)
        state["failed_units"] = [
            failed.model_dump() for graph in builder.graphs for failed in graph.failed
        ]
        state["divergent"] = {
            graph.name: [found.symbol for found in graph.host.divergences()]
            for graph in builder.graphs
        }
        if not state["failed_units"] or not any(r.lost for r in project.runs):
            _remember(project, key, json.dumps(state).encode())
    if lines is None:
        lines = kernel_lines(project, configs)
    if kernels is not None:
        write(kernels, lines)
    return _summary(project, configs, lines, state, out, kernels)


def _write_scopes(
    project: Project, builder: ScopeBuilder, families: dict[str, list[str]], out: Path
) -> dict[str, list[Any]]:
    written: dict[str, list[Any]] = {}
    with project.reporter.work(f"{project.rule.name} scopes") as advance:
        for done, (family, entries) in enumerate(sorted(families.items()), start=1):
            scope = builder.build(family, entries)
            data = scope.model_dump_json(by_alias=True).encode() + b"\n"
            folder = output_folder(out, project.rule.name, family)
            graph = to_json(node_link(json.loads(data)))
            written[family] = []
            for name, content in (("scope.json", data), ("callgraph.json", graph)):
                write(folder / name, content)
                written[family].append([len(content), hashlib.sha256(content).hexdigest()])
            advance(done, len(families), family)
    return written


def _unchanged(project: Project, out: Path, family: str, scopes: dict[str, Any]) -> bool:
    folder = output_folder(out, project.rule.name, family)
    for name, (size, digest) in zip(("scope.json", "callgraph.json"), scopes[family], strict=True):
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            return False
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
