"""Entries of whole interfaces and libraries: written, judged, merged."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from extractor.output import write
from extractor.parent_death import end_with_parent
from extractor.project import Project, output_folder
from qa.ground import FACT_FILES, LONGEST_ROW, WHOLE_LIBRARY, Ground
from qa.judgement import Judge, Verdict, blanked_text, count_gates
from qa.records import Entry
from qa.text.skeleton import sentence_share, shared_share

Progress = Callable[[int, int, str], None]
_PARTS = ".qa"


@dataclass
class Built:
    """What a build gave.

    Attributes:
        entries: Lines of ``entries.jsonl``.
        rejects: Lines of ``rejects.jsonl``.
        statistics: Figures of the entries that passed, and rejects by gate.
        failed: Interfaces that could not be written, with the reason.
    """

    entries: list[bytes] = field(default_factory=list)
    rejects: list[bytes] = field(default_factory=list)
    statistics: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """What one interface gave.

    Attributes:
        rows: ``[entry, gates, reason]`` of each draft.
        why: Why it failed; empty where it did not.
        given_up: Drafts that could not be told whole, counted by why.
    """

    rows: list[Any]
    why: str = ""
    given_up: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One interface of one library."""

    project: str
    interface: str
    out: Path
    source: str | None


def build(
    projects: Sequence[tuple[str, Sequence[str]]],
    out: Path,
    *,
    source: str | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Built:
    """Writes the entries of interfaces.

    What an interface gave is kept below ``OUT/.qa`` until its scope, facts, traces or this program
    change, so that an interrupted build goes on where it was.

    Args:
        projects: Rule files' names with the interfaces wanted of each.
        out: Folder of outputs: facts and traces are read from it.
        source: ``--source``.
        jobs: Worker processes; the number of cores when 0.
        progress: Told about interfaces done.
    """
    tasks = [Task(name, one, out, source) for name, all_ in projects for one in all_]
    parts: dict[Task, Part] = {}
    workers = min(jobs or os.cpu_count() or 1, max(1, len(tasks)))
    if workers == 1:
        for done, task in enumerate(tasks, 1):
            parts[task] = run_task(task)
            if progress is not None:
                progress(done, len(tasks), task.interface)
    else:
        context = multiprocessing.get_context("spawn")
        with context.Pool(workers, end_with_parent, maxtasksperchild=40) as pool:
            results = pool.imap(run_task, tasks)
            for done, (task, part) in enumerate(zip(tasks, results, strict=True), 1):
                parts[task] = part
                if progress is not None:
                    progress(done, len(tasks), task.interface)
    built = merge([(task, parts[task]) for task in tasks])
    built.statistics["rows_left_out"] = sum(_long_rows(task) for task in tasks)
    return built


def _long_rows(task: Task) -> int:
    """Traces of an interface that nobody reads: those of hundreds of launches."""
    file = output_folder(task.out, task.project, task.interface) / "traces.jsonl"
    if not file.is_file():
        return 0
    with file.open("rb") as lines:
        return sum(len(row) > LONGEST_ROW for row in lines)


_OPEN: dict[tuple[str, str | None, Path], Ground] = {}


def _ground(task: Task) -> Ground:
    key = (task.project, task.source, task.out)
    if key not in _OPEN:
        _OPEN[key] = Ground(Project(task.project, source=task.source, jobs=1), task.out)
    return _OPEN[key]


def run_task(task: Task) -> Part:
    """Drafts and judges an interface."""
    ground = _ground(task)
    key = _key(task, ground)
    part = _kept(task, key)
    if part is None:
        part = _made(task, ground)
        kept = {"key": key, "rows": part.rows, "given_up": part.given_up}
        write(_part(task), orjson.dumps(kept))
    return part


def _part(task: Task) -> Path:
    return task.out / _PARTS / task.project / f"{task.interface}.json"


def part_of(task: Task, ground: Ground) -> list[Any] | None:
    """Rows that a build of the same inputs by the same code has kept; ``None`` without one.

    Args:
        task: Its interface may be what a stranger's file says.
        ground: The library.
    """
    if not re.fullmatch(r"\w+", task.interface) or not _part(task).is_file():
        return None
    part = _kept(task, _key(task, ground))
    return None if part is None else part.rows


def _kept(task: Task, key: str) -> Part | None:
    if not _part(task).is_file():
        return None
    data = orjson.loads(_part(task).read_bytes())
    return Part(data["rows"], given_up=data["given_up"]) if data["key"] == key else None


def _made(task: Task, ground: Ground) -> Part:
    from qa.author.angles import propose
    from qa.author.given_up import given_up

    judge = Judge(lambda name: ground.project, task.out)
    judge.adopt(ground)
    view = ground.view(task.interface)
    rows = []
    for draft in propose(view, ground):
        entry = draft.entry()
        verdict = judge.judge_alone(entry)
        rows.append([entry.model_dump(mode="json", by_alias=True), verdict.gates, verdict.reason])
    return Part(rows, given_up=dict(sorted(given_up(view).items())))


def _key(task: Task, ground: Ground) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(ground.source.model_dump_json().encode())
    digest.update(_own_code())
    own = output_folder(task.out, task.project, task.interface)
    whole = output_folder(task.out, task.project, WHOLE_LIBRARY)
    names = (*FACT_FILES, "traces.jsonl")
    for file in (own / "scope.json", *(own / n for n in names), *(whole / n for n in FACT_FILES)):
        stat = file.stat() if file.is_file() else None
        digest.update(f"{file.name}\0{stat.st_size if stat else 0}\0".encode())
        digest.update(f"{stat.st_mtime_ns if stat else 0}\0".encode())
    for record in sorted((task.out / task.project / "slices").glob("*/slice.json")):
        digest.update(f"{record.parent.name}\0{record.stat().st_mtime_ns}\0".encode())
    return digest.hexdigest()


def _own_code() -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    folder = Path(__file__).parent
    for part in ("author", "gates", "reading", "text"):
        for path in sorted((folder / part).glob("*.py")):
            digest.update(path.read_bytes())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def merge(parts: Sequence[tuple[Task, Part]]) -> Built:
    """Entries of several interfaces together: subjects that two of them share count once."""
    built = Built()
    judge = Judge(lambda name: Project(name))
    subjects: set[tuple[str, str]] = set()
    verdicts: list[Verdict] = []
    kept: list[Entry] = []
    elsewhere = 0
    given_up: Counter[str] = Counter()
    for task, part in parts:
        given_up.update(part.given_up)
        if part.why:
            built.failed[f"{task.project}/{task.interface}"] = part.why
        for data, gates, reason in part.rows:
            subject = (data["project"], _subject(data))
            if subject in subjects:
                elsewhere += 1
                continue  # another interface has this function's entry already
            entry = Entry.model_validate_json(orjson.dumps(data))
            verdict = Verdict(entry.id, not reason, gates, reason)
            verdict = judge.compare(entry, verdict)
            verdicts.append(verdict)
            line = {**data, "gates": verdict.gates}
            if verdict.passed:
                subjects.add(subject)
                kept.append(entry)
                built.entries.append(orjson.dumps(line) + b"\n")
            else:
                built.rejects.append(
                    orjson.dumps(
                        {"id": entry.id, "gate": verdict.failed, "reason": verdict.reason,
                         "entry": line}
                    ) + b"\n"
                )  # fmt: skip
    built.statistics = statistics(kept, verdicts)
    built.statistics["told_by_another_interface"] = elsewhere
    built.statistics["given_up"] = dict(sorted(given_up.items()))
    return built


def _subject(data: dict[str, Any]) -> str:
    """Evidence and kind: two interfaces that reach a function ask the same about it."""
    spans = sorted((s["file"], s["start_line"], s["end_line"]) for s in data["evidence"])
    return repr(
        (
            data["kind"],
            data["category"],
            spans,
            data["question"][:40] if data["kind"] == "qa" else "",
        )
    )


def statistics(entries: Sequence[Entry], verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Counts by library, kind, category and level; likeness of texts; rejects by gate."""

    def counts(of: Callable[[Entry], str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for entry in entries:
            found[of(entry)] = found.get(of(entry), 0) + 1
        return dict(sorted(found.items()))

    answers = [e.answer for e in entries if e.kind == "qa"]
    same, common = sentence_share(answers)
    return {
        "entries": len(entries),
        "by_project": counts(lambda e: e.project),
        "by_kind": counts(lambda e: f"{e.project} {e.kind}"),
        "by_category": counts(lambda e: e.category),
        "by_level": counts(lambda e: f"{e.kind} L{e.level}"),
        "interfaces": len({(e.project, e.interface) for e in entries}),
        "same_skeleton_share": round(shared_share([blanked_text(e) for e in entries]), 4),
        "repeated_sentence_share": round(same, 4),
        "commonest_sentences": [[count, text] for text, count in common[:10]],
        "rejects": count_gates(verdicts),
        "rejected": sum(not v.passed for v in verdicts),
    }
