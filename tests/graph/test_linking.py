"""Units bound to each other as the linker binds them."""

from __future__ import annotations

import pytest
from opened_libraries import Library


@pytest.mark.parametrize("entry", ["c_weak_first", "c_weak_second"])
def test_of_two_weak_bodies_the_first_in_link_order_counts(constructs: Library, entry: str) -> None:
    # The CMake file lists `second` before `first`.
    scope = constructs.scope(entry)
    assert scope.kernels(entry) == {"weak_second"}
    assert scope.function("weak_launcher")["span"]["file"] == "src/weak/second.cpp"


def test_a_symbol_with_two_bodies_is_reported(constructs: Library) -> None:
    (divergent,) = constructs.scope("c_weak_first").scope["divergent"]
    assert divergent["symbol"] == "_Z13weak_launcherIiEvPT_"
    assert divergent["units"] == ["src/weak/second.cpp", "src/weak/first.cpp"]
    assert [span["file"] for span in divergent["at"]] == divergent["units"]


def test_a_strong_body_replaces_a_weak_one_of_an_earlier_unit(constructs: Library) -> None:
    scope = constructs.scope("c_weak_and_strong")
    assert scope.kernels("c_weak_and_strong") == {"strong_kernel"}
    (divergent,) = scope.scope["divergent"]
    assert divergent["units"] == ["src/weak/strong.cpp", "src/weak/early.cpp"]


def test_a_weak_body_counts_where_no_unit_replaces_it(constructs: Library) -> None:
    scope = constructs.scope("c_weak_alone")
    assert scope.kernels("c_weak_alone") == {"default_kernel"}
    assert scope.scope["divergent"] == []


def test_equal_bodies_in_several_units_are_no_divergence(constructs: Library) -> None:
    for entry in ("c_static_both", "c_path_crooked", "c_inline_function"):
        assert constructs.scope(entry).scope["divergent"] == []


def test_a_function_that_no_unit_defines_is_unresolved(constructs: Library) -> None:
    (unresolved,) = constructs.scope("c_undefined").scope["unresolved"]
    assert unresolved["text"] == "undefined_helper(x)"
    assert unresolved["at"]["file"] == "src/boundaries.cpp"
    assert unresolved["reason"] == (
        "undefined_helper is declared in src/boundaries.cpp and no unit defines it"
    )


def test_boundaries_are_nodes_with_their_callers(constructs: Library) -> None:
    scope = constructs.scope("c_boundary", "c_boundary_runtime")
    boundaries = scope.boundaries()
    assert boundaries["outer::work"] == ("outer", {"c_boundary"})
    assert boundaries["outer::templated"] == ("outer", {"c_boundary"})
    assert boundaries["hipMemcpyAsync"] == ("HIP runtime", {"c_boundary_runtime"})
    assert boundaries["free"][1] == {"c_boundary_runtime"}
    assert scope.scope["unresolved"] == []


def test_internal_identities_do_not_depend_on_the_order_of_units(constructs: Library) -> None:
    one = constructs.scope("c_static_one").function("equal_kernel")["instantiations"]
    two = constructs.scope("c_static_two").function("equal_kernel")["instantiations"]
    assert one == two
