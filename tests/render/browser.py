"""A real headless Chromium, and what a test may ask of a page in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ARTEFACTS = Path(__file__).resolve().parents[2] / "out" / "screenshots"


def chromium() -> str:
    """The browser's path; a test without one fails, because skipping would hide a broken page."""
    named = os.environ.get("ROCQUARRY_CHROMIUM")
    for name in [named] if named else ["chromium", "chromium-browser", "google-chrome"]:
        if found := shutil.which(name):
            return found
    pytest.fail(
        "these tests need Chromium: run tests/render/setup_browser.sh, "
        "or name a browser in ROCQUARRY_CHROMIUM",
        pytrace=False,
    )


@contextmanager
def launched() -> Iterator[Browser]:
    """Starts the browser and ends it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()


class GraphPage:
    """One opened page, driven as a person would drive it: with mouse and keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.set_default_timeout(15_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._console)
        page.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " (event) => console.error('policy: ' + event.blockedURI))"
        )

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, path: Path, fragment: str = "") -> GraphPage:
        self.page.goto("about:blank")
        self.page.goto(f"{path.as_uri()}{fragment}")
        self.page.wait_for_selector("html[data-ready]")
        self.settle()
        return self

    def settle(self) -> None:
        """Waits until what was asked for is painted."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def canvas(self, expression: str, argument: Any = None) -> Any:
        """Evaluates an expression over `cy`, the drawing on the canvas."""
        return self.page.evaluate(
            "(argument) => { const cy = document.getElementById('graph')._cyreg.cy;"
            f" return {expression}; }}",
            argument,
        )

    def labels(self, selector: str = "node", *, without: str = ".none") -> list[str]:
        """Names of nodes drawn: the label without its last line, wrapped names joined again."""
        texts = self.canvas(
            "cy.elements(argument[0]).not(argument[1]).map((e) => e.data('label'))",
            [selector, without],
        )
        return sorted("".join(text.split("\n")[:-1]) for text in texts)

    def node(self, name: str) -> str:
        """Identifier of the one drawn node with this name."""
        found = self.canvas("cy.nodes().map((n) => [n.id(), n.data('label')])")
        matching = [i for i, label in found if "".join(label.split("\n")[:-1]) == name]
        assert len(matching) == 1, f"{name}: {matching} of {[label for _, label in found]}"
        return matching[0]

    def place(self, identifier: str) -> tuple[float, float]:
        """Where on the screen a drawn node stands, or a point where an edge lies free."""
        point = self.canvas(
            """((e) => {
              if (e.isNode()) return e.renderedPosition();
              const box = e.boundingBox({ includeLabels: false });
              for (let step = 1; step < 1600; step += 1) {
                const x = box.x1 + (box.w * (step % 40)) / 40;
                const y = box.y1 + (box.h * Math.floor(step / 40)) / 40;
                const hits = [-3, 0, 3].every((d) => {
                  const near = cy.renderer().findNearestElement(x + d, y + d, true, false);
                  return near && near.id() === e.id();
                });
                if (hits) {
                  return { x: x * cy.zoom() + cy.pan().x, y: y * cy.zoom() + cy.pan().y };
                }
              }
              return null;
            })(cy.getElementById(argument))""",
            identifier,
        )
        assert point, f"{identifier} lies nowhere free"
        box = self.page.locator("#graph").bounding_box()
        assert box
        return box["x"] + point["x"], box["y"] + point["y"]

    def click(self, identifier: str, *, twice: bool = False) -> None:
        x, y = self.place(identifier)
        if twice:
            self.page.mouse.dblclick(x, y)
        else:
            self.page.mouse.click(x, y)
        self.page.wait_for_timeout(350)
        self.settle()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.settle()

    def ask(self, text: str) -> None:
        """Presses one of the buttons of the details panel."""
        self.page.locator("#details .actions").get_by_role("button", name=text, exact=True).click()
        self.settle()

    def search(self, text: str) -> None:
        self.page.keyboard.press("/")
        self.page.keyboard.type(text)

    def choose(self, name: str) -> None:
        """Goes to a function through the search box."""
        self.page.locator("#search").fill(name)
        self.page.locator("#search-list [role=option]").first.wait_for()
        self.page.keyboard.press("Enter")
        self.settle()

    def text(self, selector: str) -> str:
        return self.page.locator(selector).inner_text()

    def keep(self, name: str) -> Path:
        """Keeps a screenshot as a build artefact."""
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        path = ARTEFACTS / f"{name}.png"
        self.page.screenshot(path=path)
        return path
