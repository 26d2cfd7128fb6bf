"""Names that several functions share, and functions whose name stands in several places."""

from __future__ import annotations

from opened_libraries import Library


def test_kernels_of_one_name_in_several_files(constructs: Library) -> None:
    scope = constructs.scope("c_twins_both")
    assert scope.kernels("c_twins_both") == {
        "twin_kernel@left.cpp",
        "twin_kernel@right.cpp",
        "k@left.cpp",
        "k@right.cpp",
    }
    assert scope.kernels("c_twins_both") == {launch.kernel for launch in scope.launches()}
    assert scope.calls("c_twins_left") == {"twin_helper@left.cpp"}
    assert scope.calls("c_twins_right") == {"twin_helper@right.cpp"}


def test_each_entry_point_has_its_own_files_kernel(constructs: Library) -> None:
    left, right = constructs.scope("c_twins_left"), constructs.scope("c_twins_right")
    assert left.function("twin_kernel")["span"]["file"] == "src/twins/left.cpp"
    assert right.function("twin_kernel")["span"]["file"] == "src/twins/right.cpp"


def test_short_names_in_unnamed_namespaces(constructs: Library) -> None:
    scope = constructs.scope("c_unnamed")
    assert scope.kernels("c_unnamed") == {"k<int>", "k<float>", "a"}
    assert scope.function("k")["qualified_name"] == "(anonymous)::k"
    assert scope.function("a")["qualified_name"] == "(anonymous)::deeper::a"
    symbols = [i["symbol"] for i in scope.function("k")["instantiations"]]
    assert sorted(symbols) == ["_ZN12_GLOBAL__N_11kIfEEvPT_", "_ZN12_GLOBAL__N_11kIiEEvPT_"]


def test_kernels_named_like_helpers(constructs: Library) -> None:
    scope = constructs.scope("c_named_like_helpers")
    assert scope.kernels("c_named_like_helpers") == {"shift<int>", "grid"}
    shifts = {f["kind"]: f for f in scope.scope["functions"] if f["name"] == "shift"}
    assert sorted(shifts) == ["kernel", "launcher"]
    assert scope.calls("c_named_like_helpers") == {"shift<int>", "block"}
    assert scope.configuration("grid") == ("block", "::block(n)", "0", "0")


def test_equal_internal_functions_of_a_header_are_one(constructs: Library) -> None:
    scope = constructs.scope("c_static_both")
    assert len(scope.function("equal_kernel")["instantiations"]) == 1
    assert len(scope.function("equal_helper")["instantiations"]) == 1


def test_internal_functions_that_differ_by_unit_stay_apart(constructs: Library) -> None:
    one, two = constructs.scope("c_static_one"), constructs.scope("c_static_two")
    assert one.kernels("c_static_one") == {"equal_kernel", "first_choice"}
    assert two.kernels("c_static_two") == {"equal_kernel", "second_choice"}
    both = constructs.scope("c_static_both")
    assert both.kernels("c_static_both") == {"equal_kernel", "first_choice", "second_choice"}
    # Of equal text, but what it calls differs.
    assert len(both.function("indirectly_different")["instantiations"]) == 2
    assert len(both.function("different_helper")["instantiations"]) == 2


def test_one_file_under_several_spellings(constructs: Library) -> None:
    scope = constructs.scope("c_path_crooked")
    files = {f["name"]: f["span"]["file"] for f in scope.scope["functions"]}
    assert files["path_kernel"] == files["path_helper"] == "src/paths/b/inner.hpp"
    assert len(scope.function("path_kernel")["instantiations"]) == 1
    assert scope.calls("c_path_crooked") == {"path_helper", "c_path_straight"}


def test_friends_using_declarations_and_aliases(constructs: Library) -> None:
    scope = constructs.scope("c_names")
    assert scope.kernels("c_names") == {"callable_kernel<50>", "callable_kernel<51>"}
    assert scope.calls("c_names") == {"open", "tool"}


def test_names_found_by_their_arguments(constructs: Library) -> None:
    scope = constructs.scope("c_operators_lookup")
    assert scope.calls("c_operators_lookup") == {"norm", "operator,", 'operator""_steps'}
