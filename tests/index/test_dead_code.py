"""What can never run: marked with the reason, and never among what an entry point launches."""

from __future__ import annotations

import pytest
from opened_libraries import Library

PAST = "control never gets past the statement before it"
OTHER_CASE = "the switch has a constant value that selects another case"


def numbered(scope_kernels: set[str]) -> list[int]:
    """The numbers in ``kernel<N>`` names."""
    return sorted(int(name.partition("<")[2].rstrip(">")) for name in scope_kernels)


def test_constant_conditions_of_a_template(constructs: Library) -> None:
    scope = constructs.scope("c_constant_int")
    assert numbered(scope.kernels("c_constant_int")) == [1, 3, 5, 6, 7]
    assert scope.dead() == {
        "pick<int> -> go<4>": "the condition is constant false: is_wide && n > 3",
        "pick<int> -> go<8>": "the condition is constant true: is_int",
    }


def test_an_operand_that_is_constant_false_on_the_right(constructs: Library) -> None:
    scope = constructs.scope("c_constant_double")
    assert numbered(scope.kernels("c_constant_double")) == [2, 4, 5, 8]
    assert scope.dead() == {
        "pick<double> -> go<3>": "the condition is constant false: n > 3 && is_int",
        "pick<double> -> go<6>": "the condition is constant true: n == 5 || is_wide",
        "pick<double> -> go<7>": "the condition is constant false: is_int",
    }


def test_what_if_constexpr_discards_is_not_there(constructs: Library) -> None:
    scope = constructs.scope("c_constant_int")
    assert "go<2>" not in scope.names.values()


def test_a_constant_condition_still_has_its_effects(constructs: Library) -> None:
    scope = constructs.scope("c_condition_effects")
    assert numbered(scope.kernels("c_condition_effects")) == [1, 3, 4]
    assert set(scope.dead()) == {
        "c_condition_effects -> run<2>",
        "c_condition_effects -> run<5>",
    }


def test_code_after_return_and_continue(constructs: Library) -> None:
    scope = constructs.scope("c_after_return")
    assert numbered(scope.kernels("c_after_return")) == [1, 4, 5]
    assert scope.dead() == {f"c_after_return -> go<{n}>": PAST for n in (2, 3, 6, 7)}


def test_code_after_an_if_that_always_returns(constructs: Library) -> None:
    scope = constructs.scope("c_after_if_that_returns")
    assert scope.kernels("c_after_if_that_returns") == set()
    assert scope.dead() == {"c_after_if_that_returns -> go<1>": PAST}


def test_code_after_a_throw_with_temporaries(constructs: Library) -> None:
    scope = constructs.scope("c_after_throw")
    assert scope.kernels("c_after_throw") == set()
    assert scope.dead() == {"c_after_throw -> exception_kernel<5>": PAST}


def test_a_throw_in_a_conditional_expression_ends_nothing(constructs: Library) -> None:
    scope = constructs.scope("c_throw_with_object")
    assert numbered(scope.kernels("c_throw_with_object")) == [1]


@pytest.mark.parametrize(
    ("entry", "live", "dead"),
    [
        ("c_switch_one", [1, 5], {2, 3, 4}),
        ("c_switch_two", [2, 3], {1, 4, 5}),
        ("c_switch_four", [4, 5], {1, 2, 3}),
    ],
)
def test_a_switch_over_a_template_argument(
    constructs: Library, entry: str, live: list[int], dead: set[int]
) -> None:
    scope = constructs.scope(entry)
    assert numbered(scope.kernels(entry)) == live
    reasons = {int(use.partition("go<")[2].rstrip(">")): why for use, why in scope.dead().items()}
    assert set(reasons) == dead
    # After `case two` comes a return: what follows the switch is dead for another reason.
    assert {n for n, why in reasons.items() if why == f"{OTHER_CASE}: M"} == dead - {5}
    assert reasons.get(5, PAST) == PAST


def test_a_switch_over_a_variable(constructs: Library) -> None:
    scope = constructs.scope("c_switch_open")
    assert numbered(scope.kernels("c_switch_open")) == [1, 3, 4, 5]
    assert scope.dead() == {"c_switch_open -> go<2>": PAST}


def test_a_switch_whose_default_comes_first(constructs: Library) -> None:
    scope = constructs.scope("c_switch_default_first")
    assert numbered(scope.kernels("c_switch_default_first")) == [3, 4, 5]


def test_a_switch_in_which_no_case_matches(constructs: Library) -> None:
    assert numbered(constructs.scope("c_switch_no_match").kernels("c_switch_no_match")) == [3]


def test_a_break_of_a_loop_does_not_leave_the_switch(constructs: Library) -> None:
    scope = constructs.scope("c_switch_with_loop")
    assert numbered(scope.kernels("c_switch_with_loop")) == [1, 2]


def test_loops_that_never_run(constructs: Library) -> None:
    scope = constructs.scope("c_never_loops")
    assert scope.dead() == {
        "c_never_loops -> go<1>": "the loop's condition is constant false: false"
    }
    assert {2, 4} <= set(numbered(scope.kernels("c_never_loops")))


def test_code_after_a_loop_without_end(constructs: Library) -> None:
    for entry in ("c_after_endless_loop", "c_after_endless_while"):
        scope = constructs.scope(entry)
        assert numbered(scope.kernels(entry)) == [1]
        assert scope.dead() == {f"{entry} -> run<2>": PAST}


def test_a_loop_that_a_macro_needs_for_its_return(constructs: Library) -> None:
    assert 1 in numbered(
        constructs.scope("c_return_in_macro_loop").kernels("c_return_in_macro_loop")
    )


def test_short_circuits(constructs: Library) -> None:
    scope = constructs.scope("c_short_circuit")
    assert numbered(scope.kernels("c_short_circuit")) == [3, 4, 5]
    assert scope.dead() == {
        "c_short_circuit -> run<1>": "the left side is constant false: false",
        "c_short_circuit -> run<2>": "the left side is constant true: true",
    }


def test_literal_conditions(constructs: Library) -> None:
    assert numbered(constructs.scope("c_zero_and_one").kernels("c_zero_and_one")) == [2, 6]


def test_an_early_return_of_if_constexpr(constructs: Library) -> None:
    assert numbered(constructs.scope("c_early_return").kernels("c_early_return")) == [1, 4]


def test_conditions_of_constant_objects_and_functions(constructs: Library) -> None:
    assert numbered(constructs.scope("c_constant_object").kernels("c_constant_object")) == [4]
    assert numbered(
        constructs.scope("c_constant_by_function").kernels("c_constant_by_function")
    ) == [4]


def test_a_variable_is_no_constant(constructs: Library) -> None:
    scope = constructs.scope("c_not_constant")
    assert numbered(scope.kernels("c_not_constant")) == [1, 2, 3]
    assert scope.dead() == {}


def test_conditions_with_initialisers(constructs: Library) -> None:
    scope = constructs.scope("c_if_initialiser")
    assert numbered(scope.kernels("c_if_initialiser")) == [1, 2]
    assert scope.dead() == {"c_if_initialiser -> go<3>": "the condition is constant false: never"}


def test_what_the_compiler_evaluates_is_no_call(constructs: Library) -> None:
    scope = constructs.scope("c_constexpr_variable")
    assert scope.kernels("c_constexpr_variable") == {"numbered<6>"}
    assert scope.calls("c_constexpr_variable") == {"at_run_time"}
    assert scope.dead() == {"c_constexpr_variable -> computed": "evaluated at compile time"}


def test_operands_that_are_not_evaluated_are_no_calls(constructs: Library) -> None:
    scope = constructs.scope("c_unevaluated")
    assert scope.calls("c_unevaluated") == set()
    assert scope.kernels("c_unevaluated") == {"numbered<9>"}


def test_a_function_that_nobody_calls_is_nowhere(constructs: Library) -> None:
    for graph in constructs.builder.graphs:
        assert not [node for node in graph.host.nodes if node.name == "never_used"]


def test_a_lambda_that_nobody_calls_runs_nothing(constructs: Library) -> None:
    assert constructs.scope("c_lambda_unused").kernels("c_lambda_unused") == set()
