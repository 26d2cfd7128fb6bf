"""Arrow schemas of a release, and Parquet and JSON Lines with the same bytes on every run."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from extractor.errors import MissingExtra
from qa.intake import as_json
from qa.release.rows import Row, by_split, source_shown

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError as error:
    raise MissingExtra("pyarrow", "release") from error

WRITER = f"pyarrow {pa.__version__}"
"""What writes the Parquet files; another version may write other bytes."""

_ROW_GROUP = 512
_LEVEL = 9

_TEXTS = pa.list_(pa.string())
_SPAN = pa.struct(
    [
        ("file", pa.string()),
        ("start_line", pa.int32()),
        ("end_line", pa.int32()),
        ("sha256", pa.string()),
    ]
)

ENTRIES = pa.schema(
    [
        ("id", pa.string()),
        ("schema", pa.string()),
        ("license", pa.string()),
        ("split", pa.string()),
        ("family", pa.string()),
        ("project", pa.string()),
        (
            "source",
            pa.struct([(name, pa.string()) for name in ("name", "version", "commit", "license")]),
        ),
        ("interface", pa.string()),
        ("entry_points", _TEXTS),
        ("kernels", _TEXTS),
        ("configs", _TEXTS),
        ("archs", _TEXTS),
        ("kind", pa.string()),
        ("category", pa.string()),
        ("level", pa.int8()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("context", pa.list_(pa.struct([("span", _SPAN), ("text", pa.string())]))),
        ("evidence", pa.list_(_SPAN)),
        ("evidence_text", _TEXTS),
        (
            "claims",
            pa.list_(
                pa.struct(
                    [
                        ("type", pa.string()),
                        ("subject", pa.string()),
                        ("value", pa.string()),
                        ("check", pa.string()),
                        ("passed", pa.bool_()),
                    ]
                )
            ),
        ),
        (
            "author",
            pa.struct(
                [
                    ("kind", pa.string()),
                    ("model", pa.string()),
                    ("prompt_sha256", pa.string()),
                    ("tokens", pa.int64()),
                    ("cost", pa.float64()),
                ]
            ),
        ),
        ("gates", pa.list_(pa.struct([("name", pa.string()), ("passed", pa.bool_())]))),
        ("tool_version", pa.string()),
    ]
)
"""Columns of ``data/*.parquet``. A claim's ``value`` is JSON text, since it may be of any type."""

_ABOUT = [
    ("id", pa.string()),
    ("license", pa.string()),
    ("project", pa.string()),
    ("interface", pa.string()),
    ("kind", pa.string()),
    ("category", pa.string()),
    ("level", pa.int8()),
]
_MESSAGES = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))

CHAT = pa.schema([*_ABOUT, ("messages", _MESSAGES)])
"""Columns of the ``chat`` view."""

INSTRUCTION = pa.schema(
    [*_ABOUT, ("instruction", pa.string()), ("input", pa.string()), ("output", pa.string())]
)
"""Columns of the ``instruction`` view."""

SCHEMAS: Mapping[str, pa.Schema] = {"data": ENTRIES, "chat": CHAT, "instruction": INSTRUCTION}
"""Schema by folder."""


def entry_record(row: Row) -> dict[str, Any]:
    """A row as ``ENTRIES`` wants it."""
    data = row.entry.model_dump(mode="json", by_alias=True)
    data["claims"] = [
        {**claim, "value": orjson.dumps(claim["value"], option=orjson.OPT_SORT_KEYS).decode()}
        for claim in data["claims"]
    ]
    data["gates"] = [{"name": n, "passed": passed} for n, passed in sorted(data["gates"].items())]
    data |= {
        "license": row.entry.source.license,
        "split": row.split,
        "family": row.family,
        "kernels": list(row.kernels),
        "evidence_text": list(row.texts),
    }
    return {name: data[name] for name in ENTRIES.names}


def chat_record(row: Row) -> dict[str, Any]:
    """A row as a conversation of two messages: question with its source, and answer."""
    asked = "\n\n".join(part for part in (row.entry.question, source_shown(row)) if part)
    messages = [
        {"role": "user", "content": asked},
        {"role": "assistant", "content": row.entry.answer},
    ]
    return {**_about(row), "messages": messages}


def instruction_record(row: Row) -> dict[str, Any]:
    """A row as instruction, input and output."""
    return {
        **_about(row),
        "instruction": row.entry.question,
        "input": source_shown(row),
        "output": row.entry.answer,
    }


RECORDS = {"data": entry_record, "chat": chat_record, "instruction": instruction_record}
"""What makes a row of each folder."""


def parquet(records: Sequence[Mapping[str, Any]], schema: pa.Schema) -> bytes:
    """Records as one Parquet file.

    Everything that the writer could choose by itself is fixed, so that the same records give the
    same bytes.
    """
    table = pa.Table.from_pylist(list(records), schema=schema)
    target = io.BytesIO()
    pq.write_table(
        table,
        target,
        row_group_size=_ROW_GROUP,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=True,
        write_statistics=True,
    )
    return target.getvalue()


def json_lines(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Records as JSON Lines."""
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def files(rows: Sequence[Row]) -> dict[str, bytes]:
    """All tables: entries and both views, for each split, as Parquet and JSON Lines.

    ``jsonl`` holds the entries themselves, as ``qa check`` and ``qa view`` read them.
    """
    made: dict[str, bytes] = {}
    for split, inside in by_split(rows).items():
        made[f"jsonl/{split}.jsonl"] = b"".join(as_json(row.entry) for row in inside)
        for folder, record in RECORDS.items():
            records = [record(row) for row in inside]
            made[f"{folder}/{split}.parquet"] = parquet(records, SCHEMAS[folder])
            if folder != "data":
                made[f"{folder}/{split}.jsonl"] = json_lines(records)
    return made


def _about(row: Row) -> dict[str, Any]:
    entry = row.entry
    return {
        "id": entry.id,
        "license": entry.source.license,
        "project": entry.project,
        "interface": entry.interface,
        "kind": entry.kind,
        "category": entry.category,
        "level": entry.level,
    }
