"""Facts of a whole library and of one interface, with their provenance."""

from __future__ import annotations

from opened_libraries import Library

from extractor.facts.code_object import facts_of as compiler_facts_of
from extractor.facts.device import facts_of
from extractor.facts.device.representatives import Definition, chosen, shape

from ..shapes import wrong_shapes


def test_facts_of_a_library_name_kernel_span_and_proof(small_library: Library) -> None:
    facts = list(facts_of(small_library.project))
    assert wrong_shapes(facts) == []
    (store,) = [
        fact
        for fact in facts
        if fact.fact == "global_access" and fact.function.endswith("fill_kernel")
    ]
    assert isinstance(store.value, dict)
    assert store.value["index"] == "blockDim.x*blockIdx.x + threadIdx.x"
    assert (store.value["class"], store.value["vector_bytes"]) == ("coalesced", "sizeof(T)")
    assert (store.proved_by, store.instantiation, store.reason) == ("ast", None, None)
    assert store.span is not None
    assert store.subject == f"{store.span.file}:{store.span.start_line}:13"
    bounds = {f.function.rpartition(":")[2]: f.value for f in facts if f.fact == "launch_bounds"}
    assert bounds["fill_kernel"] == {"max_threads": "POND_BLOCK", "min_waves": None}
    assert bounds["map_kernel"] == {"max_threads": None, "min_waves": None}


def test_an_interface_has_its_part_of_the_librarys_facts_in_the_same_bytes(
    small_library: Library,
) -> None:
    def rows(interface: str | None) -> list[str]:
        return [fact.model_dump_json() for fact in facts_of(small_library.project, interface)]

    whole, part = rows(None), rows("pond_sfill")
    assert part
    assert part == rows("pond_sfill")
    assert {row for row in part if '"global_access"' in row} <= set(whole)


def test_the_compiler_says_what_a_kernel_takes(small_library: Library) -> None:
    facts = list(compiler_facts_of(small_library.project, "pond_sfill", architectures=["gfx942"]))
    values = {fact.fact: fact.value for fact in facts}
    assert wrong_shapes(facts) == []
    assert {fact.arch for fact in facts} == {"gfx942"}
    assert {fact.proved_by for fact in facts} == {"code_object"}
    assert all(fact.instantiation and "fill_kernel" in fact.instantiation for fact in facts)
    assert values["vgpr_spills"] == values["scratch_bytes"] == values["code_object_lds_bytes"] == 0
    assert values["occupancy"] == 8
    mix = values["instruction_mix"]
    assert isinstance(mix, dict)
    assert mix["global"] == 1


def test_one_instantiation_of_each_shape_is_read_in_as_few_units_as_can_be() -> None:
    assert shape("_Z4kernILi256EfEvPT0_") == shape("_Z4kernILi64EdEvPT0_")
    assert shape("_Z4kernIPKfEvT_") != shape("_Z4kernIPKPKfEvT_")
    one = Definition("a:1:k", "k", True, "a", 1, 2)
    one.instantiations = {
        ("_Z4kernIPKdEvT_", "double.cpp"): {"source"},
        ("_Z4kernIPKfEvT_", "all.cpp"): {"source"},
        ("_Z4kernIPKdEvT_", "all.cpp"): {"source"},
        ("_Z4kernIPKPKfEvT_", "all.cpp"): {"source"},
    }
    assert chosen([one]) == {
        "a:1:k": [("_Z4kernIPKPKfEvT_", "all.cpp"), ("_Z4kernIPKfEvT_", "all.cpp")]
    }
