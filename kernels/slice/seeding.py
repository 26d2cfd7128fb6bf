"""``kernels seed PROJECT``: slices and tasks of a library's kernels, and what came of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from extractor.api import scope_bytes
from extractor.errors import RuleError, UserError
from extractor.output import to_json, write
from extractor.project import Project, output_folder
from extractor.records import Scope
from extractor.slice_record import SliceRecord
from kernels.launches.capture import Captures
from kernels.slice.choice import Chosen, choose, launchable_kernels
from kernels.slice.folder import slices_folder
from kernels.slice.job import Plan, slice_kernels
from kernels.slice.launch_facts import LaunchFacts, TracedLaunches
from kernels.slice.tasks import LaunchSources, Seeded, seed_slice

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
    sources = _Sources(project, configs, interface, traced)
    kernels = launchable_kernels(project, configs, entries, kernel or None)
    chosen = choose(kernels, traced.counts)
    if tasks and interface:
        # Launches that can be heard make better tasks than traced ones, and these than others.
        heard: set[str] = set()
        seen = chosen
        for symbols in sources.launched(interface):
            heard |= symbols
            found = choose(kernels, heard)
            left = [o for o in found if not (o.traced or sources.is_infrastructure(o))]
            sources.hears_all = {c: not any(c in one.configs for one in left) for c in configs}
            chosen = [one if one.traced else other for one, other in zip(found, seen, strict=True)]
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
    sources: _Sources,
) -> list[Seeded]:
    folder = slices_folder(out, project.rule.name)
    target = out / project.rule.name / _TASKS
    seeded = []
    with project.reporter.work(f"{project.rule.name} tasks") as advance:
        for done, (one, record) in enumerate(zip(chosen, records, strict=True), start=1):
            seeded.append(seed_slice(folder / one.slug, record, sources.of(one), target))
            advance(done, len(chosen), one.name)
    return seeded


class _Sources:
    """Finds what says how a kernel is launched: by the interface asked for, else by any."""

    def __init__(
        self, project: Project, configs: Sequence[str], interface: str, traces: TracedLaunches
    ) -> None:
        self._project, self._configs, self._traces = project, configs, traces
        self._left = [interface] if interface else sorted(project.families())
        self._known: dict[str, tuple[str, Scope, LaunchFacts]] = {}
        self._captures: dict[tuple[str, str], Captures | str] = {}
        self._infrastructure: set[str] = set()
        self.hears_all: dict[str, bool] = {}

    def launched(self, interface: str) -> Iterator[set[str]]:
        """Kernels that calls of an interface launch, more and more of each configuration, until
        ``hears_all`` says that there is enough."""
        for config in self._configs:
            if self.hears_all.get(config):
                continue
            captures = self._capture(interface, config)
            for symbols in captures.symbols() if isinstance(captures, Captures) else ():
                yield symbols
                if self.hears_all.get(config):
                    break

    def is_infrastructure(self, chosen: Chosen) -> bool:
        """Whether a kernel only checks or prepares, and no ordinary call launches it."""
        self._find(chosen.symbol)
        return chosen.function in self._infrastructure

    def of(self, chosen: Chosen) -> LaunchSources:
        """What is known about a kernel's launches."""
        self._find(chosen.symbol)
        if chosen.symbol not in self._known:
            return LaunchSources(None, None, None, self._traces)
        family, scope, facts = self._known[chosen.symbol]
        if chosen.function in self._infrastructure:
            return LaunchSources(scope, None, None, self._traces)
        captures = self._capture(family, chosen.config)
        if isinstance(captures, str):
            return LaunchSources(scope, facts, None, self._traces, captures)
        return LaunchSources(scope, facts, captures, self._traces)

    def _find(self, symbol: str) -> None:
        """Reads scopes until one reaches a kernel."""
        while symbol not in self._known and self._left:
            family = self._left.pop(0)
            data = scope_bytes(self._project, family, self._configs)
            scope = Scope.model_validate_json(data)
            facts = LaunchFacts(self._project, family, self._configs)
            for function in scope.functions:
                if function.kind == "kernel":
                    if function.infrastructure:
                        self._infrastructure.add(function.id)
                    for one in function.instantiations:
                        self._known.setdefault(one.symbol, (family, scope, facts))

    def _capture(self, interface: str, config: str) -> Captures | str:
        """What captures launches, or why nothing can be called."""
        key = (interface, config)
        if key not in self._captures:
            try:
                self._captures[key] = Captures(self._project, interface, config)
            except RuleError as error:
                self._captures[key] = f"no launch was captured: {error}"
        return self._captures[key]


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
