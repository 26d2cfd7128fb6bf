"""A process that writes pages: ``python -m extractor.render.page_worker FOLDER...``."""

from __future__ import annotations

import hashlib
import json
import sys
from functools import cache
from pathlib import Path

from extractor.errors import UserError
from extractor.output import write
from extractor.render.assets import CYTOSCAPE, asset
from extractor.render.drawing import draw
from extractor.render.formats import as_bytes
from extractor.render.page import to_html

_HEAD = 4096


def write_page(folder: Path) -> Path | None:
    """Writes the page beside a scope, unless the page there was made from the same.

    Args:
        folder: Where ``scope.json`` lies.

    Returns:
        The page; nothing where the scope cannot be read, which the overview reports.
    """
    content = (folder / "scope.json").read_bytes()
    page = folder / "callgraph.html"
    stamp = hashlib.sha256(content + _identity()).hexdigest()
    if page.is_file():
        with page.open("rb") as file:
            if f'content="{stamp}"'.encode() in file.read(_HEAD):
                return page
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


def _main(folders: list[str]) -> None:
    """What a worker runs: one line of JSON for each folder."""
    for name in folders:
        folder = Path(name)
        answer = {"interface": folder.name}
        try:
            page = write_page(folder)
            answer["page"] = str(page) if page else ""
        except UserError as error:
            answer["error"] = str(error)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1:])
