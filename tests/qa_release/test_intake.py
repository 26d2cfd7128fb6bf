"""Rows that are no entries are named and counted, whatever is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import UserError
from qa.intake import as_json, fingerprint, read
from qa_release.entries import Rows, spoiled, write

SPOILED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "an unknown level": (lambda row: row.update(level=4), "schema"),
    "a level in words": (lambda row: row.update(level="1"), "schema"),
    "an unknown category": (lambda row: row.update(category="speed"), "schema"),
    "a key too many": (lambda row: row.update(colour="red"), "schema"),
    "no question": (lambda row: row.pop("question"), "schema"),
    "an empty answer": (lambda row: row.update(answer=" "), "schema"),
    "an empty id": (lambda row: row.update(id=""), "schema"),
    "a null in gates": (lambda row: row.update(gates={"spans": None}), "schema"),
    "lines from the end": (lambda row: _lines(row, start_line=0), "schema"),
    "lines backwards": (lambda row: _lines(row, end_line=-3), "schema"),
    "a line nobody has": (lambda row: _lines(row, end_line=2**31), "schema"),
    "fewer tokens than none": (lambda row: row["author"].update(tokens=-1), "schema"),
    "a source that is text": (lambda row: row.update(source="pond"), "schema"),
    "a newer schema": (lambda row: row.update(schema="rocquarry.entry/2"), "schema_version"),
    "no schema": (lambda row: row.pop("schema"), "schema_version"),
    "a schema that is a number": (lambda row: row.update(schema=1), "schema_version"),
    "an empty licence": (lambda row: _licence(row, ""), "missing_license"),
    "a null licence": (lambda row: _licence(row, None), "missing_license"),
    "an unknown licence": (lambda row: _licence(row, "NOASSERTION"), "missing_license"),
    "no licence": (lambda row: _licence(row, ...), "missing_license"),
}


def _lines(row: dict[str, Any], **changed: int) -> None:
    row["evidence"] = [{**row["evidence"][0], "file": "EXT:hip/hip.h", **changed}]


def _licence(row: dict[str, Any], value: object) -> None:
    row["source"] = {key: item for key, item in row["source"].items() if key != "license"}
    if value is not ...:
        row["source"]["license"] = value


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_row_is_named_by_its_fault_and_place(
    what: str, rows: Rows, tmp_path: Path
) -> None:
    spoil, fault = SPOILED[what]
    path = write(tmp_path / "e.jsonl", [rows[0], spoiled(rows[1], spoil), rows[2]])
    found = read([path])
    assert [(f.file, f.line, f.fault) for f in found.faults] == [("e.jsonl", 2, fault)]
    assert {entry.id for entry in found.entries} == {rows[0]["id"], rows[2]["id"]}
    assert found.lines == 3


@pytest.mark.parametrize("line", ["{", "[]", "null", "7", '"text"', "\ufeff{}", '{"id": NaN}'])
def test_a_line_that_is_no_object_is_named(line: str, rows: Rows, tmp_path: Path) -> None:
    found = read([write(tmp_path / "e.jsonl", [line, rows[0]])])
    assert [(f.line, f.fault) for f in found.faults] == [(1, "not_json")]


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_bytes(b'{"id": "\xff\xfe"}\n')
    assert [f.fault for f in read([tmp_path / "e.jsonl"]).faults] == ["not_json"]


def test_two_different_rows_of_one_id_are_both_left_out(rows: Rows, tmp_path: Path) -> None:
    other = spoiled(rows[0], lambda row: row.update(answer="Something else."))
    one = write(tmp_path / "a.jsonl", [rows[0], rows[1]])
    two = write(tmp_path / "b.jsonl", [other])
    found = read([one, two])
    assert [entry.id for entry in found.entries] == [rows[1]["id"]]
    assert [(f.file, f.line, f.fault) for f in found.faults] == [
        ("a.jsonl", 1, "two_rows_one_id"),
        ("b.jsonl", 1, "two_rows_one_id"),
    ]
    assert "a.jsonl:1, b.jsonl:1" in found.faults[0].detail


def test_a_row_given_twice_is_kept_once_and_counted(rows: Rows, tmp_path: Path) -> None:
    found = read([write(tmp_path / "a.jsonl", [rows[0], rows[0], rows[0]])])
    assert len(found.entries) == 1
    assert [f.fault for f in found.faults] == ["repeated_row", "repeated_row"]


def test_an_entry_is_written_as_it_was_read(rows: Rows, tmp_path: Path) -> None:
    [entry] = read([write(tmp_path / "a.jsonl", [rows[4]])]).entries
    assert json.loads(as_json(entry)) == rows[4]


def test_the_fingerprint_is_of_what_a_person_judges(rows: Rows, tmp_path: Path) -> None:
    def printed(**changed: object) -> str:
        [entry] = read([write(tmp_path / "a.jsonl", [{**rows[0], **changed}])]).entries
        return fingerprint(entry)

    assert printed() == printed(tool_version="9", gates={"new": True}, claims=[])
    assert printed() != printed(answer="Other.")
    assert printed() != printed(evidence=[])
    assert printed() != printed(source={**rows[0]["source"], "version": "9.9"})


def test_files_that_are_not_there_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read .*gone.jsonl"):
        read([tmp_path / "gone.jsonl"])
    with pytest.raises(UserError, match=r"holds no \.jsonl file"):
        read([tmp_path])
