"""Graphviz DOT."""

from __future__ import annotations

from extractor.render.drawing import KINDS, Definition, Drawing, Edge
from extractor.render.palette import EDGE_COLOURS, LOOKS


def to_dot(drawing: Drawing) -> str:
    """Writes the graph of definitions, a rank for each kind."""
    lines = [
        f"digraph {_quote(drawing.title)} {{",
        '  graph [rankdir=LR, ranksep=1.2, nodesep=0.18, fontname="Helvetica", splines=true];',
        '  node [fontname="Helvetica", fontsize=10, style=filled, penwidth=1.4];',
        '  edge [fontname="Helvetica", fontsize=8, arrowsize=0.7];',
    ]
    for kind in KINDS:
        nodes = [(i, d) for i, d in enumerate(drawing.definitions) if d.kind == kind]
        if nodes:
            lines.append(f"  subgraph {_quote(kind)} {{")
            lines += [f"    {_node(index, definition)}" for index, definition in nodes]
            lines.append("  }")
    lines += [f"  {_edge(drawing, edge)}" for edge in drawing.edges]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _node(index: int, definition: Definition) -> str:
    look = LOOKS[definition.kind]
    second = (
        f"{definition.count} left out"
        if definition.count
        else definition.note
        if definition.kind in ("boundary", "excluded")
        else f"{definition.file.rpartition('/')[2]}:{definition.start_line}"
    )
    if definition.times > 1:
        second += f" ×{definition.times}"
    style = "filled,dashed" if definition.kind in ("boundary", "excluded") else "filled"
    attributes = {
        "label": f"{definition.name}\n{second}",
        "id": definition.id,
        "tooltip": f"{look.label} {definition.qualified_name}",
        "shape": look.dot_shape,
        "color": look.stroke,
        "fillcolor": look.fill,
        "style": style,
    }
    return f"n{index} [{_attributes(attributes)}];"


def _edge(drawing: Drawing, edge: Edge) -> str:
    first = drawing.sites[edge.sites[0]]
    attributes = {
        "color": "#a0a4a8" if edge.dead else EDGE_COLOURS[edge.kind],
        "style": "dashed" if edge.dead else "dotted" if edge.kind == "reference" else "solid",
        "penwidth": "2.2" if edge.kind == "launch" else "1",
        "arrowhead": "vee" if edge.kind == "launch" else "normal",
        "tooltip": f"{edge.kind} at {first.file}:{first.start_line} ×{edge.count}",
    }
    if edge.kind == "launch":
        attributes["label"] = launch_label(first.launch)
    return f"n{edge.caller} -> n{edge.callee} [{_attributes(attributes)}];"


def launch_label(launch: tuple[tuple[str, str, str], ...], longest: int = 28) -> str:
    """Grid, block and LDS of a launch, a line each, as written and cut to a label's length."""
    names = {"grid": "grid", "block": "block", "shared_bytes": "LDS"}
    parts: list[str] = []
    for field, text, _ in launch:
        if field in names:
            text = text if len(text) <= longest else text[: longest - 1] + "…"
            parts.append(f"{names[field]} {text}")
    return "\n".join(parts)


def _attributes(attributes: dict[str, str]) -> str:
    return ", ".join(f"{name}={_quote(value)}" for name, value in attributes.items())


def _quote(text: str) -> str:
    """A double-quoted DOT string; backslashes are doubled because Graphviz reads escapes."""
    text = text.replace("\0", "\ufffd").replace("\\", "\\\\").replace('"', '\\"')
    return '"' + text.replace("\r", "").replace("\n", "\\n") + '"'
