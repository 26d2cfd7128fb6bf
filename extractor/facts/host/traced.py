"""Facts of exactly those entry points that traces call, compared with the traces."""

from __future__ import annotations

import itertools
import multiprocessing
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor.errors import UserError
from extractor.facts.agreement import Agreement
from extractor.facts.host.check import Comparison
from extractor.facts.host.enumerators import enumerators
from extractor.facts.host.facts import HostFacts
from extractor.facts.host.program import HostProgram
from extractor.parent_death import end_with_parent
from extractor.project import Project
from extractor.rules import Rule
from extractor.trace.prototypes import Prototypes, read_prototypes

_MANY = 24
"""Entry points for which the whole library is linked."""

Rows = Sequence[dict[str, Any]]
"""Lines of ``traces.jsonl``."""


def compared(project: Project, config: str, traces: Rows) -> Agreement:
    """Compares traces of one configuration with the facts of their entry points.

    Args:
        project: The opened library.
        config: Configuration.
        traces: Lines of ``traces.jsonl``; those of other configurations or libraries are left out.
    """
    own = [trace for trace in traces if trace.get("config", config) == config]
    by_entry: dict[str, list[dict[str, Any]]] = {}
    for trace in own:
        by_entry.setdefault(trace["entry"], []).append(trace)
    return compared_by_entry(project, config, sorted(by_entry), sorted(by_entry.items()))


def compared_by_entry(
    project: Project, config: str, names: Iterable[str], traces: Iterable[tuple[str, Rows]]
) -> Agreement:
    """Compares traces of many entry points; only those of a few are held at a time.

    Args:
        project: The opened library.
        config: Configuration of all traces.
        names: Entry points that have traces; those that the library does not export are counted.
        traces: Of one entry point after the other.

    Raises:
        UserError: A process that compared some of them ended early.
    """
    known = sorted(set(names) & set(project.exported))
    program = HostProgram(project, known, config, linked=len(known) > _MANY)
    prototypes = read_prototypes(project, config)
    values = enumerators(program.trees.trees)
    for members in prototypes.enumerations.values():
        values.update(members)
    asked = _Asked(HostFacts(program), project.rule, *_parameters(prototypes, program), values)
    result = Agreement()

    def own() -> Iterator[tuple[str, Rows]]:
        for name, rows in traces:
            if name in program.entries:
                yield name, rows
            else:
                result.skipped["no such entry point here"] += len(rows)

    with project.reporter.work(f"{project.rule.name} {config} traces against facts") as advance:
        answers = _side_by_side(asked, own(), min(project.indexer.jobs, len(known)))
        for done, (name, one) in enumerate(answers, start=1):
            result.join(one)
            advance(done, len(known), name)
    result.disagreements.sort()
    return result


def sampled(
    files: Iterable[Path], project: str, config: str, most: int = 0
) -> Iterator[tuple[str, Rows]]:
    """Traces of one entry point after the other; only those of one file are held at a time, and of
    launches that are the same one: a call may make a great many of them.

    Args:
        files: Several ``traces.jsonl``.
        project: Library whose traces are wanted.
        config: Configuration.
        most: How many of an entry point at the most, evenly spread; 0: all.
    """
    for file in files:
        by_entry: dict[str, list[dict[str, Any]]] = {}
        for row in _lines(file):
            if row["project"] == project and row["config"] == config:
                row["launches"] = _once(row["launches"])
                by_entry.setdefault(row["entry"], []).append(row)
        for name in sorted(by_entry):
            rows = by_entry.pop(name)
            step = max(1, len(rows) // most) if most else 1
            yield name, rows[::step][: most or None]


def entries_traced(files: Iterable[Path], project: str, config: str) -> set[str]:
    """Entry points that some files have traces of."""
    return {
        row["entry"]
        for file in files
        for row in _lines(file)
        if row["project"] == project and row["config"] == config
    }


def _once(launches: Rows) -> Rows:
    """Launches that differ, in the order in which they come first."""
    names = ("symbol", "kernel", "grid", "block", "shared_bytes")
    return list({repr([one.get(name) for name in names]): one for one in launches}.values())


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open("rb") as lines:
        for line in lines:
            yield orjson.loads(line)


@dataclass(frozen=True)
class _Asked:
    """What every comparison needs.

    Attributes:
        facts: States facts of entry points.
        rule: The library's rule file.
        parameters: Of each entry point: the name that its header gives, and that of its definition.
        pointers: Names of parameters that point to a scalar.
        enumerators: Value by name.
    """

    facts: HostFacts
    rule: Rule
    parameters: Mapping[str, tuple[tuple[str, str], ...]]
    pointers: frozenset[str]
    enumerators: Mapping[str, int]

    def compare(self, entry: str, rows: Rows) -> Agreement:
        """Compares traces of one entry point."""
        comparison = Comparison(
            self.rule, self.facts.entry(entry), self.enumerators, self.pointers, self.parameters
        )
        for row in rows:
            comparison.compare(row)
        return comparison.result


def _parameters(
    prototypes: Prototypes, program: HostProgram
) -> tuple[dict[str, tuple[tuple[str, str], ...]], frozenset[str]]:
    parameters: dict[str, tuple[tuple[str, str], ...]] = {}
    pointers: set[str] = set()
    for name in program.entries:
        summary = program.trees.summary(program.entry_symbol(name))
        if summary is None:
            continue
        declared = prototypes.functions.get(name)
        own_names = [parameter.name for parameter in summary.parameters]
        given = [p.name for p in declared.parameters] if declared else own_names
        if len(given) != len(own_names):
            given = own_names
        parameters[name] = tuple(zip(given, own_names, strict=True))
        pointers.update(
            name
            for name, parameter in zip(given, summary.parameters, strict=True)
            if parameter.kind == "p"
        )
    return parameters, frozenset(pointers)


_SHARED: list[_Asked] = []


def _side_by_side(
    asked: _Asked, traces: Iterable[tuple[str, Rows]], jobs: int
) -> Iterator[tuple[str, Agreement]]:
    if jobs < 2:
        for name, rows in traces:
            yield name, asked.compare(name, rows)
        return
    # What was read is large and never changes: processes that start from this one share it.
    _SHARED[:] = [asked]
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin)
    try:
        waiting: dict[Future[Agreement], str] = {}
        left = iter(traces)
        while True:
            for name, rows in itertools.islice(left, 2 * jobs - len(waiting)):
                waiting[pool.submit(_compare, name, rows)] = name
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool as error:
        raise UserError(f"a process that compared facts ended early: {error}") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        _SHARED.clear()


def _begin() -> None:
    # An interrupt is for the process that asked; it then ends these.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _compare(name: str, rows: Rows) -> Agreement:
    return _SHARED[0].compare(name, rows)
