"""``extract PROJECT --interface NAME --trace``: launch traces and what they cover."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.api import NotInConfiguration, scope_bytes
from extractor.errors import ToolchainError, UnknownName, UserError
from extractor.output import write
from extractor.project import Project, opened, output_folder
from extractor.spread import spread
from extractor.trace.coverage import Coverage, cover
from extractor.trace.past_boundary import PastBoundary
from extractor.trace.run import Effort, Traced, trace_interface
from extractor.trace.tracer import Tracer


def run(
    project: Project,
    interfaces: Sequence[str] | None,
    configs: Sequence[str],
    out: Path,
    archs: Sequence[str],
    effort: Effort,
) -> list[dict[str, Any]]:
    """Traces interfaces, writes ``traces.jsonl`` of each and returns a summary of each.

    Args:
        project: The library.
        interfaces: Names; all families when ``None``.
        configs: Configurations; their traces stand in one file.
        out: Folder for what is written.
        archs: Architectures.
        effort: How much is tried and kept for each entry point.

    Raises:
        UserError: A name that is wrong, or that none of the configurations defines.
    """
    names = sorted(project.families()) if interfaces is None else list(interfaces)
    for name in names:
        project.resolve(name)  # a name that is wrong ends the run before anything is built
    rule, source = str(project.rule.path), project.override
    asked = [_Asked(rule, source, name, tuple(configs), tuple(archs), effort) for name in names]
    jobs = project.indexer.jobs
    if len(names) > 1 and (jobs > 1 or project.engine == "ray"):
        running = spread(_apart, asked, jobs=jobs, engine=project.engine)
    else:
        tracers = [Tracer(project, config) for config in configs]
        running = ((n, _interface(tracers, one)) for n, one in enumerate(asked))
    found: dict[int, dict[str, Any]] = {}
    with project.reporter.work(f"{project.rule.name} traces") as advance:
        for done, (number, (summary, lines)) in enumerate(running, start=1):
            if lines:
                folder = output_folder(out, project.rule.name, names[number])
                summary["written"] = str(write(folder / "traces.jsonl", lines))
            found[number] = summary
            advance(done, len(names), names[number])
    for summary in found.values() if interfaces is not None else ():
        lacking = [figures.get("absent") for figures in summary["configs"].values()]
        if all(lacking):
            raise UserError(f"{lacking[0]}; name another configuration")
    return [found[number] for number in range(len(names))]


@dataclass(frozen=True)
class _Asked:
    """Traces of one interface, as a process that has nothing open is asked for them.

    Attributes:
        rules: Path of the rule file.
        source: Folder or ``URL@REF`` instead of the pinned source.
        name: The interface.
        configs: Configurations.
        archs: Architectures.
        effort: How much is tried and kept for each entry point.
    """

    rules: str
    source: str | None
    name: str
    configs: tuple[str, ...]
    archs: tuple[str, ...]
    effort: Effort


def _apart(asked: _Asked) -> tuple[dict[str, Any], bytes]:
    return _interface(_tracers(asked.rules, asked.source, asked.configs), asked)


@functools.lru_cache(maxsize=1)
def _tracers(rules: str, source: str | None, configs: tuple[str, ...]) -> list[Tracer]:
    project = opened(rules, source)
    return [Tracer(project, config) for config in configs]


def _interface(tracers: Sequence[Tracer], asked: _Asked) -> tuple[dict[str, Any], bytes]:
    """Summary of an interface and the lines of its ``traces.jsonl``."""
    project, name = tracers[0].project, asked.name
    lines: list[bytes] = []
    summary: dict[str, Any] = {
        "project": project.rule.name, "interface": name, "written": None, "configs": {},
    }  # fmt: skip
    for tracer in tracers:
        config = tracer.config
        try:
            traced = trace_interface(tracer, name, archs=asked.archs, effort=asked.effort)
            scope = json.loads(scope_bytes(project, name, (config,)))
        except NotInConfiguration as why:
            summary["configs"][config] = {"absent": str(why)}
            continue
        except (ToolchainError, UnknownName) as error:
            summary["configs"][config] = {"error": str(error)}
            continue
        finally:
            tracer.close()
        past = PastBoundary(tracer.host.graphs()) if project.rule.siblings else None
        coverage = cover(
            scope,
            config,
            traced.traces,
            traced.launched,
            past=past,
            unreachable=traced.unreachable,
            refuted=traced.refuted,
            places=traced.places,
        )
        traces = [past.marked(trace) for trace in traced.traces] if past else traced.traces
        lines += [t.model_dump_json(by_alias=True).encode() + b"\n" for t in traces]
        summary["configs"][config] = _figures(traced, coverage)
    return summary, b"".join(lines)


def _figures(traced: Traced, coverage: Coverage) -> dict[str, Any]:
    statuses = Counter(trace.status for trace in traced.traces)
    return {
        "traces": len(traced.traces),
        "calls": traced.calls,
        "left_out": traced.left_out,
        "statuses": dict(sorted(statuses.items())),
        "not_called": traced.not_called,
        "boundaries": list(traced.library.boundaries) if traced.library else [],
        "failed_units": traced.library.failed if traced.library else {},
        "coverage": coverage.model_dump(mode="json"),
    }


def complete(summaries: Sequence[dict[str, Any]]) -> bool:
    """Whether everything could be traced, nothing was launched that the scope lacks, and nothing
    that no call was to launch."""
    return all(
        "absent" in figures
        or (
            "error" not in figures
            and not figures["coverage"]["outside"]
            and not figures["coverage"]["sites_refuted"]
            and not figures["failed_units"]
        )
        for summary in summaries
        for figures in summary["configs"].values()
    )


def show(summaries: Sequence[dict[str, Any]]) -> None:
    """Prints a summary of each interface."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for title in ("interface", "configuration"):
        table.add_column(title)
    for title in (
        "traces",
        "kernels traced",
        "called",
        "of",
        "sites seen",
        "launches seen",
        "not called",
    ):
        table.add_column(title, justify="right")
    console = Console()
    notes = []
    for summary in summaries:
        for config, figures in summary["configs"].items():
            why = figures.get("error") or figures.get("absent")
            if why:
                notes.append(f"{summary['interface']} {config}: {why}")
                continue
            cover = figures["coverage"]
            table.add_row(
                summary["interface"],
                config,
                str(figures["traces"]),
                str(cover["kernels_traced"]),
                str(cover["kernels_called"]),
                str(cover["kernels_live"]),
                f"{cover['sites_seen']} of {cover['sites_live']}",
                f"{cover['launches_seen']} of {cover['launches_live']}",
                str(len(figures["not_called"])),
            )
            notes += [f"not in the scope: {line}" for line in cover["outside"]]
            notes += [f"launched, though told unreachable: {x}" for x in cover["sites_refuted"]]
            notes += [f"{unit}: {error}" for unit, error in figures["failed_units"].items()]
            if figures["left_out"]:
                notes.append(
                    f"{summary['interface']} {config}: {figures['left_out']} cases are larger than "
                    "some that launch thousands of kernels, and were left out"
                )
            failed = {k: n for k, n in figures["statuses"].items() if " " in k or k == "timeout"}
            notes += [f"{summary['interface']} {config}: {n} × {k}" for k, n in failed.items()]
    console.print(table)
    for note in notes:
        console.print(note, markup=False)
    written = [summary["written"] for summary in summaries if summary["written"]]
    console.print(f"written: {', '.join(written[:4])}{', …' if len(written) > 4 else ''}")
