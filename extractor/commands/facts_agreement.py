"""``extract PROJECT --interface NAME --facts --check``: host facts held against launch traces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractor.commands import trace as tracing
from extractor.errors import UserError
from extractor.facts.host.traced import compared
from extractor.project import Project, output_folder
from extractor.trace.run import Effort

WANTED = 0.98
"""Share of stated facts that agree, below which the check fails."""


def run(
    project: Project,
    interface: str,
    configs: Sequence[str],
    out: Path,
    architectures: Sequence[str],
    effort: Effort,
) -> dict[str, Any]:
    """Compares the facts of an interface with its traces, by configuration.

    Traces that an earlier ``--trace`` wrote into the same folder are used; without any, the
    interface is traced first.

    Args:
        project: The library.
        interface: Family or entry point.
        configs: Configurations.
        out: Folder of what is written.
        architectures: To trace for, where nothing was traced.
        effort: How much is tried for each entry point then.

    Raises:
        UserError: There is no trace, and none could be made.
    """
    file = output_folder(out, project.rule.name, interface) / "traces.jsonl"
    if not file.exists():
        tracing.run(project, [interface], configs, out, architectures, effort)
    if not file.exists():
        raise UserError(
            f"no launch of {interface} was traced; look with: "
            f"extract {project.rule.name} --interface {interface} --trace"
        )
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    answers = {}
    for config in configs:
        own = [row for row in rows if row["config"] == config]
        if own:
            answers[config] = compared(project, config, own).as_json()
    return {"traces": str(file), "configs": answers}


def complete(answers: Sequence[dict[str, Any]]) -> bool:
    """Whether enough of what could be decided agrees."""
    for answer in answers:
        for found in answer["configs"].values():
            for row in found["facts"].values():
                if row["agreeing"] is not None and row["agreeing"] < WANTED:
                    return False
    return True


def show(answers: Sequence[dict[str, Any]]) -> None:
    """Prints the agreement of each fact, and the first disagreements."""
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False, soft_wrap=True)
    for answer in answers:
        for config, found in answer["configs"].items():
            console.print(escape(f"{found['traces']} traces of {config} in {answer['traces']}"))
            for name, row in found["facts"].items():
                decided = row["agrees"] + row["disagrees"]
                share = "-" if row["agreeing"] is None else f"{row['agreeing']:.2%}"
                console.print(
                    f"  {name:22} {share:>8} of {decided} agree; {row['undecidable']} undecidable"
                )
            for line in found["disagreements"][:5]:
                console.print(escape(f"  {line}"))
