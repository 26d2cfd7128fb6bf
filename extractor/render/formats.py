"""The formats of a call graph, and writing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from extractor.errors import UnknownName
from extractor.output import write
from extractor.records import Scope
from extractor.render.dot import to_dot
from extractor.render.drawing import Drawing, draw
from extractor.render.exchange import to_graphml, to_json
from extractor.render.mermaid import to_mermaid
from extractor.render.page import to_html
from extractor.render.svg import to_svg

_WRITERS: dict[str, tuple[str, Callable[[Drawing], str]]] = {
    "html": ("callgraph.html", to_html),
    "json": ("callgraph.json", to_json),
    "dot": ("callgraph.dot", to_dot),
    "svg": ("callgraph.svg", to_svg),
    "graphml": ("callgraph.graphml", to_graphml),
    "mermaid": ("callgraph.mmd", to_mermaid),
}

FORMATS = tuple(_WRITERS)
"""Names that ``--format`` takes."""


def render(scope: Mapping[str, Any] | Scope, formats: Iterable[str], out: Path) -> list[Path]:
    """Writes the call graph of one interface.

    Args:
        scope: A scope, or the content of ``scope.json``.
        formats: Names out of `FORMATS`.
        out: Folder for the files; made if it is not there.

    Returns:
        The files written, in the order of the formats. The same scope gives the same bytes.

    Raises:
        UnknownName: A format that does not exist.
        UserError: The folder cannot be written, or Cytoscape.js cannot be had.
    """
    wanted = list(dict.fromkeys(formats))
    for name in wanted:
        if name not in _WRITERS:
            raise UnknownName("format", name, FORMATS, f"formats: {', '.join(FORMATS)}")
    plain = scope.model_dump(mode="json", by_alias=True) if isinstance(scope, Scope) else scope
    drawing = draw(plain)
    texts = [(_WRITERS[name][0], _WRITERS[name][1](drawing)) for name in wanted]
    return [write(out / file_name, as_bytes(text)) for file_name, text in texts]


def as_bytes(text: str) -> bytes:
    """UTF-8; what no encoding can hold, a lone surrogate, becomes a question mark."""
    return text.encode("utf-8", "replace")
