"""Tests of a kernel that hold a thread's position against an extent."""

from __future__ import annotations

import re
from dataclasses import dataclass

from qa.author.kernel_facts import Row, plain_index
from qa.author.launch_pairs import Pair, Shape
from qa.text.arithmetic import Unknown, Value, evaluate
from qa.text.brackets import split_at, unwrapped

_BELOW = re.compile(r"(.+?)\s*<\s*([A-Za-z_]\w*)")
_BEYOND = re.compile(r"([A-Za-z_]\w*)\s*<=\s*(.+)")


@dataclass(frozen=True)
class Bound:
    """``position < extent`` for every thread that goes on.

    Attributes:
        position: In built-in indices, constants and parameters.
        extent: The parameter it is held against.
        axis: ``x``, ``y`` or ``z``.
        row: The guard's fact.
    """

    position: str
    extent: str
    axis: str
    row: Row


@dataclass(frozen=True)
class Line:
    """A position that grows evenly: ``origin + block * per_block + thread * per_thread``."""

    per_thread: int
    per_block: int

    def owner(self, position: int) -> tuple[int, int]:
        """Block and thread that stand for a position."""
        return position // self.per_block, position % self.per_block // self.per_thread


def parts_at(text: str, operator: str) -> list[str]:
    """Parts of an expression between an operator, without brackets around each."""
    return [unwrapped(part) for part in split_at(text, operator)]


def bounds_at(pair: Pair, line: int) -> list[Bound] | None:
    """Bounds that a thread has passed when it comes to a line.

    Nothing where a test of another kind on the thread's place, or one on data, stands before it.
    """
    names = {parameter.name for parameter in pair.facts.reading.parameters}
    found: dict[tuple[str, str], Bound] = {}
    for guard in pair.facts.of("guard"):
        span = guard.fact["span"]
        resolved = unwrapped(str(guard.value.get("resolved") or ""))
        inside = span["start_line"] <= line <= span["end_line"] and guard.line != line
        if guard.value.get("effect") == "return" and span["end_line"] <= line:
            parts, shape = parts_at(resolved, "||"), _BEYOND
        elif guard.value.get("effect") == "skip" and inside:
            parts, shape = parts_at(resolved, "&&"), _BELOW
        else:
            continue
        if not resolved:
            if re.fullmatch(r"!?\w+", guard.value["condition"]):
                continue  # a scalar or a pointer, the same for all threads
            return None
        for part in parts:
            match = shape.fullmatch(part)
            if match is None:
                if re.search(r"(?:thread|block)Idx|[\[@]|select", part):
                    return None
                continue
            position, extent = (match[1], match[2]) if shape is _BELOW else (match[2], match[1])
            position = unwrapped(position)
            axes = set(re.findall(r"(?:threadIdx|blockIdx)\.([xyz])", position))
            plain = plain_index(position) and not re.search(r"[<>=?]|&&|\|\|", position)
            if len(axes) == 1 and extent in names and plain:
                axis = axes.pop()
                found.setdefault((axis, extent), Bound(position, extent, axis, guard))
                continue
            if axes:
                return None
    return list(found.values())


def line_of(pair: Pair, shape: Shape, bound: Bound) -> Line | None:
    """How a bound's position grows from thread to thread and from block to block."""
    thread, block = f"threadIdx.{bound.axis}", f"blockIdx.{bound.axis}"
    known: dict[str, Value] = {**pair.constants, **shape.spot()}

    def value(t: int, b: int) -> int | None:
        try:
            found = evaluate(bound.position, {**known, thread: t, block: b})
        except Unknown:
            return None
        return int(found) if found == int(found) else None

    origin, one, two, far = value(0, 0), value(1, 0), value(0, 1), value(3, 5)
    if origin != 0 or one is None or two is None or one < 1 or two < 0:
        return None
    if far != 3 * one + 5 * two:
        return None
    threads = shape.block["xyz".index(bound.axis)]
    if two == 0 or two == threads * one:
        return Line(one, threads * one)
    return None
