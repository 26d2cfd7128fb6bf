"""Overlap with benchmarks: which rows share long word runs with a folder of benchmark files.

The measure is that of GPT-3's appendix C: runs of 13 words, case and punctuation aside. A row is
contaminated when half of the runs of its question and answer stand in one benchmark document; any
shared run is listed. Quoted source is compared as well, and only listed: a benchmark that quotes
the same library does not make a question known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from extractor.errors import UserError
from qa.records import Entry

RUN = 13
"""Words in a run."""

TOO_MUCH = 0.5
"""Share of a row's runs in one document from which it is contaminated."""

_WORD = re.compile(r"\w+")
_LINES = (".jsonl", ".ndjson")


@dataclass
class Overlap:
    """What a row shares with benchmarks.

    Attributes:
        id: The row.
        document: Benchmark document with the largest share, ``file`` or ``file:line``.
        share: Share of the runs of question and answer that stand in it.
        source_runs: Runs of the quoted source that stand in any document.
    """

    id: str
    document: str
    share: float
    source_runs: int


@dataclass(frozen=True)
class Contamination:
    """The whole comparison.

    Attributes:
        folder: Name of the folder, without the way to it.
        documents: Documents compared.
        unread: Files that hold no text, by name.
        overlaps: Rows with any shared run, by id.
    """

    folder: str
    documents: int
    unread: tuple[str, ...]
    overlaps: tuple[Overlap, ...]

    @property
    def contaminated(self) -> dict[str, Overlap]:
        """Rows that share too much."""
        return {o.id: o for o in self.overlaps if o.share >= TOO_MUCH}


@dataclass
class _Runs:
    """Runs of the rows: who has them."""

    said: dict[int, list[int]] = field(default_factory=dict)
    quoted: dict[int, list[int]] = field(default_factory=dict)
    count: list[int] = field(default_factory=list)


def compare(entries: Sequence[Entry], folder: Path) -> Contamination:
    """Compares entries with every file below a folder; a line of JSON Lines is a document.

    Raises:
        UserError: There is no such folder, or nothing in it can be read.
    """
    if not folder.is_dir():
        raise UserError(f"no folder {folder}; --contamination wants a folder of benchmark files")
    runs = _index(entries)
    best: dict[int, tuple[float, str]] = {}
    quoted: dict[int, set[int]] = {}
    documents, unread = 0, []
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = file.relative_to(folder).as_posix()
        texts = list(_documents(file, name))
        if not texts:
            unread.append(name)
        for document, text in texts:
            documents += 1
            hits: dict[int, int] = {}
            for run in set(_runs(text)):
                for row in runs.said.get(run, ()):
                    hits[row] = hits.get(row, 0) + 1
                for row in runs.quoted.get(run, ()):
                    quoted.setdefault(row, set()).add(run)
            for row, number in hits.items():
                share = number / runs.count[row]
                if share > best.get(row, (0.0, ""))[0]:
                    best[row] = (share, document)
    if not documents:
        raise UserError(f"{folder} holds no readable text; --contamination wants benchmark files")
    overlaps = [
        Overlap(
            entries[row].id,
            best.get(row, (0.0, ""))[1],
            round(best.get(row, (0.0, ""))[0], 4),
            len(quoted.get(row, ())),
        )
        for row in sorted({*best, *quoted}, key=lambda row: entries[row].id)
    ]
    return Contamination(folder.name, documents, tuple(unread), tuple(overlaps))


def _index(entries: Sequence[Entry]) -> _Runs:
    runs = _Runs()
    seen: dict[str, set[int]] = {}
    for row, entry in enumerate(entries):
        mine = set(_runs(entry.question)) | set(_runs(entry.answer))
        runs.count.append(len(mine) or 1)
        for run in mine:
            runs.said.setdefault(run, []).append(row)
        for context in entry.context:
            key = context.span.sha256
            if key not in seen:
                seen[key] = set(_runs(context.text))
            for run in seen[key]:
                runs.quoted.setdefault(run, []).append(row)
    return runs


def _runs(text: str) -> Iterator[int]:
    """Hashes of the runs of a text; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    if not words:
        return
    for start in range(max(1, len(words) - RUN + 1)):
        yield hash(tuple(words[start : start + RUN]))


def _documents(file: Path, name: str) -> Iterator[tuple[str, str]]:
    data = file.read_bytes()
    if file.suffix == ".parquet":
        yield from _parquet(file, name)
        return
    if b"\0" in data[:4096] or not data.strip():
        return
    text = data.decode("utf-8", errors="replace")
    if file.suffix in _LINES:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield f"{name}:{number}", _strings(line)
    else:
        yield name, _strings(text) if file.suffix == ".json" else text


def _parquet(file: Path, name: str) -> Iterator[tuple[str, str]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        for number, row in enumerate(pq.read_table(file).to_pylist(), 1):
            yield f"{name}:{number}", "\n".join(_leaves(row))
    except pa.ArrowException:
        return


def _strings(text: str) -> str:
    """The strings inside JSON, or the text as it is where it is none."""
    try:
        return "\n".join(_leaves(orjson.loads(text)))
    except ValueError:
        return text


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
