"""Bar charts as SVG, drawn from counts alone, so that the same counts give the same file."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

_BAR, _GAP, _LEFT, _WIDTH, _RIGHT = 18, 7, 210, 420, 90
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7")
_MOST = 40


def bars(
    title: str, counts: Mapping[str, Mapping[str, int]], series: Sequence[str], unit: str = "rows"
) -> bytes:
    """Horizontal stacked bars.

    Args:
        title: What the chart shows; also read out by screen readers.
        counts: For each bar the number of each series; the first 40 bars are drawn, and the rest
            is said.
        series: Names of the series, in the order in which they are stacked.
        unit: What is counted.
    """
    names = list(counts)[:_MOST]
    most = max((sum(counts[name].values()) for name in names), default=0) or 1
    top = 56 if len(series) > 1 else 36
    left_out = len(counts) - len(names)
    height = top + len(names) * (_BAR + _GAP) + (26 if left_out else 10)
    width = _LEFT + _WIDTH + _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="12">',
        f"<title>{html.escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(10, 22, title, size=15, weight="bold"),
    ]
    if len(series) > 1:
        at = 10
        for index, name in enumerate(series):
            colour = _COLOURS[index % len(_COLOURS)]
            parts.append(f'<rect x="{at}" y="34" width="11" height="11" fill="{colour}"/>')
            parts.append(_text(at + 16, 44, name))
            at += 34 + 7 * len(name)
    for number, name in enumerate(names):
        y = top + number * (_BAR + _GAP)
        parts.append(_text(_LEFT - 8, y + 13, _short(name), anchor="end"))
        x = float(_LEFT)
        for index, part in enumerate(series):
            length = counts[name].get(part, 0) / most * _WIDTH
            if length:
                colour = _COLOURS[index % len(_COLOURS)]
                parts.append(
                    f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{_BAR}" '
                    f'fill="{colour}"/>'
                )
            x += length
        parts.append(_text(x + 6, y + 13, f"{sum(counts[name].values()):,}"))
    if left_out:
        parts.append(_text(10, height - 9, f"and {left_out:,} more with fewer {unit}"))
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="#1b1f24">{html.escape(text)}</text>'
    )


def _short(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:29]}…"
