from __future__ import annotations

import copy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY
from playwright.sync_api import Browser
from render.browser import GraphPage

from extractor.project import Project
from qa.release.build import Release, Request, build
from qa_release.entries import Rows, make_entries, write

INTERFACES = ("fill", "map", "reduce", "scale", "sort")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs these tests: they share a library and its index."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("qa_release"))


Qa = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rule file of the small library with a licence, outside of any repository.

    Inside of one its revision would be the repository's, which may change while tests run.
    """
    folder = tmp_path_factory.mktemp("pond") / "pond"
    shutil.copytree(SMALL_LIBRARY.parent, folder)
    (folder / "LICENSE").write_text("Copyright the pond's makers. Do as you like.\n")
    return folder / SMALL_LIBRARY.name


@pytest.fixture(scope="session")
def _made(pond: Path, shared_cache: Path, product_cache: Path) -> Rows:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        project = Project(pond)
        rows = make_entries(project, INTERFACES)
        project.store.close()
    return rows


@pytest.fixture
def rows(_made: Rows) -> Rows:
    """Good rows about every interface of the small library; made once, for tests to copy."""
    return copy.deepcopy(_made)


@pytest.fixture
def entries(rows: Rows, tmp_path: Path) -> Path:
    return write(tmp_path / "entries.jsonl", rows)


@pytest.fixture
def release(tmp_path: Path, in_shared_cache: Path, pond: Path) -> Callable[..., Release]:
    """Builds a release of the small library's entries."""

    def run(*files: Path, out: str = "release", **options: object) -> Release:
        request = {"version": "1.0.0", "rules": [pond], **options}
        return build(Request(files=files, out=tmp_path / out, **request))  # type: ignore[arg-type]

    return run


@pytest.fixture
def qa(tmp_path: Path, in_shared_cache: Path) -> Qa:
    """Runs the command in a process of its own."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "qa.cli", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    return run


@pytest.fixture
def opened(browser: Browser) -> Iterator[GraphPage]:
    """A page that must stay silent: no request but for itself, no error, no refused policy."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    context.set_offline(True)
    page = GraphPage(context.new_page())
    yield page
    context.close()
    assert page.complaints == []
    assert [u for u in page.requests if not u.startswith(("file:", "data:", "blob:"))] == []
