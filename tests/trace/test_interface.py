"""Traces of whole interfaces: the command, its file, and how it agrees with the scope."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from extractor.api import scope_bytes
from extractor.commands import trace as command
from extractor.errors import RuleError, UserError
from extractor.project import Project
from extractor.trace.coverage import cover
from extractor.trace.records import Trace
from extractor.trace.run import Effort, close_workers, run, trace_call
from extractor.trace.tracer import Tracer

BROOK = Path(__file__).parent / "brook" / "rules.toml"
ARCHS = ("gfx90a", "gfx942")


@pytest.fixture
def project(tracer: Tracer) -> Project:
    return tracer.project


def test_traces_are_written_and_come_from_the_cache_the_second_time(
    project: Project, tmp_path: Path
) -> None:
    effort = Effort(draws=10, budget=6)
    first, again = (
        command.run(project, ["fill"], ("source",), tmp_path / name, ARCHS, effort)
        for name in ("first", "again")
    )
    assert first[0]["configs"]["source"]["calls"] > 0
    assert again[0]["configs"]["source"]["calls"] == 0
    data = [Path(found[0]["written"]).read_bytes() for found in (first, again)]
    assert data[0] == data[1]
    traces = [Trace.model_validate_json(line) for line in data[0].splitlines()]
    assert {trace.entry for trace in traces} == {"brook_sfill"}
    launched = {launch.kernel for trace in traces for launch in trace.launches}
    assert launched == {"fill", "fill_right", "fill_wide"}


def test_problems_beyond_those_that_launch_most_are_left_out_and_counted(
    project: Project, tmp_path: Path
) -> None:
    whole, some = (
        command.run(
            project, ["fill"], ("source",), tmp_path, ARCHS,
            Effort(draws=40, budget=6, long=long, long_calls=1),
        )[0]["configs"]["source"]
        for long in (1000, 1)
    )  # fmt: skip
    assert whole["left_out"] == 0
    assert some["left_out"] > 0
    assert some["calls"] + some["left_out"] * len(ARCHS) == whole["calls"]


def test_every_traced_kernel_is_one_the_scope_has(project: Project, tmp_path: Path) -> None:
    (found,) = command.run(
        project, ["fill"], ("source",), tmp_path, ARCHS, Effort(draws=10, budget=12)
    )
    coverage = found["configs"]["source"]["coverage"]
    assert coverage["outside"] == []
    assert coverage["kernels_traced"] == coverage["kernels_live"] == 4
    assert coverage["launches_seen"] == coverage["launches_live"] == 4
    assert command.complete([found])


def test_a_kernel_that_the_scope_lacks_is_listed(project: Project) -> None:
    scope = json.loads(scope_bytes(project, "fill", ("source",)))
    traces = run(project, "fill", "source")
    scope["per_entry"]["brook_sfill"]["source"] = []
    coverage = cover(scope, "source", traces)
    assert len(coverage.outside) == 4
    assert coverage.outside[0].startswith("brook_sfill: _Z")


def test_single_calls_share_a_worker(project: Project) -> None:
    try:
        small, large = (
            trace_call(project, "source", "brook_sfill", {"n": n}, "gfx942") for n in (1, 500)
        )
    finally:
        close_workers()
    assert [t.launches[0].grid[0] for t in (small, large)] == [1, 2]
    assert small.arch == ("gfx942",)


def test_a_library_whose_rule_says_nothing_of_calls_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "brook"
    shutil.copytree(BROOK.parent, folder)
    rules = folder / "rules.toml"
    text = rules.read_text(encoding="utf-8")
    rules.write_text(text[: text.index("[trace]")], encoding="utf-8")
    with pytest.raises(RuleError, match=r"no \[trace\] section"):
        Tracer(Project(rules), "source")


def test_a_configuration_that_lacks_an_interface_is_said_and_is_no_failure(
    tmp_path: Path, in_shared_cache: Path
) -> None:
    folder = tmp_path / "weir"
    shutil.copytree(BROOK.parents[1] / "weir", folder)
    rules = (folder / "rules.toml").read_text().replace('"spill"]', '"spill", "spare"]')
    both = '[[configurations]]\nname = "source"\n[[configurations]]\nname = "lean"\n'
    both += 'flags = ["-DLEAN"]\n\n[trace]'
    (folder / "rules.toml").write_text(rules.replace("[trace]", both, 1))
    header = folder / "include" / "weir.h"
    declared = "WEIR_EXPORT weir_status weir_sspare(weir_handle handle, int n);\n"
    header.write_text(
        header.read_text().replace("WEIR_EXPORT weir", declared + "WEIR_EXPORT weir", 1)
    )
    (folder / "src" / "spare.hip").write_text(
        '#include <hip/hip_runtime.h>\n#include "weir.h"\n#ifndef LEAN\n'
        "__global__ void spare(int n) {}\n"
        'extern "C" weir_status weir_sspare(weir_handle handle, int n)\n'
        "{ spare<<<1, 64>>>(n); return weir_status_success; }\n#endif\n"
    )
    project = Project(folder / "rules.toml")
    effort = Effort(draws=2, budget=2, search=0)
    (found,) = command.run(project, ["spare"], ("source", "lean"), tmp_path / "out", ARCHS, effort)
    assert found["configs"]["source"]["coverage"]["sites_seen"] == 1
    assert "lean of weir defines nothing of it" in found["configs"]["lean"]["absent"]
    assert command.complete([found])
    with pytest.raises(UserError, match="lean of weir defines nothing of it"):
        command.run(project, ["spare"], ("lean",), tmp_path / "out", ARCHS, effort)
