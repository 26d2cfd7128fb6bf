"""Kernels that run alone to be held against their facts: launches, and what is kept of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractor.facts.device import facts_of
from extractor.project import Project
from kernels.facts_check.alone import Run, instantiations, kernel_of, observed
from kernels.facts_check.comparison import Agreement, Comparison
from kernels.facts_check.observation import Observation, block_shapes
from kernels.facts_check.parameters import Parameter, launches
from kernels.facts_check.recording import Access, Launch, build_recorder
from kernels.facts_check.telling import telling
from kernels.facts_check.verdicts import judged
from kernels.slice.choice import Launchable, launchable_kernels

RULES = Path(__file__).parent / "slice" / "library" / "rules.toml"

PARAMETERS = [
    Parameter("n", "int", 4, 4),
    Parameter("A", "buffer", 8, 8),
    Parameter("lda", "int", 8, 8),
    Parameter("strideA", "int", 8, 8),
    Parameter("ipiv", "table", 8, 8, "int"),
    Parameter("uplo", "enum", 4, 4, choices=(121, 122)),
    Parameter("alpha", "float", 8, 8),
    Parameter("beta", "other", 16, 8),
]


def test_launches_have_arguments_of_all_kinds() -> None:
    made = list(launches(PARAMETERS, [(64, 1, 1), (16, 16, 1)]))
    assert {one["block"] for one in made} == {(64, 1, 1), (16, 16, 1)}
    for one in made:
        n, a, lda, stride, ipiv, uplo, alpha, beta = one["arguments"]
        assert number(n) < number(lda) < number(stride)
        assert (a["fill"], a["members"]) == ("float", 0)
        assert ipiv["fill"] == "int"
        assert ipiv["members"] > 1
        assert number(uplo) in (121, 122)
        # Neither zero nor one, which would end many kernels at once.
        assert bytes.fromhex(alpha["value"]) == bytes.fromhex("000000000000f83f")
        assert "value" not in beta or len(bytes.fromhex(beta["value"])) == beta["size"] == 16
    # A class may stand for a number or for a pointer to one.
    assert {"value" in one["arguments"][7] for one in made} == {True, False}
    assert {number(one["arguments"][5]) for one in made} == {121, 122}


def number(argument: dict[str, object]) -> int:
    return int.from_bytes(bytes.fromhex(str(argument["value"])), "little", signed=True)


def test_blocks_are_those_of_the_library_then_those_that_bounds_tell() -> None:
    constants = {"DIM_X": 32, "DIM_Y": 8, "WIN": 2}
    assert block_shapes("DIM_X * DIM_Y", constants, [(64, 2, 1)]) == [(64, 2, 1)]
    assert block_shapes("DIM_X * DIM_Y", constants, ()) == [(32, 8, 1)]
    assert block_shapes("NB", {"NB": 128, "K": 4}, ()) == [(128, 1, 1)]
    assert len(block_shapes(None, {}, ())) > 1


def test_what_was_observed_is_kept_as_it_was(tmp_path: Path) -> None:
    access = Access(1, 64, 4096, 8, "w", (1, 0, 2), (3, 1, 0))
    launch = Launch("_Z1kv", (3, 2, 2), (64, 1, 1), [b"\\x01\\x00\\x00\\x00"], [access])
    seen = Observation("a.hip:1:k", "_Z1kv", ["n"], ["T"], "", {"a fault": 2}, [launch])
    seen.lines[1, 64] = (("/tree/a.hip", 5), ("/tree/b.hip", 9))
    for name in ("first", "second"):
        seen.save(tmp_path / name)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert Observation.load(tmp_path / "first") == seen


def test_kernels_that_run_alone_confirm_their_facts_and_contradict_wrong_ones(
    shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(shared_cache))
    project = Project(RULES, jobs=1)
    facts = [json.loads(fact.model_dump_json(by_alias=True)) for fact in facts_of(project)]
    chosen = instantiations(launchable_kernels(project, project.configurations()), 1)
    run = Run(str(RULES), None, tmp_path, build_recorder(tmp_path), {}, {})
    seen = [one for rows in observed(run, chosen, 1) for one in rows]
    assert len(seen) == len(chosen)
    quiet = "no access was recorded: it touches no device memory"
    assert {one.reason for one in seen} <= {"", quiet}

    def judged(rows: list[dict[str, Any]]) -> Agreement:
        comparison = Comparison(rows, [], str(project.tree.root))
        for one in seen:
            comparison.know(one.symbol, kernel_of(one))
            for launch in one.launches:
                comparison.add(launch, one.lines)
        return comparison.result

    right = judged(facts)
    assert right.right > 1
    assert not right.contradicted
    for fact in facts:
        if fact["fact"] == "global_access" and fact["value"]:
            fact["value"]["index"] += " + 1"
    wrong = judged(facts)
    assert set(wrong.contradicted) >= set(right.agreed)
    project.store.close()


def test_every_stated_map_has_a_verdict_the_worst_of_its_facts() -> None:
    def fact(line: int, index: str, symbol: str | None, **symbols: Any) -> dict[str, Any]:
        return {
            "fact": "global_access", "function": "a.hip:1:k", "subject": f"a.hip:{line}:3",
            "instantiation": symbol, "reason": None,
            "value": {"buffer": "a", "access": "store", "index": index, "symbols": symbols,
                      "element": "T", "vector_bytes": "sizeof(T)"},
        }  # fmt: skip

    run, other, table = "_Z1kIfEvPT_", "_Z1kIdEvPT_", "_Z1kIPfEvPT_"
    facts = [
        fact(5, "threadIdx.x", None),
        fact(16, "2*threadIdx.x", None),
        fact(27, "p[1]*100 + threadIdx.x", None, **{"p[1]": {"kind": "loaded"}}),
        fact(38, "threadIdx.x", None),
        fact(5, "threadIdx.y", table),
    ]
    launch = Launch(run, (1, 1, 1), (64, 1, 1), [(0x1000).to_bytes(8, "little")])
    lines = {}
    for line, index in ((5, 3), (16, 3), (27, 203)):
        launch.accesses.append(Access(0, line, 0x1000 + 4 * index, 4, "w", (0, 0, 0), (3, 0, 0)))
        lines[0, line] = (("/tree/a.hip", line),)
    alone = Observation("a.hip:1:k", other, ["a"], ["T"], "it does not build")
    called = Observation("lib_call", "", launches=[launch], lines=lines)
    kernels = [Launchable("a.hip:1:k", "k", "k", dict.fromkeys((run, table), ("c", "u")), ("c",))]
    found = judged(facts, [alone, called], kernels, "/tree")
    maps = found["index_maps"]
    assert (maps["stated"], maps["confirmed"], maps["contradicted"]) == (5, 1, 1)
    assert maps["agree_for_some_open_value"] == 1
    assert maps["not_judged"] == {
        "no run came to it": 1, "it holds for instantiations that were not run": 1,
    }  # fmt: skip
    assert (found["kernels"]["run"], found["kernels"]["instantiations_run"]) == (1, 1)
    assert found["kernels"]["not_run"] == {}


def test_instantiations_that_most_maps_wait_for_are_chosen_first() -> None:
    flat, table, twice = "_Z1kIfEvPT_", "_Z1kIPfEvPT_", "_Z1kIPPfEvPT_"

    def fact(line: int, buffer: str, symbol: str | None) -> dict[str, Any]:
        value = {"buffer": buffer, "access": "load", "index": "0", "symbols": {}}
        return {
            "fact": "global_access", "function": "a.hip:1:k", "subject": f"a.hip:{line}:1",
            "instantiation": symbol, "value": value,
        }  # fmt: skip

    facts = [
        fact(1, "a", flat), fact(2, "a", None), fact(1, "a[0]", table), fact(2, "a[0]", twice),
        fact(3, "a[0]", twice), fact(1, "a[0]", twice),
    ]  # fmt: skip
    symbols = dict.fromkeys((flat, table, twice), ("c", "u"))
    kernels = [Launchable("a.hip:1:k", "k", "k", symbols, ("c",))]
    known = instantiations(kernels, 1)
    assert [one.symbol for one in known] == [flat]
    # The other table shows nothing more.
    assert [one.symbol for one in telling(facts, kernels, known, 5)] == [twice]
    assert telling(facts, kernels, known, 0) == []
    assert [one.symbol for one in telling(facts, kernels, [], 5)] == [twice, flat]
