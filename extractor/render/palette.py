"""Colours and shapes of the kinds, the same in every format.

Hues after Okabe and Ito ("Color universal design", 2008), which stay apart for all common forms of
colour blindness; a shape repeats what the colour says.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How a kind of node is drawn.

    Attributes:
        label: Singular, as a person reads it.
        plural: Plural.
        stroke: Outline colour.
        fill: Fill colour on a light ground.
        dot_shape: Node shape of Graphviz.
        mermaid: Opening and closing brackets of Mermaid's node shape.
    """

    label: str
    plural: str
    stroke: str
    fill: str
    dot_shape: str
    mermaid: tuple[str, str]


LOOKS = {
    "entry_point": Look("entry point", "entry points", "#0072b2", "#dcecf7", "cds", ('(["', '"])')),
    "host": Look("host", "host functions", "#3b7d8c", "#e3f0f2", "box", ('["', '"]')),
    "launcher": Look("launcher", "launchers", "#b87d00", "#fdf0d0", "house", ('[/"', '"/]')),
    "kernel": Look("kernel", "kernels", "#d55e00", "#fce3d3", "octagon", ('{{"', '"}}')),
    "device": Look("device", "device functions", "#a8538a", "#f6e3ef", "ellipse", ('("', '")')),
    "boundary": Look("boundary", "boundaries", "#5f6368", "#eceded", "box3d", ('[["', '"]]')),
    "excluded": Look("excluded", "excluded by rule", "#8a8d91", "#f6f6f6", "note", ('>"', '"]')),
}

EDGE_COLOURS = {"call": "#7a8087", "launch": "#d55e00", "reference": "#7a8087"}


def counted(kind: str, number: int) -> str:
    """Says ``1 kernel`` or ``12 kernels``."""
    look = LOOKS[kind]
    return f"{number:,} {look.label if number == 1 else look.plural}"
