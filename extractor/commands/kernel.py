"""``extract PROJECT --kernel NAME``: which entry points reach a kernel, and by which path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from extractor.configuration_graph import ConfigurationGraph
from extractor.errors import UnknownName
from extractor.project import Project


def run(project: Project, name: str, configs: Sequence[str]) -> dict[str, Any]:
    """Entry points that can launch a kernel of this name, each with a shortest path.

    Raises:
        UnknownName: No kernel has this name in the chosen configurations.
    """
    builder = project.builder(configs, None, device=False)
    known: set[str] = set()
    answers = []
    for graph in builder.graphs:
        found, names = _one(project, graph, name)
        known |= names
        answers += found
    if name not in known:
        raise UnknownName("kernel", name, known, f"see: extract {project.rule.name} --all")
    return {"project": project.rule.name, "kernel": name, "reached_by": answers}


def _one(
    project: Project, graph: ConfigurationGraph, name: str
) -> tuple[list[dict[str, Any]], set[str]]:
    walker, nodes = graph.host_walker, graph.host.nodes
    starts = {e: graph.host.find(e) for e in project.defined([graph])}
    known = {entry: index for entry, index in starts.items() if index is not None}
    reached = walker.reach(known.values(), dead=True)
    names = {nodes[index].name for index in reached if nodes[index].kernel}
    targets = {i for i in reached if nodes[i].kernel and nodes[i].name == name}
    if not targets:
        return [], names
    # Breadth-first from the kernel backwards, live steps first: each node learns its next hop.
    callers: dict[int, list[tuple[int, bool]]] = {}
    for index in reached:
        for step in walker.steps(index):
            callers.setdefault(step.target, []).append((index, bool(step.dead)))
    hop: dict[int, tuple[int, bool]] = {}
    for with_dead in (False, True):
        frontier = sorted(targets | set(hop), key=lambda i: nodes[i].id)
        while frontier:
            following = []
            for index in frontier:
                through_dead = hop[index][1] if index in hop else False
                for caller, dead in sorted(callers.get(index, ())):
                    if caller not in hop and caller not in targets and (with_dead or not dead):
                        hop[caller] = (index, dead or through_dead)
                        following.append(caller)
            frontier = following
    found = []
    for entry, index in sorted(known.items()):
        if index not in hop:
            continue
        path, at = [index], index
        while at in hop and at not in targets:
            at = hop[at][0]
            path.append(at)
        found.append(
            {
                "entry": entry,
                "config": graph.name,
                "dead": hop[index][1],
                "path": [
                    {
                        "name": nodes[i].qualified_name,
                        "file": project.text.portable(nodes[i].file),
                        "line": nodes[i].site.line,
                    }
                    for i in path
                ],
                "kernel": nodes[path[-1]].symbol,
            }
        )
    return found, names


def show(answer: dict[str, Any]) -> None:
    """Prints the entry points with their paths."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    rows = answer["reached_by"]
    entries = {row["entry"] for row in rows if not row["dead"]}
    console.print(
        f"[bold]{escape(answer['kernel'])}[/bold] is reached by {len(entries)} entry points of "
        f"{answer['project']}"
    )
    grouped: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        below = tuple(f"{step['name']} ({step['file']}:{step['line']})" for step in row["path"][1:])
        grouped.setdefault((row["config"], "dead" if row["dead"] else "", *below), []).append(row)
    for (config, dead, *path), members in grouped.items():
        names = ", ".join(sorted(row["entry"] for row in members))
        console.print(f"[{config}]{' dead:' if dead else ''} {escape(names)}", markup=False)
        for depth, step in enumerate(path):
            console.print(escape(f"{'  ' * (depth + 1)}└ {step}"))
