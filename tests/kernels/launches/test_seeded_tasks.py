"""Tasks of a small library: their cases are calls that its host side really makes."""

from __future__ import annotations

from pathlib import Path

from extractor.project import Project
from kernels.slice.job import Plan
from kernels.slice.seeding import seed_project
from kernels.task.folder import load_task

_BROOK = Path(__file__).parents[2] / "trace" / "brook" / "rules.toml"


def test_cases_are_the_library_s_own_launches(in_shared_cache: Path, tmp_path: Path) -> None:
    project = Project(_BROOK)
    outcome = seed_project(
        project, tmp_path, interface="fill", plan=Plan(architectures=(), compared=()), jobs=1
    )
    made = {one.kernel.partition("-brook")[0]: one for one in outcome.tasks}
    assert set(made) == {"fill", "fill-right", "fill-wide"}
    # Two of the kernels do nothing, which no task can be made of.
    assert "touches no buffer" in made["fill-right"].reason
    assert "touches no buffer" in made["fill-wide"].reason
    assert outcome.summary()["task_launches"] == {"launches+text": 1}
    folder = made["fill"].folder
    assert folder is not None
    task = load_task(Path(folder))
    assert task.entry.name == "brook::fill<64>"
    assert {case.name.split(" ")[0] for case in task.cases} == {"brook_sfill"}
    # More than 64 elements take another instantiation, and no elements none.
    sizes = {int(case.scalars["n"]) for case in task.cases}
    assert sizes <= set(range(1, 65))
    assert sizes >= {1, 64}
    for case in task.cases:
        assert task.geometry(case) == (1, 1, 1, 64, 1, 1, 0)
        n, step = int(case.scalars["n"]), int(case.scalars["incx"])
        assert case.extents["x"] == (n if step == 1 else 1)
