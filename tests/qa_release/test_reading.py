"""Statistics, differences and reviews: what is said about entries, and what decisions do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.errors import UserError
from qa.diff import compare
from qa.intake import fingerprint, read
from qa.records import Entry
from qa.review.apply import apply
from qa.review.decisions import Decisions
from qa_release.conftest import Qa
from qa_release.entries import Rows, spoiled, write


def entries(path: Path, rows: Rows) -> tuple[Entry, ...]:
    return read([write(path, rows)]).entries


def reviews(path: Path, *decisions: dict[str, Any], reviewer: str = "") -> Path:
    data = {"schema": "rocquarry.reviews/1", "reviewer": reviewer, "decisions": decisions}
    path.write_text(json.dumps(data))
    return path


def test_stats_count_and_name_faulty_rows(qa: Qa, rows: Rows, tmp_path: Path) -> None:
    file = write(tmp_path / "e.jsonl", [*rows, "{"])
    done = qa("stats", file, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["rows"] == len(rows)
    assert found["faulty"] == {"not_json": 1}
    assert sum(found["by_level"].values()) == len(rows)
    assert found["interfaces"]["pond/fill"] == {
        level: sum(str(r["level"]) == level for r in rows if r["interface"] == "fill")
        for level in ("1", "2", "3")
    }
    assert found["by_gate"]["spans"] == {"passed": len(rows), "failed": 0}
    assert found["lengths"]["answer"]["max"] == max(len(row["answer"]) for row in rows)
    assert f"e.jsonl:{len(rows) + 1}: not_json" in done.stderr
    plain = qa("stats", file).stdout
    assert "\x1b" not in plain
    assert f"level\trows\n1\t{found['by_level']['1']}\n" in plain


def test_a_difference_says_why(rows: Rows, tmp_path: Path) -> None:
    old = rows[:6]
    new = [
        spoiled(rows[0], lambda row: row.update(answer="Other.")),
        spoiled(rows[1], lambda row: row["evidence"][0].update(sha256="0" * 64)),
        spoiled(rows[2], lambda row: row["source"].update(version="2.0")),
        spoiled(rows[3], lambda row: row.update(gates={"spans": False, "new": True})),
        rows[4],
        rows[6],
    ]
    found = compare(entries(tmp_path / "a", old), entries(tmp_path / "b", new))
    reasons = {change.id: change.reasons for change in found.changed}
    assert reasons == {
        rows[0]["id"]: ("answer",),
        rows[1]["id"]: ("evidence",),
        rows[2]["id"]: ("source version",),
        rows[3]["id"]: ("gates",),
    }
    assert [entry.id for entry in found.appeared] == [rows[6]["id"]]
    assert [entry.id for entry in found.vanished] == [rows[5]["id"]]
    assert found.same == 1
    details = {change.id: "; ".join(change.details) for change in found.changed}
    assert "0 added, 0 removed, 1 with another text" in details[rows[1]["id"]]
    assert "pond 1.2.3" in details[rows[2]["id"]]
    assert (
        "identifiers passed -> absent, new absent -> passed, spans passed -> failed"
        in (details[rows[3]["id"]])
    )


def test_the_command_compares_files(qa: Qa, rows: Rows, tmp_path: Path) -> None:
    old, new = write(tmp_path / "a.jsonl", rows[:3]), write(tmp_path / "b.jsonl", rows[1:5])
    done = qa("diff", old, new, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [len(found[name]) for name in ("appeared", "vanished", "changed")] == [2, 1, 0]
    assert "appeared\t2" in qa("diff", old, new).stdout


def test_rejects_leave_with_their_reason_and_survive_a_rebuild(
    qa: Qa, rows: Rows, tmp_path: Path
) -> None:
    first = {entry.id: fingerprint(entry) for entry in entries(tmp_path / "old", rows)}

    def said(row: dict[str, Any], decision: str | None, comment: str = "") -> dict[str, Any]:
        return {
            "id": row["id"], "fingerprint": first[row["id"]], "decision": decision,
            "comment": comment,
        }  # fmt: skip

    decisions = [
        said(rows[0], "reject", "Says\nnothing"), said(rows[1], "accept"),
        said(rows[2], "accept"), said(rows[3], "reject", "Wrong"), said(rows[4], None, "Hm"),
        {**said(rows[5], "accept"), "id": "gone"},
    ]  # fmt: skip
    made = reviews(tmp_path / "reviews.json", *decisions, reviewer="Ann")
    rows[2]["answer"] = "Another answer."
    rows[3]["question"] = "Another question?"
    rows[1]["tool_version"] = "0.2.0"  # a rebuild that changes nothing a person saw
    file = write(tmp_path / "new.jsonl", rows)
    done = qa("review", file, made, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 1, "changed and gone entries ask for a look"
    assert found["accepted"] == 1
    assert {r["id"]: r["reason"] for r in found["rejected"]} == {
        rows[0]["id"]: "rejected by Ann: Says nothing",
        rows[3]["id"]: "rejected by Ann: Wrong",
    }
    assert {c["id"]: c["decision"] for c in found["changed"]} == {
        rows[2]["id"]: "accept",
        rows[3]["id"]: "reject",
    }
    assert found["gone"] == ["gone"]
    assert [c["comment"] for c in found["commented"]] == ["Hm"]
    kept = read([tmp_path / "new.reviewed.jsonl"])
    assert len(kept.entries) == len(rows) - 2
    lines = (tmp_path / "new.reviewed.rejects.jsonl").read_text().splitlines()
    rejects = {line["id"]: line for line in map(json.loads, lines)}
    assert rejects[rows[3]["id"]]["changed_since_review"] is True
    assert rejects[rows[0]["id"]]["changed_since_review"] is False
    assert rejects[rows[0]["id"]]["entry"] == rows[0]


def test_one_rejection_outweighs_other_decisions(rows: Rows, tmp_path: Path) -> None:
    [entry] = entries(tmp_path / "e", rows[:1])
    mark = {"id": entry.id, "fingerprint": fingerprint(entry)}
    ann = reviews(tmp_path / "ann.json", {**mark, "decision": "accept"}, reviewer="Ann")
    bob = reviews(tmp_path / "bob.json", {**mark, "decision": "reject"}, reviewer="Bob")
    for order in ([ann, bob], [bob, ann]):
        found = apply([entry], Decisions.load(order))
        assert [verdict.reason for _, verdict in found.rejected] == ["rejected by Bob"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"schema": "rocquarry.reviews/2", "decisions": []}',
     '{"schema": "rocquarry.reviews/1", "decisions": [{"id": "a"}]}',
     '{"schema": "rocquarry.reviews/1",'
     ' "decisions": [{"id": "a", "fingerprint": "f", "decision": "maybe"}]}'],
)  # fmt: skip
def test_a_file_that_is_no_reviews_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(UserError, match=r"is no file of decisions: [^\n]*$"):
        Decisions.load([tmp_path / "r.json"])


@pytest.mark.parametrize("command", ["stats", "diff", "view", "review", "release"])
def test_help_has_an_example(command: str, qa: Qa) -> None:
    done = qa(command, "--help")
    assert done.returncode == 0
    assert f"Example: qa {command} " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("stats", "gone.jsonl"), "cannot read gone.jsonl"),
        (("diff", "gone.jsonl", "gone.jsonl"), "cannot read gone.jsonl"),
        (("review", "gone.jsonl", "r.json"), "cannot read gone.jsonl"),
        (("view", "gone.jsonl"), "cannot read gone.jsonl"),
        (("release", "gone.jsonl"), "write: qa release FILE... --out DIR --version 1.0.0"),
        (("release", "--check", "gone"), "gone is no release"),
        (("release", "--check", "gone", "--out", "x"), "--check takes a release alone"),
    ],
)
def test_a_users_mistake_is_one_line(arguments: tuple[str, ...], said: str, qa: Qa) -> None:
    done = qa(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
