"""Index maps compared with recorded accesses."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kernels.facts_check.comparison import Comparison
from kernels.facts_check.expression import Unsupported, compiled
from kernels.facts_check.recording import Access, Launch

FUNCTION = {
    "id": "a.hip:1:k",
    "kind": "kernel",
    "text": "template <int NB, typename T>\n__global__ void k(T* a, int n)",
    "signature": "template <int NB, typename T> __global__ void k(T* a, int n)",
    "instantiations": [{"symbol": "_Z1kILi64EfEvPT0_i"}],
}


def fact(index: str, **symbols: dict[str, Any]) -> dict[str, Any]:
    return {
        "fact": "global_access",
        "function": "a.hip:1:k",
        "subject": "a.hip:5:3",
        "instantiation": None,
        "value": {
            "buffer": "a",
            "access": "store",
            "index": index,
            "symbols": symbols,
            "element": "T",
            "vector_bytes": "sizeof(T)",
        },
    }


def run(given: dict[str, Any], *indices: int) -> Comparison:
    comparison = Comparison([given], [FUNCTION], "/tree")
    launch = Launch(
        "_Z1kILi64EfEvPT0_i", (2, 1, 1), (64, 1, 1),
        [(0x1000).to_bytes(8, "little"), (10).to_bytes(4, "little")],
    )  # fmt: skip
    for index in indices:
        access = Access(0, 16, 0x1000 + 4 * index, 4, "w", (1, 0, 0), (3, 0, 0))
        launch.accesses.append(access)
    comparison.add(launch, {(0, 16): (("/tree/src/../a.hip", 5),)})
    return comparison


def test_an_access_where_the_fact_says_is_agreement() -> None:
    result = run(fact("NB*blockIdx.x + threadIdx.x"), 67).result
    assert (result.right, result.contradicted) == (1, {})


def test_an_access_elsewhere_contradicts_the_fact() -> None:
    result = run(fact("NB*blockIdx.x + 2*threadIdx.x"), 67).result
    assert result.right == 0
    assert len(result.contradicted) == 1


def test_loops_allow_every_value_within_their_bound() -> None:
    loop = {"kind": "loop variable", "start": "threadIdx.x", "step": "NB", "bound": "< n*30"}
    assert run(fact("i", i=loop), 3, 67, 131).result.right == 1
    assert run(fact("i", i=loop), 3, 68).result.right == 0
    assert run(fact("i", i=loop), 3 + 64 * 5).result.right == 0


def test_what_depends_on_memory_is_not_compared() -> None:
    result = run(fact("p[blockIdx.x]"), 1).result
    assert result.right == 0
    assert not result.contradicted
    assert len(result.incomparable) == 1


def test_expressions_are_evaluated_as_c_does() -> None:
    chooser = random.Random(3)
    for _ in range(100):
        a, b = chooser.randint(-50, 50), chooser.randint(1, 9)
        quotient = int(a / b)
        scope = {"a": a, "threadIdx.x": b}
        text = "select((a < 0), (a / threadIdx.x), -(-a / threadIdx.x)) + (a % threadIdx.x)"
        assert compiled(text)(scope) == quotient + (a - quotient * b)
    with pytest.raises(Unsupported):
        compiled("f(3)")


def test_an_access_without_a_fact_is_counted_with_the_reason() -> None:
    other = {**fact("threadIdx.x"), "subject": "a.hip:9:3"}
    assert run(other, 3).result.unexplained == {"no fact of the line": {("a.hip", 5): 1}}
    foreign = {**fact("threadIdx.x"), "instantiation": "_Z1kILi64EPfEvPT0_i"}
    reasons = run(foreign, 3).result.unexplained
    assert list(reasons) == ["only of instantiations of other shapes"]
    null = {**fact("threadIdx.x"), "value": None, "reason": "a lambda"}
    assert list(run(null, 3).result.unexplained) == ["not proved: a lambda"]


def test_a_member_lies_within_what_the_index_counts() -> None:
    given = fact("0")
    given["value"] |= {"vector_bytes": 1, "index_unit_bytes": 3, "member": "has_NaN"}
    comparison = Comparison([given], [FUNCTION], "/tree")
    launch = Launch(
        "_Z1kILi64EfEvPT0_i", (1, 1, 1), (64, 1, 1),
        [(0x1000).to_bytes(8, "little"), (10).to_bytes(4, "little")],
    )  # fmt: skip
    for offset in (1, 2):
        launch.accesses.append(Access(0, 16, 0x1000 + offset, 1, "w", (0, 0, 0), (0, 0, 0)))
    comparison.add(launch, {(0, 16): (("/tree/a.hip", 5),)})
    assert (comparison.result.right, comparison.result.contradicted) == (1, {})
    launch.accesses[:] = [Access(0, 16, 0x1003, 1, "w", (0, 0, 0), (0, 0, 0))]
    comparison.add(launch, {(0, 16): (("/tree/a.hip", 5),)})
    assert comparison.result.contradicted


OPEN_VALUES = {
    # An index with an open value, the kind of it, and an index that some value of it leads to.
    "p[blockIdx.x]*500 + threadIdx.x": ("p[blockIdx.x]", "loaded", 7 * 500 + 3),
    "k@12*500 + threadIdx.x + n": ("k@12", "loop-carried", 20 * 500 + 13),
    "select(c@4, n, 200) + threadIdx.x": ("c@4", "condition", 203),
}


@pytest.mark.parametrize("index", OPEN_VALUES)
def test_an_open_value_is_tried_and_counted_apart(index: str) -> None:
    name, kind, right = OPEN_VALUES[index]
    given = fact(index, **{name: {"kind": kind}, "n": {"kind": "parameter"}})
    result = run(given, right).result
    assert (result.fitting, result.agreed, result.contradicted) == ({0: 1}, {}, {})
    # No value leads there; one that was not tried might.
    result = run(given, right + 1).result
    assert (result.fitting, result.agreed, result.contradicted) == ({}, {}, {})
    assert result.incomparable


def test_an_open_value_that_leads_anywhere_shows_nothing() -> None:
    given = fact("p[n] + threadIdx.x", **{"p[n]": {"kind": "loaded"}, "n": {"kind": "parameter"}})
    result = run(given, 20).result
    assert (result.fitting, result.agreed, result.contradicted) == ({}, {}, {})
    assert "almost anywhere" in result.incomparable[0]


def test_a_buffer_may_be_chosen_or_be_a_member_of_what_is_passed() -> None:
    chosen = fact("threadIdx.x")
    chosen["value"]["buffer"] = "select((n < 3), b, a)"
    assert run(chosen, 3).result.agreed == {0: 1}
    member = fact("threadIdx.x")
    member["value"]["buffer"] = "a.ptr"
    assert run(member, 3).result.agreed == {0: 1}
    assert run(member, 4).result.contradicted


def _loaded(
    indices: dict[str, str],
    *places: tuple[int, int, int],
    symbols: dict[str, dict[str, Any]] | None = None,
) -> Comparison:
    """Loads of one line with these indices by buffer; block, thread and address of accesses."""
    rows = []
    for number, (index, buffer) in enumerate(indices.items()):
        row = fact(index)
        row["subject"] = f"a.hip:5:{number}"
        open_ones = {name: one for name, one in (symbols or {}).items() if name in index}
        row["value"].update(buffer=buffer, access="load", symbols=open_ones)
        rows.append(row)
    function = {**FUNCTION, "signature": "void k(T* a, int n, T* b)"}
    comparison = Comparison(rows, [function], "/tree")
    arguments = [(v).to_bytes(size, "little") for v, size in ((0x1000, 8), (10, 4), (0x9000, 8))]
    launch = Launch("_Z1kILi64EfEvPT0_i", (2, 1, 1), (64, 1, 1), arguments)
    for block, thread, address in places:
        launch.accesses.append(Access(0, 16, address, 4, "r", (block, 0, 0), (thread, 0, 0)))
    comparison.add(launch, {(0, 16): (("/tree/a.hip", 5),)})
    return comparison


def test_a_loaded_pointer_is_bound_by_its_own_accesses_alone() -> None:
    facts = {"threadIdx.x": "a[n]", "5": "b"}
    own, told = (0, 3, 0x9000 + 4 * 5), (0, 3, 0x5000 + 4 * 3)
    # What has a place of its own on the same line; then what tells where the pointer points.
    assert _loaded(facts, own, told).result.agreed == {1: 1}
    assert _loaded(facts, own, told, (0, 7, 0x5000 + 4 * 7)).result.agreed == {0: 1, 1: 1}
    assert set(_loaded(facts, own, told, (0, 7, 0x5000 + 4 * 8)).result.contradicted) == {0, 1}


def test_one_loaded_pointer_of_several_accesses_is_not_bound_to_the_first_of_them() -> None:
    facts = {"2*threadIdx.x": "a[n]", "3*threadIdx.x": "a[n]"}
    places = [(0, 5, 0x5000 + 4 * 15), (0, 6, 0x5000 + 4 * 12), (0, 7, 0x5000 + 4 * 21)]
    result = _loaded(facts, *places).result
    assert (set(result.agreed), result.contradicted) == ({0, 1}, {})
    assert _loaded(facts, *places, (0, 8, 0x5000)).result.contradicted


def test_pointers_of_other_blocks_have_places_of_their_own() -> None:
    facts = {"threadIdx.x": "a[blockIdx.x]", "2*threadIdx.x": "b"}
    places = [
        (block, thread, start + 4 * thread)
        for block, start in ((0, 0x5000), (1, 0x7000))
        for thread in (3, 4)
    ]
    result = _loaded(facts, *places).result
    assert (result.agreed, result.contradicted) == ({0: 2}, {})
    # Of two pointers that nothing has shown yet, an access tells nothing.
    several = {"threadIdx.x": "a[blockIdx.x]", "2*threadIdx.x": "b[blockIdx.x]"}
    result = _loaded(several, *places).result
    assert (result.agreed, result.contradicted) == ({}, {})
    assert set(result.incomparable.values()) == {"several pointers that were loaded"}


def test_an_open_value_behind_a_loaded_pointer_neither_binds_it_nor_is_blamed() -> None:
    places = [(0, thread, 0x5000 + 4 * thread) for thread in (3, 4, 5)]
    elsewhere = (0, 6, 0x5000 + 4 * 100_000)
    rows = {"threadIdx.x": "a[n]", "p[n]*500 + threadIdx.x": "a[n]"}
    symbols = {"p[n]": {"kind": "loaded"}}
    result = _loaded(rows, *places, elsewhere, symbols=symbols).result
    assert not result.contradicted
    assert set(result.agreed) <= {0}
    alone = _loaded({"p[n]*500 + threadIdx.x": "a[n]"}, *places, symbols=symbols).result
    assert (alone.agreed, alone.fitting, alone.contradicted) == ({}, {}, {})


@pytest.mark.parametrize(
    ("null", "seen", "blamed"),
    [
        (5, 5, False),  # on the line of the fact
        (4, 4, False),  # where the access was seen, next to the fact's line
        (6, 5, True),  # further from it than the fact
        (9, 5, True),
    ],
)
def test_an_access_that_another_without_a_map_may_have_made_blames_none(
    null: int, seen: int, blamed: bool
) -> None:
    other = {**fact("0"), "value": None, "reason": "it is loaded", "subject": f"a.hip:{null}:1"}
    comparison = Comparison([fact("threadIdx.x"), other], [FUNCTION], "/tree")
    launch = Launch(
        "_Z1kILi64EfEvPT0_i", (2, 1, 1), (64, 1, 1),
        [(0x1000).to_bytes(8, "little"), (10).to_bytes(4, "little")],
    )  # fmt: skip
    launch.accesses.append(Access(0, 16, 0x1000 + 4 * 9, 4, "w", (0, 0, 0), (3, 0, 0)))
    comparison.add(launch, {(0, 16): (("/tree/a.hip", seen),)})
    assert bool(comparison.result.contradicted) == blamed
    assert bool(comparison.result.incomparable) != blamed
