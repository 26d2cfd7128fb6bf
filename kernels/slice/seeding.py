"""``kernels seed PROJECT``: slices and tasks of a library's kernels, and what came of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from extractor.output import to_json, write
from extractor.project import Project, output_folder
from extractor.slice_record import SliceRecord
from kernels.slice.choice import Chosen, choose, launchable_kernels
from kernels.slice.folder import slices_folder
from kernels.slice.job import Plan
from kernels.slice.launch_facts import TracedLaunches
from kernels.slice.launch_search import LaunchSearch
from kernels.slice.many import slice_kernels
from kernels.slice.tasks import Seeded, seed_slice

_TASKS, _SUMMARY, _TRACES = "tasks", "seed.json", "traces.jsonl"


@dataclass(frozen=True)
class Outcome:
    """What came of seeding.

    Attributes:
        project: The library.
        slices: One record for each kernel.
        tasks: One for each kernel; empty where none were asked for.
    """

    project: str
    slices: tuple[SliceRecord, ...]
    tasks: tuple[Seeded, ...]

    def summary(self) -> dict[str, Any]:
        """Counts, and every reason."""
        architectures = sorted({a for one in self.slices for a in one.compiled})
        compared = sorted({a for one in self.slices for a, e in one.equal.items() if e is not None})
        return {
            "project": self.project,
            "kernels": len(self.slices),
            "sliced": sum(one.sliced for one in self.slices),
            "compiled": {
                a: sum(one.compiled.get(a, False) for one in self.slices) for a in architectures
            },
            "equal": {
                a: sum(one.equal.get(a) is True for one in self.slices) for a in compared
            },
            "tasks": sum(one.folder is not None for one in self.tasks),
            "tasks_asked_for": len(self.tasks),
            "slice_reasons": {one.function: one.reason for one in self.slices if one.reason},
            "task_reasons": {one.kernel: one.reason for one in self.tasks if one.reason},
            "task_launches": dict(
                sorted(Counter(one.launch for one in self.tasks if one.launch).items())
            ),
            "task_notes": {one.kernel: list(one.notes) for one in self.tasks if one.notes},
        }  # fmt: skip

    @property
    def whole(self) -> bool:
        """Whether every kernel was cut, compiled everywhere and found equal where compared."""
        return all(
            one.sliced and all(one.compiled.values()) and False not in one.equal.values()
            for one in self.slices
        )


def seed_project(
    project: Project,
    out: Path,
    *,
    interface: str = "",
    kernel: str = "",
    config: str = "all",
    plan: Plan | None = None,
    tasks: bool = True,
    jobs: int = 0,
) -> Outcome:
    """Makes slices and tasks of an interface's kernels, or of a whole library's.

    Args:
        project: The library, opened.
        out: Output folder.
        interface: Family or entry point; the whole library when empty.
        kernel: Plain name of a kernel, when only it is wanted.
        config: Configuration, or ``all``.
        plan: What is done with every slice.
        tasks: Make task folders too.
        jobs: Units at once; the project's when 0.

    Raises:
        UserError: There is no such interface, configuration or kernel.
    """
    configs = project.configurations(config)
    entries = project.resolve(interface) if interface else None
    traced = _traced(out / project.rule.name, interface)
    folder = out / project.rule.name
    sources = LaunchSearch(project, configs, interface, traced, folder)
    kernels = launchable_kernels(project, configs, entries, kernel or None)
    chosen = choose(kernels, traced.counts)
    if tasks and interface:
        # Launches that can be heard make better tasks than traced ones, and these than others.
        found = choose(kernels, sources.heard(interface, kernels))
        chosen = [one if one.traced else other for one, other in zip(found, chosen, strict=True)]
    if not chosen:
        raise UserError(f"{project.rule.name} {interface}: reaches no kernel; nothing to cut out")
    records = slice_kernels(project, chosen, out, plan or Plan(), jobs)
    seeded = _tasks(project, out, chosen, records, sources) if tasks else ()
    outcome = Outcome(project.rule.name, tuple(records), tuple(seeded))
    summary = {**outcome.summary(), "made": [asdict(one) for one in outcome.tasks]}
    write(output_folder(out, project.rule.name, interface or _TASKS) / _SUMMARY, to_json(summary))
    return outcome


def _tasks(
    project: Project,
    out: Path,
    chosen: Sequence[Chosen],
    records: Sequence[SliceRecord],
    sources: LaunchSearch,
) -> list[Seeded]:
    folder = slices_folder(out, project.rule.name)
    target = out / project.rule.name / _TASKS
    seeded = []
    with project.reporter.work(f"{project.rule.name} tasks") as advance:
        for done, (one, record) in enumerate(zip(chosen, records, strict=True), start=1):
            seeded.append(
                seed_slice(
                    folder / one.slug,
                    record,
                    sources.of(one.symbol, one.function, one.config),
                    target,
                )
            )
            advance(done, len(chosen), one.name)
    return seeded


def _traced(folder: Path, interface: str) -> TracedLaunches:
    """The launches in a project's traces; none without traces.

    Args:
        folder: Output folder of the project.
        interface: Only this one's traces; those of every interface when empty.

    Raises:
        UserError: A file of traces is damaged.
    """
    found = TracedLaunches()
    for file in sorted(folder.glob(f"{interface or '*'}/{_TRACES}")):
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            try:
                for row in json.loads(line)["launches"]:
                    found.add(row)
            except (ValueError, KeyError, TypeError) as error:
                raise UserError(f"{file}:{number}: is no trace; trace again") from error
    return found
