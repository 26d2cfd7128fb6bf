"""Mermaid flowcharts.

Mermaid refuses more than 500 edges or 50,000 characters, so a large graph is folded by file and
kind, then by kind; a comment in the file says what was folded.
"""

from __future__ import annotations

from collections.abc import Sequence

from extractor.render.drawing import KINDS, Drawing, Edge
from extractor.render.folding import Fold, fold_edges, folds
from extractor.render.palette import LOOKS, counted

_MOST_EDGES = 500
_MOST_CHARACTERS = 50_000


def to_mermaid(drawing: Drawing) -> str:
    """Writes the graph as fine as Mermaid can take it."""
    names = [
        (d.kind, d.name + (f" ×{d.times}" if d.times > 1 else "")) for d in drawing.definitions
    ]
    whole = _write(drawing, names, drawing.edges, "")
    if _fits(whole, len(drawing.edges)):
        return whole
    by_file = folds(drawing)
    names = [
        (fold.kind, f"{fold.file.rpartition('/')[2]}: {counted(fold.kind, len(fold.members))}")
        for fold in by_file
    ]
    edges = fold_edges(drawing, by_file)
    said = f"{len(drawing.definitions):,} functions folded by file and kind: Mermaid draws"
    said += f" at most {_MOST_EDGES} edges and {_MOST_CHARACTERS:,} characters"
    folded = _write(drawing, names, edges, said)
    if _fits(folded, len(edges)):
        return folded
    by_kind = tuple(
        Fold("", kind, tuple(i for i, d in enumerate(drawing.definitions) if d.kind == kind))
        for kind in KINDS
        if any(d.kind == kind for d in drawing.definitions)
    )
    names = [(fold.kind, counted(fold.kind, len(fold.members))) for fold in by_kind]
    said = said.replace("by file and kind", "by kind")
    return _write(drawing, names, fold_edges(drawing, by_kind), said)


def _fits(text: str, edges: int) -> bool:
    return edges <= _MOST_EDGES and len(text) <= _MOST_CHARACTERS


def _write(
    drawing: Drawing, names: Sequence[tuple[str, str]], edges: Sequence[Edge], comment: str
) -> str:
    lines = ["flowchart LR", f"  %% {' '.join(drawing.title.split())}"]
    if comment:
        lines.append(f"  %% {comment}")
    for index, (kind, name) in enumerate(names):
        opening, closing = LOOKS[kind].mermaid
        lines.append(f"  n{index}{opening}{_escape(name)}{closing}:::{kind}")
    for edge in edges:
        arrow = "==>" if edge.kind == "launch" else "-.->" if edge.kind == "reference" else "-->"
        if edge.dead:
            arrow = '-. "dead" .->'
        lines.append(f"  n{edge.caller} {arrow} n{edge.callee}")
    for kind in KINDS:
        look = LOOKS[kind]
        dashes = ",stroke-dasharray:4 3" if kind in ("boundary", "excluded") else ""
        lines.append(
            f"  classDef {kind} fill:{look.fill},stroke:{look.stroke},color:#1b1f24{dashes}"
        )
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    """Everything but letters, digits and harmless marks as Mermaid's decimal entities."""
    return "".join(
        char if char.isalnum() or char in " _.:×," else f"#{ord(char)};"
        for char in " ".join(text.split())
    )
