"""Traces of many entry points against facts: one after the other, in one process or in several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.facts.host.traced import compared, compared_by_entry, sampled
from extractor.project import Project

from .conftest import RULES


def _row(entry: str, kernel: str, blocks: int, **args: int) -> dict[str, Any]:
    launch = {
        "kernel": kernel, "symbol": f"_Z{len(kernel)}{kernel}Pf", "demangled": f"{kernel}(float*)",
        "grid": [blocks, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "repeat": 1,
    }  # fmt: skip
    return {
        "entry": entry, "config": "source", "args": args, "arch": ["gfx90a"],
        "pointer_mode": "host", "status": "success", "launches": [launch],
    }  # fmt: skip


ROWS = [
    _row("brook_pick", "second", 5, kind=2, n=5),
    _row("brook_pick", "second", 6, kind=2, n=5),
    _row("brook_pick", "first", 5, kind=2, n=5),
    _row("brook_steps", "second", 1, n=5),
    _row("nobody", "second", 1, n=5),
]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_traces_contradict_is_found_however_many_processes(
    jobs: int, product_cache: Path
) -> None:
    found = compared(Project(RULES, jobs=jobs), "source", ROWS)
    assert found.traces == 4
    assert found.skipped == {"no such entry point here": 1}
    assert found.counts["launch_grid", "agrees"] == found.counts["launch_grid", "disagrees"] == 1
    wrong = [line for line in found.disagreements if "brook_pick" in line]
    assert any("grid [(5, 1, 1)] instead of [(6, 1, 1)]" in line for line in wrong)
    assert any("first was launched, no condition says so" in line for line in wrong)


def test_only_traces_of_a_few_entry_points_are_held(product_cache: Path) -> None:
    rows = {
        name: [row for row in ROWS if row["entry"] == name] for name in ("brook_pick", "nobody")
    }
    given: list[str] = []

    def one_after_the_other() -> Any:
        for name, own in rows.items():
            given.append(name)
            yield name, own

    found = compared_by_entry(Project(RULES, jobs=1), "source", rows, one_after_the_other())
    assert given == ["brook_pick", "nobody"]
    assert found.traces == 3


def test_launches_that_are_the_same_are_read_once(tmp_path: Path) -> None:
    row = _row("brook_pick", "second", 5, kind=2, n=5)
    first, other = row["launches"][0], {**row["launches"][0], "grid": [6, 1, 1]}
    row |= {"project": "brook", "launches": [first, other, first, {**other, "repeat": 3}]}
    file = tmp_path / "traces.jsonl"
    file.write_text(json.dumps(row) + "\n")
    ((name, (kept,)),) = sampled([file], "brook", "source")
    assert name == "brook_pick"
    assert [one["grid"] for one in kept["launches"]] == [[5, 1, 1], [6, 1, 1]]
