"""What is read and never run: operands of types, handlers of nothing, copies that are no calls."""

from __future__ import annotations

import pytest
from opened_libraries import Library

NOTHING_THROWS = "nothing in the try block can throw"


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_call_in_the_type_of_a_cast", {"never_kernel<1>"}),
        ("c_call_in_a_result_type", {"never_kernel<1>"}),
        ("c_call_in_noexcept", set()),
        ("c_nothing_to_catch", set()),
        ("c_nothing_throws", {"never_kernel<3>"}),
        ("c_something_throws", {"never_kernel<3>", "never_kernel<4>"}),
        ("c_copies", {"either_kernel", "never_kernel<6>"}),
        ("c_results", {"never_kernel<8>", "never_kernel<10>"}),
        ("c_deduced_result", {"never_kernel<11>"}),
    ],
)
def test_only_what_can_run_is_reached(constructs: Library, entry: str, kernels: set[str]) -> None:
    scope = constructs.scope(entry)
    assert scope.kernels(entry) == kernels


@pytest.mark.parametrize("entry", ["c_nothing_to_catch", "c_nothing_throws"])
def test_a_handler_of_nothing_is_dead_and_says_why(constructs: Library, entry: str) -> None:
    assert constructs.scope(entry).dead() == {f"{entry} -> fallback": NOTHING_THROWS}


def test_a_copy_of_a_union_is_no_call(constructs: Library) -> None:
    scope = constructs.scope("c_copies")
    assert not any("Either" in name and "const" in name for name in scope.names.values())


def test_a_plain_structure_of_constants_is_stored(constructs: Library) -> None:
    dead = constructs.scope("c_constant_structure").dead()
    assert set(dead.values()) == {"evaluated at compile time"}
