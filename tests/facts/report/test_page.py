"""The pages of facts in a real browser: what a reader sees and can do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from render.browser import GraphPage

from extractor.api import scope_bytes
from extractor.facts.collect import counts, merged, to_lines
from extractor.facts.host.production import facts_of
from extractor.facts.records import Fact
from extractor.facts.report.pages import interface_page, library_page
from extractor.facts.report.tables import unproved
from extractor.project import Project
from extractor.records import Span

RULES = Path(__file__).parents[1] / "host" / "fixtures" / "rules.toml"


@pytest.fixture(scope="module")
def facts(product_cache: Path) -> list[Fact]:
    project = Project(RULES, jobs=1)
    found = [f for name in ("scale", "pick") for f in facts_of(project, name, "source")]
    return merged(found, project.configurations())


@pytest.fixture(scope="module")
def folder(facts: list[Fact], tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = Project(RULES, jobs=1)
    scope = json.loads(scope_bytes(project, "scale", project.configurations()))
    made = tmp_path_factory.mktemp("facts")
    (made / "facts.html").write_text(interface_page(scope, facts), encoding="utf-8")
    page = library_page("brook", "brook 1.0", "0", facts)
    (made / "library.html").write_text(page, encoding="utf-8")
    return made


def _opened(browser: Browser, path: Path) -> GraphPage:
    return GraphPage(browser.new_page()).open(path)


@pytest.mark.xdist_group("browser")
def test_a_kernel_shows_who_launches_it_beside_its_source(browser: Browser, folder: Path) -> None:
    opened = _opened(browser, folder / "facts.html")
    page = opened.page
    page.locator("nav a", has_text="scale_one").click()
    assert "scale_one" in (page.locator("#facts h2").text_content() or "")
    launch = page.locator("details.launch").first
    assert "by launch" in (launch.text_content() or "")
    assert page.locator("#lines .line").count() >= 1
    assert opened.complaints == []
    assert all(url.startswith(("file:", "data:", "about:")) for url in opened.requests)


@pytest.mark.xdist_group("browser")
def test_kernels_that_only_check_come_after_those_that_do_the_work(
    browser: Browser, facts: list[Fact], tmp_path: Path
) -> None:
    project = Project(RULES, jobs=1)
    scope = json.loads(scope_bytes(project, "scale", project.configurations()))
    kernels = sorted({f["name"]: f for f in scope["functions"] if f["kind"] == "kernel"})
    for function in scope["functions"]:
        function["infrastructure"] = "checks" if function["name"] == kernels[0] else None
    (tmp_path / "facts.html").write_text(interface_page(scope, facts), encoding="utf-8")
    listed = _opened(browser, tmp_path / "facts.html").page.locator("nav a").all_text_contents()
    first = [next(i for i, text in enumerate(listed) if name in text) for name in kernels[:2]]
    assert first[0] > first[1]


@pytest.mark.xdist_group("browser")
def test_a_click_marks_the_lines_that_show_a_fact(browser: Browser, folder: Path) -> None:
    opened = _opened(browser, folder / "facts.html")
    page = opened.page
    page.locator("#search").fill("launch_grid")
    page.locator("nav a", has_text="launch").first.click()
    page.locator("details.launch").nth(1).click()
    hit = page.locator(".line.hit")
    assert hit.count() >= 1
    assert "START" in (hit.first.text_content() or "")
    page.locator("#search").fill("no such function")
    assert "Nothing has this name" in (page.locator("nav").text_content() or "")
    assert opened.complaints == []


@pytest.mark.xdist_group("browser")
def test_the_page_of_a_library_opens(browser: Browser, folder: Path) -> None:
    opened = _opened(browser, folder / "library.html")
    page = opened.page
    assert page.locator("figure svg").count() == 2
    assert opened.complaints == []


@pytest.mark.xdist_group("browser")
def test_what_looks_like_a_fault_and_what_was_not_proved_is_counted_by_kind(
    browser: Browser, tmp_path: Path
) -> None:
    span = Span(file="a.hip", start_line=3, end_line=3, sha256="")
    common: dict[str, Any] = {"project": "brook", "span": span, "proved_by": "ast"}
    barrier = {"divergent": True, "condition": "threadIdx.x < n"}
    facts = [
        Fact(function="a.hip:1:k", subject="a.hip:3", fact="barrier", value=barrier, **common),
        *(
            Fact(
                function="a.hip:1:k",
                subject=f"a.hip:{line}",
                fact="barrier",
                value=None,
                reason=f"whether all threads agree on x (line {line}) was not proved",
                **common,
            )
            for line in (5, 7)
        ),
    ]
    (tmp_path / "library.html").write_text(library_page("brook", "1", "0", facts))
    opened = _opened(browser, tmp_path / "library.html")
    page = opened.page
    text = page.locator("main").text_content() or ""
    assert "barrier in divergent control flow 1, worth a look" in text
    assert "Not proved 2" in text
    assert page.locator("table.kernels tbody tr").count() == 1
    page.locator("#search").fill("no such kernel")
    assert page.locator("table.kernels").count() == 0
    assert opened.complaints == []
    assert unproved(facts) == [
        ("barrier", "whether all threads agree on a condition was not proved", 2)
    ]


def test_pages_and_lines_are_the_same_bytes_every_time(facts: list[Fact]) -> None:
    again = merged(reversed(facts), ("source",))
    assert to_lines(again) == to_lines(facts)
    first = library_page("brook", "1", "0", facts)
    assert first == library_page("brook", "1", "0", again)
    assert all("null" not in reason for row in counts(facts).values() for reason in row)


def test_conditions_that_are_written_are_not_written_again_as_one_text(facts: list[Fact]) -> None:
    rows = [fact.value for fact in facts if fact.fact == "launch_condition"]
    stated = [value for value in rows if isinstance(value, dict)]
    assert any(value["conditions"] for value in stated)
    assert not any("text" in value for value in stated)
