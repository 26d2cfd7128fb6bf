"""Entries through the gates: what passes, and why the rest does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from extractor.errors import UnknownName, UserError
from extractor.project import Project
from qa.fact_rows import read_rows
from qa.gates import GATES, Case
from qa.gates.unweighed import unweighed
from qa.ground import Ground
from qa.records import ENTRY_SCHEMA, Entry
from qa.rewriting import Rewriting
from qa.text.skeleton import NearDuplicates, code_skeleton, skeleton

OpenProject = Callable[[str], Project]
SCHEMA_GATE = "schema"
AUTHOR_GATE = "author"
DUPLICATE_GATE = "near_duplicate"
UNKNOWN_TO_AUTHOR = "entries of the static author that it does not write from what is at hand"
GATE_NAMES = (SCHEMA_GATE, *(gate.name for gate in GATES), AUTHOR_GATE, DUPLICATE_GATE)
"""All gates in the order they are asked."""


@dataclass(frozen=True)
class Verdict:
    """What the gates say about one line.

    Attributes:
        id: The entry's id; ``line N`` where it has none.
        passed: Every gate passed.
        gates: Gates that were asked, by name; the first failure ends the asking.
        reason: Name of the gate that failed and why; empty when none did.
    """

    id: str
    passed: bool
    gates: dict[str, bool]
    reason: str

    @property
    def failed(self) -> str:
        """The gate that failed, or nothing."""
        return next((name for name, passed in self.gates.items() if not passed), "")

    def as_json(self) -> dict[str, Any]:
        """As one line of ``qa check --json``."""
        return {
            "id": self.id, "passed": self.passed, "gates": self.gates, "reason": self.reason
        }  # fmt: skip


@dataclass
class Judge:
    """Holds entries against their libraries, and against each other in the order they come.

    Args:
        open_project: Opens a library by the name of its rule file.
        folder: Folder of earlier outputs with scopes, facts and traces.
        traces: Further traces.
        write_again: Have the static author write his entries again, and compare.
    """

    open_project: OpenProject
    folder: Path | None = None
    traces: list[dict[str, Any]] = field(default_factory=list)
    write_again: bool = False

    def __post_init__(self) -> None:
        self._grounds: dict[str, Ground | None] = {}
        self._again: dict[str, Rewriting] = {}
        self._texts = NearDuplicates()
        self._ids: set[str] = set()
        self._left_out: Counter[str] = Counter()

    def ground(self, project: str) -> Ground | None:
        """A library's ground; ``None`` where no such library is known."""
        if project not in self._grounds:
            try:
                made = Ground(self.open_project(project), self.folder)
                made.extra_traces = self.traces
                made.make_facts = True
                self._grounds[project] = made
            except UnknownName:
                self._grounds[project] = None
        return self._grounds[project]

    def adopt(self, ground: Ground) -> None:
        """Uses a ground that is open already."""
        self._grounds[ground.project.rule.name] = ground

    def judge(self, row: Any, number: int = 0) -> Verdict:
        """Judges one line as read."""
        name = str(row.get("id") or f"line {number}") if isinstance(row, dict) else f"line {number}"
        try:
            if not isinstance(row, dict):
                raise ValueError("a line holds one JSON object")
            if row.get("schema") != ENTRY_SCHEMA:
                raise ValueError(f"schema is {row.get('schema')!r}, this reads {ENTRY_SCHEMA}")
            entry = Entry.model_validate_json(orjson.dumps(row))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            return _failed(name, {}, SCHEMA_GATE, f"{where}: {first['msg']}")
        except ValueError as error:
            return _failed(name, {}, SCHEMA_GATE, str(error))
        if entry.id in self._ids:
            return _failed(name, {}, SCHEMA_GATE, "two lines have this id")
        verdict = self.judge_entry(entry)
        self._ids.add(entry.id)
        return verdict

    def judge_entry(self, entry: Entry) -> Verdict:
        """Judges an entry whose form is right."""
        return self.compare(entry, self.judge_alone(entry))

    def judge_alone(self, entry: Entry) -> Verdict:
        """Judges an entry by every gate but the one that compares entries."""
        gates = {SCHEMA_GATE: True}
        ground = self.ground(entry.project)
        if ground is None:
            return _failed(entry.id, gates, "source", f"unknown project {entry.project}")
        if not ground.knows(entry.interface):
            return _failed(entry.id, gates, "configuration", f"unknown interface {entry.interface}")
        case = Case(entry, ground)
        for gate in GATES:
            why = gate.check(case)
            if why is not None:
                self._left_out += case.left_out
                return _failed(entry.id, gates, gate.name, why)
            gates[gate.name] = True
        self._left_out += case.left_out + unweighed(case)
        if self.write_again:
            if entry.project not in self._again:
                self._again[entry.project] = Rewriting(ground)
            why = self._again[entry.project].fault(entry)
            if why is not None:
                return _failed(entry.id, gates, AUTHOR_GATE, why)
            gates[AUTHOR_GATE] = True
        return Verdict(entry.id, True, gates, "")

    def left_out(self) -> dict[str, int]:
        """What nobody looked at in the entries judged so far, in words, with how often."""
        found = Counter(self._left_out)
        found[UNKNOWN_TO_AUTHOR] += sum(again.unknown for again in self._again.values())
        return {name: found[name] for name in sorted(found) if found[name]}

    def compare(self, entry: Entry, verdict: Verdict) -> Verdict:
        """Holds an entry that passed alone against those that came before it."""
        if not verdict.passed:
            return verdict
        gates = dict(verdict.gates)
        alike = self._texts.seen(entry.id, near_text(entry), blanked_text(entry))
        if alike is not None:
            return _failed(entry.id, gates, DUPLICATE_GATE, f"like {alike[0]}: {alike[1]}")
        gates[DUPLICATE_GATE] = True
        return Verdict(entry.id, True, gates, "")


def near_text(entry: Entry) -> str:
    """The text by which entries are compared."""
    return f"{entry.question}\n{entry.answer}"


def blanked_text(entry: Entry) -> str:
    """The answer with names and numbers blanked: a new question does not make it a new entry."""
    return skeleton(entry.answer) if entry.kind == "qa" else code_skeleton(entry.answer)


def _failed(name: str, gates: dict[str, bool], gate: str, why: str) -> Verdict:
    return Verdict(name, False, {**gates, gate: False}, f"{gate}: {why}")


def read_entries(file: Path) -> Iterator[Any]:
    """Lines of an entries file.

    Raises:
        UserError: The file cannot be read.
    """
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    try:
                        yield orjson.loads(line)
                    except orjson.JSONDecodeError as error:
                        yield f"line {number}: {error}"
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}; name an entries file") from error


def judge_file(
    file: Path, judge: Judge, advance: Callable[[int, int, str], None] | None = None
) -> Iterator[tuple[Any, Verdict]]:
    """Judges a file's lines; those of one interface together, told in the file's order."""
    rows = list(read_entries(file))
    order = sorted(range(len(rows)), key=lambda i: (*_place(rows[i]), i))
    verdicts: dict[int, Verdict] = {}
    for done, index in enumerate(order, 1):
        verdicts[index] = judge.judge(rows[index], index + 1)
        if advance is not None:
            advance(done, len(rows), verdicts[index].id)
    for index, row in enumerate(rows):
        yield row, verdicts[index]


def _place(row: Any) -> tuple[str, str]:
    if not isinstance(row, dict):
        return ("", "")
    return (str(row.get("project")), str(row.get("interface")))


def rejects(judged: Iterable[tuple[Any, Verdict]]) -> list[dict[str, Any]]:
    """Lines of ``rejects.jsonl``: the gate, the reason and the entry."""
    return [
        {"id": v.id, "gate": v.failed, "reason": v.reason, "entry": row}
        for row, v in judged
        if not v.passed
    ]


def count_gates(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How many lines each gate rejected, in the gates' order; gates without a reject left out."""
    counts = Counter(verdict.failed for verdict in verdicts if not verdict.passed)
    return {name: counts[name] for name in GATE_NAMES if counts[name]}


def load_traces(files: Iterable[Path]) -> list[dict[str, Any]]:
    """Traces of files given by hand.

    Raises:
        UserError: A file cannot be read.
    """
    found: list[dict[str, Any]] = []
    for file in files:
        try:
            found.extend(read_rows(file.read_bytes().splitlines()))
        except (OSError, orjson.JSONDecodeError) as error:
            raise UserError(f"cannot read traces of {file}: {error}") from error
    return found
