"""``extract PROJECT --facts``: what tools proved, as data and as a page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from extractor import __version__
from extractor.api import scope_bytes
from extractor.facts.collect import collect, counts, write_facts
from extractor.facts.records import Fact
from extractor.facts.report.faults import suspicions
from extractor.facts.report.pages import interface_page, library_page
from extractor.facts.report.tables import kernel_rows, unproved
from extractor.output import write
from extractor.project import Project, output_folder


def run(
    project: Project,
    interfaces: Sequence[str],
    configs: Sequence[str],
    out: Path,
    architectures: Sequence[str],
) -> list[dict[str, Any]]:
    """Writes facts of interfaces, or of the library where none is named; a summary of each."""
    for interface in interfaces:
        project.resolve(interface)  # a wrong name ends the run before anything is written
    if not interfaces:
        return [_library(project, configs, out, architectures)]
    return [_interface(project, name, configs, out, architectures) for name in interfaces]


def _interface(
    project: Project,
    interface: str,
    configs: Sequence[str],
    out: Path,
    architectures: Sequence[str],
) -> dict[str, Any]:
    scope = json.loads(scope_bytes(project, interface, configs))
    facts = collect(project, interface, configs, architectures)
    folder = output_folder(out, project.rule.name, interface)
    files = [write_facts(folder, facts)]
    page = interface_page(scope, facts)
    files.append(write(folder / "facts.html", page.encode()))
    return _summary(project, interface, facts, files)


def _library(
    project: Project, configs: Sequence[str], out: Path, architectures: Sequence[str]
) -> dict[str, Any]:
    facts = collect(project, None, configs, architectures)
    folder = out / project.rule.name
    files = [write_facts(folder, facts)]
    source = project.source
    page = library_page(project.rule.name, f"{source.name} {source.version}", __version__, facts)
    files.append(write(folder / "facts.html", page.encode()))
    return _summary(project, None, facts, files)


def _summary(
    project: Project, interface: str | None, facts: Sequence[Fact], files: Sequence[Path]
) -> dict[str, Any]:
    reasons = Counter(fact.reason for fact in facts if fact.value is None)
    return {
        "project": project.rule.name,
        "interface": interface,
        "facts": len(facts),
        "stated": sum(fact.value is not None for fact in facts),
        "null": {str(reason): count for reason, count in reasons.most_common()},
        "reasons": [list(row) for row in unproved(facts)],
        "by_fact": counts(facts),
        "kernels": [row.as_json() for row in kernel_rows(facts)],
        "suspicions": [asdict(one) for one in suspicions(facts)],
        "files": [str(file) for file in files],
    }


def show(summaries: Sequence[dict[str, Any]]) -> None:
    """Prints a short table for each."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    for item in summaries:
        share = item["stated"] / item["facts"] if item["facts"] else 0
        console.print(
            f"[bold]{item['project']} {item['interface'] or ''}[/bold]  "
            f"{item['facts']} facts, {share:.1%} stated"
        )
        table = Table(box=None, padding=(0, 2))
        for heading in ("fact", "stated", "null"):
            table.add_column(heading, justify="left" if heading == "fact" else "right")
        for name, row in item["by_fact"].items():
            stated = row.get("stated", 0)
            table.add_row(name, str(stated), str(sum(row.values()) - stated))
        console.print(table)
        for name, reason, count in item["reasons"]:
            console.print(escape(f"  null {count:6} {name}: {reason}"))
        kinds = Counter(one["kind"] for one in item["suspicions"])
        for kind, count in sorted(kinds.items()):
            console.print(f"  {count} places that look like a fault: {kind}")
        console.print(escape(f"  written {', '.join(item['files'])}"))
