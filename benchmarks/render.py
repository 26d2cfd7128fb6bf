"""Figures of the call graph: layout, writing, and a page of 2,000 nodes in headless Chromium.

Prints one JSON object. Ratios are against work of the same run on the same machine, so that they
can be compared between machines; seconds and milliseconds stand beside them.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx
from playwright.sync_api import Browser, Page

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from render.browser import launched
from render.synthetic import synthetic_scope

from extractor.render import FORMATS, render
from extractor.render.drawing import Drawing, draw
from extractor.render.folding import folds, lay_out_drawing

NODES, EDGES = 2_000, 5_000
_FRAMES = """() => {
  window.frames = [];
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    window.frames.push(now - last);
    last = now;
    window.frameTimer = requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}"""
_PAINTED = "() => new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))"


def best_of(times: int, work: Callable[[], Any]) -> float:
    """Seconds of the quickest run."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def layout_figures(drawing: Drawing) -> dict[str, Any]:
    groups = folds(drawing)
    graph: networkx.DiGraph[int] = networkx.DiGraph(
        (edge.caller, edge.callee) for edge in drawing.edges
    )

    def layering_by_networkx() -> None:
        list(networkx.topological_generations(networkx.condensation(graph)))

    ours = best_of(5, lambda: lay_out_drawing(drawing, groups))
    theirs = best_of(5, layering_by_networkx)
    return {
        "nodes": len(drawing.definitions),
        "edges": len(drawing.edges),
        "seconds": round(ours, 4),
        "target_seconds": 0.5,
        "ratio_to_networkx_layering_alone": round(ours / theirs, 2),
    }


def writing_figures(scope: dict[str, Any], folder: Path) -> dict[str, Any]:
    drawing = best_of(2, lambda: draw(scope))
    figures: dict[str, Any] = {"drawing_seconds": round(drawing, 3)}
    reading = best_of(2, lambda: json.loads(json.dumps(scope)))
    for name in FORMATS:
        seconds = best_of(1, lambda name=name: render(scope, [name], folder))
        [path] = render(scope, [name], folder)
        figures[name] = {
            "seconds": round(seconds, 3),
            "ratio_to_scope_json_round_trip": round(seconds / reading, 2),
            "megabytes": round(path.stat().st_size / 1e6, 2),
        }
    return figures


def pan(page: Page) -> dict[str, float]:
    """Drags the drawing for sixty steps and reports the frames in between."""
    box = page.locator("#graph").bounding_box()
    assert box
    x, y = box["x"] + 12, box["y"] + 12
    page.mouse.move(x, y)
    page.wait_for_timeout(1500)
    page.mouse.down()
    page.evaluate(_FRAMES)
    for step in range(1, 61):
        page.mouse.move(x + 4 * step, y + 2 * step)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    frames = page.evaluate(
        "() => { cancelAnimationFrame(window.frameTimer); return window.frames; }"
    )
    page.mouse.up()
    ordered = sorted(frames)
    return {
        "median_ms": round(statistics.median(ordered), 1),
        "p95_ms": round(ordered[int(len(ordered) * 0.95)], 1),
        "first_ms": round(max(frames[:6]), 1),
        "worst_ms": round(ordered[-1], 1),
    }


def page_figures(browser: Browser, path: Path) -> dict[str, Any]:
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    page.set_default_timeout(60_000)
    blank: list[float] = []
    ready: list[float] = []
    for _ in range(3):
        page.goto("about:blank")
        start = time.perf_counter()
        page.goto("data:text/html,<p>blank")
        page.evaluate(_PAINTED)
        blank.append((time.perf_counter() - start) * 1e3)
        page.goto("about:blank")
        start = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.evaluate(_PAINTED)
        ready.append((time.perf_counter() - start) * 1e3)
    figures: dict[str, Any] = {
        "interactive_ms": round(min(ready)),
        "target_ms": 2000,
        "ratio_to_a_blank_page": round(min(ready) / min(blank), 1),
    }
    page.click("[data-depth='99']")
    page.evaluate(_PAINTED)
    start = time.perf_counter()
    page.click("#unfold")
    page.evaluate(_PAINTED)
    figures["open_all_ms"] = round((time.perf_counter() - start) * 1e3)
    figures["drawn"] = page.inner_text("#status")
    figures["pan_whole"] = pan(page)
    page.keyboard.press("Escape")
    for _ in range(6):
        page.click("#zoom-in")
    figures["pan_near"] = pan(page)
    figures["target_pan_frame_ms"] = 100
    page.close()
    return figures


def main() -> None:
    scope = synthetic_scope(NODES, EDGES)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        figures = {
            "layout": layout_figures(draw(scope)),
            "writing": writing_figures(scope, out),
        }
        with launched() as browser:
            figures["page"] = page_figures(browser, out / "callgraph.html")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "render")
