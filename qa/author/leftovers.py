"""Sentences on the threads of a launch that have no element: at the end of a row, at the edges of a tile."""

from __future__ import annotations

import math
import re

from extractor.records import Span
from qa.author.draft import Draft, code, counted, listed
from qa.author.launch_bounds import Bound, Line
from qa.author.launch_offsets import Offsets
from qa.author.launch_pairs import Pair, Shape
from qa.author.numbers import equation


class Axis:
    """One axis of a launch: the bound, its line, the extent and what is left over."""

    def __init__(self, bound: Bound, line: Line, extent: int, blocks: int, threads: int) -> None:
        self.bound, self.line, self.extent = bound, line, extent
        self.blocks, self.threads = blocks, threads
        self.working = math.ceil(extent / line.per_thread)

    @property
    def name(self) -> str:
        """``x`` or ``y``."""
        return self.bound.axis

    @property
    def total(self) -> int:
        """Threads along the axis."""
        return self.blocks * self.threads

    @property
    def idle(self) -> int:
        """Threads without a position."""
        return self.total - self.working

    def last(self) -> tuple[int, int]:
        """Block and thread of the last position."""
        return self.line.owner(self.extent - 1)


def tell_rest(
    draft: Draft,
    pair: Pair,
    shape: Shape,
    access: Offsets,
    axis: Axis,
    condition: str,
    alone: bool,
) -> None:
    """What the threads behind the last element do, and would do without the test."""
    bound, line = axis.bound, axis.line
    guard = draft.lines(pair.kernel, bound.row.line)
    leaves = bound.row.value.get("effect") == "return"
    along = "" if alone else f" along {axis.name}"
    if axis.idle == 0:
        more = axis.extent + 1
        blocks = (more - 1) // line.per_block + 1
        draft.say(
            f"All {axis.blocks} * {axis.threads} = {axis.total} threads{along} have work, and {condition} stops none of them.",
            guard, "recompute",
        )  # fmt: skip
        draft.claim("number", f"{axis.blocks} * {axis.threads}", axis.total, "recompute")
        if blocks > axis.blocks:
            draft.say(
                f"With {axis.extent} + 1 = {more} the grid grows to {blocks} blocks{along} for a single further element, "
                f"and the test then holds back {axis.threads} - 1 = {axis.threads - 1} of the new threads.",
                guard, "recompute",
            )  # fmt: skip
            draft.claim("number", f"{axis.extent} + 1", more, "recompute")
            draft.claim("number", str(blocks), blocks, "recompute")
            draft.claim("number", f"{axis.threads} - 1", axis.threads - 1, "recompute")
        return
    first = axis.working
    block, thread = first // axis.threads, first % axis.threads
    position = first * line.per_thread
    have = (
        f"{axis.blocks} * {axis.threads} = {axis.total} threads"
        if axis.blocks > 1
        else f"{axis.total} threads"
    )
    if axis.blocks > 1:
        draft.claim("number", f"{axis.blocks} * {axis.threads}", axis.total, "recompute")
    needs = (
        f"{axis.extent} positions" if line.per_thread == 1
        else f"{axis.extent} positions at {line.per_thread} a thread, hence {axis.working} of them"
    )  # fmt: skip
    draft.say(
        draft.choose(
            f"Rounded up to whole blocks that makes {have}{along} for {needs}, which leaves {axis.total} - {axis.working} = {counted(axis.idle, 'thread')} over.",
            f"Since only whole blocks can be started, {have}{along} face {needs}, and {axis.total} - {axis.working} = {axis.idle} of them find nothing.",
            salt="over",
        ),
        "recompute",
    )
    draft.claim("number", f"{axis.total} - {axis.working}", axis.idle, "recompute")
    draft.claim("number", str(axis.working), axis.working, "recompute")
    what = "returns at once" if leaves else "is held back"
    other = {f"b{axis.name}": block, f"t{axis.name}": thread}
    beyond = access.at(**other)
    text = f"The first of them, thread {thread} of block {block}, has position {position} and {what} by {condition}."
    if leaves:
        text = f"The first of them, thread {thread} of block {block}, has position {position}, for which {condition} holds, and returns at once."
    draft.say(text, guard, "recompute")
    for value in (thread, block, position):
        draft.claim("number", str(value), value, "recompute")
    if beyond is None or beyond == position:
        return
    here = draft.lines(pair.kernel, access.row.line)
    verb = "store to" if access.row.value["access"] == "store" else "load from"
    draft.say(
        f"Otherwise it would {verb} {access.worked(**other)} = {beyond}, beyond the last element the problem has.",
        here, "recompute",
    )  # fmt: skip
    draft.claim("number", access.worked(**other), beyond, "recompute")


def tell_edges(
    draft: Draft, pair: Pair, shape: Shape, axes: list[Axis], guards: list[Span]
) -> None:
    """How much of the edge blocks works, and how many threads are left over in all."""
    x, y = axes
    conditions = listed(list(dict.fromkeys(code(a.bound.row.value["condition"]) for a in axes)))
    edges = []
    for axis in axes:
        rest = axis.working - (axis.blocks - 1) * axis.threads
        if axis.idle:
            if axis.blocks > 1:
                worked = f"{axis.working} - {axis.blocks - 1} * {axis.threads}"
                edges.append(
                    f"the last block along {axis.name} uses {equation(worked, rest)} of its {axis.threads} threads"
                )
                draft.claim("number", worked, rest, "recompute")
                draft.claim("number", f"{axis.blocks} - 1", axis.blocks - 1, "recompute")
            else:
                edges.append(
                    f"the single block along {axis.name} uses {rest} of its {axis.threads} threads"
                )
            draft.claim("number", str(rest), rest, "recompute")
        else:
            edges.append(f"along {axis.name} the blocks fit exactly")
        draft.claim("number", str(axis.working), axis.working, "recompute")
    text = listed(edges)
    draft.say(f"{text[0].upper()}{text[1:]}.", "recompute")
    total, working = x.total * y.total, x.working * y.working
    idle = total - working
    parts = [v for v in (x.blocks, y.blocks, x.threads, y.threads) if v > 1]
    product = " * ".join(map(str, parts))
    draft.say(
        f"Of {product} = {total} threads in the grid {x.working} * {y.working} = {working} have a place, and for the other "
        f"{total} - {working} = {idle} {conditions} {'holds and they return' if axes[0].bound.row.value.get('effect') == 'return' else 'is false'}.",
        *guards, "recompute",
    )  # fmt: skip
    draft.claim("number", product, total, "recompute")
    draft.claim("number", f"{x.working} * {y.working}", working, "recompute")
    draft.claim("number", f"{total} - {working}", idle, "recompute")
    del pair, shape


def tell_problem(draft: Draft, pair: Pair, access: Offsets) -> None:
    """Says how the same thread of another block finds its place in another problem of a batch."""
    match = re.search(r"\bblockIdx\.([xyz])\*(\w+)\b|\b(\w+)\*blockIdx\.([xyz])\b", access.index)
    if match is None:
        return
    axis, stride = match[1] or match[4], match[2] or match[3]
    if f"threadIdx.{axis}" in access.index or not re.match(r"(?i)str|.*st_or_of", stride):
        return
    value = access.values.get(stride)
    if not isinstance(value, int) or value < 2:
        return
    draft.say(
        draft.choose(
            f"All this is about problem 0; the block with `blockIdx.{axis}` = 2 has the same place in problem 2, 2 * {value} = {2 * value} elements further on.",
            f"Problem 2 of the batch belongs to `blockIdx.{axis}` = 2, whose offsets are larger by 2 * {value} = {2 * value}.",
            f"The figures hold for `blockIdx.{axis}` = 0, and each further problem lies {code(stride)} elements behind, so problem 2 begins at 2 * {value} = {2 * value}.",
            salt="problem",
        ),
        draft.lines(pair.kernel, access.row.line), draft.head(pair.kernel), "fact", "recompute",
    )  # fmt: skip
    draft.claim("number", f"2 * {value}", 2 * value, "recompute")
    draft.claim("number", str(value), value, "recompute")
