"""What is written keeps its promises: schemas, spans, identities, graphs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest
from opened_libraries import CONSTRUCTS, SMALL_LIBRARY, Extract

from extractor.records import SCOPE_SCHEMA, EntryLine, Scope

from .json_schema import faults

Written = tuple[Path, dict[str, dict[str, Any]], dict[str, dict[str, Any]], list[dict[str, Any]]]


@pytest.fixture(
    scope="module", params=[SMALL_LIBRARY, CONSTRUCTS], ids=["small library", "constructs"]
)
def written(
    request: pytest.FixtureRequest, shared_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Written:
    """Tree, scopes, call graphs and lines that a run over a whole library writes."""
    rules: Path = request.param
    out = tmp_path_factory.mktemp("out")
    command = [sys.executable, "-m", "extractor.cli", str(rules), "--all", "--quiet"]
    command += ["--out", str(out), "--kernels", str(out / "kernels.jsonl")]
    environment = {**os.environ, "ROCQUARRY_CACHE": str(shared_cache)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.stdout, done.stderr) == ("", "")
    folders = sorted(path.parent for path in out.glob("*/*/scope.json"))
    scopes = {f.name: json.loads((f / "scope.json").read_text()) for f in folders}
    graphs = {f.name: json.loads((f / "callgraph.json").read_text()) for f in folders}
    lines = [json.loads(line) for line in (out / "kernels.jsonl").read_text().splitlines()]
    return rules.parent, scopes, graphs, lines


def spans(value: Any) -> Iterator[dict[str, Any]]:
    """Every span below a value."""
    if isinstance(value, dict):
        if "sha256" in value:
            yield value
        for part in value.values():
            yield from spans(part)
    elif isinstance(value, list):
        for part in value:
            yield from spans(part)


def ids(scope: dict[str, Any]) -> set[str]:
    return {i["id"] for f in scope["functions"] for i in f["instantiations"]}


def test_scopes_and_lines_follow_the_published_schemas(written: Written, extract: Extract) -> None:
    done = extract("--schema")
    assert done.returncode == 0
    schemas = json.loads(done.stdout)
    _, scopes, _, lines = written
    for name, scope in scopes.items():
        assert faults(scope, schemas["scope"], schemas["scope"], name) == []
        assert scope["schema"] == SCOPE_SCHEMA
    for line in lines:
        assert faults(line, schemas["kernels"], schemas["kernels"], line["entry"]) == []


def test_the_schemas_refuse_what_is_no_scope(written: Written, extract: Extract) -> None:
    schema = json.loads(extract("--schema").stdout)["scope"]
    scope = next(iter(written[1].values()))
    for change in (
        {"functions": None},
        {"more": 1},
        {"entry_points": [1]},
        {"per_entry": {"a": {"b": "c"}}},
    ):
        assert faults({**scope, **change}, schema, schema) != []
    without = {name: part for name, part in scope.items() if name != "source"}
    assert faults(without, schema, schema) == [": lacks source"]


def test_records_survive_a_round_trip(written: Written) -> None:
    _, scopes, _, lines = written
    for scope in scopes.values():
        text = json.dumps(scope, ensure_ascii=False, separators=(",", ":"))
        assert Scope.model_validate_json(text).model_dump_json(by_alias=True) == text
    for line in lines:
        text = json.dumps(line, separators=(",", ":"))
        assert EntryLine.model_validate_json(text).model_dump_json() == text


def test_every_span_is_the_bytes_it_hashes(written: Written) -> None:
    root, scopes, _, _ = written
    seen = 0
    for scope in scopes.values():
        for span in spans(scope):
            raw = (root / span["file"]).read_bytes().split(b"\n")
            lines = [line + b"\n" for line in raw[:-1]] + [raw[-1]]
            chosen = b"".join(lines[span["start_line"] - 1 : span["end_line"]])
            assert span["sha256"] == hashlib.sha256(chosen).hexdigest()
            assert 1 <= span["start_line"] <= span["end_line"] <= len(lines)
            seen += 1
    assert seen > 50


def test_every_function_carries_its_exact_text(written: Written) -> None:
    root, scopes, _, _ = written
    for scope in scopes.values():
        for function in scope["functions"]:
            span = function["span"]
            lines = (root / span["file"]).read_text().splitlines(keepends=True)
            assert function["text"] == "".join(lines[span["start_line"] - 1 : span["end_line"]])
            assert function["id"].startswith(f"{span['file']}:{span['start_line']}:")
            assert function["id"].endswith(function["qualified_name"])
            assert function["qualified_name"].endswith(function["name"])


def test_a_signature_stands_in_the_text(written: Written) -> None:
    for scope in written[1].values():
        for function in scope["functions"]:
            # Of what a macro writes, or the compiler, the text holds no head.
            if "AXIS" not in function["text"] and function["name"] in function["signature"]:
                folded = re.sub(r"\s+", " ", function["text"])
                assert function["signature"].rstrip() in folded


def test_every_id_that_is_used_exists(written: Written) -> None:
    for scope in written[1].values():
        known = ids(scope)
        assert sum(len(f["instantiations"]) for f in scope["functions"]) == len(known)
        for call in scope["calls"]:
            assert {call["caller"], call["callee"]} <= known
        kernels = {
            i["id"]
            for f in scope["functions"]
            if f["kind"] == "kernel"
            for i in f["instantiations"]
        }
        for launch in scope["launches"]:
            assert launch["caller"] in known
            assert launch["kernel"] in kernels
        for rows in scope["per_entry"].values():
            for reached in rows.values():
                assert set(reached) <= kernels
                assert list(reached) == sorted(set(reached))
        for boundary in scope["boundaries"]:
            assert set(boundary["callers"]) <= known
        assert sorted(scope["per_entry"]) == scope["entry_points"]


def test_reasons_stand_where_something_is_dead_and_nowhere_else(written: Written) -> None:
    for scope in written[1].values():
        for use in [*scope["calls"], *scope["launches"]]:
            assert use["dead"] is (use["dead_reason"] is not None)


def test_every_function_is_reached_from_an_entry_point(written: Written) -> None:
    for name, scope in written[1].items():
        graph = networkx.DiGraph()
        graph.add_nodes_from(ids(scope))
        graph.add_edges_from((call["caller"], call["callee"]) for call in scope["calls"])
        graph.add_edges_from((one["caller"], one["kernel"]) for one in scope["launches"])
        entries = {
            i["id"]
            for f in scope["functions"]
            if f["kind"] == "entry_point"
            for i in f["instantiations"]
        }
        reached = set(entries)
        for entry in entries:
            reached |= networkx.descendants(graph, entry)
        assert ids(scope) - reached == set(), name


def test_kernels_of_an_entry_point_are_those_that_live_steps_reach(written: Written) -> None:
    for scope in written[1].values():
        for config in scope["configs"]:
            graph = networkx.DiGraph()
            uses = [(call, call["callee"]) for call in scope["calls"]]
            uses += [(launch, launch["kernel"]) for launch in scope["launches"]]
            graph.add_edges_from(
                (use["caller"], target)
                for use, target in uses
                if not use["dead"] and config in use["configs"]
            )
            kernels = {
                i["id"]
                for f in scope["functions"]
                if f["kind"] == "kernel"
                for i in f["instantiations"]
            }
            for entry, rows in scope["per_entry"].items():
                below = networkx.descendants(graph, entry) if entry in graph else set()
                assert set(rows[config]) == below & kernels


def test_lines_say_what_the_scopes_say(written: Written) -> None:
    _, scopes, _, lines = written
    by_entry = {e: s for s in scopes.values() for e in s["entry_points"]}
    assert {line["entry"] for line in lines} == set(by_entry)
    for line in lines:
        scope = by_entry[line["entry"]]
        owners = {i["id"]: (f, i) for f in scope["functions"] for i in f["instantiations"]}
        live: dict[tuple[str, str], set[str]] = {}
        for one in scope["per_entry"][line["entry"]][line["config"]]:
            function, instantiation = owners[one]
            key = (function["name"], function["span"]["file"])
            live.setdefault(key, set()).add(instantiation["symbol"])
        said = {
            (k["name"], k["file"]): k["instantiations"] for k in line["kernels"] if not k["dead"]
        }
        assert said == {key: len(symbols) for key, symbols in live.items()}


def test_the_call_graph_loads_in_networkx(written: Written) -> None:
    _, scopes, graphs, _ = written
    for name, data in graphs.items():
        graph = networkx.node_link_graph(data, edges="links")
        scope = scopes[name]
        assert graph.is_directed()
        assert graph.is_multigraph()
        boundaries = {f"boundary:{b['name']}" for b in scope["boundaries"]}
        assert set(graph.nodes) == ids(scope) | boundaries
        ends = sum(len(b["callers"]) for b in scope["boundaries"])
        assert graph.number_of_edges() == len(scope["calls"]) + len(scope["launches"]) + ends
        assert graph.graph["project"] == scope["project"]
        assert graph.graph["source"] == scope["source"]
        kinds = networkx.get_node_attributes(graph, "kind")
        assert {kinds[b] for b in boundaries} <= {"boundary"}


def test_no_record_holds_a_path_of_this_machine(written: Written, shared_cache: Path) -> None:
    root, scopes, graphs, lines = written
    text = json.dumps([scopes, graphs, lines])
    for path in (root, shared_cache, Path.home()):
        assert str(path) not in text
