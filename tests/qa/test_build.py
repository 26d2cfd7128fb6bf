"""What the static author writes about a small interface of the real library."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from extractor.project import Project
from qa.build import Built, Task, _long_rows, build
from qa.commands.build import others_in
from qa.ground import LONGEST_ROW
from qa.judgement import Judge
from qa.levels import level_of
from qa.records import Entry

pytestmark = pytest.mark.xdist_group("real libraries")
WANTED = (("rocblas", ("swap",)),)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("qa")


@pytest.fixture(scope="module")
def built(folder: Path) -> Built:
    return build(WANTED, folder, jobs=1)


@pytest.fixture(scope="module")
def entries(built: Built) -> list[dict[str, Any]]:
    return [json.loads(line) for line in built.entries]


def test_entries_of_several_kinds_and_levels_are_written(entries: list[dict[str, Any]]) -> None:
    assert {e["kind"] for e in entries} == {"qa", "kernel_implementation"}
    assert {e["level"] for e in entries} >= {1, 3}
    assert len({e["category"] for e in entries}) >= 3
    assert len({e["id"] for e in entries}) == len(entries)


def test_every_entry_passes_every_gate_again(entries: list[dict[str, Any]]) -> None:
    project = Project("rocblas")
    judge = Judge(lambda _name: project)
    verdicts = [judge.judge(entry) for entry in entries]
    assert [v.reason for v in verdicts] == [""] * len(entries)
    assert all(v.gates == entry["gates"] for v, entry in zip(verdicts, entries, strict=True))


def test_every_sentence_of_an_answer_is_a_claim(entries: list[dict[str, Any]]) -> None:
    for entry in entries:
        if entry["kind"] == "qa":
            said = " ".join(c["subject"] for c in entry["claims"] if c["type"] == "statement")
            assert said == entry["answer"]


def test_code_of_an_implementation_is_that_of_its_evidence(entries: list[dict[str, Any]]) -> None:
    project = Project("rocblas")
    for entry in entries:
        if entry["kind"] == "kernel_implementation":
            for span in entry["evidence"]:
                text = project.text.text(span["file"], span["start_line"], span["end_line"])
                assert text.rstrip() in entry["answer"]


def test_the_same_bytes_come_out_of_a_second_build(
    folder: Path, built: Built, tmp_path: Path
) -> None:
    assert build(WANTED, folder, jobs=1).entries == built.entries
    assert build(WANTED, tmp_path, jobs=1).entries == built.entries


def test_figures_tell_how_alike_the_texts_are(built: Built) -> None:
    assert built.statistics["entries"] == len(built.entries)
    assert built.statistics["same_skeleton_share"] <= 0.02
    assert sum(built.statistics["rejects"].values()) == len(built.rejects)


def test_a_level_follows_from_the_evidence(entries: list[dict[str, Any]]) -> None:
    judge = Judge(Project)
    ground = judge.ground("rocblas")
    assert ground is not None
    for entry in entries:
        read = Entry.model_validate_json(json.dumps(entry))
        assert level_of(read.evidence, ground, ground.view("swap")) == entry["level"]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "qa.cli", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", "missing.jsonl"], "missing.jsonl"),
        (["build"], "name a library"),
        (["build", "rocblas", "--interface", "no_such_family", "--reuse-only"], "no_such_family"),
        (["build", "rocblas", "--all", "--interface", "swap"], "--all"),
    ],
)
def test_a_mistake_is_one_line_and_exit_status_2(arguments: list[str], words: str) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_check_lists_verdicts_and_writes_rejects(
    folder: Path, entries: list[dict[str, Any]], tmp_path: Path
) -> None:
    wrong = {**entries[0], "id": "wrong", "level": 1 + entries[0]["level"] % 3}
    file, rejects = tmp_path / "entries.jsonl", tmp_path / "rejects.jsonl"
    file.write_text("".join(json.dumps(e) + "\n" for e in (entries[0], wrong)))
    done = command("check", str(file), "--json", "--rejects", str(rejects), "--out", str(folder))
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == 1
    assert (first["passed"], second["passed"]) == (True, False)
    assert second["gates"]["level"] is False
    assert json.loads(rejects.read_text())["gate"] == "level"


def test_traces_that_are_too_long_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "rocblas" / "swap"
    folder.mkdir(parents=True)
    row = json.dumps({"entry": "x", "launches": ["k"] * LONGEST_ROW})
    (folder / "traces.jsonl").write_text(f"{row}\n{row}\n{{}}\n")
    assert _long_rows(Task("rocblas", "swap", tmp_path, None)) == 2
    assert _long_rows(Task("rocblas", "dot", tmp_path, None)) == 0


def test_entries_that_another_build_leaves_are_named_before_they_go(tmp_path: Path) -> None:
    file = tmp_path / "entries.jsonl"
    assert others_in(file, [("rocblas", ["swap"])]) == set()
    file.write_text(
        "".join(
            json.dumps({"project": project, "x": 1, "interface": one}, separators=(",", ":")) + "\n"
            for project, one in (("rocblas", "swap"), ("rocblas", "dot"), ("rocsolver", "swap"))
        )
    )
    assert others_in(file, [("rocblas", ["swap", "axpy"])]) == {"dot", "swap"}
    assert others_in(file, [("rocblas", ["swap", "dot"]), ("rocsolver", ["swap"])]) == set()
