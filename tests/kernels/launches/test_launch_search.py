"""Where launches of a kernel are looked for: its interface, checks of numbers, other interfaces."""

from __future__ import annotations

import json
from pathlib import Path

from extractor.project import Project
from kernels.launches.reaching import ReachingEntries
from kernels.slice.choice import launchable_kernels
from kernels.slice.job import Plan
from kernels.slice.seeding import seed_project
from kernels.task.folder import load_task

_CREEK = Path(__file__).parent / "creek" / "rules.toml"


def test_every_kernel_gets_launches_of_the_library(in_shared_cache: Path, tmp_path: Path) -> None:
    outcome = seed_project(Project(_CREEK), tmp_path, interface="fill", plan=Plan((), ()), jobs=1)
    made = {one.kernel.partition("-creek")[0]: one for one in outcome.tasks}
    assert {name: one.launch for name, one in made.items()} == {
        "fill": "launches+text", "drain": "launches+text", "check-numbers": "launches+text",
    }  # fmt: skip
    assert any("cases are calls of creek_sdrain" in note for note in made["drain"].notes)
    blocks = {}
    for name, one in made.items():
        assert one.folder is not None
        task = load_task(Path(one.folder))
        blocks[name] = {task.geometry(case)[3] for case in task.cases}
    assert blocks == {"fill": {64}, "drain": {32}, "check-numbers": {128}}


def test_entry_points_that_lead_to_a_kernel_those_that_launch_it_first(
    in_shared_cache: Path, tmp_path: Path
) -> None:
    project = Project(_CREEK)
    kernels = launchable_kernels(project, project.configurations())
    drain = [next(iter(one.symbols)) for one in kernels if one.name == "drain"]
    assert ReachingEntries(project, "source", tmp_path).of(drain) == [
        "creek_sfill", "creek_sdrain",
    ]  # fmt: skip
    trace = {"entry": "creek_sdrain", "launches": [{"symbol": drain[0]}]}
    (tmp_path / "drain").mkdir()
    (tmp_path / "drain" / "traces.jsonl").write_text(json.dumps(trace) + "\n")
    assert ReachingEntries(project, "source", tmp_path).of(drain) == [
        "creek_sdrain", "creek_sfill",
    ]  # fmt: skip
