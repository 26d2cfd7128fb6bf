"""``extract PROJECT --interface NAME``: the scope of an interface, its files and its table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractor.api import scope_bytes
from extractor.node_link import node_link
from extractor.output import to_json, write
from extractor.project import Project, output_folder


def run(
    project: Project,
    interfaces: Sequence[str],
    configs: Sequence[str],
    out: Path,
    formats: Sequence[str],
) -> list[dict[str, Any]]:
    """Extracts interfaces, writes their files and returns a summary of each."""
    summaries = []
    for interface in interfaces:
        project.resolve(interface)  # a name that is wrong ends the run before anything is written
    for interface in interfaces:
        data = scope_bytes(project, interface, configs)
        scope = json.loads(data)
        folder = output_folder(out, project.rule.name, interface)
        files = [write(folder / "scope.json", data)]
        files.append(write(folder / "callgraph.json", to_json(node_link(scope))))
        drawn = [name for name in formats if name != "json"]
        if drawn:
            from extractor.render import render

            files += render(scope, drawn, folder)
        summaries.append(summary(scope, files))
    return summaries


def summary(scope: dict[str, Any], files: Sequence[Path] = ()) -> dict[str, Any]:
    """The figures of a scope that a person wants first."""
    live = {
        kernel
        for rows in scope["per_entry"].values()
        for kernels in rows.values()
        for kernel in kernels
    }
    kernels = []
    for function in scope["functions"]:
        if function["kind"] == "kernel":
            ids = [i["id"] for i in function["instantiations"]]
            symbols = {i["symbol"] for i in function["instantiations"]}
            kernels.append(
                {
                    "name": function["name"],
                    "file": function["span"]["file"],
                    "line": function["span"]["start_line"],
                    "instantiations": len(symbols),
                    "dead": not any(i in live for i in ids),
                    "infrastructure": function["infrastructure"] is not None,
                }
            )
    kinds = Counter(function["kind"] for function in scope["functions"])
    return {
        "project": scope["project"],
        "interface": scope["interface"],
        "configs": scope["configs"],
        "source": scope["source"],
        "entry_points": scope["entry_points"],
        "functions": {
            kind: kinds.get(kind, 0)
            for kind in ("entry_point", "host", "launcher", "kernel", "device")
        },
        "calls": len(scope["calls"]),
        "launches": len(scope["launches"]),
        "kernels": kernels,
        "boundaries": [
            {"name": b["name"], "library": b["library"], "callers": len(b["callers"])}
            for b in scope["boundaries"]
        ],
        "excluded": scope["excluded"],
        "unresolved": scope["unresolved"],
        "indirect": len(scope["indirect"]),
        "divergent": len(scope["divergent"]),
        "failed_units": scope["failed_units"],
        "files": [str(file) for file in files],
    }


def complete(summaries: Sequence[dict[str, Any]]) -> bool:
    """Nothing in the answers could not be parsed or resolved."""
    return not any(item["failed_units"] or item["unresolved"] for item in summaries)


def show(summaries: Sequence[dict[str, Any]]) -> None:
    """Prints a short table for each interface."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    for item in summaries:
        source = item["source"]
        console.print(
            f"[bold]{source['name']} {source['version']}  {item['interface']}[/bold]"
            f"  configurations: {', '.join(item['configs'])}"
        )
        table = Table(box=None, show_header=False, padding=(0, 2))
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        functions = item["functions"]
        table.add_row("entry points", _named(item["entry_points"]))
        table.add_row("host functions", str(functions["host"]))
        table.add_row("launchers", str(functions["launcher"]))
        live = [k for k in item["kernels"] if not k["dead"]]
        dead = [k for k in item["kernels"] if k["dead"]]
        table.add_row("kernels", f"{len(live)} live, {len(dead)} dead")
        for kernel in [*live, *dead]:
            notes = ", dead" if kernel["dead"] else ""
            notes += ", infrastructure" if kernel["infrastructure"] else ""
            table.add_row(
                "",
                escape(
                    f"{kernel['name']}  {kernel['instantiations']} instantiations{notes}  "
                    f"{kernel['file']}:{kernel['line']}"
                ),
            )
        table.add_row("device functions", str(functions["device"]))
        libraries: dict[str, int] = {}
        for boundary in item["boundaries"]:
            libraries[boundary["library"]] = libraries.get(boundary["library"], 0) + 1
        table.add_row(
            "boundaries",
            escape(", ".join(f"{name} ({count})" for name, count in sorted(libraries.items())))
            or "none",
        )
        for excluded in item["excluded"]:
            table.add_row(
                "left out",
                escape(f"{excluded['count']} by {excluded['rule']} ({excluded['reason']})"),
            )
        table.add_row("unresolved", str(len(item["unresolved"])))
        for unresolved in item["unresolved"][:10]:
            at = unresolved["at"]
            table.add_row("", escape(f"{at['file']}:{at['start_line']}: {unresolved['reason']}"))
        if item["indirect"]:
            table.add_row("calls by pointer", str(item["indirect"]))
        if item["divergent"]:
            table.add_row("divergent symbols", str(item["divergent"]))
        for failed in item["failed_units"]:
            table.add_row(
                "failed unit",
                escape(
                    f"{failed['path']} ({failed['config']}, {failed['side']}): "
                    f"{failed['errors'][0]}"
                ),
            )
        table.add_row("written", escape(", ".join(item["files"])))
        console.print(table)


def _named(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return f"{len(names)}: {shown}{', …' if len(names) > 4 else ''}"
