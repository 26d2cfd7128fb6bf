"""``extract PROJECT``: the interfaces a library offers."""

from __future__ import annotations

from typing import Any

from extractor.project import Project


def rows(project: Project) -> list[dict[str, Any]]:
    """Interfaces by name: how many entry points, and where they are declared."""
    entry_points = project.offered
    listed = []
    for family, names in sorted(project.families().items()):
        files = sorted({project.text.portable(entry_points[name].file) for name in names})
        listed.append(
            {
                "interface": family,
                "entry_points": len(names),
                "declared_in": files,
                "auxiliary": all(project.rule.is_auxiliary(name) for name in names),
            }
        )
    return listed


def show(project: Project) -> None:
    """Prints the interfaces as a table."""
    from rich.console import Console
    from rich.table import Table

    source = project.source
    listed = rows(project)
    table = Table(
        title=f"{source.name} {source.version}: {len(listed)} interfaces, "
        f"{len(project.offered)} entry points",
        title_justify="left",
        box=None,
    )
    table.add_column("interface")
    table.add_column("entry points", justify="right")
    table.add_column("declared in" if project.entry_points else "found in", overflow="fold")
    for row in sorted(listed, key=lambda row: (row["auxiliary"], row["interface"])):
        name = row["interface"] + (" (auxiliary)" if row["auxiliary"] else "")
        table.add_row(name, str(row["entry_points"]), ", ".join(row["declared_in"]))
    Console().print(table)
