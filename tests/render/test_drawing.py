from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

from extractor.records import Scope
from extractor.render import render
from extractor.render.drawing import KINDS, draw, keys_of
from extractor.render.folding import fold_edges, folds
from render.synthetic import synthetic_scope


def test_synthetic_scopes_are_scopes(hostile_scope: dict[str, Any]) -> None:
    assert Scope.model_validate(hostile_scope).interface == "gemv"


def test_a_scope_and_its_json_are_drawn_alike(scope: dict[str, Any], tmp_path: Path) -> None:
    [first] = render(scope, ["graphml"], tmp_path / "json")
    [second] = render(Scope.model_validate(scope), ["graphml"], tmp_path / "record")
    assert first.read_bytes() == second.read_bytes()


def test_definitions_are_nodes_and_edges_count_instantiations(scope: dict[str, Any]) -> None:
    drawing = draw(scope)
    assert sum(d.kind not in ("excluded",) for d in drawing.definitions) == len(scope["functions"])
    pairs = {
        (e["caller"], e.get("callee") or e["kernel"], "kernel" in e, e.get("kind"))
        for e in [*scope["calls"], *scope["launches"]]
    }
    assert sum(edge.count for edge in drawing.edges) == len(pairs)
    assert {edge.kind for edge in drawing.edges} <= {"call", "launch", "reference"}


def test_the_order_of_the_scope_does_not_matter(scope: dict[str, Any]) -> None:
    shuffled = copy.deepcopy(scope)
    mixer = random.Random(7)
    for name in ("functions", "calls", "launches", "excluded", "boundaries"):
        mixer.shuffle(shuffled[name])
    first, second = draw(scope), draw(shuffled)
    assert (first.definitions, first.sites, first.edges, first.links) == (
        second.definitions,
        second.sites,
        second.edges,
        second.links,
    )


def test_an_edge_is_dead_only_when_all_of_it_is() -> None:
    scope = synthetic_scope(40)
    launch = next(item for item in scope["launches"] if not item["dead"])
    twin = launch | {"dead": True, "dead_reason": "condition is false"}
    drawing = draw(scope | {"launches": [*scope["launches"], twin]})
    site = next(s for s in drawing.sites if s.reason == "condition is false")
    edge = next(
        e
        for e in drawing.edges
        if (e.caller, e.callee, e.kind) == (site.caller, site.callee, "launch")
    )
    assert not edge.dead
    assert len(edge.sites) >= 2


def test_boundaries_without_a_function_become_nodes() -> None:
    scope = synthetic_scope(40)
    caller = scope["functions"][0]["instantiations"][0]["id"]
    boundary = {"name": "hipblasLtMatmul", "library": "hipBLASLt", "callers": [caller]}
    drawing = draw(scope | {"boundaries": [*scope["boundaries"], boundary]})
    index = next(i for i, d in enumerate(drawing.definitions) if d.name == "hipblasLtMatmul")
    assert drawing.definitions[index].note == "hipBLASLt"
    assert [e.kind for e in drawing.edges if e.callee == index] == ["call"]


def test_excluded_rules_become_nodes_without_edges(scope: dict[str, Any]) -> None:
    drawing = draw(scope)
    rules = {i: d for i, d in enumerate(drawing.definitions) if d.kind == "excluded"}
    assert {d.name: d.count for d in rules.values()} == {
        rule["rule"]: rule["count"] for rule in scope["excluded"]
    }
    assert not [e for e in drawing.edges if e.caller in rules or e.callee in rules]


def test_keys_are_unique_and_plain_where_names_are() -> None:
    scope = synthetic_scope(60)
    scope["functions"][1]["name"] = scope["functions"][2]["name"]
    keys = keys_of(scope)
    assert len(set(keys.values())) == len(keys)
    assert keys[scope["functions"][3]["id"]] == scope["functions"][3]["name"]
    assert keys[scope["functions"][1]["id"]].startswith(scope["functions"][2]["name"] + "~")


def test_folds_hold_every_definition_once_by_kind_and_file(scope: dict[str, Any]) -> None:
    drawing = draw(scope)
    groups = folds(drawing)
    members = [member for fold in groups for member in fold.members]
    assert sorted(members) == list(range(len(drawing.definitions)))
    assert [KINDS.index(fold.kind) for fold in groups] == sorted(
        KINDS.index(fold.kind) for fold in groups
    )
    inside = sum(e.count for e in fold_edges(drawing, groups))
    assert 0 < inside <= sum(e.count for e in drawing.edges)
