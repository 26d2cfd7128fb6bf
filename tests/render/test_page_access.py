"""The page for every reader: keyboard, contrast, small screens, names and sizes that break it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from extractor.render import render
from extractor.render.drawing import KINDS
from render.browser import GraphPage
from render.reachable import reached
from render.seen import names, open_all
from render.synthetic import synthetic_scope


def test_keyboard_alone_is_enough(graph: GraphPage, drawn: Path, scope: dict[str, Any]) -> None:
    graph.open(drawn)
    graph.page.locator("#graph").focus()
    graph.press("ArrowRight")
    chosen = graph.canvas("cy.$('node.chosen').id()")
    assert chosen
    graph.press("Enter")
    assert graph.canvas("cy.$('node.chosen').id()").startswith("d")
    opened = graph.labels("node.chosen")[0]
    down = graph.canvas("cy.edges('.down').length") > 0
    graph.press("ArrowDown" if down else "ArrowRight")
    callee = graph.canvas(
        "cy.$('node.chosen').map((n) => n.incomers('node').map((m) => m.data('label')))"
    )
    assert any(opened in "".join(label.split("\n")) for label in callee[0])
    graph.press("ArrowUp" if down else "ArrowLeft")
    graph.press("c")
    assert graph.canvas("cy.$('node.chosen').id()").startswith("f")
    graph.search(names(scope, "kernel")[-1])
    graph.press("Enter", "p")
    assert graph.page.locator("#banner").is_visible()
    graph.press("Escape")
    assert graph.page.locator("#banner").is_hidden()
    graph.press("?")
    assert graph.page.locator("#help").is_visible()
    graph.press("Escape")
    assert graph.page.locator("#help").is_hidden()


def test_every_control_can_be_reached_by_tab_and_has_a_name(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    graph.choose("rocblas_sgemv")
    unnamed = graph.page.evaluate(
        "() => [...document.querySelectorAll('button, select, input, a[href]')]"
        ".filter((e) => e.offsetParent && !(e.textContent.trim() || e.getAttribute('aria-label')"
        " || e.labels?.length || e.title)).map((e) => e.outerHTML)"
    )
    assert unnamed == []
    untabbable = graph.page.locator("button[tabindex='-1']:visible").count()
    assert untabbable == 0


def _contrast(a: str, b: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(p) / 255 for p in re.findall(r"\d+", colour)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_are_readable_in_both_themes(graph: GraphPage, drawn: Path, theme: str) -> None:
    graph.page.emulate_media(color_scheme=theme)
    graph.open(drawn)
    open_all(graph)
    graph.keep(f"theme-{theme}")
    ground = graph.page.evaluate("getComputedStyle(document.body).backgroundColor")
    ink = graph.page.evaluate("getComputedStyle(document.body).color")
    assert (_contrast(ground, "0 0 0") > 10) == (theme == "light")
    assert _contrast(ground, ink) >= 7
    for kind in KINDS:
        fill = graph.canvas(f"cy.nodes('.{kind}').first().style('background-color')")
        text = graph.canvas(f"cy.nodes('.{kind}').first().style('color')")
        border = graph.canvas(f"cy.nodes('.{kind}').first().style('border-color')")
        assert _contrast(fill, text) >= 4.5, kind
        assert _contrast(border, ground) >= 3, kind
    graph.choose("rocblas_sgemv")
    for piece in ("keyword", "comment", "string", "call"):
        colour = graph.page.locator(f"#source-body .{piece}").first.evaluate(
            "(e) => getComputedStyle(e).color"
        )
        assert _contrast(colour, ground) >= 4.5, piece


def test_theme_button_beats_the_system(graph: GraphPage, drawn: Path) -> None:
    graph.page.emulate_media(color_scheme="light")
    graph.open(drawn)
    before = graph.canvas("cy.nodes().first().style('background-color')")
    graph.page.click("#theme")
    graph.settle()
    assert graph.canvas("cy.nodes().first().style('background-color')") != before
    assert graph.page.get_attribute("html", "data-theme") == "dark"


@pytest.mark.parametrize(("width", "height"), [(750, 450), (640, 400), (400, 700)])
def test_readable_at_200_percent_and_on_small_screens(
    graph: GraphPage, drawn: Path, width: int, height: int
) -> None:
    graph.page.set_viewport_size({"width": width, "height": height})
    graph.open(drawn)
    graph.choose("rocblas_sgemv")
    graph.keep(f"small-{width}")
    wide = graph.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    for selector in ("#sidebar", "#graph", "#details", "#source"):
        box = graph.page.locator(selector).bounding_box()
        assert box
        assert box["width"] >= 150, selector
        assert box["height"] >= 80, selector


def test_names_that_break_careless_pages(
    graph: GraphPage, hostile_scope: dict[str, Any], tmp_path: Path
) -> None:
    from render.synthetic import HOSTILE

    [page] = render(hostile_scope, ["html"], tmp_path)
    graph.page.on("dialog", lambda dialog: pytest.fail(f"a name ran: {dialog.message}"))
    graph.open(page)
    open_all(graph)
    graph.keep("hostile")
    known = graph.page.evaluate(
        "() => JSON.parse(document.getElementById('data').textContent)"
        ".definitions.map((d) => d.name)"
    )
    assert set(HOSTILE) <= set(known)
    for name in HOSTILE[:5]:
        if name not in {
            n
            for e in hostile_scope["entry_points"]
            for n in reached(hostile_scope, "source", e, dead=True)
        }:
            continue
        graph.choose(name)
        assert graph.text("#details h2") == name
        graph.open(page, "#" + graph.page.url.partition("#")[2])
        assert graph.text("#details h2") == name


def test_a_drawing_too_large_says_what_stayed_folded(graph: GraphPage, tmp_path: Path) -> None:
    [page] = render(synthetic_scope(3000, 4500), ["html"], tmp_path)
    graph.page.set_default_timeout(60_000)
    graph.open(page)
    open_all(graph)
    status = graph.text("#status")
    kept = re.search(r"([\d,]+) kept folded: a drawing holds 2,500 nodes", status)
    assert kept
    assert graph.canvas("cy.nodes().length") <= 2500


def test_an_interface_without_kernels_says_so(graph: GraphPage, tmp_path: Path) -> None:
    scope = synthetic_scope(20)
    gone = {f["id"] for f in scope["functions"] if f["kind"] in ("kernel", "device")}
    scope["functions"] = [f for f in scope["functions"] if f["id"] not in gone]
    kept = {i["id"] for f in scope["functions"] for i in f["instantiations"]}
    scope["launches"] = []
    scope["calls"] = [c for c in scope["calls"] if {c["caller"], c["callee"]} <= kept]
    [page] = render(scope, ["html"], tmp_path)
    graph.open(page)
    assert "reach 0 kernels" in graph.text("#answer")
    assert "This interface reaches no kernel." in graph.text("#details")
