"""A release as a whole: complete, the same twice, loadable by others, and honest about the rest."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from extractor.errors import MissingExtra, UserError
from qa.release.build import Release, semantic
from qa.release.library import Library
from qa.release.manifest import MANIFEST
from qa.release.tables import SCHEMAS
from qa_release.conftest import Qa
from qa_release.entries import Rows, spoiled, write

Build = Callable[..., Release]
LEAVE = "import os, sys; sys.stdout.flush(); os._exit(0)"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read_lines(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def run(code: str, folder: Path) -> Any:
    """Runs code in a process of its own, without a network, and reads the JSON it prints.

    The process leaves without finalising: native thread pools of the readers may abort there,
    which says nothing about the files read.
    """
    caches = {name: str(folder / "cache") for name in ("HF_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{code}\n{LEAVE}"],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, **caches, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_everything_that_travels_with_the_rows_is_there(
    release: Build, entries: Path, rows: Rows
) -> None:
    made = release(entries)
    files = set(contents(made.out))
    for folder in ("data", "chat", "instruction"):
        assert {f"{folder}/{name}.parquet" for name in ("train", "validation", "test")} <= files
    assert {
        "README.md", "AUDIT.md", "VALIDATION.md", "audit.json", "croissant.json", "provenance.json",
        "left_out.jsonl", "schema/entry.schema.json", "schema/columns.txt",
        "curriculum/phases.json", "licenses/NOTICE.md", "licenses/pond-1.2.3/LICENSE",
        "plots/levels.svg", "plots/categories.svg", "plots/interfaces.svg", "plots/lengths.svg",
        MANIFEST,
    } <= files  # fmt: skip
    given = {row["id"]: row for row in rows}
    written: Rows = []
    for split in ("train", "validation", "test"):
        lines = read_lines(made.out / f"jsonl/{split}.jsonl")
        assert lines, "five families fill every split"
        written += lines
        table = pq.read_table(made.out / f"data/{split}.parquet")
        assert table.schema.equals(SCHEMAS["data"])
        assert table["id"].to_pylist() == [line["id"] for line in lines]
        assert set(table["license"].to_pylist()) == {"Apache-2.0"}
    assert {row["id"]: row for row in written} == given
    card = (made.out / "README.md").read_text("utf-8")
    assert f"{len(rows)} question-and-answer entries" in card
    assert "![Rows by level](plots/levels.svg)" in card
    provenance = json.loads((made.out / "provenance.json").read_bytes())
    assert provenance["sources"][0]["commit"] == rows[0]["source"]["commit"]
    assert {a["prompt_sha256"] for a in provenance["authors"]} == {None, "ab" * 32}
    audit = json.loads((made.out / "audit.json").read_bytes())
    assert audit["splits"]["families_on_both_sides"] == 0
    assert audit["splits"]["kernels_on_both_sides"] == 0
    [coverage] = audit["coverage"]
    assert coverage["interfaces_covered"] == 5
    assert 0 < coverage["kernels_covered"] <= coverage["kernels_reached"]


def test_building_twice_gives_the_same_bytes_whatever_the_order(
    release: Build, rows: Rows, tmp_path: Path
) -> None:
    one = write(tmp_path / "a.jsonl", rows[:9])
    two = write(tmp_path / "b.jsonl", rows[9:])
    first = contents(release(one, two, out="first").out)
    again = contents(release(two, one, out="again").out)
    assert first == again


def test_a_trainer_can_load_it(release: Build, entries: Path, tmp_path: Path, rows: Rows) -> None:
    made = release(entries)
    code = f"""
import json
from datasets import load_dataset
folder = {str(made.out)!r}
data = load_dataset(folder)
chat = load_dataset(folder, "chat")
tasks = load_dataset(folder, "instruction")
phase = load_dataset(folder, "curriculum_phase1")
lines = load_dataset("json", data_files=folder + "/chat/train.jsonl")
print(json.dumps({{
    "rows": {{name: len(part) for name, part in data.items()}},
    "first": data["train"][0],
    "texts": [[r["evidence_text"], r["id"]] for r in data["train"]],
    "inputs": {{r["id"]: r["input"] for r in tasks["train"]}},
    "roles": [m["role"] for m in chat["train"][0]["messages"]],
    "task": sorted(tasks["test"][0]),
    "levels": sorted(set(phase["train"]["level"])),
    "lines": len(lines["train"]) == len(chat["train"]),
}}))
"""
    found = run(code, tmp_path)
    assert sum(found["rows"].values()) == len(rows)
    assert all(found["rows"].values())
    first = next(row for row in rows if row["id"] == found["first"]["id"])
    assert found["first"]["evidence"] == first["evidence"]
    assert json.loads(found["first"]["claims"][0]["value"]) == first["claims"][0]["value"]
    given = {row["id"]: row for row in rows}
    for texts, identifier in found["texts"]:
        row = given[identifier]
        hashes = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        assert hashes == [span["sha256"] for span in row["evidence"]]
        shown = [piece["text"] for piece in row["context"]] or (
            texts if row["kind"] == "qa" else []
        )
        for text in shown:
            assert text.rstrip() in found["inputs"][identifier]
        assert bool(found["inputs"][identifier]) == bool(shown)
    assert found["roles"] == ["user", "assistant"]
    assert {"instruction", "input", "output"} <= set(found["task"])
    assert found["levels"] == [1]
    assert found["lines"]


def test_its_croissant_metadata_are_valid_and_read_the_rows(
    release: Build, entries: Path, tmp_path: Path
) -> None:
    made = release(entries)
    code = f"""
import json
import mlcroissant
dataset = mlcroissant.Dataset({str(made.out / "croissant.json")!r})
issues = dataset.metadata.ctx.issues
records = [dict(r) for r in dataset.records("data-train")]
tasks = [dict(r) for r in dataset.records("instruction-test")]
print(json.dumps({{
    "errors": sorted(issues.errors), "warnings": sorted(issues.warnings),
    "ids": [r["data-train/id"].decode() for r in records], "tasks": len(tasks),
}}))
"""
    found = run(code, tmp_path)
    assert found["errors"] == []
    train = read_lines(made.out / "jsonl/train.jsonl")
    assert found["ids"] == [line["id"] for line in train]
    assert found["tasks"] == len(read_lines(made.out / "jsonl/test.jsonl"))


def test_the_manifest_is_that_of_sha256sum(release: Build, entries: Path) -> None:
    made = release(entries)
    done = subprocess.run(
        ["sha256sum", "--quiet", "--strict", "-c", MANIFEST], cwd=made.out, check=False
    )
    assert done.returncode == 0


BAD = {
    "schema": lambda row: row.update(level=7),
    "schema_version": lambda row: row.update(schema="rocquarry.entry/0"),
    "missing_license": lambda row: row["source"].update(license=""),
    "not_gated": lambda row: row.update(gates={}),
    "gate": lambda row: row.update(gates={"spans": True, "numbers": False}),
    "claim": lambda row: row["claims"][0].update(passed=None),
    "changed_source": lambda row: row["evidence"][0].update(sha256="0" * 64),
}


def test_bad_rows_are_named_counted_and_never_written(
    release: Build, rows: Rows, tmp_path: Path
) -> None:
    bad = [spoiled(rows[number], spoil) for number, spoil in enumerate(BAD.values())]
    shown = next(row for row in rows[len(bad) :] if row["context"])
    bad.append(spoiled(shown, lambda row: row["context"][0].update(text="int another;\n")))
    twin = spoiled(rows[-1], lambda row: row.update(answer="Another answer."))
    ids = {row["id"] for row in (*bad, twin)}
    good = [row for row in rows if row["id"] not in ids]
    copied = spoiled(good[0], lambda row: row.update(id="row-copied"))
    other = spoiled(good[1], lambda row: row.update(id="row-other"))
    other["source"] = {**other["source"], "version": "9.9.9"}
    other["question"] = "Another version?"
    foreign = spoiled(good[2], lambda row: row.update(id="row-foreign", question="Foreign?"))
    foreign["context"] = [
        {"span": {**good[2]["evidence"][0], "file": "EXT:hip/hip_runtime.h"}, "text": "x"}
    ]
    every = [*good, *bad, rows[-1], twin, "not json", copied, other, foreign]
    made = release(write(tmp_path / "mixed.jsonl", every))
    named = [(fault.fault, fault.id) for fault in made.faults]
    wanted = [(fault, row["id"]) for fault, row in zip(BAD, bad, strict=False)]
    wanted += [
        ("changed_source", shown["id"]), ("two_rows_one_id", twin["id"]),
        ("two_rows_one_id", twin["id"]), ("not_json", ""), ("changed_source", "row-other"),
        ("foreign_text", "row-foreign"),
    ]  # fmt: skip
    # Which of two equal texts stays is decided by the smaller id.
    same = max("row-copied", good[0]["id"])
    assert sorted(named) == sorted([*wanted, ("same_text", same)])
    text = b"".join(
        data for path, data in contents(made.out).items() if not path.startswith(("left_out", "a"))
    )
    for _, identifier in [*wanted, ("", same)]:
        assert not identifier or identifier.encode() not in text
    audit = json.loads((made.out / "audit.json").read_bytes())
    assert audit["left_out"] == len(named) == len(read_lines(made.out / "left_out.jsonl"))
    assert audit["left_out_by_reason"]["changed_source"] == 3
    assert audit["lines_read"] == len(every)


def test_the_command_says_what_stayed_out_and_ends_with_1(
    qa: Qa, rows: Rows, tmp_path: Path, pond: Path
) -> None:
    file = write(tmp_path / "e.jsonl", [*rows, "{"])
    done = qa("release", file, "--out", "r", "--version", "1.0", "--rules", pond)
    assert done.returncode == 1, done.stderr
    assert f"e.jsonl:{len(rows) + 1}:  not_json" in done.stderr
    checked = qa("release", "--check", "r", "--json")
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout)["passed"] is True


def test_a_library_without_a_licence_file_is_not_released(
    release: Build, entries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Library, "licence_files", {})
    with pytest.raises(UserError, match=r"pond 1\.2\.3 has no licence file"):
        release(entries)


def test_rows_of_a_source_that_is_not_opened_stay_out(
    release: Build, rows: Rows, tmp_path: Path
) -> None:
    for row in rows:
        row["source"] = {**row["source"], "commit": "f" * 40}
    with pytest.raises(UserError, match="nothing to release: 30 changed_source"):
        release(write(tmp_path / "e.jsonl", rows))


def test_a_folder_of_something_else_is_left_alone(
    release: Build, entries: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="is no release; choose another --out"):
        release(entries, out="mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_an_older_release_is_replaced_whole(
    release: Build, rows: Rows, entries: Path, tmp_path: Path
) -> None:
    release(write(tmp_path / "old.jsonl", rows[:6]))
    (tmp_path / "release/stray.txt").write_text("x")
    made = release(entries)
    assert not (made.out / "stray.txt").exists()
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_rows_known_from_benchmarks_stay_out(release: Build, rows: Rows, tmp_path: Path) -> None:
    long = (
        "Every block of the grid scales its own part of the vector by alpha and writes the result "
        "back to the very same place, so that no two blocks ever touch one element."
    )
    rows[0]["answer"] = long
    rows[2]["answer"] = f"{long[:70]} and {' '.join(f'word{n}' for n in range(60))}"
    bench = tmp_path / "bench"
    (bench / "deep").mkdir(parents=True)
    write(bench / "deep/tasks.jsonl", [{"q": rows[0]["question"], "a": [long.upper()]}, {"q": "z"}])
    (bench / "picture.png").write_bytes(b"\x89PNG\0\0")
    made = release(write(tmp_path / "e.jsonl", rows), benchmarks=bench)
    assert [(f.fault, f.id) for f in made.faults] == [("contaminated", rows[0]["id"])]
    assert "deep/tasks.jsonl:1" in made.faults[0].detail
    report = made.audit["contamination"]
    assert (report["documents"], report["unread"]) == (2, ["picture.png"])
    assert [item["id"] for item in report["largest"]] == [rows[0]["id"], rows[2]["id"]]
    assert "1 rows were left out for overlap" in (made.out / "README.md").read_text("utf-8")


def test_reviewers_rejects_stay_out(release: Build, rows: Rows, tmp_path: Path) -> None:
    reviews = {
        "schema": "rocquarry.reviews/1",
        "reviewer": "Ann",
        "decisions": [
            {"id": rows[0]["id"], "fingerprint": "0" * 64, "decision": "reject", "comment": "Vague"}
        ],
    }
    (tmp_path / "reviews.json").write_text(json.dumps(reviews))
    file = write(tmp_path / "e.jsonl", rows)
    made = release(file, reviews=[tmp_path / "reviews.json"])
    [fault] = made.faults
    assert (fault.fault, fault.id) == ("review", rows[0]["id"])
    assert fault.detail == "rejected by Ann: Vague"
    assert made.notes == (f"{rows[0]['id']} changed since it was reviewed (reject)",)


def test_rejects_of_the_gates_are_counted(release: Build, entries: Path, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "gates": {"spans": True, "numbers": False}, "reason": "7 is no fact"},
        {"id": "b", "gate": "leak", "reason": "the answer is in the question"},
        "broken",
    ]
    made = release(entries, rejects=[write(tmp_path / "rejects.jsonl", lines)])
    assert made.audit["rejected_before"] == {"leak": 1, "numbers": 1, "unreadable line": 1}


def test_versions_are_completed_or_refused() -> None:
    assert [semantic(text) for text in ("1", "v1.2", "1.2.3-rc.1")] == [
        "1.0.0", "1.2.0", "1.2.3-rc.1",
    ]  # fmt: skip
    for text in ("", "one", "1.2.3.4", "../1", "1.0.0 "):
        with pytest.raises(UserError, match=r"write MAJOR\.MINOR\.PATCH"):
            semantic(text)


def test_a_missing_extra_is_one_line_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("qa.release")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'rocquarry\[release\]'"):
        import qa.release.tables  # noqa: F401


def test_curriculum_fades_difficulty_in_over_the_training_rows(
    release: Build, rows: Rows, tmp_path: Path
) -> None:
    variant = spoiled(rows[0], lambda row: row.update(id="variant", kind="hip_to_hip"))
    variant["answer"] = "__global__ void better() {}"
    made = release(write(tmp_path / "e.jsonl", [*rows, variant]))
    train = {row["id"]: row for row in read_lines(made.out / "jsonl/train.jsonl")}
    phases = json.loads((made.out / "curriculum/phases.json").read_bytes())["phases"]
    one, two, three = (set(phase["ids"]) for phase in phases)
    level = {n: {i for i, row in train.items() if row["level"] == n} for n in (1, 2, 3)}
    assert one == level[1]
    assert level[2] <= two
    assert two & level[1] < level[1]
    assert level[3] <= three
    assert (three - level[2]) - level[3] <= {"variant"}
    for phase in phases:
        table = pq.read_table(made.out / f"curriculum/phase{phase['phase']}.parquet")
        assert table["id"].to_pylist() == phase["ids"]
        assert phase["rows"] == len(phase["ids"])
