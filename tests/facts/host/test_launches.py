"""Conditions, grids and sizes of launches, whatever hides them."""

from __future__ import annotations

from .conftest import Stated


def test_checks_and_template_constants_end_in_one_conjunction(stated: Stated) -> None:
    (fact,) = stated.composed("brook_scale", "launch_condition", "scale_one")
    assert set(fact.value["conditions"]) >= {
        "n > 0",
        "batch > 0",
        "alpha",
        "n < 1000",
        "incx == 1",
        "state->mode == brook_host",
    }
    assert "state->mode" in fact.value["text"]


def test_a_branch_that_a_template_constant_closes_is_no_launch(stated: Stated) -> None:
    for fact in stated.composed("brook_scale", "launch_condition", "scale_one"):
        assert "n < 1000" in fact.value["conditions"]
    assert len(stated.composed("brook_scale", "launch_condition", "scale_far")) == 2


def test_grids_resolve_locals_and_calls(stated: Stated) -> None:
    (fact,) = stated.composed("brook_scale", "launch_grid", "scale_one")
    assert fact.value["expressions"] == [
        "(n - 1) / 64 + 1",
        "1",
        "state->major == 12 && batch > 100 ? 100 : batch",
    ]
    assert fact.value["named"][0] == "(n - 1) / NB + 1"
    (block,) = stated.composed("brook_scale", "launch_block", "scale_one")
    assert block.value["expressions"] == ["64", "1", "1"]


def test_a_status_that_only_a_run_can_tell_is_assumed(stated: Stated) -> None:
    (fact,) = stated.composed("brook_scale", "launch_condition", "scale_one")
    assert not any("hipGetLastError" in text for text in fact.value["conditions"])


def test_a_check_that_may_fail_on_its_way_out_still_counts(stated: Stated) -> None:
    (fact,) = stated.composed("brook_clear", "launch_condition", "other")
    assert set(fact.value["conditions"]) >= {"n > 0", "x"}


def test_a_size_that_a_function_returns_is_stated(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate

    (fact,) = stated.of("brook_workspace_size", "workspace_bytes")
    for n, expected in {0: 0, 1: 4, 64: 4, 65: 8}.items():
        assert evaluate(fact.value["expression"], {"n": n}) == expected


def test_a_search_in_a_table_of_constants_is_a_choice(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate, holds

    (first,) = stated.composed("brook_table", "launch_condition", "first")
    (second,) = stated.composed("brook_table", "launch_condition", "second")
    (block,) = stated.composed("brook_table", "launch_block", "second")
    expected = {1: 32, 16: 32, 17: 64, 100: 64, 101: 128, 5000: 128, 5001: 512}
    for n, width in expected.items():
        assert holds(first.value["text"], {"n": n}) is (width == 32), n
        assert holds(second.value["text"], {"n": n}) is (width != 32), n
        if width != 32:
            assert evaluate(block.value["expressions"][0], {"n": n}) == width
    # Something was written to this one.
    grids = stated.of("brook_table", "launch_grid")
    assert {fact.reason for fact in grids if fact.value is None} == {"it depends on {…}"}


def test_an_element_of_a_table_is_stated_with_the_table(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate

    (block,) = stated.composed("brook_groups", "launch_block", "first")
    assert block.value["expressions"][0] == "n > 3 ? 1 : {16, 8, 4}[n - 1]"
    (grid,) = stated.composed("brook_groups", "launch_grid", "first")
    for n, width, blocks in ((1, 16, 3), (2, 8, 2), (3, 4, 4), (4, 1, 2)):
        assert evaluate(block.value["expressions"][0], {"n": n}) == width
        assert evaluate(grid.value["expressions"][0], {"n": n}) == blocks


def test_cases_fall_through_and_break(stated: Stated) -> None:
    (first,) = stated.composed("brook_pick", "launch_condition", "first")
    (second,) = stated.composed("brook_pick", "launch_condition", "second")
    (other,) = stated.composed("brook_pick", "launch_condition", "other")
    assert first.value["conditions"] == ["n >= 0", "kind == 1"]
    assert second.value["conditions"] == ["n >= 0", "kind == 1 || kind == 2"]
    assert other.value["conditions"] == ["n >= 0", "kind != 1", "kind != 2", "kind != 3"]


def test_a_way_out_inside_a_case_counts_behind_the_switch(stated: Stated) -> None:
    from extractor.facts.host.evaluate import holds

    (after,) = stated.composed("brook_pick", "launch_condition", "sized")
    text = after.value["text"]
    assert holds(text, {"kind": 3, "n": 11}) is True
    assert holds(text, {"kind": 3, "n": 10}) is False
    assert holds(text, {"kind": 1, "n": 0}) is True
    assert holds(text, {"kind": 9, "n": -1}) is False


def test_a_loop_that_its_last_statement_steps(stated: Stated) -> None:
    (fact,) = stated.composed("brook_steps", "launch_condition", "step")
    assert fact.value["loops"] == [
        {"variable": "j", "start": "0", "condition": "j < n - 32", "step": "32"}
    ]
    (grid,) = stated.composed("brook_steps", "launch_grid", "step")
    assert grid.value["expressions"][0] == "n - j < 32 ? n - j : 32"


def test_what_a_counter_is_worth_behind_its_loop(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate

    (grid,) = stated.composed("brook_steps", "launch_grid", "first")
    for n in (1, 31, 32, 33, 64, 65, 100):
        j = 0
        while j < n - 32:
            j += 32
        assert evaluate(grid.value["expressions"][0], {"n": n}) == n - j


def test_chunks_of_a_long_size(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate

    (grid,) = stated.composed("brook_chunks", "launch_grid", "sized")
    (shared,) = stated.composed("brook_chunks", "launch_shared_bytes", "sized")
    assert evaluate(grid.value["expressions"][0], {"n": 2500, "base": 2000}) == 8
    assert evaluate(shared.value["expression"], {"n": 2500, "base": 2000}) == 2000


def test_sizes_written_through_pointers(stated: Stated) -> None:
    sizes = {
        fact.subject: fact.value["expression"] for fact in stated.of("memory", "workspace_bytes")
    }
    assert sizes["size_first"] == "n == 0 ? 0 : 8 * size_t(n)"
    (fact,) = stated.composed("brook_sized", "launch_condition", "sized")
    from extractor.facts.host.evaluate import holds

    assert holds(fact.value["text"], {"n": 3, "m": 2}) is False
    assert holds(fact.value["text"], {"n": 2, "m": 3}) is True
    assert holds(fact.value["text"], {"n": 0, "m": 3}) is False


def test_a_scalar_copied_from_the_device_is_the_argument(stated: Stated) -> None:
    (fact,) = stated.composed("brook_copy", "launch_condition", "first")
    assert fact.value["conditions"] == ["*alpha != 0.0"]


def test_bytes_that_a_function_asks_for(stated: Stated) -> None:
    from extractor.facts.host.evaluate import evaluate

    (fact,) = stated.of("brook_reserve", "workspace_bytes")
    assert fact.value["call"] == "reserve"
    assert fact.value["conditions"] == ["n > 0", "m > 0"]
    (size,) = fact.value["expressions"]
    assert [evaluate(size, {"n": n, "m": 100}) for n in (1, 60)] == [400, 480]
    assert evaluate(size, {"n": 1, "m": 1}) == 256


def test_checks_and_quick_returns(stated: Stated) -> None:
    checks = stated.of("brook_pick", "argument_check")
    assert [(f.value["condition"], f.value["returns"]) for f in checks] == [
        ("n < 0", "brook_invalid_size")
    ]
    quick = stated.of("brook_scale", "quick_return")
    assert {f.value["returns"] for f in quick} == {"brook_success"}


def test_every_fact_is_stated_or_says_why(stated: Stated) -> None:
    assert all((fact.value is None) == (fact.reason is not None) for fact in stated.facts)
    assert {f.function.rpartition(":")[2] for f in stated.facts if f.value is None} == {
        "brook_table"
    }


def test_a_property_of_the_device_is_a_condition_and_no_assumption(stated: Stated) -> None:
    for kernel, compared in (("first", ">= 64"), ("second", "< 64")):
        for fact in stated.of("brook_wide", "launch_condition", kernel):
            (condition,) = fact.value["conditions"]
            assert condition.startswith("hipDeviceGetAttribute(")
            assert condition.endswith(f", 0).argument_1 {compared}")
            assert not any(".argument_1" in text for text in fact.value["assumes"])


def test_a_size_from_another_library_is_a_term_that_names_the_call(stated: Stated) -> None:
    sizes = {
        one.subject: one.value["expression"] for one in stated.of("brook_pool", "workspace_bytes")
    }
    assert sizes == {
        "first": "pool_sizes(2, n + 1).argument_3",
        "second": "pool_sizes(n, 0).argument_4",
    }
    (needed,) = stated.of("brook_needed", "workspace_bytes")
    assert needed.value["expression"] == (
        "max(pool_sizes(2, n + 1).argument_3, pool_sizes(n, 0).argument_4)"
    )
    (condition,) = stated.composed("brook_pooled", "launch_condition", "first")
    assert condition.value["conditions"] == [f"{needed.value['expression']} > 100"]
