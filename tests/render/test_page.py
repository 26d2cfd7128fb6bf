"""Everything that the page promises, each tried in a real browser on one interface."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from extractor.render import render
from extractor.render.drawing import KINDS
from render.browser import GraphPage
from render.reachable import instantiation_graph, on_paths, reached, reaching
from render.synthetic import synthetic_scope


def names(scope: dict[str, Any], kind: str) -> list[str]:
    return sorted(f["name"] for f in scope["functions"] if f["kind"] == kind)


def a_kernel(scope: dict[str, Any]) -> str:
    """A kernel that some entry point reaches in the first configuration, by a path of three."""
    entry = scope["entry_points"][0]
    live = set(scope["per_entry"][entry][scope["configs"][0]])
    return min(
        f["name"]
        for f in scope["functions"]
        if f["kind"] == "kernel" and any(i["id"] in live for i in f["instantiations"])
    )


def open_all(graph: GraphPage) -> None:
    graph.page.click("[data-depth='99']")
    graph.page.click("#unfold")
    graph.settle()


def test_page_is_one_file_and_asks_for_nothing(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    graph.page.wait_for_timeout(400)
    assert {url.partition("#")[0] for url in graph.requests if url.startswith("file:")} == {
        drawn.as_uri()
    }
    policy = graph.page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
    assert policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert "http:" not in policy


def test_policy_refuses_what_is_not_the_page(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    ran = graph.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        " document.body.append(s); return window.ran ?? 0; }"
    )
    assert ran == 0
    graph.page.wait_for_timeout(100)
    assert any("policy" in text for text in graph.complaints)
    graph.complaints.clear()


def test_first_sight_is_folded_by_file_to_depth_two(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    graph.keep("start")
    assert graph.page.get_attribute("[data-depth='2']", "aria-pressed") == "true"
    assert "rocblas_gemv.cpp" in graph.labels("node.fold.entry_point")
    assert graph.labels("node.kernel") == []
    assert "beyond depth 2" in graph.text("#status")
    said = graph.text("#answer")
    assert (
        said
        == f"{len(scope['entry_points'])} entry points reach {len(names(scope, 'kernel'))} kernels"
    )


def test_depth_shows_more_files(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    counts = []
    for depth in ("1", "2", "3", "99"):
        graph.page.click(f"[data-depth='{depth}']")
        graph.settle()
        counts.append(len(graph.labels()))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]
    assert "beyond depth" not in graph.text("#status")


def test_a_file_opens_where_it_stood_and_folds_again(graph: GraphPage, drawn: Path) -> None:
    graph.open(drawn)
    before = graph.labels()
    fold = graph.node("rocblas_gemv.cpp")
    place = graph.place(fold)
    graph.click(fold, twice=True)
    assert "rocblas_sgemv" in graph.labels()
    assert "rocblas_gemv.cpp" not in graph.labels()
    first = graph.canvas("cy.$('node.chosen').id()")
    assert graph.place(first) == pytest.approx(place, abs=2)
    graph.ask("Fold its file")
    assert graph.labels() == before


def test_everything_opens_and_folds_at_once(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    open_all(graph)
    graph.keep("all-open")
    live = {n for e in scope["entry_points"] for n in reached(scope, "source", e, dead=True)}
    rules = {rule["rule"] for rule in scope["excluded"]}
    assert set(graph.labels()) == live | rules
    graph.page.click("#fold")
    graph.settle()
    assert graph.labels("node.host", without=".fold") == []


def test_double_click_on_a_function_shows_its_callees(
    graph: GraphPage, drawn: Path, scope: Any
) -> None:
    graph.open(drawn)
    graph.page.click("[data-depth='1']")
    graph.choose("rocblas_sgemv")
    callees = _callees(scope, "rocblas_sgemv")
    graph.click(graph.node("rocblas_sgemv"), twice=True)
    assert callees <= set(graph.labels())


def _callees(scope: dict[str, Any], name: str) -> set[str]:
    graph = instantiation_graph(scope, "source", dead=True)
    return {
        graph.nodes[callee]["name"]
        for caller, callee in graph.edges()
        if graph.nodes[caller]["name"] == name
    }


def _callers(scope: dict[str, Any], name: str) -> set[str]:
    graph = instantiation_graph(scope, "source", dead=True)
    return {
        graph.nodes[caller]["name"]
        for caller, callee in graph.edges()
        if graph.nodes[callee]["name"] == name
    }


def test_callers_and_callees(graph: GraphPage, drawn: Path, scope: dict[str, Any]) -> None:
    graph.open(drawn)
    subject = names(scope, "launcher")[0]
    graph.choose(subject)
    graph.ask("Callees")
    assert set(graph.labels()) == _callees(scope, subject) | {subject}
    assert graph.canvas(
        "cy.edges().every((e) => cy.edges('.down').length ? e.source().position('y') <"
        " e.target().position('y') : e.source().position('x') < e.target().position('x'))"
    )
    graph.ask("Callers")
    assert set(graph.labels()) == _callers(scope, subject) | {subject}


def test_what_reaches_this_and_what_this_reaches(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    graph.open(drawn)
    subject = names(scope, "launcher")[1]
    graph.choose(subject)
    graph.ask("What reaches this")
    assert set(graph.labels()) == reaching(scope, "source", subject, dead=True)
    graph.ask("What this reaches")
    assert set(graph.labels()) == reached(scope, "source", subject, dead=True)


def test_all_paths_to_a_kernel_are_exact_to_the_instantiation(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    kernel = a_kernel(scope)
    graph.open(drawn)
    graph.page.click(f"[data-kernel='{kernel}']")
    graph.settle()
    graph.keep("paths")
    assert set(graph.labels()) == on_paths(scope, "source", scope["entry_points"], kernel)
    assert graph.canvas("cy.elements('.dim').length") == 0
    route = graph.text("#details .route")
    assert "Shortest path and its conditions" in route
    assert "if (n > " in route
    assert "Grid" in route


def test_all_paths_from_here_to_that_kernel(
    graph: GraphPage, drawn: Path, scope: dict[str, Any]
) -> None:
    entry, kernel = scope["entry_points"][0], a_kernel(scope)
    graph.open(drawn)
    graph.choose(entry)
    graph.page.select_option("#paths-to", label=kernel)
    graph.settle()
    assert set(graph.labels()) == on_paths(scope, "source", [entry], kernel)
    assert graph.text("#banner strong") == f"All paths from {entry} to {kernel}"
    graph.page.locator("#banner").get_by_label("only these").uncheck()
    graph.settle()
    lit = set(graph.labels("node", without=".dim"))
    assert lit == on_paths(scope, "source", [entry], kernel)
    assert graph.labels("node.dim")


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
            if e["caller"] in _ids(scope, caller)
            and (e.get("callee") or e["kernel"]) in _ids(scope, callee)
        }
        assert number in known
        shown = graph.page.locator("#source-body").evaluate(
            "(body) => { const h = body.querySelector('.hit').getBoundingClientRect();"
            " const b = body.getBoundingClientRect();"
            " return h.top >= b.top && h.bottom <= b.bottom; }"
        )
        assert shown
    graph.keep("call-site")


def _ids(scope: dict[str, Any], name: str) -> set[str]:
    return {i["id"] for f in scope["functions"] if f["name"] == name for i in f["instantiations"]}


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
    assert graph.text("#details h2") in _callees(scope, "rocblas_sgemv")


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
