"""Launch sites that the sweep does not show: looked for, told to be closed, or given a guard."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extractor import settings
from extractor.api import scope_bytes
from extractor.commands import trace as command
from extractor.project import Project
from extractor.trace.calls import Effort
from extractor.trace.guards import guards
from extractor.trace.hunt import Hunt
from extractor.trace.records import Trace
from extractor.trace.search import numbers
from extractor.trace.sites import live_sites

WEIR = Path(__file__).parent / "weir" / "rules.toml"
CHIPS = settings.TRACE_ARCHITECTURES


@pytest.fixture(scope="module")
def _weir(shared_cache: Path) -> Iterator[Project]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        project = Project(WEIR)
        yield project
        project.store.close()


@pytest.fixture
def weir(_weir: Project, in_shared_cache: Path) -> Project:
    return _weir


def coverage(project: Project, name: str, out: Path, effort: Effort) -> dict[str, Any]:
    (found,) = command.run(project, [name], ("source",), out, CHIPS, effort)
    figures: dict[str, Any] = found["configs"]["source"]["coverage"]
    return figures


def kernels(sites: list[str]) -> list[str]:
    return sorted(site.rpartition(" ")[2] for site in sites)


def test_the_search_finds_what_single_changes_of_a_call_lead_to(
    weir: Project, tmp_path: Path
) -> None:
    plain = coverage(weir, "flow", tmp_path / "plain", Effort(draws=0, budget=1, search=0))
    assert kernels(plain["sites_unseen"]) == ["small", "turned"]
    found = coverage(weir, "flow", tmp_path / "found", Effort(draws=0, budget=1))
    assert found["sites_unseen"] == []
    assert found["sites_seen"] == found["sites_live"] == 3
    # What shows a site of its own is kept even where there is no room.
    lines = (tmp_path / "found" / "weir" / "flow" / "traces.jsonl").read_text().splitlines()
    kept = [Trace.model_validate_json(line) for line in lines]
    launched = {launch.kernel for trace in kept for launch in trace.launches}
    assert launched == {"small", "turned", "unmarked"}


def test_a_launch_that_every_caller_rules_out_is_no_live_site(
    weir: Project, tmp_path: Path
) -> None:
    found = coverage(weir, "flow", tmp_path, Effort(draws=0, budget=1))
    assert kernels(found["sites_unreachable"]) == ["mark"]
    (site,) = found["sites_unreachable"]
    assert found["sites_alike"] == 0
    assert found["guards"][site] == ["marks"]


def test_what_is_written_between_calls_and_what_is_left_over_is_weighed(
    weir: Project, tmp_path: Path
) -> None:
    found = coverage(weir, "lock", tmp_path, Effort(draws=0, budget=1))
    # Under device scalars the mode is another one by the time that the launcher asks for it; so
    # nobody can say that one of the two is never launched, though no call shows "afloat".
    assert kernels(found["sites_unseen"]) == ["afloat"]
    # A part is never empty; of the two lines with one kernel one is never reached; and what was
    # read before the handle changed is the same in every turn of a loop after that.
    assert kernels(found["sites_unreachable"]) == ["gauge", "never", "nothing"]
    assert found["sites_refuted"] == []
    assert found["sites_live"] == 5
    assert found["sites_seen"] == 4
    assert found["sites_alike"] == 0


def test_constant_objects_and_tables_are_weighed(weir: Project, tmp_path: Path) -> None:
    found = coverage(weir, "lift", tmp_path, Effort(draws=0, budget=1))
    # Minus one is not zero, and what goes up by a positive entry of a table was never below zero.
    assert kernels(found["sites_unreachable"]) == ["drained", "upstream"]
    assert found["sites_unseen"] == []
    assert found["sites_seen"] == found["sites_live"] == 2


def test_a_launch_below_dead_code_alone_is_no_live_site(weir: Project, tmp_path: Path) -> None:
    found = coverage(weir, "fork", tmp_path, Effort(draws=0, budget=1))
    assert (found["sites_live"], found["sites_seen"]) == (1, 1)
    assert (found["launches_live"], found["launches_seen"]) == (1, 1)
    assert found["sites_unseen"] == found["sites_unreachable"] == []


def test_interfaces_traced_side_by_side_give_the_same_bytes(
    own_cache: Path, shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, outputs = ["flow", "lift", "lock", "spill"], []
    effort = Effort(draws=1, budget=2, search=40)
    for jobs, folder in ((2, own_cache), (1, shared_cache)):
        monkeypatch.setenv("ROCQUARRY_CACHE", str(folder))
        project = Project(WEIR, jobs=jobs)
        out = tmp_path / str(jobs)
        summaries = command.run(project, names, ("source",), out, CHIPS, effort)
        project.store.close()
        assert [found["interface"] for found in summaries] == names
        assert all(found["configs"]["source"]["calls"] > 0 for found in summaries)
        outputs.append([Path(found["written"]).read_bytes() for found in summaries])
    assert outputs[0] == outputs[1]


def test_a_wrong_proof_is_told_and_fails_the_run(
    weir: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(self: Hunt, entry: str) -> frozenset[str]:
        return self._checked(entry, frozenset(self.sites.kernels))

    monkeypatch.setattr(Hunt, "_followed", wrong)
    effort = Effort(draws=2, budget=1, search=0)
    summaries = command.run(weir, ["flow"], ("source",), tmp_path, CHIPS, effort)
    found = summaries[0]["configs"]["source"]["coverage"]
    assert kernels(found["sites_refuted"]) == ["unmarked"]
    assert found["sites_refuted"][0].startswith("weir_sflow: ")
    # Of what was read wrong nothing is believed.
    assert found["sites_unreachable"] == []
    assert not command.complete(summaries)


def test_other_chips_are_looked_at_and_what_data_decides_stays_with_its_guard(
    weir: Project, tmp_path: Path
) -> None:
    found = coverage(weir, "spill", tmp_path, Effort(draws=0, budget=1))
    assert kernels(found["sites_unseen"]) == ["wet"]
    (site,) = found["sites_unseen"]
    assert "first == 3" in found["guards"][site][0]
    lines = (tmp_path / "weir" / "spill" / "traces.jsonl").read_text().splitlines()
    traces = [Trace.model_validate_json(line) for line in lines]
    chips = {a for t in traces for a in t.arch if any(x.kernel == "consumer" for x in t.launches)}
    assert chips == {"gfx1030"}


def test_sites_have_their_kernels_and_the_functions_that_launch_them(weir: Project) -> None:
    sites = live_sites(json.loads(scope_bytes(weir, "flow", ("source",))), "source")
    by_kernel = {site.rpartition(" ")[2]: site for site in sites.kernels}
    assert sorted(by_kernel) == ["mark", "small", "turned", "unmarked"]
    assert sites.callers[by_kernel["small"]] == {"flow"}
    own = sites.of_entry("weir_sflow")
    assert sites.shown_by(set(own[by_kernel["small"]])) == {by_kernel["small"]}
    assert numbers(own) == [41]


def test_guards_of_chains_labels_and_loops() -> None:
    text = """void f(int n, int kind)
{
    if(n < 1)
        return;
    for(int i = 0; i < n; ++i)
    {
        if(n == 2)
            one(n);
        else if(n == 3)
            two(n);
        else
        {
            switch(kind)
            {
            case 7: three(n); break;
            default: four(n);
            }
        }
    }
    five(n);
}"""
    lines = {name: number for number, line in enumerate(text.splitlines())
             for name in ("one", "two", "three", "four", "five") if f"{name}(" in line}  # fmt: skip
    loop = "for(int i = 0; i < n; ++i)"
    assert guards(text, lines["one"]) == (loop, "n == 2")
    assert guards(text, lines["two"]) == (loop, "!(n == 2) && n == 3")
    assert guards(text, lines["three"]) == (loop, "!(n == 2) && !(n == 3)", "kind == 7")
    assert guards(text, lines["four"]) == (loop, "!(n == 2) && !(n == 3)", "kind == default")
    assert guards(text, lines["five"]) == ()
