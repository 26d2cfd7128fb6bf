"""A small HIP library of our own: a plain folder, a rule file, and every answer known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Extract, Library
from scope_reader import Launch, ScopeReader

from extractor.commands import check
from extractor.project import Project

INTERFACES = ("fill", "map", "reduce", "scale", "sort")


@pytest.fixture
def pond(in_shared_cache: Path, extract: Extract, tmp_path: Path) -> dict[str, ScopeReader]:
    """What the command writes for each interface of the library."""
    chosen = [word for name in INTERFACES for word in ("--interface", name)]
    done = extract(SMALL_LIBRARY, *chosen, "--out", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return {
        name: ScopeReader(json.loads((tmp_path / "out" / "pond" / name / "scope.json").read_text()))
        for name in INTERFACES
    }


def test_interfaces_are_listed(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "--json")
    assert done.returncode == 0
    rows = {row["interface"]: row for row in json.loads(done.stdout)}
    assert {name: row["entry_points"] for name, row in rows.items()} == {
        "create": 1,
        "fill": 2,
        "map": 1,
        "reduce": 2,
        "scale": 3,
        "sort": 1,
    }
    assert all(row["declared_in"] == ["include/pond/pond.h"] for row in rows.values())
    assert [name for name, row in rows.items() if row["auxiliary"]] == ["create"]


def test_entry_points(pond: dict[str, ScopeReader]) -> None:
    assert {name: scope.scope["entry_points"] for name, scope in pond.items()} == {
        "fill": ["pond_dfill", "pond_sfill"],
        "map": ["pond_smap"],
        "reduce": ["pond_dreduce", "pond_sreduce"],
        "scale": ["pond_dscale", "pond_sscale", "pond_sscale_batched"],
        "sort": ["pond_ssort"],
    }


def test_provenance(pond: dict[str, ScopeReader]) -> None:
    for scope in pond.values():
        assert scope.scope["source"]["name"] == "pond"
        assert scope.scope["source"]["version"] == "1.2.3"
        assert scope.scope["source"]["license"] == "Apache-2.0"
        assert scope.scope["configs"] == ["plain", "fast"]


@pytest.mark.parametrize("config", ["plain", "fast"])
def test_kernels_that_do_not_depend_on_the_configuration(
    pond: dict[str, ScopeReader], config: str
) -> None:
    scale, fill = pond["scale"], pond["fill"]
    assert scale.kernels("pond_sscale", config) == {
        "scale_kernel<128,float>",
        "check_kernel<float>",
    }
    assert scale.kernels("pond_dscale", config) == {
        "scale_kernel<64,double>",
        "check_kernel<double>",
    }
    assert scale.kernels("pond_sscale_batched", config) == {"scale_batched_kernel<128,float>"}
    assert fill.kernels("pond_sfill", config) == {"fill_kernel<float>"}
    assert fill.kernels("pond_dfill", config) == {"fill_kernel<double>"}
    assert pond["sort"].kernels("pond_ssort", config) == set()


def test_kernels_by_configuration(pond: dict[str, ScopeReader]) -> None:
    reduce = pond["reduce"]
    plain = {"partial_kernel<256,float>", "partial_kernel<64,float>"}
    assert reduce.kernels("pond_sreduce", "plain") == plain
    assert reduce.kernels("pond_sreduce", "fast") == plain | {"atomic_kernel<float>"}
    assert reduce.kernels("pond_dreduce", "plain") == {"partial_kernel<64,double>"}
    assert reduce.kernels("pond_dreduce", "fast") == {
        "partial_kernel<64,double>",
        "atomic_kernel<double>",
    }
    configs = {
        reduce.names[i["id"]]: i["configs"]
        for f in reduce.scope["functions"]
        for i in f["instantiations"]
    }
    assert configs["atomic_kernel<float>"] == configs["reduce_fast<float>"] == ["fast"]
    assert configs["partial_kernel<64,float>"] == ["plain", "fast"]


def test_a_kernel_for_each_device_lambda(pond: dict[str, ScopeReader]) -> None:
    scope = pond["map"]
    kernels = scope.function("map_kernel")["instantiations"]
    assert [i["configs"] for i in kernels] == [["plain", "fast"]] * 2
    assert {i["id"] for i in kernels} == set(scope.scope["per_entry"]["pond_smap"]["plain"])
    assert {f["name"] for f in scope.scope["functions"] if f["kind"] == "device"} == {
        "operator()",
        "twice",
    }


def test_kinds(pond: dict[str, ScopeReader]) -> None:
    assert pond["scale"].kinds() == {
        "pond_sscale": "entry_point",
        "pond_dscale": "entry_point",
        "pond_sscale_batched": "entry_point",
        "scale": "launcher",
        "check_numbers": "launcher",
        "usable": "host",
        "blocks": "host",
        "scale_kernel": "kernel",
        "scale_batched_kernel": "kernel",
        "check_kernel": "kernel",
        "product": "device",
    }
    # Its definition is in another unit than the entry point's.
    assert pond["reduce"].function("reduce")["span"]["file"] == "src/reduce/reduce_kernels.hip"


def test_launches(pond: dict[str, ScopeReader]) -> None:
    stream = "handle->stream"
    assert pond["scale"].launches() == [
        Launch(f"check_numbers<{t}>", f"check_kernel<{t}>", "blocks(n, 64)", "64", "0", stream, "")
        for t in ("double", "float")
    ] + [
        Launch(
            f"scale<{t}>", f"scale_kernel<{n},{t}>", "blocks(n, BLOCK)", "BLOCK", "0", stream, ""
        )
        for n, t in ((64, "double"), (128, "float"))
    ] + [
        Launch(
            "pond_sscale_batched", "scale_batched_kernel<128,float>", "grid", "128", "0", "0", ""
        )
    ]


def test_launch_configuration_behind_macros(pond: dict[str, ScopeReader]) -> None:
    grid, block, shared, stream = pond["fill"].configuration("fill_kernel<float>")
    macro = "POND_LAUNCH(n, handle, fill_kernel<T>, n, value, x)"
    assert grid == f"{macro} -> (dim3(pond::blocks(n, 256)))"
    assert block == f"{macro} -> (dim3(256))"
    assert (shared, stream) == (f"{macro} -> (0)", f"{macro} -> ((handle)->stream)")
    wide = pond["reduce"].configuration("partial_kernel<256,float>")
    assert wide == (
        "POND_GRID(n) -> dim3(pond::blocks(n, 256))",
        "POND_BLOCK -> 256",
        "POND_BLOCK * sizeof(T) -> 256 * sizeof(T)",
        "handle->stream",
    )
    narrow = pond["reduce"].configuration("partial_kernel<64,float>")
    assert narrow == ("dim3(1)", "dim3(64)", "64 * sizeof(T)", "0")


def test_a_launch_that_never_runs(pond: dict[str, ScopeReader]) -> None:
    reduce = pond["reduce"]
    reason = "the condition is constant false: n > POND_BLOCK && !wide"
    # With the launch goes what its configuration calls.
    assert reduce.dead() == {
        "reduce<double> -> partial_kernel<256,double>": reason,
        "reduce<double> -> blocks": reason,
    }


def test_launch_bounds(pond: dict[str, ScopeReader]) -> None:
    assert pond["scale"].function("scale_kernel")["launch_bounds"] == "BLOCK"
    assert pond["fill"].function("fill_kernel")["launch_bounds"] == "POND_BLOCK"
    assert pond["map"].function("map_kernel")["launch_bounds"] is None


def test_boundaries(pond: dict[str, ScopeReader]) -> None:
    assert pond["sort"].boundaries() == {"vendor::sort": ("vendor", {"pond_ssort"})}
    assert pond["fill"].boundaries()["hipGetLastError"] == (
        "HIP runtime",
        {"fill<float>", "fill<double>"},
    )


def test_what_each_rule_left_out(pond: dict[str, ScopeReader]) -> None:
    assert {name: scope.excluded() for name, scope in pond.items()} == {
        "fill": {"pond::detail::trace_*": 1, "src/log.hpp": 1},
        "map": {},
        "reduce": {},
        "scale": {"pond::detail::trace_*": 1, "src/log.hpp": 1},
        "sort": {},
    }
    reasons = {one["rule"]: one["reason"] for one in pond["scale"].scope["excluded"]}
    assert reasons == {
        "pond::detail::trace_*": "tracing of calls",
        "src/log.hpp": "logging; launches no kernel of the routine",
    }


def test_infrastructure_is_marked(pond: dict[str, ScopeReader]) -> None:
    marked = {
        f["name"]: f["infrastructure"]
        for f in pond["scale"].scope["functions"]
        if f["infrastructure"]
    }
    reason = "looks for NaN when the user asks for it"
    assert marked == {"check_kernel": reason, "check_numbers": reason}


def test_nothing_is_unresolved_divergent_or_failed(pond: dict[str, ScopeReader]) -> None:
    for scope in pond.values():
        for part in ("unresolved", "divergent", "failed_units"):
            assert scope.scope[part] == []


def test_one_entry_point_is_an_interface(small_library: Library) -> None:
    project = small_library.project
    assert project.resolve("pond_sscale") == ["pond_sscale"]
    assert project.resolve("scale") == ["pond_dscale", "pond_sscale", "pond_sscale_batched"]


def test_kernels_of_the_whole_library(
    in_shared_cache: Path, extract: Extract, tmp_path: Path
) -> None:
    lines = tmp_path / "kernels.jsonl"
    done = extract(SMALL_LIBRARY, "--all", "--no-scopes", "--kernels", lines, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(rows) == 20
    row = next(r for r in rows if (r["entry"], r["config"]) == ("pond_dreduce", "fast"))
    assert row["kernels"] == [
        {
            "name": "atomic_kernel",
            "file": "src/fast/reduce_fast.hip",
            "instantiations": 1,
            "dead": False,
            "reason": None,
        },
        {
            "name": "partial_kernel",
            "file": "src/reduce/reduce_kernels.hip",
            "instantiations": 1,
            "dead": False,
            "reason": None,
        },
    ]
    assert row["unresolved"] == 0
    assert not (tmp_path / "work" / "out").exists()


def test_which_entry_points_reach_a_kernel(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "--kernel", "check_kernel", "--config", "plain", "--json")
    assert done.returncode == 0
    rows = json.loads(done.stdout)["reached_by"]
    assert {row["entry"] for row in rows} == {"pond_sscale", "pond_dscale"}
    assert [step["name"] for step in rows[0]["path"]] == [
        rows[0]["entry"],
        "pond::scale",
        "pond::check_numbers",
        "pond::check_kernel",
    ]


def test_the_compiler_agrees_on_every_call(small_library: Library) -> None:
    project = Project(small_library.project.rule.path)
    answer = check.run(project, None, project.configurations())
    for comparison in answer["configs"].values():
        assert comparison.failed == {}
        assert comparison.exact == len(comparison.entries) == 10
        assert comparison.kernels.exact
        assert comparison.calls.exact
        assert comparison.unexplained == []
    assert check.complete(answer)
