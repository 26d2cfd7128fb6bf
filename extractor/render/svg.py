"""A still picture of the whole graph, for reports and for readers without JavaScript."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from extractor.render.dot import launch_label
from extractor.render.drawing import KINDS, Definition, Drawing, Edge
from extractor.render.folding import folds, lay_out_drawing
from extractor.render.layout import NODE_HEIGHT, NODE_WIDTH, Layout
from extractor.render.palette import LOOKS, counted

_MARGIN = 32.0
_HEAD = 96.0
_STYLE = """
svg { background: #ffffff; font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
text { fill: #1b1f24; font-size: 11px; }
.second { fill: #57606a; font-size: 9.5px; }
h1, .title { font-size: 18px; font-weight: 600; }
.edge { fill: none; stroke: #7a8087; stroke-opacity: .55; }
.launch { stroke: #d55e00; stroke-width: 2; stroke-opacity: .8; }
.reference { stroke-dasharray: 1.5 3; }
.dead { stroke: #a0a4a8; stroke-dasharray: 5 4; }
.node { stroke-width: 1.4; }
.hatched { fill: url(#hatch); stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
  svg { background: #12161b; }
  text { fill: #e6e9ec; }
  .second { fill: #9aa4ae; }
  .node { fill-opacity: .16; }
}
"""


def to_svg(drawing: Drawing) -> str:
    """Writes the laid-out graph of definitions with a legend."""
    layout = lay_out_drawing(drawing, folds(drawing))
    width = max(layout.width + 2 * _MARGIN, 760.0)
    height = layout.height + _HEAD + _MARGIN
    source = drawing.scope["source"]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{_text(drawing.title)}: call graph</title>",
        f"<style>{_text(_STYLE)}</style>",
        _definitions(),
        f'<text class="title" x="{_MARGIN:g}" y="36">{_text(drawing.title)}</text>',
        f'<text class="second" x="{_MARGIN:g}" y="54">'
        f"{_text(source['name'])} {_text(source['version'])}</text>",
        *_legend(drawing),
        f'<g transform="translate({_MARGIN:g} {_HEAD:g})">',
        *(_edge(drawing, layout, edge) for edge in drawing.edges),
        *(_node(layout, index, d) for index, d in enumerate(drawing.definitions)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _definitions() -> str:
    markers = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" '
        f'markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0 0.5 L8 4 L0 7.5 z" fill="{colour}"/></marker>'
        for name, colour in (("arrow", "#7a8087"), ("arrow-launch", "#d55e00"))
    )
    return (
        '<defs><pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="7" height="7" fill="#9aa0a6" '
        'fill-opacity=".14"/><rect width="1.6" height="7" fill="#9aa0a6" fill-opacity=".55"/>'
        f"</pattern>{markers}</defs>"
    )


def _legend(drawing: Drawing) -> list[str]:
    lines: list[str] = []
    x = _MARGIN
    for kind in KINDS:
        number = sum(definition.kind == kind for definition in drawing.definitions)
        if not number:
            continue
        look, words = LOOKS[kind], counted(kind, number)
        extra = " hatched" if kind in ("boundary", "excluded") else ""
        lines.append(
            f'<rect class="node{extra}" x="{x:g}" y="68" width="14" height="12" rx="3" '
            f'fill="{look.fill}" stroke="{look.stroke}"/>'
            f'<text x="{x + 20:g}" y="78">{_text(words)}</text>'
        )
        x += 44 + 6.3 * len(words)
    return lines


def _edge(drawing: Drawing, layout: Layout, edge: Edge) -> str:
    x1, y1 = layout.x[edge.caller] + NODE_WIDTH / 2, layout.y[edge.caller]
    x2, y2 = layout.x[edge.callee] - NODE_WIDTH / 2, layout.y[edge.callee]
    bend = max(abs(x2 - x1) / 2, 40.0)
    classes = ["edge", *([edge.kind] if edge.kind != "call" else []), *(["dead"] * edge.dead)]
    marker = "arrow-launch" if edge.kind == "launch" and not edge.dead else "arrow"
    first = drawing.sites[edge.sites[0]]
    title = f"{edge.kind} at {first.file}:{first.start_line}"
    if edge.kind == "launch":
        title += "\n" + launch_label(first.launch, 120)
    return (
        f'<path class="{" ".join(classes)}" marker-end="url(#{marker})" d="M{x1:g} {y1:g} '
        f'C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}">'
        f"<title>{_text(title)}</title></path>"
    )


def _node(layout: Layout, index: int, definition: Definition) -> str:
    look = LOOKS[definition.kind]
    x, y = layout.x[index] - NODE_WIDTH / 2, layout.y[index] - NODE_HEIGHT / 2
    radius = {"entry_point": 22, "kernel": 2, "device": 14}.get(definition.kind, 6)
    hatched = definition.kind in ("boundary", "excluded")
    place = f"{definition.file.rpartition('/')[2]}:{definition.start_line}"
    if definition.count:
        place = f"{definition.count} left out: {definition.note}"
    elif hatched:
        place = definition.note
    if definition.times > 1:
        place += f" ×{definition.times}"
    return (
        f"<g id={quoteattr(f'n{index}')}><title>{_text(definition.qualified_name)}</title>"
        f'<rect class="node{" hatched" if hatched else ""}" x="{x:g}" y="{y:g}" '
        f'width="{NODE_WIDTH:g}" height="{NODE_HEIGHT:g}" rx="{radius}" '
        f'fill="{look.fill}" stroke="{look.stroke}"/>'
        f'<text x="{x + 14:g}" y="{y + 19:g}">{_text(shorten(definition.name, 36))}</text>'
        f'<text class="second" x="{x + 14:g}" y="{y + 34:g}">{_text(shorten(place, 42))}</text></g>'
    )


def shorten(name: str, longest: int) -> str:
    """Cuts a name in its middle: what tells two kernels apart stands at the ends."""
    if len(name) <= longest:
        return name
    tail = longest * 3 // 5
    return f"{name[: longest - tail - 1]}…{name[-tail:]}"


def _text(text: object) -> str:
    kept = "".join(c if c in "\t\n" or c >= " " else "\ufffd" for c in str(text))
    return escape(kept.encode("utf-8", "replace").decode())
