"""The review page in a real browser, driven with mouse and keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from render.browser import GraphPage

from qa.intake import fingerprint, read
from qa.review.decisions import Decisions
from qa.view.build import CHUNK, Made, build
from qa_release.entries import Rows, spoiled, write

View = Callable[..., Made]


@pytest.fixture
def view(tmp_path: Path, in_shared_cache: Path, pond: Path) -> View:
    def run(rows: Rows, **options: Any) -> Made:
        file = write(tmp_path / "entries.jsonl", rows)
        return build([file], tmp_path / "page.html", rules=[pond], **options)

    return run


def shown(page: GraphPage) -> str:
    """Waits until the chosen entry is there, and says which it is."""
    chosen = page.page.locator('.row[aria-selected="true"]').get_attribute("data-id")
    page.page.wait_for_function("(id) => document.documentElement.dataset.shown === id", arg=chosen)
    page.settle()
    assert chosen
    return chosen


def ids(page: GraphPage) -> list[str]:
    return page.page.locator(".row").evaluate_all("(rows) => rows.map((r) => r.dataset.id)")


def test_an_entry_shows_everything_with_its_evidence_in_the_source(
    view: View, rows: Rows, opened: GraphPage, tmp_path: Path
) -> None:
    facts = {
        "function": "src/scale.hip:1:" + (name := rows[1]["claims"][0]["subject"]),
        "fact": "vgprs", "arch": "gfx942",
    }  # fmt: skip
    lines = [{**facts, "value": 8}, {**facts, "value": 12}, {**facts, "fact": "loop", "value": {}}]
    made = view(rows, facts=[write(tmp_path / "facts.jsonl", lines)])
    assert made.notes == ()
    opened.open(made.page, f"#id={rows[1]['id']}")
    row = rows[1]
    assert shown(opened) == row["id"]
    assert opened.text("#question") == row["question"]
    assert opened.text("#answer").split() == row["answer"].split()
    spans = row["evidence"]
    for block, file in enumerate(dict.fromkeys(span["file"] for span in spans)):
        source = opened.page.locator("#evidence .source").nth(block)
        assert source.locator(".place").inner_text().startswith(f"{file}:")
        hit = source.locator(".line.hit").evaluate_all("(l) => l.map((x) => +x.dataset.line)")
        wanted = {
            line
            for span in spans
            if span["file"] == file
            for line in range(span["start_line"], span["end_line"] + 1)
        }
        assert set(hit) == wanted
        every = source.locator(".line").count()
        assert every > len(wanted), "lines around the evidence are shown as well"
    text = opened.page.locator("#evidence .line.hit > :last-child").all_inner_texts()
    assert row["context"][0]["text"].splitlines()[0].strip() in [line.strip() for line in text]
    assert "✓ spans" in opened.text("#gates")
    assert name in opened.text("#claims")
    assert "8–12" in opened.text("#resources")
    assert row["source"]["commit"] in opened.text("#provenance")
    opened.keep("review-light")
    opened.page.locator("#theme").click()
    ground = "getComputedStyle(document.body).backgroundColor"
    assert opened.page.evaluate(ground) == "rgb(20, 24, 29)"
    opened.keep("review-dark")


def test_filters_narrow_the_list(view: View, rows: Rows, opened: GraphPage) -> None:
    opened.open(view(rows).page)
    page = opened.page

    def matching(**wanted: Any) -> set[str]:
        return {row["id"] for row in rows if all(row[k] == v for k, v in wanted.items())}

    page.locator("#filter-interface").select_option("fill")
    opened.settle()
    assert set(ids(opened)) == matching(interface="fill")
    page.locator("#filter-level").select_option("1")
    opened.settle()
    assert set(ids(opened)) == matching(interface="fill", level=1)
    page.locator("#clear-filters").click()
    for name, value, wanted in (
        ("library", "pond", {row["id"] for row in rows}),
        ("category", "dispatch", matching(category="dispatch")),
        ("author", "small-1", {r["id"] for r in rows if r["author"]["model"]}),
        ("kind", "qa", matching(kind="qa")),
        ("configuration", "fast", {r["id"] for r in rows if "fast" in r["configs"]}),
        ("architecture", "gfx942", matching(archs=["gfx942"])),
    ):
        page.locator(f"#filter-{name}").select_option(value)
        opened.settle()
        assert opened.text("#status").startswith(f"{len(wanted)} of {len(rows)} entries")
        page.locator("#clear-filters").click()
    opened.press("Escape")
    page.locator("#list").focus()
    opened.press("/")
    page.keyboard.type(f"sort {rows[-1]['id'][:12]}")
    opened.settle()
    assert ids(opened) == [rows[-1]["id"]]
    page.keyboard.type(" nothing has this")
    opened.settle()
    assert "No entry matches" in opened.text("#entry")


def test_decisions_are_made_by_key_kept_and_exported_for_qa_review(
    view: View, rows: Rows, opened: GraphPage, tmp_path: Path
) -> None:
    made = view(rows)
    opened.open(made.page)
    page = opened.page
    first = shown(opened)
    page.locator("#list").focus()
    opened.press("a")
    second = shown(opened)
    assert second != first
    opened.press("r")
    page.wait_for_function("document.activeElement.id === 'comment'")
    page.keyboard.type('vague <b>&"')
    opened.press("Escape")
    opened.press("j", "k", "j")
    third = shown(opened)
    opened.press("a")
    opened.press("k")
    shown(opened)
    opened.press("u")
    opened.press("c")
    page.keyboard.type("look again")
    opened.press("Escape")
    assert "1 accepted · 1 rejected" in opened.text("#status")
    page.locator("#filter-review").select_option("reject")
    opened.settle()
    assert ids(opened) == [second]
    opened.open(made.page)
    assert "1 accepted · 1 rejected" in opened.text("#status")
    page.locator("#reviewer").fill(" Ann ")
    page.locator("#list").focus()
    with page.expect_download() as download:
        opened.press("e")
    saved = tmp_path / "reviews.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text())["reviewer"] == "Ann"
    known = {entry.id: entry for entry in read([tmp_path / "entries.jsonl"]).entries}
    decisions = {
        made[0].id: made[0] for made in Decisions.load([saved]).by_id.values() for made in [made[0]]
    }
    assert {i: (d.decision, d.comment) for i, d in decisions.items()} == {
        first: ("accept", ""),
        second: ("reject", 'vague <b>&"'),
        third: (None, "look again"),
    }
    assert all(d.fingerprint == fingerprint(known[i]) for i, d in decisions.items())


def test_a_decision_about_an_entry_that_changed_is_flagged(
    view: View, rows: Rows, opened: GraphPage, tmp_path: Path
) -> None:
    [before] = read([write(tmp_path / "old.jsonl", rows[:1])]).entries
    decision = {"id": before.id, "fingerprint": fingerprint(before), "decision": "accept"}
    saved = tmp_path / "r.json"
    saved.write_text(json.dumps({"schema": "rocquarry.reviews/1", "decisions": [decision]}))
    rows[0]["answer"] = "Quite another answer."
    opened.open(view(rows, reviews=[saved]).page, f"#id={before.id}")
    assert shown(opened) == before.id
    assert "1 changed since they were reviewed" in opened.text("#status")
    assert "changed since that decision" in opened.text("#changed")
    opened.page.locator('[data-decision="accept"]').click()
    opened.page.locator('[data-decision="accept"]').click()
    shown(opened)
    assert opened.page.locator("#changed").count() == 0


def test_hostile_text_stays_text(view: View, rows: Rows, opened: GraphPage) -> None:
    evil = "</script><script>document.title='owned'</script><img src=x onerror=\"alert(1)\">\u2028"
    row = spoiled(rows[0], lambda row: row.update(question=evil, answer=evil, id="constructor"))
    row["claims"][0]["subject"] = evil
    row["gates"] = {evil: False, "__proto__": True}
    row["author"]["model"] = evil
    made = view([row, spoiled(rows[1], lambda row: row.update(id="__proto__"))])
    opened.open(made.page, "#id=constructor")
    assert shown(opened) == "constructor"
    assert opened.page.locator("#question").text_content() == evil
    assert opened.page.title() == "entries.jsonl: review"
    assert opened.page.locator("#entry img").count() == 0


def test_changed_sources_and_rows_that_are_no_entries_are_said(
    view: View, rows: Rows, opened: GraphPage
) -> None:
    rows[0]["evidence"][0]["sha256"] = "0" * 64
    made = view([*rows[:3], "{"])
    assert len(made.notes) == 2
    opened.open(made.page, f"#id={rows[0]['id']}")
    shown(opened)
    assert "is another text now" in opened.text("#evidence")
    opened.page.locator("#notes summary").click()
    assert "entries.jsonl:4: not_json" in opened.text("#notes")


def test_five_thousand_entries_are_listed_by_the_screenful_and_decoded_on_demand(
    view: View, rows: Rows, opened: GraphPage
) -> None:
    many = [
        spoiled(rows[n % len(rows)], lambda row, n=n: row.update(id=f"{n:05}")) for n in range(5000)
    ]
    made = view(many)
    opened.open(made.page)
    page = opened.page
    assert opened.text("#status").startswith("5,000 of 5,000 entries")
    counts = []
    page.locator("#list").focus()
    for key in ("End", "PageUp", "Home", *["j"] * 30, "End"):
        opened.press(key)
        shown(opened)
        counts.append(page.locator(".row").count())
    assert max(counts) < 60
    assert page.locator('.row[aria-selected="true"]').get_attribute("aria-posinset") == "5000"
    assert page.locator("*").count() < 3000
    assert made.size < 5_000_000
    assert CHUNK < 100


def test_keys_are_listed_and_the_page_is_labelled(
    view: View, rows: Rows, opened: GraphPage
) -> None:
    opened.open(view(rows).page)
    opened.page.locator("#list").focus()
    opened.press("?")
    assert opened.page.locator("#help").is_visible()
    assert "reject, and on to the comment" in opened.text("#keys")
    opened.press("a", "Escape")
    assert "0 accepted" in opened.text("#status"), "keys do nothing under the dialog"
    for element in opened.page.locator("select, input, textarea, button").all():
        name = element.evaluate(
            "(e) => e.getAttribute('aria-label') || e.textContent || e.labels?.[0]?.textContent"
        )
        assert name.strip()
