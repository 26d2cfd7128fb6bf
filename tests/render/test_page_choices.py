"""What a reader leaves out or picks: kinds, configurations, precisions, entry points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from extractor.render import render
from extractor.render.drawing import KINDS
from render.browser import GraphPage
from render.reachable import on_paths, reached
from render.seen import names, open_all
from render.synthetic import synthetic_scope


def test_search_by_keyboard(graph: GraphPage, drawn: Path, scope: dict[str, Any]) -> None:
    graph.open(drawn)
    graph.search("launcher")
    options = graph.page.locator("#search-list [role=option]")
    assert options.count() == len(names(scope, "launcher"))
    assert options.nth(0).get_attribute("aria-selected") == "true"
    graph.press("ArrowDown", "ArrowDown", "ArrowUp")
    assert options.nth(1).get_attribute("aria-selected") == "true"
    wanted = options.nth(1).locator(".name").inner_text()
    graph.press("Enter")
    assert graph.text("#details h2") == wanted
    assert graph.labels("node.chosen") == [wanted]
    assert graph.page.locator("#search-list").is_hidden()
    graph.search("no such function")
    assert "Nothing has that name" in graph.text("#search-list")
    graph.press("Escape")
    assert graph.page.locator("#search-list").is_hidden()


def test_search_finds_by_file_and_by_several_words(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    graph.search("gemv_batched.cpp rocblas_d")
    found = graph.page.locator("#search-list .name").all_inner_texts()
    assert found
    assert all(name.startswith("rocblas_d") for name in found)


def test_kinds_can_be_left_out(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    open_all(graph)
    assert graph.labels("node.device")
    graph.page.locator(".legend").get_by_text("device functions").click()
    graph.settle()
    assert graph.labels("node.device") == []
    assert graph.labels("node.kernel")
    assert "filtered out" in graph.text("#status")


def test_every_kind_is_in_the_legend_with_its_colour(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    open_all(graph)
    for kind in KINDS:
        assert graph.page.locator(f".legend .swatch.{kind}").count() == 1
        border = graph.canvas(f"cy.nodes('.{kind}').first().style('border-color')")
        colour = graph.page.evaluate(
            "(kind) => { const e = document.createElement('i'); document.body.append(e);"
            " e.style.color = `var(--${kind})`; return getComputedStyle(e).color; }",
            kind,
        )
        assert border.replace(" ", "") == colour.replace(" ", "")


def test_shapes_differ_where_colours_do(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    open_all(graph)
    looks = {
        kind: graph.canvas(
            "((n) => [n.style('shape'), n.style('shape-polygon-points'), n.style('corner-radius'),"
            " n.style('border-style')].join())(cy.nodes('.' + argument).first())",
            kind,
        )
        for kind in KINDS
    }
    assert len(set(looks.values())) == len(KINDS)


def test_a_page_without_kernels_in_sight_leads_to_them(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    assert graph.canvas("cy.nodes('.kernel').length") == 0
    graph.page.click("#show-kernels")
    graph.settle()
    assert graph.canvas("cy.nodes('.kernel').length") > 0
    assert graph.page.locator("#show-kernels").count() == 0


def test_many_entry_points_stay_folded_on_the_way_to_a_kernel(
    graph: GraphPage, tmp_path: Path
) -> None:
    scope = synthetic_scope(120)
    [page] = render(scope, ["html"], tmp_path)
    graph.open(page)
    for key in graph.page.locator("[data-kernel]").evaluate_all(
        "(all) => all.map((e) => e.dataset.kernel)"
    ):
        path = on_paths(scope, "source", scope["entry_points"], key)
        if len(path & set(scope["entry_points"])) > 12 and len(path) <= 80:
            graph.page.click(f"[data-kernel='{key}']")
            graph.settle()
            assert graph.canvas("cy.nodes('.entry_point').not('.fold').length") == 0
            assert set(graph.labels("node", without=".entry_point")) == path - set(
                scope["entry_points"]
            )
            return
    pytest.fail("no kernel with many entry points")


def test_configuration_changes_what_is_reached(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    for config in ("tensile", "source"):
        graph.page.select_option("#config", config)
        graph.settle()
        live = {n for e in scope["entry_points"] for n in reached(scope, config, e, dead=True)}
        assert set(graph.labels("node", without=".excluded")) == live


def test_dead_edges_are_dashed_and_can_be_left_out(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    dead = graph.canvas("cy.edges('.dead').map((e) => e.style('line-style'))")
    assert dead
    assert set(dead) == {"dashed"}
    graph.page.locator(".legend").get_by_text("dead: in the text, never run").click()
    graph.settle()
    assert graph.canvas("cy.edges('.dead').length") == 0
    live = {n for e in scope["entry_points"] for n in reached(scope, "source", e)}
    assert set(graph.labels("node", without=".excluded")) == live


def test_infrastructure_is_said_and_can_be_left_out(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    kernel = graph.page.locator("[data-kernel='reset_kernel_1']")
    assert "infrastructure" in kernel.inner_text()
    graph.page.locator(".legend").get_by_text("infrastructure", exact=True).click()
    graph.settle()
    assert "reset_kernel_1" not in graph.labels()
    kernel.click()
    graph.settle()
    assert "reset_kernel_1" in graph.labels()
    assert "Infrastructure: zeroes outputs" in graph.text("#details")


def test_dead_launch_says_why(graph: GraphPage, tmp_path: Path) -> None:
    scope = synthetic_scope(60, seed=5)
    [page] = render(scope, ["html"], tmp_path)
    graph.open(page)
    open_all(graph)
    edge = graph.canvas("cy.edges('.launch.dead').first().id()")
    graph.click(edge)
    assert "Never runs: condition is false" in graph.text("#details")


def test_references_can_be_left_out(graph: GraphPage, tmp_path: Path) -> None:
    [page] = render(synthetic_scope(120, seed=2), ["html"], tmp_path)
    graph.open(page)
    open_all(graph)
    assert graph.canvas("cy.edges('.reference').first().style('line-style')") == "dotted"
    graph.page.locator(".legend").get_by_text("reference (address taken)").click()
    graph.settle()
    assert graph.canvas("cy.edges('.reference').length") == 0


def test_precision_filters_by_entry_points(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    for letter in ("d", "c", "z"):
        graph.page.locator(".letters label", has_text=f"{letter} (").click()
    graph.settle()
    single = [name for name in scope["entry_points"] if name.startswith("rocblas_s")]
    live = {n for e in single for n in reached(scope, "source", e, dead=True)}
    assert set(graph.labels("node", without=".excluded")) == live
    assert graph.text("#answer").startswith(f"{len(single)} entry points")


def test_entry_point_picker_lights_only_what_it_reaches(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    everything = graph.labels()
    for entry in scope["entry_points"][:3]:
        graph.page.select_option("#entry", label=entry)
        graph.settle()
        assert set(graph.labels("node", without=".dim")) == reached(scope, "source", entry)
        assert graph.labels() == everything
        kernels = {
            f["name"]
            for f in scope["functions"]
            if {i["id"] for i in f["instantiations"]} & set(scope["per_entry"][entry]["source"])
        }
        listed = graph.page.locator("#sidebar .kernel .name").all_inner_texts()
        assert set(listed) == kernels
    graph.keep("entry-lit")
    graph.page.check("#alone")
    graph.settle()
    assert set(graph.labels()) == reached(scope, "source", entry)


def test_boundaries_and_excluded_regions_are_hatched(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    graph.page.click("[data-depth='99']")
    graph.settle()
    for kind in ("boundary", "excluded"):
        image = graph.canvas("cy.nodes('.' + argument).first().style('background-image')", kind)
        assert "data:image/svg" in str(image)
    texts = graph.canvas("cy.nodes('.boundary, .excluded').map((n) => n.data('label'))")
    assert any("Tensile" in text for text in texts)
    assert any("14 left out" in text for text in texts)
    graph.page.locator("summary", has_text="Left out and unresolved").click()
    assert "numeric checks" in graph.text("#sidebar")
    said = graph.text("#sidebar")
    assert "callee depends on a template argument" in said
    assert "_Z30rocblas_internal_rotm_launcher" in said
    assert "library/src/tensile_host.cpp" in said
    assert "'Tensile/Tensile.hpp' file not found" in said
