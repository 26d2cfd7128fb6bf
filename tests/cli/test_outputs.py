"""What the command prints and where it writes."""

from __future__ import annotations

import json
from pathlib import Path

from opened_libraries import SMALL_LIBRARY, Extract

INTERFACES = ("fill", "map", "reduce", "scale", "sort")


def test_one_interface_writes_what_the_whole_library_writes(
    in_shared_cache: Path, extract: Extract, tmp_path: Path, undisturbed: dict[str, bytes]
) -> None:
    chosen = [word for name in INTERFACES for word in ("-i", name)]
    assert extract(SMALL_LIBRARY, *chosen, "--out", tmp_path, "-q").returncode == 0
    for name in INTERFACES:
        for file in ("scope.json", "callgraph.json"):
            written = (tmp_path / "pond" / name / file).read_bytes()
            assert written == undisturbed[f"pond/{name}/{file}"]


def test_without_a_folder_the_output_goes_below_this_one(
    in_shared_cache: Path, extract: Extract, tmp_path: Path
) -> None:
    assert extract(SMALL_LIBRARY, "-i", "map", "-q").returncode == 0
    written = sorted(p.relative_to(tmp_path / "work") for p in (tmp_path / "work").rglob("*.json"))
    assert [str(path) for path in written] == [
        "out/pond/map/callgraph.json",
        "out/pond/map/scope.json",
    ]


def test_the_table_of_an_interface(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "-i", "reduce")
    assert done.returncode == 0
    words = " ".join(done.stdout.split())
    for part in (
        "pond 1.2.3 reduce configurations: plain, fast",
        "entry points 2: pond_dreduce, pond_sreduce",
        "host functions 1",
        "launchers 2",
        "kernels 2 live, 0 dead",
        "atomic_kernel 2 instantiations src/fast/reduce_fast.hip:5",
        "partial_kernel 4 instantiations src/reduce/reduce_kernels.hip:11",
        "unresolved 0",
        "written out/pond/reduce/scope.json, out/pond/reduce/callgraph.json",
    ):
        assert part in words


def test_the_table_says_what_rules_left_out(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "-i", "scale")
    words = " ".join(done.stdout.split())
    assert "left out 1 by pond::detail::trace_* (tracing of calls)" in words
    assert "left out 1 by src/log.hpp (logging; launches no kernel of the routine)" in words
    assert "check_kernel 2 instantiations, infrastructure src/check.hpp:7" in words


def test_the_answer_as_json(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "-i", "sort", "-i", "map", "--json")
    assert done.returncode == 0
    sort, mapped = json.loads(done.stdout)
    assert sort["interface"] == "sort"
    assert sort["boundaries"] == [{"name": "vendor::sort", "library": "vendor", "callers": 1}]
    assert sort["functions"] == {
        "entry_point": 1,
        "host": 0,
        "launcher": 0,
        "kernel": 0,
        "device": 0,
    }
    assert [kernel["name"] for kernel in mapped["kernels"]] == ["map_kernel"]
    assert mapped["files"] == ["out/pond/map/scope.json", "out/pond/map/callgraph.json"]


def test_quiet_says_nothing(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "--all", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_verbose_says_what_was_indexed(quick_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "-i", "map", "--config", "plain", "--verbose")
    assert done.returncode == 0
    assert done.stderr.count("units indexed in") == 2
    again = extract(SMALL_LIBRARY, "-i", "map", "--config", "plain", "--verbose")
    assert "units indexed in" not in again.stderr


def test_the_whole_library_in_figures(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "--all", "--json")
    total = json.loads(done.stdout)
    assert total["interfaces"] == 6
    assert total["configs"]["plain"] == {
        "entry_points": 10,
        "pairs": 10,
        "dead_pairs": 0,
        "unresolved": 0,
        "kernels": 6,
        "divergent": 0,
    }
    assert total["configs"]["fast"]["kernels"] == 7
    assert total["failed_units"] == []


def test_every_format_is_written(in_shared_cache: Path, extract: Extract, tmp_path: Path) -> None:
    formats = "html,json,dot,svg,graphml,mermaid"
    done = extract(SMALL_LIBRARY, "-i", "map", "--format", formats, "--out", tmp_path, "-q")
    assert (done.returncode, done.stderr) == (0, "")
    suffixes = {path.suffix for path in (tmp_path / "pond" / "map").iterdir()}
    assert suffixes >= {".html", ".json", ".dot", ".svg", ".graphml"}


def test_a_kernel_and_who_reaches_it(in_shared_cache: Path, extract: Extract) -> None:
    done = extract(SMALL_LIBRARY, "--kernel", "partial_kernel", "--config", "plain")
    assert done.returncode == 0
    assert "partial_kernel is reached by 2 entry points of pond" in done.stdout
    assert "[plain] pond_dreduce" in done.stdout
    assert "└ pond::reduce (src/reduce/reduce_kernels.hip:29)" in done.stdout
