"""A page with the results of a card: a table, and plots that need no network."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kernels.profile.timing import find_card

if TYPE_CHECKING:
    from kernels.transfer.results import Imported, TaskResult

_WIDTH, _HEIGHT, _MARGIN = 860, 300, 50
_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:2em auto;max-width:1240px;color:#222}"
    "table{border-collapse:collapse;width:100%}td,th{padding:3px 8px;text-align:right;"
    "border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left;"
    "overflow-wrap:anywhere;min-width:17em;max-width:24em}td:nth-child(2){text-align:left;"
    "max-width:16em;overflow-wrap:anywhere}div{overflow-x:auto}.bad{color:#b00}svg{width:100%}text{font-size:11px}"
)


def report_page(results: Imported) -> str:
    """The page as HTML."""
    timed = [one for one in results.tasks if one.timing and one.roofline]
    right = sum(one.correct is True for one in results.tasks)
    title = f"Kernels on {html.escape(results.hardware)}"
    compiler = results.compiler.strip().splitlines()[-1:] or [""]
    lanes = f", wavefronts of {results.lanes} lanes" if results.lanes else ""
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style><h1>{title}</h1>"
        f"<p>{len(results.tasks)} tasks, {right} agree with the cpu backend on every input judged, "
        f"{len(timed)} timed. Times are of this card and of no other. Caches were flushed before "
        f"each call.</p><h2>Share of the roofline</h2>{_bars(timed)}"
        f"<h2>Roofline</h2>{_roofs(timed, results.hardware)}"
        f"<h2>Traffic against size</h2>{_points(timed)}<h2>All tasks</h2>{_table(results.tasks)}"
        f"<p>{html.escape(compiler[0])}"
        f"<br>{html.escape(results.machine)}{lanes}</p></html>\n"
    )


def _bars(timed: Sequence[TaskResult]) -> str:
    known = [t for t in timed if t.roofline and t.roofline.share is not None]
    known.sort(key=lambda t: -(t.roofline.share or 0) if t.roofline else 0)
    if not known:
        return "<p>The limits of this card are not known.</p>"
    row = 16
    lines = []
    for place, one in enumerate(known):
        assert one.roofline
        share = one.roofline.share or 0
        length = min(share, 1.2) / 1.2 * (_WIDTH - 380)
        y = place * row
        lines.append(
            f'<text x="290" y="{y + 12}" text-anchor="end">{html.escape(one.task[:44])}</text>'
            f'<rect x="300" y="{y + 2}" width="{length:.1f}" height="{row - 5}" fill="#47a"/>'
            f'<text x="{305 + length:.1f}" y="{y + 12}">{100 * share:.0f} %</text>'
        )
    return f'<svg viewBox="0 0 {_WIDTH} {row * len(known)}">{"".join(lines)}</svg>'


def _roofs(timed: Sequence[TaskResult], hardware: str) -> str:
    """Operations a second against operations a byte, under what the card can do."""
    card = find_card(hardware)
    known = [
        (one, one.flops / one.moved, one.roofline.gigaflops_per_second)
        for one in timed
        if one.roofline and one.moved and one.flops and one.roofline.gigaflops_per_second > 0
    ]
    if not card or not known:
        return "<p>No operations were counted, or the limits of this card are not known.</p>"
    band = float(card["bandwidth"])
    peaks = {kind: float(card[kind]) for kind in ("float32", "float64")}
    left = math.floor(math.log10(min(x for _, x, _ in known)))
    right = max(2, math.ceil(math.log10(max(x for _, x, _ in known)) + 1e-9))
    low = math.floor(math.log10(min(y for *_, y in known)))
    high = math.ceil(math.log10(max(peaks.values())) + 1e-9)

    plane = _Plane(left, right, low, high)
    marks = plane.axes("")
    for kind, peak in peaks.items():
        ridge = math.log10(peak / band)
        begin = max(float(left), low - math.log10(band))
        corners = ((begin, begin + math.log10(band)), (ridge, math.log10(peak)),
                   (right, math.log10(peak)))  # fmt: skip
        path = [plane.at(*corner) for corner in corners]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in path)
        marks.append(f'<polyline points="{line}" fill="none" stroke="#999"/>')
        px, py = path[-1]
        up = -4 if kind == "float32" else 14
        marks.append(f'<text x="{px:.0f}" y="{py + up:.0f}" text-anchor="end">{kind}</text>')
    marks += [plane.dot(one.task, math.log10(x), math.log10(y)) for one, x, y in known]
    return plane.drawn("Gflop/s against flop/byte", marks)


def _points(timed: Sequence[TaskResult]) -> str:
    known = [t for t in timed if t.roofline and t.moved and t.roofline.gigabytes_per_second > 0]
    if not known:
        return "<p>Nothing was timed.</p>"
    xs = [math.log10(t.moved) for t in known]
    ys = [math.log10(t.roofline.gigabytes_per_second) for t in known if t.roofline]
    left, right = math.floor(min(xs)), math.ceil(max(xs) + 1e-9)
    low, high = math.floor(min(ys)), math.ceil(max(ys) + 1e-9)

    plane = _Plane(left, right, low, high)
    dots = [plane.dot(one.task, x, y) for one, x, y in zip(known, xs, ys, strict=True)]
    return plane.drawn("GB/s against bytes of a call", [*plane.axes(" B"), *dots])


@dataclass(frozen=True)
class _Plane:
    """A plot with decades along both sides; places are logarithms to base 10."""

    left: int
    right: int
    low: int
    high: int

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a place is drawn."""
        wide, tall = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
        return (
            _MARGIN + (x - self.left) / max(self.right - self.left, 1) * wide,
            _HEIGHT - _MARGIN - (y - self.low) / max(self.high - self.low, 1) * tall,
        )

    def axes(self, unit: str) -> list[str]:
        """The decades, those below with a unit."""
        marks = []
        for tick in range(self.left, self.right + 1):
            x, y = self.at(tick, self.low)
            text = f"1e{tick}{unit}"
            marks.append(f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="middle">{text}</text>')
        for tick in range(self.low, self.high + 1):
            x, y = self.at(self.left, tick)
            marks.append(f'<text x="{x - 6:.0f}" y="{y:.0f}" text-anchor="end">1e{tick}</text>')
        return marks

    def dot(self, name: str, x: float, y: float) -> str:
        """A point that says its name."""
        px, py = self.at(x, y)
        return (
            f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="#47a" fill-opacity=".6">'
            f"<title>{html.escape(name)}</title></circle>"
        )

    def drawn(self, caption: str, marks: Sequence[str]) -> str:
        """The plot with its caption."""
        return f'<p>{caption}.</p><svg viewBox="0 0 {_WIDTH} {_HEIGHT}">{"".join(marks)}</svg>'


def _table(tasks: Sequence[TaskResult]) -> str:
    rows = []
    for one in tasks:
        state = {True: "yes", False: '<b class="bad">no</b>', None: "not judged"}[one.correct]
        cells = ["", "", ""]
        if one.timing and one.roofline:
            share = one.roofline.share
            cells = [
                f"{1e3 * one.timing.median_ms:.1f} ({1e3 * one.timing.low_ms:.1f} to "
                f"{1e3 * one.timing.high_ms:.1f})",
                f"{one.roofline.gigabytes_per_second:.0f}",
                "" if share is None else f"{100 * share:.1f} %",
            ]
        why = html.escape("; ".join([one.error, *one.failures])[:160]) if state != "yes" else ""
        rows.append(
            f"<tr><td>{html.escape(one.task)} <small>{html.escape(one.profiled)}</small></td>"
            f"<td>{state} {why}</td><td>{one.inputs_passed}</td><td>{one.moved:,}</td>"
            f"<td>{one.flops:,}</td>"
            + "".join(f"<td>{cell}</td>" for cell in [*cells, *_counted(one)])
            + "</tr>"
        )
    head = "".join(
        f"<th>{name}</th>"
        for name in (
            "task", "right", "inputs", "bytes", "flops", "µs (95 %)", "GB/s", "roofline",
            "DRAM bytes", "DRAM %", "SM %", "occupancy %",
        )
    )  # fmt: skip
    return f"<div><table><tr>{head}</tr>{''.join(rows)}</table></div>"


def _counted(one: TaskResult) -> list[str]:
    """What the hardware counted, where it was asked: bytes, and shares of a card's units."""
    values = one.counters
    moved = [values.get(f"dram__bytes_{way}.sum") for way in ("read", "write")]
    known = [float(part) for part in moved if part is not None]
    shares = (
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
    )
    cells = [f"{values[name]:.1f}" if name in values else "" for name in shares]
    return [f"{sum(known):,.0f}" if len(known) == len(moved) else "", *cells]
