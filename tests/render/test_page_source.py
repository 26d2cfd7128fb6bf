"""Call sites, source and links of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from render.browser import GraphPage
from render.seen import a_kernel, callees_of, ids_of, names


def test_launches_look_unlike_calls_and_carry_their_configuration(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    kernel = a_kernel(scope)
    graph.open(drawn)
    graph.page.click(f"[data-kernel='{kernel}']")
    graph.settle()
    label = graph.canvas("cy.edges('.launch').first().data('label')")
    assert re.match(r"grid \(\(n - 1\) / NB \+ 1, batch_count\)\nblock \(\d+\)\nLDS 0", label)
    assert graph.canvas("cy.edges('.launch').first().style('target-label')") == label
    style = "[e.style('line-color'), e.style('target-arrow-shape'), parseFloat(e.style('width'))]"
    launch = graph.canvas(f"((e) => {style})(cy.edges('.launch').not('.dead').first())")
    call = graph.canvas(f"((e) => {style})(cy.edges('.call').not('.dead').first())")
    assert all(a != b for a, b in zip(launch, call, strict=True))
    graph.click(graph.canvas("cy.edges('.launch').first().id()"))
    details = graph.text("#details")
    assert "dim3((n - 1) / NB + 1, batch_count)" in details


def test_click_on_an_edge_shows_the_call_site(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    kernel = a_kernel(scope)
    graph.open(drawn)
    graph.page.click(f"[data-kernel='{kernel}']")
    graph.settle()
    for selector in (".launch", ".call"):
        edge = graph.canvas("cy.edges(argument).not('.dead').first().id()", selector)
        ends = graph.canvas(
            "((e) => [e.source(), e.target()].map((n) => n.data('label')))"
            "(cy.getElementById(argument))",
            edge,
        )
        caller, callee = ("".join(label.split("\n")[:-1]) for label in ends)
        graph.click(edge)
        hit = graph.page.locator("#source-body .line.hit").first
        assert callee in hit.locator("code").inner_text()
        number = int(hit.locator(".number").first.inner_text())
        known = {
            e["at"]["start_line"]
            for e in [*scope["calls"], *scope["launches"]]
            if e["caller"] in ids_of(scope, caller)
            and (e.get("callee") or e["kernel"]) in ids_of(scope, callee)
        }
        assert number in known
        shown = graph.page.locator("#source-body").evaluate(
            "(body) => { const h = body.querySelector('.hit').getBoundingClientRect();"
            " const b = body.getBoundingClientRect();"
            " return h.top >= b.top && h.bottom <= b.bottom; }"
        )
        assert shown
    graph.keep("call-site")


def test_source_has_the_exact_text_and_its_lines(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    function = next(f for f in scope["functions"] if f["kind"] == "kernel")
    graph.choose(function["name"])
    lines = graph.page.locator("#source-body .line code").all_text_contents()
    assert "\n".join(lines) + "\n" == function["text"]
    numbers = graph.page.locator("#source-body .line > .number").all_inner_texts()
    assert numbers[0] == str(function["span"]["start_line"])
    assert numbers[-1] == str(function["span"]["end_line"])
    assert graph.page.locator("#source-body .keyword", has_text="template").count()
    assert graph.page.locator("#source-body .device-word", has_text="threadIdx").count()
    assert graph.page.locator("#source-body .comment").count()
    assert graph.text("#source-head .place") == f"{function['span']['file']}:{numbers[0]}"


def test_a_mark_in_the_source_leads_to_the_callee(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    graph.choose("rocblas_sgemv")
    graph.page.locator("#source-body button.gutter").first.click()
    assert graph.text("#details h2") in callees_of(scope, "rocblas_sgemv")


def test_hidden_nodes_are_brought_back(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    before = graph.labels()
    for name in ("rocblas_gemv.cpp", "rocblas_gemv_batched.cpp"):
        graph.click(graph.node(name))
        graph.ask("Hide")
    assert len(graph.labels()) == len(before) - 2
    assert "8 hidden" in graph.text("#status")
    graph.page.locator("[data-unhide]").first.click()
    graph.settle()
    assert "rocblas_gemv.cpp" in graph.labels()
    graph.page.click("#unhide-all")
    graph.settle()
    assert graph.labels() == before


def test_a_link_brings_back_the_same_view(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    graph.page.select_option("#config", "tensile")
    graph.page.click("[data-depth='3']")
    graph.click(graph.node("rocblas_gemv.cpp"), twice=True)
    graph.click(graph.node("rocblas_gemv_batched.cpp"))
    graph.press("h")
    graph.choose(names(scope, "launcher")[0])
    link = graph.page.url
    seen = graph.labels(), graph.text("#details h2"), graph.text("#status")
    graph.open(drawn, "#" + link.partition("#")[2])
    assert (graph.labels(), graph.text("#details h2"), graph.text("#status")) == seen
    assert graph.page.input_value("#config") == "tensile"


def test_a_link_to_an_edge_brings_back_its_call_site(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    graph.page.click(f"[data-kernel='{a_kernel(scope)}']")
    graph.settle()
    graph.click(graph.canvas("cy.edges('.launch').first().id()"))
    line = graph.page.locator("#source-body .hit .number").first.inner_text()
    graph.open(drawn, "#" + graph.page.url.partition("#")[2])
    assert graph.page.locator("#source-body .hit .number").first.inner_text() == line
    assert graph.page.locator("#banner strong").inner_text().endswith(a_kernel(scope))


def test_a_link_with_unknown_names_still_opens(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn, "#focus=gone&open=@host:gone.cpp&query=paths&to=gone&depth=77&edge=x")
    assert graph.labels()
    assert "gone" in graph.page.locator("#live").text_content()


def test_back_goes_back(graph: GraphPage, drawn: Path, scope: dict[str, Any]) -> None:
    graph.open(drawn)
    before = graph.labels()
    graph.page.click(f"[data-kernel='{a_kernel(scope)}']")
    graph.settle()
    graph.page.go_back()
    graph.settle()
    assert graph.labels() == before
    assert graph.page.locator("#banner").is_hidden()
