"""Pages for a whole library: one for each interface, and the overview that links them."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path

from extractor.output import write
from extractor.render.assets import CYTOSCAPE, asset
from extractor.render.drawing import draw
from extractor.render.formats import as_bytes
from extractor.render.overview import render_overview
from extractor.render.page import to_html

_HEAD = 4096


def render_library(
    out: Path,
    project: str,
    *,
    jobs: int = 0,
    done: Callable[[str, int, int], None] | None = None,
) -> list[Path]:
    """Writes ``callgraph.html`` beside every ``scope.json`` of a project, then the overview.

    A page that was made from the same scope by the same version of the page is left alone.

    Args:
        out: The output folder of ``extract``.
        project: Name of the project.
        jobs: Worker processes; 0 for one a core.
        done: Called after each page with the interface, how many are done, and of how many.

    Returns:
        The pages, the overview first.

    Raises:
        UserError: There is no readable scope, a folder cannot be written, or Cytoscape.js cannot be
            had.
    """
    asset(CYTOSCAPE)
    folders = [path.parent for path in sorted((out / project).glob("*/scope.json"))]
    pages: list[Path] = []
    context = multiprocessing.get_context("forkserver")
    with ProcessPoolExecutor(jobs or os.cpu_count() or 1, mp_context=context) as pool:
        waiting = {pool.submit(_page, folder): folder for folder in folders}
        for number, future in enumerate(as_completed(waiting), start=1):
            page = future.result()
            if page is not None:
                pages.append(page)
            if done is not None:
                done(waiting[future].name, number, len(folders))
    return [render_overview(out, project), *sorted(pages)]


def _page(folder: Path) -> Path | None:
    """One page; nothing where the scope cannot be read, which the overview reports."""
    content = (folder / "scope.json").read_bytes()
    page = folder / "callgraph.html"
    stamp = hashlib.sha256(content + _identity()).hexdigest()
    try:
        with page.open("rb") as file:
            if f'content="{stamp}"'.encode() in file.read(_HEAD):
                return page
    except OSError:
        pass
    try:
        drawing = draw(json.loads(content))
    except (ValueError, KeyError, TypeError):
        return None
    return write(page, as_bytes(to_html(drawing, stamp=stamp)))


@cache
def _identity() -> bytes:
    """Hash over everything that a page is made of besides the scope."""
    digest = hashlib.sha256(asset(CYTOSCAPE).encode())
    here = Path(__file__).parent
    for path in sorted([*here.glob("*.py"), *(here / "page").iterdir()]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.digest()
