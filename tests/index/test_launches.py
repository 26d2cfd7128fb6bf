"""Launches in the forms that libraries use, with their configuration as it is written."""

from __future__ import annotations

from opened_libraries import Library


def test_callees_behind_parentheses(constructs: Library) -> None:
    scope = constructs.scope("c_parentheses")
    assert scope.kernels("c_parentheses") == {"plain_kernel<float,5>", "other_kernel<float>"}
    assert scope.configuration("other_kernel<float>") == ("dim3(1)", "dim3(2)", "0", "0")
    assert scope.calls("c_parentheses") == {"parenthesised"}


def test_digit_separators(constructs: Library) -> None:
    scope = constructs.scope("c_digit_separators")
    assert scope.configuration("plain_kernel<float,1024>") == ("65'535", "1'024", "0x1'000", "0")


def test_launch_bounds_wherever_they_stand(constructs: Library) -> None:
    scope = constructs.scope("c_attributes")
    bounds = {
        f["name"]: f["launch_bounds"] for f in scope.scope["functions"] if f["kind"] == "kernel"
    }
    assert bounds == {
        "after_type": "128",
        "before_all": "64, 2",
        "from_macro": "N",
        "computed_bounds": "N * sizeof(T)",
        "no_bounds": None,
        "c_linkage_kernel": None,
    }
    assert scope.function("after_type")["signature"] == (
        "__global__ void __launch_bounds__(128) after_type(int* x)"
    )
    assert scope.kernels("c_attributes") == {
        "after_type",
        "before_all",
        "from_macro<32>",
        "computed_bounds<16,int>",
        "no_bounds",
        "c_linkage_kernel",
    }


def test_a_launch_inside_templates(constructs: Library) -> None:
    scope = constructs.scope("c_chevrons_in_template")
    assert scope.kernels("c_chevrons_in_template") == {
        "chevron_kernel<4,float>",
        "chevron_kernel<2,float>",
        "chevron_kernel<1,float>",
        "chevron_kernel<1,double>",
    }
    assert scope.configuration("chevron_kernel<2,float>") == (
        "N",
        "dim3(N, 1, sizeof(T))",
        "N * sizeof(T)",
        "0",
    )


def test_shifts_and_comparisons_inside_a_launch(constructs: Library) -> None:
    scope = constructs.scope("c_chevrons_shift")
    assert scope.configuration("chevron_kernel<4,float>") == (
        "(n >> 2)",
        "(n > 3 ? n >> 1 : 1)",
        "0",
        "0",
    )


def test_several_launches_of_one_kernel_keep_their_own_configuration(constructs: Library) -> None:
    scope = constructs.scope("c_same_line")
    assert [(launch.grid, launch.block) for launch in scope.launches()] == [
        ("1", "n"),
        ("2", "n"),
        ("SAME_TWICE(x, n) -> n", "SAME_TWICE(x, n) -> 1"),
        ("SAME_TWICE(x, n) -> n", "SAME_TWICE(x, n) -> 2"),
    ]


def test_launches_on_one_line_with_macros_in_their_configuration(constructs: Library) -> None:
    scope = constructs.scope("c_same_line_macros")
    assert scope.configuration("sized_kernel<int,11>")[1] == "FIRST_SIZE -> 16"
    assert scope.configuration("sized_kernel<int,12>")[1] == "SECOND_SIZE -> 32"


def test_a_launch_over_several_lines(constructs: Library) -> None:
    scope = constructs.scope("c_launch_layout")
    grid, block, shared, stream = scope.configuration("sized_kernel<int,8>")
    assert grid.endswith("dim3{unsigned(n), 2}")
    assert block.startswith("std::min<int>(n, 64)")
    assert (shared.rpartition("// block ")[2], stream) == ("sizeof(int) * 2", "stream")
    (launch,) = scope.scope["launches"]
    assert launch["at"]["end_line"] - launch["at"]["start_line"] == 3


def test_a_kernel_name_with_commas_in_a_macro_call(constructs: Library) -> None:
    scope = constructs.scope("c_kernel_name")
    assert scope.kernels("c_kernel_name") == {"sized_kernel<int,9>"}
    parts = scope.configuration("sized_kernel<int,9>")
    assert [part.rpartition(" -> ")[2].strip("()") for part in parts] == ["3", "4", "5", "0"]


def test_a_kernel_that_is_a_member(constructs: Library) -> None:
    scope = constructs.scope("c_member_kernel")
    assert scope.kernels("c_member_kernel") == {"member_kernel"}
    assert scope.function("member_kernel")["qualified_name"] == "Owner::member_kernel"


def test_calls_in_a_configuration_are_calls(constructs: Library) -> None:
    scope = constructs.scope("c_configuration_calls")
    assert scope.calls("c_configuration_calls") == {"shape", "operator()"}
    assert scope.configuration("sized_kernel<int,7>") == ("shape(n)", "blocks(64)", "0", "0")


def test_a_launch_in_an_inline_function(constructs: Library) -> None:
    scope = constructs.scope("c_inline_function")
    assert scope.kernels("c_inline_function") == {"sized_kernel<float,7>"}
    assert scope.kinds()["shared_inline"] == "launcher"


def test_a_kernel_given_to_the_runtime_by_its_address(constructs: Library) -> None:
    scope = constructs.scope("c_kernel_by_runtime")
    assert scope.kernels("c_kernel_by_runtime") == {"pointed<5>"}
    assert scope.references("c_kernel_by_runtime") == {"pointed<5>"}
    assert scope.boundaries() == {
        "hipLaunchKernel": ("HIP runtime", {"c_kernel_by_runtime"}),
    }
    assert constructs.scope("c_cooperative").kernels("c_cooperative") == {"spaced_kernel"}


def test_a_kernel_chosen_at_run_time(constructs: Library) -> None:
    assert constructs.scope("c_kernel_chosen").kernels("c_kernel_chosen") == {
        "pointed<1>",
        "pointed<2>",
    }


def test_a_kernel_passed_to_a_function(constructs: Library) -> None:
    scope = constructs.scope("c_kernel_passed")
    assert scope.kernels("c_kernel_passed") == {"pointed<3>"}
    assert scope.calls("c_kernel_passed") == {"launch_it"}


def test_a_kernel_that_is_a_template_argument(constructs: Library) -> None:
    scope = constructs.scope("c_kernel_template_argument")
    assert scope.kernels("c_kernel_template_argument") == {"pointed<4>"}
    assert scope.configuration("pointed<4>") == ("2", "2", "0", "0")


def test_kernels_in_a_table(constructs: Library) -> None:
    assert constructs.scope("c_kernel_table").kernels("c_kernel_table") == {
        "pointed<6>",
        "pointed<7>",
    }


def test_overloaded_kernels(constructs: Library) -> None:
    scope = constructs.scope("c_kernel_overloaded")
    assert scope.kernels("c_kernel_overloaded") == {"overloaded"}
    assert scope.function("overloaded")["signature"] == "__global__ void overloaded(float* x)"
