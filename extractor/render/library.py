"""Pages for a whole library: one for each interface, and the overview that links them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from extractor.errors import UserError
from extractor.render.assets import CYTOSCAPE, asset
from extractor.render.overview import render_overview


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
    scopes = sorted(
        (out / project).glob("*/scope.json"), key=lambda path: (-path.stat().st_size, path)
    )
    workers = max(1, min(jobs or os.cpu_count() or 1, len(scopes)))
    lock, pages = Lock(), list[Path]()
    finished = 0

    def take(answer: dict[str, str]) -> None:
        nonlocal finished
        with lock:
            finished += 1
            if answer.get("page"):
                pages.append(Path(answer["page"]))
            if done is not None:
                done(answer["interface"], finished, len(scopes))

    with ThreadPoolExecutor(workers) as pool:
        shares = [[path.parent for path in scopes[i::workers]] for i in range(workers)]
        for waiting in [pool.submit(_share, share, take) for share in shares]:
            waiting.result()
    return [render_overview(out, project), *sorted(pages)]


def _share(folders: list[Path], take: Callable[[dict[str, str]], None]) -> None:
    """Has one process of its own write the pages of these folders."""
    if not folders:
        return
    command = [sys.executable, "-P", "-m", "extractor.render.page_worker", *map(str, folders)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            answer = json.loads(line)
            if answer.get("error"):
                raise UserError(answer["error"])
            take(answer)
    if process.returncode:
        raise RuntimeError(f"a page writer ended with {process.returncode}: {' '.join(command)}")
