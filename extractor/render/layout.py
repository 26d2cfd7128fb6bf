"""Where every node stands: a layered drawing that depends on the graph alone.

Sugiyama, Tagawa and Toda ("Methods for visual understanding of hierarchical system structures",
1981): columns by longest path, order within a column by barycentre sweeps; then heights by
least-squares alignment with the neighbours under the order found (isotonic regression).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from extractor.render.layering import layers

NODE_WIDTH = 232.0
NODE_HEIGHT = 44.0
COLUMN_GAP = 96.0
ROW_GAP = 16.0
_SWEEPS = 8
_ALIGNMENTS = 4


@dataclass(frozen=True)
class Layout:
    """Positions of the nodes' centres.

    Attributes:
        layer: Column by rank and longest path, before tall columns are split.
        order: Place within that column, from 0.
        x: Horizontal centre.
        y: Vertical centre.
        width: Width of the whole drawing.
        height: Height of the whole drawing.
    """

    layer: tuple[int, ...]
    order: tuple[int, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    width: float
    height: float


def lay_out(ranks: Sequence[int], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lays a graph out from left to right.

    Args:
        ranks: For each node the rank that its kind fixes, from 0.
        edges: (caller, callee) pairs of nodes; repeats and loops are allowed.

    Returns:
        The layout; the same arguments give the same layout.
    """
    count = len(ranks)
    if not count:
        return Layout((), (), (), (), 0.0, 0.0)
    layer = layers(ranks, edges)
    before: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for caller, callee in sorted(set(edges)):
        if caller != callee:
            after[caller].append(callee)
            before[callee].append(caller)
    columns: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for node in range(count):
        columns[layer[node]].append(node)
    _sweep(columns, layer, before, after)
    order = [0] * count
    for column in columns:
        for place, node in enumerate(column):
            order[node] = place
    x, tracks = _split(columns, count)
    y = _align(tracks, before, after, count)
    top, left = min(y), min(x)
    y = [round(value - top + NODE_HEIGHT / 2, 1) for value in y]
    x = [round(value - left + NODE_WIDTH / 2, 1) for value in x]
    return Layout(
        tuple(layer),
        tuple(order),
        tuple(x),
        tuple(y),
        max(x) + NODE_WIDTH / 2,
        max(y) + NODE_HEIGHT / 2,
    )


def _sweep(
    columns: list[list[int]],
    layer: Sequence[int],
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
) -> None:
    """Orders each column by the mean relative place of the neighbours on one side, to and fro."""
    place = [0.0] * len(layer)

    def settle(column: list[int]) -> None:
        size = len(column)
        for index, node in enumerate(column):
            place[node] = (index + 0.5) / size

    for column in columns:
        settle(column)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        sides = before if forward else after
        for column in columns if forward else reversed(columns):
            wanted: dict[int, float] = {}
            for node in column:
                own = layer[node]
                near = [
                    place[other]
                    for other in sides[node]
                    if (layer[other] < own if forward else layer[other] > own)
                ]
                wanted[node] = math.fsum(near) / len(near) if near else place[node]
            column.sort(key=lambda node: (wanted[node], node))
            settle(column)


def _split(columns: list[list[int]], count: int) -> tuple[list[float], list[list[int]]]:
    """Deals tall columns out over several tracks, so that the drawing stays near a screen's shape.

    The nodes are dealt in turn: neighbours in order stay neighbours in height.
    """
    tallest = max(14, math.ceil(1.6 * math.sqrt(count)))
    x = [0.0] * count
    tracks: list[list[int]] = []
    left = 0.0
    for column in columns:
        parts = math.ceil(len(column) / tallest)
        for part in range(parts):
            track = column[part::parts]
            for node in track:
                x[node] = left
            tracks.append(track)
            left += NODE_WIDTH + (COLUMN_GAP if part == parts - 1 else COLUMN_GAP / 3)
    return x, tracks


def _align(
    tracks: list[list[int]],
    before: Sequence[Sequence[int]],
    after: Sequence[Sequence[int]],
    count: int,
) -> list[float]:
    """Moves every node towards the mean height of its neighbours without changing the order."""
    step = NODE_HEIGHT + ROW_GAP
    y = [0.0] * count
    for track in tracks:
        for place, node in enumerate(track):
            y[node] = (place - (len(track) - 1) / 2) * step
    for alignment in range(_ALIGNMENTS):
        sides = before if alignment % 2 == 0 else after
        for track in tracks if alignment % 2 == 0 else reversed(tracks):
            wanted = [
                math.fsum(y[other] for other in sides[node]) / len(sides[node])
                if sides[node]
                else y[node]
                for node in track
            ]
            for node, height in zip(track, spread(wanted, step), strict=True):
                y[node] = height
    return y


def spread(wanted: Sequence[float], step: float) -> list[float]:
    """Least-squares positions, in order, at least ``step`` apart (pool adjacent violators).

    Args:
        wanted: Where each item would like to be.
        step: Smallest distance between neighbours.

    Returns:
        Positions that are ascending by at least ``step``.
    """
    blocks: list[tuple[float, int]] = []
    for index, value in enumerate(wanted):
        total, size = value - index * step, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / size:
            last, held = blocks.pop()
            total, size = total + last, size + held
        blocks.append((total, size))
    places: list[float] = []
    for total, size in blocks:
        first = len(places)
        places.extend(total / size + (first + k) * step for k in range(size))
    return places
