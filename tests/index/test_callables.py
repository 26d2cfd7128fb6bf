"""Functions as values: functors, lambdas, pointers, tables, and callbacks from other libraries."""

from __future__ import annotations

import pytest
from opened_libraries import Library


def test_functors(constructs: Library) -> None:
    scope = constructs.scope("c_functor")
    assert scope.kernels("c_functor") == {"functor_kernel<DeviceFunctor>"}
    assert scope.calls("c_functor") == {"operator()"}
    assert scope.configuration("functor_kernel<DeviceFunctor>")[0] == "blocks"
    passed = constructs.scope("c_functor_passed")
    assert passed.calls("c_functor_passed") == {"apply<Launcher>"}
    assert passed.kernels("c_functor_passed") == {"functor_kernel<DeviceFunctor>"}


def test_a_lambda_that_initialises_a_static_local(constructs: Library) -> None:
    scope = constructs.scope("c_static_local_lambda")
    assert scope.kernels("c_static_local_lambda") == {"once_kernel"}
    assert scope.function("operator()")["signature"] == "[x]()"


def test_a_lambda_that_initialises_a_variable_of_the_library(constructs: Library) -> None:
    scope = constructs.scope("c_static_init_lambda")
    assert scope.kernels("c_static_init_lambda") == {"table_kernel"}
    # It ran when the library was loaded: the entry point refers to it and does not call it.
    assert scope.calls("c_static_init_lambda") == set()
    assert scope.references("c_static_init_lambda") == {"operator()"}


def test_generic_lambdas(constructs: Library) -> None:
    scope = constructs.scope("c_generic_lambda")
    assert scope.kernels("c_generic_lambda") == {"argument_kernel<2>", "argument_kernel<8>"}
    assert scope.calls("c_generic_lambda") == {
        "operator()<int,short>",
        "operator()<float,double>",
    }


def test_device_lambdas(constructs: Library) -> None:
    scope = constructs.scope("c_device_lambda")
    assert len(scope.kernels("c_device_lambda")) == 2
    device = {f["name"] for f in scope.scope["functions"] if f["kind"] == "device"}
    assert device == {"device_only", "operator()"}
    # The one for both sides is called by the host as well.
    assert "operator()" in scope.calls("c_device_lambda")
    inside = constructs.scope("c_device_lambda_in_template")
    (kernel,) = inside.kernels("c_device_lambda_in_template")
    assert inside.calls(kernel) == {"operator()"}


def test_nested_lambdas_and_those_that_capture_this(constructs: Library) -> None:
    scope = constructs.scope("c_nested_lambdas")
    assert scope.kernels("c_nested_lambdas") == {"callable_kernel<5>", "callable_kernel<6>"}
    assert constructs.scope("c_captured_this").kernels("c_captured_this") == {"callable_kernel<4>"}


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_pointer_table", {11, 12}),
        ("c_pointer_local", {11}),
        ("c_pointer_passed", {12, 16}),
        ("c_lambda_to_pointer", {14, 15}),
        ("c_member_pointer", {17}),
    ],
)
def test_function_pointers(constructs: Library, entry: str, kernels: set[int]) -> None:
    assert constructs.scope(entry).kernels(entry) == {f"argument_kernel<{n}>" for n in kernels}


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_returned_pointer", {8, 9}),
        ("c_table_in_function", {10, 11}),
        ("c_table_of_lambdas", {12, 13}),
    ],
)
def test_tables_of_templates_and_lambdas(
    constructs: Library, entry: str, kernels: set[int]
) -> None:
    assert constructs.scope(entry).kernels(entry) == {f"callable_kernel<{n}>" for n in kernels}


def test_a_function_whose_address_is_taken_is_a_reference(constructs: Library) -> None:
    scope = constructs.scope("c_pointer_table")
    assert scope.references("c_pointer_table") == {"action_one", "action_two"}
    assert scope.calls("c_pointer_table") == set()
    assert "action_unused" not in scope.kinds()


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [
        ("c_sort_function", {1}),
        ("c_sort_operator", {2}),
        ("c_sort_lambda", {3}),
        ("c_std_function", {4}),
        ("c_std_map_key", {2}),
        ("c_for_each", {5}),
    ],
)
def test_the_standard_library_calls_back(
    constructs: Library, entry: str, kernels: set[int]
) -> None:
    scope = constructs.scope(entry)
    assert scope.kernels(entry) == {f"standard_kernel<{n}>" for n in kernels}
    assert scope.scope["unresolved"] == []
    # Functions of the standard library stand between, and are not shown.
    assert {f["span"]["file"] for f in scope.scope["functions"]} == {"src/standard.hip"}


@pytest.mark.parametrize(
    ("entry", "kernels"),
    [("c_visit", {1, 2}), ("c_apply", {3}), ("c_invoke_member", {4})],
)
def test_visit_apply_and_invoke(constructs: Library, entry: str, kernels: set[int]) -> None:
    assert constructs.scope(entry).kernels(entry) == {f"callable_kernel<{n}>" for n in kernels}
