from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from extractor.errors import UserError
from extractor.render import load_overview, render, render_library, render_overview
from render.browser import GraphPage
from render.synthetic import synthetic_scope

FAMILIES = {"gemv": 40, "trsm": 60, "axpy": 24}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("library")
    for seed, (interface, size) in enumerate(FAMILIES.items()):
        scope = synthetic_scope(size, seed=seed, interface=interface, hostile=interface == "trsm")
        folder = out / "rocblas" / interface
        folder.mkdir(parents=True)
        (folder / "scope.json").write_text(json.dumps(scope))
        if interface != "axpy":
            render(scope, ["html"], folder)
    render_overview(out, "rocblas")
    return out


def scopes(library: Path) -> dict[str, dict[str, Any]]:
    return {
        path.parent.name: json.loads(path.read_text())
        for path in (library / "rocblas").glob("*/scope.json")
    }


def live_kernels(scope: dict[str, Any]) -> set[tuple[str, str]]:
    live = {k for by in scope["per_entry"].values() for ks in by.values() for k in ks}
    return {
        (f["name"], f["span"]["file"])
        for f in scope["functions"]
        if any(i["id"] in live for i in f["instantiations"])
    }


def test_the_loader_counts_live_kernels(library: Path) -> None:
    overview = load_overview(library, "rocblas")
    assert [i.interface for i in overview.interfaces] == sorted(FAMILIES)
    for summary in overview.interfaces:
        scope = scopes(library)[summary.interface]
        kernels = {(f.name, f.file) for f in summary.functions if f.kind == "kernel" and f.live}
        assert kernels == live_kernels(scope)
        assert summary.entry_points == len(scope["entry_points"])
        assert summary.excluded == 23
        assert summary.page == (
            "" if summary.interface == "axpy" else f"{summary.interface}/callgraph.html"
        )


def test_interfaces_by_kernels_reached(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html")
    graph.keep("overview")
    rows = graph.page.locator("#interfaces tbody tr")
    table = [
        [cell.strip() for cell in rows.nth(i).locator("td").all_inner_texts()]
        for i in range(rows.count())
    ]
    numbers = {row[0]: int(row[1]) for row in table}
    assert numbers == {name: len(live_kernels(scope)) for name, scope in scopes(library).items()}
    assert list(numbers.values()) == sorted(numbers.values(), reverse=True)
    graph.page.click("[data-sort='name']")
    names = [text.strip() for text in rows.locator("td:first-child").all_inner_texts()]
    assert names == sorted(FAMILIES)


def test_kernels_by_interfaces_that_share_them(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html")
    first = graph.page.locator("#kernels tbody tr").first
    assert first.locator("td").nth(0).inner_text() == "reset_kernel_0"
    assert first.locator("td").nth(2).inner_text() == "3"
    assert set(first.locator(".chips > *").all_inner_texts()) == set(FAMILIES)
    shared = live_kernels(scopes(library)["gemv"]) & live_kernels(scopes(library)["trsm"])
    assert shared
    assert re.search(rf"{len(shared)} of them (are|is) shared", graph.text("#totals"))


def test_boundaries_name_their_library(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html")
    text = graph.text("#boundaries")
    assert "runContractionProblem" in text
    assert "Tensile" in text
    assert "HIP runtime" in text


def test_search_across_all_leads_to_the_function_in_its_page(
    graph: GraphPage, library: Path
) -> None:
    graph.open(library / "rocblas" / "index.html")
    graph.search("trsm_launcher_0")
    graph.keep("overview-search")
    found = graph.page.locator("#found tbody tr")
    assert found.count() == 1
    assert graph.page.locator("#interfaces tbody tr").count() == 0
    graph.page.locator("#found .chips a").click()
    graph.page.wait_for_selector("#graph")
    graph.page.wait_for_selector("html[data-ready]")
    assert graph.text("#details h2") == "rocblas_trsm_launcher_0"


def test_hostile_names_are_found_and_linked(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html")
    graph.page.fill("#search", "</script>")
    graph.page.locator("#found .chips a").first.click()
    graph.page.wait_for_selector("#graph")
    graph.page.wait_for_selector("html[data-ready]")
    assert graph.text("#details h2") == "</script><script>alert(1)</script>"


def test_an_interface_without_a_page_is_no_link(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html")
    row = graph.page.locator("#interfaces tbody tr", has_text="axpy")
    assert row.locator("a").count() == 0
    for link in graph.page.locator("a").all():
        target = (link.get_attribute("href") or "").partition("#")[0]
        assert (library / "rocblas" / target).is_file()


def test_the_search_is_in_the_address(graph: GraphPage, library: Path) -> None:
    graph.open(library / "rocblas" / "index.html", "#search=reset_kernel")
    assert graph.page.input_value("#search") == "reset_kernel"
    assert graph.page.locator("#found").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_overview_in_both_themes_and_narrow(graph: GraphPage, library: Path, theme: str) -> None:
    graph.page.emulate_media(color_scheme=theme)
    graph.page.set_viewport_size({"width": 640, "height": 500})
    graph.open(library / "rocblas" / "index.html")
    graph.keep(f"overview-{theme}")
    background = graph.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")


def test_a_scope_that_cannot_be_read_is_said(
    browser: Browser, graph: GraphPage, tmp_path: Path
) -> None:
    for name, text in (("good", json.dumps(synthetic_scope(20))), ("bad", "{"), ("old", "{}")):
        (tmp_path / "rocblas" / name).mkdir(parents=True)
        (tmp_path / "rocblas" / name / "scope.json").write_text(text)
    overview = load_overview(tmp_path, "rocblas")
    assert [file for file, _ in overview.unread] == ["bad/scope.json", "old/scope.json"]
    graph.open(render_overview(tmp_path, "rocblas"))
    assert "bad/scope.json could not be read" in graph.text("#notes")


def test_a_whole_library_gets_its_pages_once(tmp_path: Path) -> None:
    for name, size in (("gemv", 20), ("dot", 16)):
        (tmp_path / "rocblas" / name).mkdir(parents=True)
        (tmp_path / "rocblas" / name / "scope.json").write_text(
            json.dumps(synthetic_scope(size, interface=name))
        )
    (tmp_path / "rocblas" / "bad").mkdir()
    (tmp_path / "rocblas" / "bad" / "scope.json").write_text("{")
    seen: list[tuple[str, int, int]] = []
    pages = render_library(tmp_path, "rocblas", done=lambda *step: seen.append(step))
    assert [page.relative_to(tmp_path / "rocblas").as_posix() for page in pages] == [
        "index.html",
        "dot/callgraph.html",
        "gemv/callgraph.html",
    ]
    assert sorted(name for name, _, _ in seen) == ["bad", "dot", "gemv"]
    assert [number for _, number, _ in seen] == [1, 2, 3]
    stamps = [page.stat().st_mtime_ns for page in pages[1:]]
    render_library(tmp_path, "rocblas")
    assert [page.stat().st_mtime_ns for page in pages[1:]] == stamps
    scope = tmp_path / "rocblas" / "dot" / "scope.json"
    scope.write_text(json.dumps(synthetic_scope(18, interface="dot")))
    render_library(tmp_path, "rocblas", jobs=1)
    assert pages[1].stat().st_mtime_ns != stamps[0]
    assert pages[2].stat().st_mtime_ns == stamps[1]


def test_a_page_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "rocblas" / "gemv"
    (folder / "callgraph.html").mkdir(parents=True)
    (folder / "scope.json").write_text(json.dumps(synthetic_scope(16)))
    with pytest.raises(UserError, match=r"^cannot write .*callgraph\.html"):
        render_library(tmp_path, "rocblas")


def test_nothing_to_show_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no scope\.json below .*; run: extract rocblas"):
        render_overview(tmp_path, "rocblas")


def test_overview_has_the_same_bytes_each_time(library: Path) -> None:
    first = render_overview(library, "rocblas").read_bytes()
    assert render_overview(library, "rocblas").read_bytes() == first
