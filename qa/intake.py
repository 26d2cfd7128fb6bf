"""Entries read from files, and what stands in the files but is no entry.

A faulty row is named and counted; it never becomes an entry. A release folder is read as its JSON
Lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import ValidationError

from extractor.errors import UserError
from qa.records import ENTRY_SCHEMA, Entry

FaultKind = Literal[
    "not_json",
    "schema",
    "schema_version",
    "missing_license",
    "two_rows_one_id",
    "repeated_row",
    "not_gated",
    "gate",
    "claim",
    "changed_source",
    "foreign_text",
    "same_text",
    "contaminated",
    "review",
]
"""Why a row does not become part of a release."""

_UNLICENSED = frozenset({"", "none", "noassertion", "unknown", "unlicensed"})
_LAST_LINE, _MOST_TOKENS = 2**31 - 1, 2**63 - 1
_CONTENT = (
    "project", "source", "interface", "entry_points", "configs", "archs", "kind", "category",
    "level", "question", "answer", "context", "evidence",
)  # fmt: skip


@dataclass(frozen=True)
class Fault:
    """One row that is left out, or a part of it that cannot be trusted.

    Attributes:
        file: File it stands in, without folders.
        line: Line, from 1.
        id: Its id where it has one, else empty.
        fault: Which kind of fault.
        detail: What exactly, in one line.
    """

    file: str
    line: int
    id: str
    fault: FaultKind
    detail: str


@dataclass(frozen=True)
class Read:
    """One entry and where it stands."""

    entry: Entry
    file: str
    line: int

    def fault(self, kind: FaultKind, detail: str) -> Fault:
        """A fault of this row."""
        return Fault(self.file, self.line, self.entry.id, kind, detail)


@dataclass(frozen=True)
class Intake:
    """What some files hold.

    Attributes:
        rows: Entries, by id.
        faults: What is left out, by file and line.
        lines: Lines that are not empty.
        digests: SHA-256 of each file by its name, in the order of the names.
    """

    rows: tuple[Read, ...]
    faults: tuple[Fault, ...]
    lines: int
    digests: tuple[tuple[str, str], ...]

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The entries alone."""
        return tuple(row.entry for row in self.rows)


def read(paths: Sequence[Path]) -> Intake:
    """Reads entries files or release folders.

    Of two rows with one id neither is kept when they differ, because nothing says which is right;
    when they are the same, one is.

    Raises:
        UserError: A file cannot be read, or none is named.
    """
    rows: list[Read] = []
    faults: list[Fault] = []
    digests: list[tuple[str, str]] = []
    lines = 0
    for path in _files(paths):
        data = _bytes(path)
        digests.append((path.name, hashlib.sha256(data).hexdigest()))
        for number, line in enumerate(data.split(b"\n"), 1):
            if not line.strip():
                continue
            lines += 1
            found = _row(path.name, number, line)
            if isinstance(found, Read):
                rows.append(found)
            else:
                faults.append(found)
    kept, repeated = _by_id(rows)
    faults += repeated
    return Intake(
        tuple(sorted(kept, key=lambda row: row.entry.id)),
        tuple(sorted(faults, key=lambda f: (f.file, f.line, f.fault))),
        lines,
        tuple(sorted(digests)),
    )


def as_json(entry: Entry) -> bytes:
    """An entry as one line of a file, keys in the order of the record."""
    return orjson.dumps(entry.model_dump(mode="json", by_alias=True)) + b"\n"


def fingerprint(entry: Entry) -> str:
    """SHA-256 over what a person judges; who wrote an entry and which gates it passed is not in."""
    data = entry.model_dump(mode="json", by_alias=True, include=set(_CONTENT))
    return hashlib.sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _files(paths: Sequence[Path]) -> list[Path]:
    if not paths:
        raise UserError("name at least one file of entries")
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted((path / "jsonl").glob("*.jsonl")) or sorted(path.glob("*.jsonl"))
            inside = [file for file in inside if not file.name.endswith("rejects.jsonl")]
            if not inside:
                raise UserError(f"{path} holds no .jsonl file; name a file of entries or a release")
            found += inside
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; name a file of entries") from error


def _row(file: str, number: int, line: bytes) -> Read | Fault:
    try:
        data = orjson.loads(line)
    except ValueError as error:
        return Fault(file, number, "", "not_json", str(error))
    if not isinstance(data, dict):
        return Fault(file, number, "", "not_json", "the line is no JSON object")
    identifier = data.get("id")
    known = identifier if isinstance(identifier, str) else ""
    version = data.get("schema")
    if version != ENTRY_SCHEMA:
        said = f"'{version}'" if isinstance(version, str) else "no version"
        return Fault(file, number, known, "schema_version", f"{said}, not '{ENTRY_SCHEMA}'")
    if (why := _unlicensed(data)) is not None:
        return Fault(file, number, known, "missing_license", why)
    try:
        entry = Entry.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        more = error.error_count() - 1
        detail = f"{where}: {first['msg']}" + (f", and {more} more" if more else "")
        return Fault(file, number, known, "schema", detail)
    if not entry.id.strip() or not entry.question.strip() or not entry.answer.strip():
        return Fault(file, number, known, "schema", "id, question or answer is empty")
    for span in (*entry.evidence, *(piece.span for piece in entry.context)):
        if not 1 <= span.start_line <= span.end_line <= _LAST_LINE:
            place = f"{span.file}:{span.start_line}-{span.end_line}"
            return Fault(file, number, known, "schema", f"{place} is no range of lines")
    if not 0 <= (entry.author.tokens or 0) <= _MOST_TOKENS:
        return Fault(file, number, known, "schema", "author.tokens is no number of tokens")
    return Read(entry, file, number)


def _unlicensed(data: dict[str, Any]) -> str | None:
    source = data.get("source")
    if not isinstance(source, dict):
        return None  # the schema says so
    licence = source.get("license")
    if licence is None or (isinstance(licence, str) and licence.strip().lower() in _UNLICENSED):
        return f"source.license is {licence!r}; an SPDX identifier is wanted"
    return None


def _by_id(rows: Iterable[Read]) -> tuple[list[Read], Iterator[Fault]]:
    groups: dict[str, list[Read]] = {}
    for row in rows:
        groups.setdefault(row.entry.id, []).append(row)
    kept: list[Read] = []
    faults: list[Fault] = []
    for group in groups.values():
        if len(group) == 1:
            kept += group
        elif all(row.entry == group[0].entry for row in group):
            kept.append(group[0])
            first = f"{group[0].file}:{group[0].line}"
            faults += [row.fault("repeated_row", f"the same as {first}") for row in group[1:]]
        else:
            places = ", ".join(f"{row.file}:{row.line}" for row in group)
            faults += [
                row.fault("two_rows_one_id", f"{len(group)} different rows: {places}")
                for row in group
            ]
    return kept, iter(faults)
