"""Verifies a release that somebody received: from its own files, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor.errors import MissingExtra, UserError
from qa.intake import read
from qa.records import Entry
from qa.release.manifest import MANIFEST, differences
from qa.release.rows import Row
from qa.release.splits import SPLITS
from qa.release.tables import SCHEMAS, chat_record, entry_record, instruction_record

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise MissingExtra("pyarrow", "release") from error

_SHOWN = 20
_ANOTHER_ROW = ("repeated_row", "not_json", "schema", "schema_version", "missing_license")
"""Faults of a row beside which a good row of the same id may stand."""


@dataclass(frozen=True)
class Answer:
    """One question that was asked of a release.

    Attributes:
        check: Its name.
        passed: Whether all is well.
        faults: What is not, one line each; the first twenty.
        number: How many there are.
    """

    check: str
    passed: bool
    faults: tuple[str, ...]
    number: int


def check(folder: Path) -> list[Answer]:
    """Asks everything that can be asked of a release without its sources.

    Raises:
        UserError: The folder is no release.
    """
    if not (folder / MANIFEST).is_file():
        raise UserError(f"{folder} is no release: it has no {MANIFEST}")
    received = _Received(folder)
    questions: dict[str, Callable[[], Iterator[str]]] = {
        "manifest": lambda: differences(folder),
        "entries": received.entries_faults,
        "columns": received.columns,
        "views": received.views,
        "ids": received.ids,
        "texts": received.texts,
        "gates": received.gates,
        "licences": received.licences,
        "leakage": received.leakage,
        "counts": received.counts,
        "curriculum": received.curriculum,
    }
    answers = []
    for name, ask in questions.items():
        try:
            faults = list(ask())
        except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException) as e:
            # A damaged file is an answer, not an accident.
            faults = [f"cannot be checked: {type(e).__name__}: {' '.join(str(e).split())[:200]}"]
        answers.append(Answer(name, not faults, tuple(faults[:_SHOWN]), len(faults)))
    return answers


class _Received:
    """The files of a release, read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, list[dict[str, Any]]] = {}
        self._by_split: dict[str, tuple[Entry, ...]] = {}

    def entries(self, split: str) -> tuple[Entry, ...]:
        if split not in self._by_split:
            self._by_split[split] = read([self._folder / "jsonl" / f"{split}.jsonl"]).entries
        return self._by_split[split]

    def table(self, name: str) -> list[dict[str, Any]]:
        if name not in self._tables:
            self._tables[name] = pq.read_table(self._folder / name).to_pylist()
        return self._tables[name]

    def all(self) -> Iterator[tuple[str, Entry]]:
        for split in SPLITS:
            for entry in self.entries(split):
                yield split, entry

    def entries_faults(self) -> Iterator[str]:
        for split in SPLITS:
            for fault in read([self._folder / "jsonl" / f"{split}.jsonl"]).faults:
                yield f"jsonl/{fault.file}:{fault.line}: {fault.fault}: {fault.detail}"

    def columns(self) -> Iterator[str]:
        for folder, schema in SCHEMAS.items():
            for split in SPLITS:
                path = self._folder / folder / f"{split}.parquet"
                if not pq.read_schema(path).equals(schema):
                    yield f"{folder}/{split}.parquet: its columns are not those of {folder}"

    def views(self) -> Iterator[str]:
        """Every table says of every entry exactly what the entry says."""
        records = {"chat": chat_record, "instruction": instruction_record}
        for split in SPLITS:
            entries = {entry.id: entry for entry in self.entries(split)}
            rows = self.table(f"data/{split}.parquet")
            if [row["id"] for row in rows] != list(entries):
                yield f"data/{split}.parquet: its ids are not those of jsonl/{split}.jsonl"
                continue
            made = [
                Row(
                    entries[row["id"]],
                    tuple(row["kernels"]),
                    row["family"],
                    split,
                    tuple(row["evidence_text"]),
                )
                for row in rows
            ]
            for row, found in zip(made, rows, strict=True):
                if entry_record(row) != found:
                    yield f"data/{split}.parquet: {found['id']} is not the entry of that id"
            for folder, record in records.items():
                wanted = [record(row) for row in made]
                if self.table(f"{folder}/{split}.parquet") != wanted:
                    yield f"{folder}/{split}.parquet: not the view of data/{split}.parquet"
                lines = (self._folder / folder / f"{split}.jsonl").read_bytes().splitlines()
                if [orjson.loads(line) for line in lines] != wanted:
                    yield f"{folder}/{split}.jsonl: not the view of data/{split}.parquet"

    def ids(self) -> Iterator[str]:
        seen: dict[str, str] = {}
        for split, entry in self.all():
            if entry.id in seen:
                yield f"{entry.id}: in {seen[entry.id]} and in {split}"
            seen[entry.id] = split

    def texts(self) -> Iterator[str]:
        """Every text that is quoted has the hash that its span names."""
        for split in SPLITS:
            for row in self.table(f"data/{split}.parquet"):
                pieces = [(piece["span"], piece["text"]) for piece in row["context"]]
                pieces += zip(row["evidence"], row["evidence_text"], strict=True)
                for span, text in pieces:
                    same = hashlib.sha256(text.encode()).hexdigest() == span["sha256"]
                    # Bytes that are not UTF-8 were replaced; only the source can tell about those.
                    if text and not same and "\ufffd" not in text:
                        yield f"{split}: {row['id']}: text of {span['file']} has another hash"

    def gates(self) -> Iterator[str]:
        for split, entry in self.all():
            failed = [name for name, passed in entry.gates.items() if not passed]
            if failed or not entry.gates:
                yield f"{split}: {entry.id}: {', '.join(failed) or 'no gate'}"
            if any(claim.passed is not True for claim in entry.claims):
                yield f"{split}: {entry.id}: a claim without proof"

    def licences(self) -> Iterator[str]:
        said = json.loads((self._folder / "provenance.json").read_bytes())
        known = {
            (source["name"], source["version"], source["commit"], source["license"])
            for source in said["sources"]
        }
        for source in said["sources"]:
            place = self._folder / source["licence_files"]
            if not place.is_dir() or not any(place.iterdir()):
                yield f"{source['licence_files']}: no licence file of {source['name']}"
        for split, entry in self.all():
            source = entry.source
            if (source.name, source.version, source.commit, source.license) not in known:
                yield f"{split}: {entry.id}: its source is not in provenance.json"

    def leakage(self) -> Iterator[str]:
        sides: dict[str, set[str]] = {}
        for split in SPLITS:
            for row in self.table(f"data/{split}.parquet"):
                if row["split"] != split:
                    yield f"data/{split}.parquet: {row['id']} says it is in {row['split']}"
                names = [f"family {row['family']}"]
                names.append(f"interface {row['project']}/{row['interface']}")
                names += [f"kernel {row['project']}:{kernel}" for kernel in row["kernels"]]
                if row["kind"] != "qa":
                    code = " ".join(row["answer"].split())
                    digest = hashlib.sha256(code.encode()).hexdigest()
                    names.append(f"code {digest[:16]} ({code[:60]}…)")
                for name in names:
                    sides.setdefault(name, set()).add(split)
        for name, splits in sorted(sides.items()):
            if len(splits) > 1:
                yield f"{name} is in {', '.join(sorted(splits))}"

    def counts(self) -> Iterator[str]:
        audit = json.loads((self._folder / "audit.json").read_bytes())
        said = json.loads((self._folder / "provenance.json").read_bytes())
        numbers = {split: len(self.entries(split)) for split in SPLITS}
        if audit["splits"]["rows"] != numbers:
            yield f"audit.json counts {audit['splits']['rows']}, the files {numbers}"
        for name, value in (("audit.json", audit["released"]), ("provenance.json", said["rows"])):
            if value != sum(numbers.values()):
                yield f"{name} says {value} rows, the files have {sum(numbers.values())}"
        left_out = (self._folder / "left_out.jsonl").read_bytes().splitlines()
        if len(left_out) != audit["left_out"]:
            yield f"audit.json says {audit['left_out']} left out, left_out.jsonl {len(left_out)}"
        named = [orjson.loads(line) for line in left_out]
        gone = {fault["id"] for fault in named if fault["fault"] not in _ANOTHER_ROW}
        for split, entry in self.all():
            if entry.id in gone:
                yield f"{split}: {entry.id} is named in left_out.jsonl"

    def curriculum(self) -> Iterator[str]:
        train = {entry.id: entry for entry in self.entries("train")}
        said = json.loads((self._folder / "curriculum" / "phases.json").read_bytes())
        for phase in said["phases"]:
            name = f"curriculum/phase{phase['phase']}"
            strange = [id_ for id_ in phase["ids"] if id_ not in train]
            yield from (f"{name}: {id_} is no training row" for id_ in strange)
            if [row["id"] for row in self.table(f"{name}.parquet")] != phase["ids"]:
                yield f"{name}.parquet: its rows are not those of phases.json"


def passed(answers: Sequence[Answer]) -> bool:
    """Whether every question was answered well."""
    return all(answer.passed for answer in answers)
