"""What the page draws: folded, opened, paths, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from render.browser import GraphPage
from render.reachable import on_paths, reached, reaching
from render.seen import a_kernel, callees_of, callers_of, names, open_all


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
    callees = callees_of(scope, "rocblas_sgemv")
    graph.click(graph.node("rocblas_sgemv"), twice=True)
    assert callees <= set(graph.labels())


def test_callers_and_callees(graph: GraphPage, drawn: Path, scope: dict[str, Any]) -> None:
    graph.open(drawn)
    subject = names(scope, "launcher")[0]
    graph.choose(subject)
    graph.ask("Callees")
    assert set(graph.labels()) == callees_of(scope, subject) | {subject}
    assert graph.canvas(
        "cy.edges().every((e) => cy.edges('.down').length ? e.source().position('y') <"
        " e.target().position('y') : e.source().position('x') < e.target().position('x'))"
    )
    graph.ask("Callers")
    assert set(graph.labels()) == callers_of(scope, subject) | {subject}


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
