from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from extractor.render import render
from render.browser import GraphPage
from render.synthetic import synthetic_scope


@pytest.fixture
def graph(browser: Browser) -> Iterator[GraphPage]:
    """A page that must stay silent: no request but for itself, no error, no refused policy."""
    context = browser.new_context(viewport={"width": 1500, "height": 900})
    context.set_offline(True)
    opened = GraphPage(context.new_page())
    yield opened
    context.close()
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    files = [url.partition("#")[0] for url in opened.requests if url.startswith("file:")]
    assert all(url.endswith(".html") for url in files)


@pytest.fixture(scope="session")
def scope() -> dict[str, Any]:
    return synthetic_scope(60)


@pytest.fixture(scope="session")
def drawn(scope: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the usual scope."""
    [page] = render(scope, ["html"], tmp_path_factory.mktemp("drawn"))
    return page


@pytest.fixture(scope="session")
def hostile_scope() -> dict[str, Any]:
    return synthetic_scope(60, hostile=True)
