"""``extract PROJECT --trace ENTRY NAME=VALUE``: one call, or a table of calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.commands import call
from extractor.errors import UserError
from extractor.project import Project
from extractor.trace.tracer import Tracer


@pytest.fixture
def project(tracer: Tracer) -> Project:
    return tracer.project


def made(project: Project, *words: str) -> dict[str, object]:
    (answer,) = call.run(project, "source", [call.parse(words)])
    return answer


def test_a_call_says_what_it_launches(project: Project) -> None:
    answer = made(project, "brook_sfill", "n=500", "side=right", "arch=gfx90a")
    assert (answer["entry"], answer["arch"], answer["status"]) == (
        "brook_sfill", "gfx90a", "success",
    )  # fmt: skip
    (launch,) = json.loads(json.dumps(answer["launches"]))
    assert launch["kernel"] == "fill_right"
    assert launch["library"] == "brook"
    assert {"demangled", "template_arguments", "grid", "block", "shared_bytes"} <= set(launch)
    assert answer["limits"] == []


@pytest.mark.parametrize("written", ["right", "R", "r", "brook_side_right", "RIGHT", "42"])
def test_an_enumerator_may_be_written_in_several_ways(project: Project, written: str) -> None:
    assert (
        made(project, "brook_sfill", f"side={written}")["args"]
        == (made(project, "brook_sfill", "side=R")["args"])
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["brook_sfil"], "brook_sfil"),
        (["brook_sfill", "m=1"], "no argument 'm'"),
        (["brook_sfill", "n=abc"], "n is a number"),
        (["brook_sfill", "side=up"], "known: left, right"),
        (["brook_sfill", "pointer_mode=here"], "host or device"),
        (["brook_sfill", "arch=gfx000"], "gfx000"),
        (["brook_sfill", "n"], "no NAME=VALUE"),
        (["n=1"], "name an entry point"),
    ],
)
def test_what_cannot_be_called_is_one_line(project: Project, words: list[str], said: str) -> None:
    with pytest.raises(UserError) as error:
        made(project, *words)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_tables_of_calls_are_read_as_csv_and_as_objects(project: Project, tmp_path: Path) -> None:
    table, lines = tmp_path / "calls.csv", tmp_path / "calls.jsonl"
    table.write_text("entry,n,side,arch\nbrook_sfill,1,L,\nbrook_sfill,500,right,gfx90a\n")
    rows = [
        {"entry": "brook_sfill", "n": 1, "side": "L"},
        {
            "entry": "brook_sfill",
            "args": {"n": 500, "side": "R"},
            "arch": ["gfx90a"],
            "status": "x",
        },
    ]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    answers = [
        list(call.run(project, "source", call.read_sweep(file, None))) for file in (table, lines)
    ]
    assert answers[0] == answers[1]
    assert [answer["arch"] for answer in answers[0]] == ["gfx942", "gfx90a"]
    lines.write_text("{\n")
    with pytest.raises(UserError, match="no JSON object"):
        call.read_sweep(lines, None)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "said"),
    [
        ((1, 1, 1), (256, 1, 1), 0, ""),
        ((0, 1, 1), (256, 1, 1), 0, "zero"),
        ((1, 1, 1), (64, 32, 1), 0, "1024 threads"),
        ((1 << 24, 1, 1), (256, 1, 1), 0, "2^32"),
        ((1, 1, 1), (64, 1, 1), 70000, "LDS"),
    ],
)
def test_launches_that_a_chip_refuses_are_flagged(
    grid: tuple[int, int, int], block: tuple[int, int, int], shared: int, said: str
) -> None:
    why = call.over_limit(grid, block, shared)
    assert said in why
    assert bool(why) == bool(said)


def test_a_call_says_how_tests_came_out_where_that_is_asked(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    point = call.parse(["brook_sbatch", "n=4", "lda=4", "batch_count=2001"])
    (answer,) = call.run(project, "source", [point], tests=True)
    (row,) = answer["tests"]
    assert (row["function"], row["calls"]) == ("brook_sbatch", 1)
    told = {test["condition"]: (test["held"], test["failed"]) for test in row["tests"]}
    assert told["lda < n"] == (0, 1)
    assert told["done < batch_count"] == (3, 1)
    call.show([answer])
    printed = capsys.readouterr().out
    assert "  done < batch_count  held 3 times, failed once" in printed
    assert "  lda < n  failed\n" in printed
    assert "tests" not in made(project, "brook_sbatch", "n=4")
