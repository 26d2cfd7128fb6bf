"""Templates: what the compiler instantiated, and nothing else."""

from __future__ import annotations

from opened_libraries import Library


def test_explicit_instantiations_of_another_unit(constructs: Library) -> None:
    scope = constructs.scope("c_explicit_instantiation")
    assert scope.kernels("c_explicit_instantiation") == {
        "solver_kernel<float>",
        "solver_kernel<double>",
    }
    # Solver<float, 2> and the specialization for int are in that unit as well.
    assert len(scope.function("prepare")["instantiations"]) == 1
    assert scope.configuration("solver_kernel<double>")[0] == "3"


def test_a_definition_that_only_specialized_units_include(constructs: Library) -> None:
    single, double = constructs.scope("c_sspecial"), constructs.scope("c_dspecial")
    assert single.kernels("c_sspecial") == {"special_kernel<float>"}
    assert double.kernels("c_dspecial") == {"special_kernel<double>"}
    assert double.function("special_entry")["span"]["file"] == "src/special_impl.hpp"


def test_a_member_that_only_a_specialized_unit_defines(constructs: Library) -> None:
    scope = constructs.scope("c_special_class")
    assert scope.kernels("c_special_class") == {"member_kernel"}
    assert scope.function("run")["qualified_name"] == "SpecialClass::run"


def test_prototype_kernels_are_found_where_they_are_defined(constructs: Library) -> None:
    scope = constructs.scope("c_prototype")
    assert scope.kernels("c_prototype") == {"elsewhere_kernel", "elsewhere_template<float>"}
    assert scope.function("elsewhere_kernel")["span"]["file"] == "src/prototype_bodies.cpp"
    assert "nowhere_launched_kernel" not in scope.kinds()


def test_a_prototype_that_nothing_defines_is_unresolved(constructs: Library) -> None:
    scope = constructs.scope("c_prototype_undefined")
    assert scope.kernels("c_prototype_undefined") == set()
    (unresolved,) = scope.scope["unresolved"]
    assert unresolved["text"] == "nowhere_defined_kernel<<<1, 1>>>(x)"
    assert unresolved["reason"] == (
        "nowhere_defined_kernel is declared in src/prototype.hpp and no unit defines it"
    )


def test_template_template_parameters(constructs: Library) -> None:
    assert constructs.scope("c_template_template").kernels("c_template_template") == {
        "template_template_kernel<Box,float>"
    }


def test_variadic_templates(constructs: Library) -> None:
    scope = constructs.scope("c_variadic")
    assert scope.kernels("c_variadic") == {
        "variadic_kernel<int>",
        "variadic_kernel<int,float,double>",
    }
    assert scope.configuration("variadic_kernel<int>")[0] == "sizeof...(T)"


def test_fold_expressions(constructs: Library) -> None:
    scope = constructs.scope("c_fold")
    assert scope.kernels("c_fold") == {"index_kernel<0>", "index_kernel<1>", "index_kernel<2>"}


def test_recursive_templates(constructs: Library) -> None:
    scope = constructs.scope("c_recursive_template")
    assert scope.kernels("c_recursive_template") == {
        f"index_kernel<{number}>" for number in (100, 101, 102)
    }


def test_a_base_that_calls_its_derived_class(constructs: Library) -> None:
    scope = constructs.scope("c_recurring_base")
    assert scope.kernels("c_recurring_base") == {"index_kernel<200>"}
    assert scope.calls("run<Leaf>") == {"step"}


def test_kernels_that_take_lambdas(constructs: Library) -> None:
    scope = constructs.scope("c_lambda_parameters")
    # Of one text, and yet of two types.
    assert len(scope.kernels("c_lambda_parameters")) == 2
    assert len(scope.function("lambda_kernel")["instantiations"]) == 2


def test_substitution_failure_chooses_the_overload(constructs: Library) -> None:
    assert constructs.scope("c_substitution").kernels("c_substitution") == {"index_kernel<300>"}
    assert constructs.scope("c_substitution_fails").kernels("c_substitution_fails") == {
        "index_kernel<301>"
    }


def test_variable_templates_and_static_members(constructs: Library) -> None:
    assert constructs.scope("c_variable_templates").kernels("c_variable_templates") == {
        "index_kernel<8>",
        "index_kernel<401>",
    }


def test_specializations_have_bodies_of_their_own(constructs: Library) -> None:
    scope = constructs.scope("c_specializations")
    assert scope.kernels("c_specializations") == {
        "callable_kernel<53>",
        "callable_kernel<54>",
        "callable_kernel<52>",
    }
