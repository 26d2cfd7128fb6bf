"""Code that exists only after the preprocessor: entry points, launches and their configuration."""

from __future__ import annotations

from opened_libraries import Library


def test_c_functions_that_only_nested_macros_define(constructs: Library) -> None:
    scope = constructs.scope("c_saxis")
    assert scope.kernels("c_saxis") == {"axis_kernel<int,float>"}
    assert scope.calls("c_saxis") == {"axis<int,float>"}
    entry = scope.function("c_saxis")
    assert entry["kind"] == "entry_point"
    # The text is the macro's invocation: nothing else stands in the file.
    assert entry["text"].strip() == "AXIS_API(index_type)"


def test_a_pasted_suffix_names_entry_points_of_their_own(constructs: Library) -> None:
    scope = constructs.scope("c_daxis", "c_daxis_64")
    assert scope.scope["entry_points"] == ["c_daxis", "c_daxis_64"]
    files = {f["name"]: f["span"]["file"] for f in scope.scope["functions"]}
    assert files["c_daxis"] == "src/axis.cpp"
    assert files["c_daxis_64"] == "src/src64/axis_64.cpp"


def test_a_flag_of_the_unit_makes_two_instantiations_of_one_text(constructs: Library) -> None:
    scope = constructs.scope("c_saxis", "c_saxis_64")
    assert scope.kernels("c_saxis") == {"axis_kernel<int,float>"}
    assert scope.kernels("c_saxis_64") == {"axis_kernel<long long,float>"}
    assert len(scope.function("axis_kernel")["instantiations"]) == 2


def test_a_launch_configuration_in_local_macros(constructs: Library) -> None:
    scope = constructs.scope("c_local_macro")
    assert scope.kernels("c_local_macro") == {
        "plain_kernel<float,1>",
        "plain_kernel<float,2>",
        "other_kernel<float>",
    }
    # One name, defined twice in the function: each launch has what the macro said there.
    first = "hipLaunchKernelGGL((plain_kernel<float, 1>), LOCAL_CONFIGURATION, x)"
    assert scope.configuration("plain_kernel<float,1>") == (
        f"{first} -> (grid)",
        f"{first} -> (threads)",
        f"{first} -> (n * sizeof(float))",
        f"{first} -> (stream)",
    )
    assert scope.configuration("plain_kernel<float,2>")[0].endswith(" -> (dim3(2))")
    assert [part.partition(" -> ")[2] for part in scope.configuration("other_kernel<float>")] == [
        "grid",
        "threads",
        "32",
        "stream",
    ]


def test_launches_inside_a_macro(constructs: Library) -> None:
    scope = constructs.scope("c_launch_in_define")
    launch = "TWO_LAUNCHES(float, x, n)"
    assert scope.configuration("plain_kernel<float,3>") == (
        f"{launch} -> 1",
        f"{launch} -> 32",
        f"{launch} -> 0",
        f"{launch} -> 0",
    )
    assert scope.configuration("other_kernel<float>") == (
        f"{launch} -> n",
        f"{launch} -> 64",
        f"{launch} -> 16",
        f"{launch} -> 0",
    )


def test_a_macro_whose_kernel_is_its_second_argument(constructs: Library) -> None:
    scope = constructs.scope("c_grid_macro")
    assert scope.kernels("c_grid_macro") == {"plain_kernel<double,4>"}
    assert scope.configuration("plain_kernel<double,4>") == (
        "blocks",
        "dim3(16, 16)",
        "0",
        "stream",
    )


def test_one_macro_launches_for_several_types(constructs: Library) -> None:
    scope = constructs.scope("c_types_in_define")
    assert scope.kernels("c_types_in_define") == {"sized_kernel<float,7>", "sized_kernel<double,7>"}
    assert scope.configuration("sized_kernel<double,7>")[:2] == (
        "FOR_TYPE(double) -> sizeof(double)",
        "FOR_TYPE(double) -> 1",
    )


def test_a_launch_that_is_an_argument_of_a_macro(constructs: Library) -> None:
    scope = constructs.scope("c_launch_in_argument")
    assert scope.configuration("sized_kernel<int,10>") == ("n + 1", "32", "0", "0")
    assert scope.configuration("sized_kernel<int,13>") == ("n", "33", "0", "0")
    assert scope.configuration("sized_kernel<int,14>") == ("FIRST_SIZE -> 16", "34", "0", "0")


def test_a_kernel_whose_name_is_pasted(constructs: Library) -> None:
    scope = constructs.scope("c_pasted_kernel")
    assert {f["qualified_name"] for f in scope.scope["functions"] if f["kind"] == "kernel"} == {
        "one::spaced_kernel",
        "two::v1::spaced_kernel",
    }
    assert [launch.block.rpartition(" -> ")[2] for launch in scope.launches()] == ["1", "(dim3(2))"]


def test_a_loop_that_conditions_tear_apart(constructs: Library) -> None:
    scope = constructs.scope("c_split_loop")
    assert scope.kernels("c_split_loop") == {"split_kernel"}
    assert scope.configuration("split_kernel") == ("n", "1", "0", "0")
    assert scope.calls("split_kernel") == {"touched"}
    kernel = scope.function("split_kernel")
    assert (kernel["span"]["start_line"], kernel["span"]["end_line"]) == (11, 25)
