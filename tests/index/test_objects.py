"""Calls that building, copying and destroying objects imply."""

from __future__ import annotations

import pytest
from opened_libraries import Library


def made(constructs: Library, entry: str, kernel: str = "initial_kernel") -> list[int]:
    """Numbers of the kernels ``kernel<N>`` that an entry point launches."""
    names = constructs.scope(entry).kernels(entry)
    assert all(name.startswith(f"{kernel}<") for name in names)
    return sorted(int(name.partition("<")[2].rstrip(">")) for name in names)


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_implicit_members", [1, 2, 5]),
        ("c_implicit_base", [1, 2, 5]),
        ("c_implicit_copy", [3, 4]),
        ("c_unique_pointer", [6]),
        ("c_delegating_constructor", [7]),
        ("c_inherited_constructor", [7]),
        ("c_temporary", [1, 2]),
        ("c_array_of_members", [1, 2]),
    ],
)
def test_members_that_the_compiler_builds(
    constructs: Library, entry: str, kernels: list[int]
) -> None:
    assert made(constructs, entry, "member_numbered") == kernels


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_converted_argument", [1, 4]),
        ("c_converted_return", [1, 4]),
        ("c_copied_argument", [2, 4]),
        ("c_moved_argument", [3, 4]),
        ("c_aggregate_converted", [1, 4]),
        ("c_aggregate_copied", [2, 4]),
        ("c_aggregate_default", [1, 4, 5]),
        ("c_aggregate_empty", [6]),
        ("c_aggregate_written", [7]),
        ("c_array_of_things", [1, 4, 8]),
        ("c_initializer_list", [1, 4, 9]),
        ("c_structured_binding", [10, 11]),
        ("c_init_capture", [12]),
        ("c_captured_by_copy", [2, 4]),
        ("c_condition_variable", [13, 14, 15, 16, 17, 18]),
        ("c_array_new", [1, 4]),
        ("c_placement_new", [1, 4]),
        ("c_reference_to_temporary", [1, 4]),
        ("c_static_local_object", [1, 4, 19]),
        ("c_global_object", [1, 4, 30]),
        ("c_constructor_try_block", [1, 4, 31, 32, 33]),
        ("c_statement_expression", [34]),
    ],
)
def test_initialisers(constructs: Library, entry: str, kernels: list[int]) -> None:
    assert made(constructs, entry) == kernels


def test_a_copy_inside_an_aggregate_is_a_call_of_its_function(constructs: Library) -> None:
    scope = constructs.scope("c_aggregate_copied")
    assert {"Thing", "~Bag"} <= scope.calls("c_aggregate_copied")
    assert scope.function("Thing")["signature"] == "Thing(const Thing& other)"


def test_operators(constructs: Library) -> None:
    assert made(constructs, "c_operators_arithmetic", "operator_kernel") == [1, 2, 10, 11]
    assert made(constructs, "c_operators_access", "operator_kernel") == [3, 4, 7]
    assert made(constructs, "c_operators_conversion", "operator_kernel") == [5, 6]
    assert made(constructs, "c_operators_lookup", "operator_kernel") == [12, 13, 14]


def test_an_allocation_of_the_class(constructs: Library) -> None:
    scope = constructs.scope("c_operators_allocation")
    assert scope.kernels("c_operators_allocation") == {"operator_kernel<8>", "operator_kernel<9>"}
    assert scope.calls("c_operators_allocation") == {"operator new", "operator delete"}


def test_a_range_loop_calls_begin_and_end(constructs: Library) -> None:
    scope = constructs.scope("c_range_for")
    assert scope.kernels("c_range_for") == {"standard_kernel<6>", "standard_kernel<7>"}
    assert scope.calls("c_range_for") == {"begin", "end"}


def test_default_arguments_are_calls_of_the_caller(constructs: Library) -> None:
    scope = constructs.scope("c_default_argument")
    assert scope.kernels("c_default_argument") == {"argument_kernel<1>"}
    assert scope.calls("c_default_argument") == {"made_default", "with_default"}
    given = constructs.scope("c_default_argument_given")
    assert given.kernels("c_default_argument_given") == set()
    template = constructs.scope("c_default_argument_template")
    assert template.kernels("c_default_argument_template") == {"argument_kernel<8>"}


def test_exceptions(constructs: Library) -> None:
    scope = constructs.scope("c_exceptions")
    # Thrown object and its destruction, both handlers.
    assert scope.kernels("c_exceptions") == {f"exception_kernel<{n}>" for n in (1, 2, 3, 4)}
    assert scope.calls("c_exceptions") == {"may_fail", "recover"}
    assert scope.calls("may_fail") == {"Failure", "~Failure"}


def test_an_object_runs_the_virtual_functions_of_its_class(constructs: Library) -> None:
    circle = constructs.scope("c_virtual_circle")
    assert made(constructs, "c_virtual_circle", "virtual_kernel") == [1, 2]
    assert circle.references("Circle") == {"draw", "~Circle"}
    assert made(constructs, "c_virtual_either", "virtual_kernel") == [1, 2, 3, 4]
    assert made(constructs, "c_virtual_behind_pointer", "callable_kernel") == [40, 41]


def test_a_call_of_a_pure_virtual_function_is_not_unresolved(constructs: Library) -> None:
    for entry in ("c_virtual_circle", "c_virtual_either", "c_virtual_behind_pointer"):
        assert constructs.scope(entry).scope["unresolved"] == []


def test_a_class_that_nobody_makes_runs_nothing(constructs: Library) -> None:
    for graph in constructs.builder.graphs:
        assert not [n for n in graph.host.nodes if n.qualified_name == "Triangle::draw"]


def test_a_call_through_the_table_is_listed_and_one_of_a_known_class_is_followed(
    constructs: Library,
) -> None:
    for entry, calls in (("c_virtual_given", 3), ("c_virtual_operator", 1)):
        scope = constructs.scope(entry)
        assert scope.kernels(entry) == set()
        assert len(scope.scope["indirect"]) == calls
    for entry, kernels in (
        ("c_virtual_by_name", [1]),
        ("c_virtual_of_an_object", [1, 3, 4]),  # the object's own table names all three
        ("c_virtual_of_a_result", [1, 3, 4]),
        ("c_virtual_of_a_member", [4]),
        ("c_virtual_final", [6]),
        ("c_virtual_final_function", [7]),
        ("c_virtual_operator_of_an_object", [8]),
    ):
        assert made(constructs, entry, "virtual_kernel") == kernels
        assert constructs.scope(entry).scope["indirect"] == []


def test_a_function_that_is_only_named_is_not_used(constructs: Library) -> None:
    assert made(constructs, "c_only_named", "named_kernel") == [8]
    assert made(constructs, "c_named_and_kept", "named_kernel") == [10]
