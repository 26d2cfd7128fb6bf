"""Where the lanes of one wavefront fall in memory, those that make an access."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from qa.author.launch_offsets import Offsets, bytes_of
from qa.author.launch_pairs import Pair, Shape
from qa.author.launch_sizes import names_of
from qa.reading.access_guards import Needed, needed_at, written_at
from qa.reading.function import FunctionReading
from qa.reading.lanes import makes, same_for_all, spelled_out
from qa.text.arithmetic import Unknown, Value, evaluate

_LANES = 64
_SEGMENT = 64


@dataclass(frozen=True)
class Spread:
    """The offsets of a wavefront's lanes in one access.

    Attributes:
        access: The access.
        size: Bytes of an element.
        starts: First offset of each run of consecutive offsets, in order.
        runs: How many elements each run has.
        segments: How many segments of 64 bytes the lanes touch.
        step_x: Elements from a thread to the next along x.
        step_y: Elements from a row of threads to the next.
        active: Lanes that make the access.
        kept_off: Tests that keep the others from it.
    """

    access: Offsets
    size: int
    starts: tuple[int, ...]
    runs: tuple[int, ...]
    segments: int
    step_x: int
    step_y: int
    active: int
    kept_off: tuple[Needed, ...] = ()

    @property
    def buffer(self) -> str:
        """The buffer's name."""
        return str(self.access.row.value["buffer"])

    @property
    def kind(self) -> tuple[object, ...]:
        """What tells one spread from another."""
        return (len(self.runs), self.runs[:1], self.segments)


def lanes_of(shape: Shape) -> tuple[int, list[tuple[int, int]]]:
    """Number of the wavefront looked at, and places of its lanes in the block."""
    number = 1 if shape.threads >= 2 * _LANES else 0
    first = number * _LANES
    last = min(first + _LANES, shape.threads)
    return number, [(i % shape.block[0], i // shape.block[0]) for i in range(first, last)]


def spread_of(pair: Pair, shape: Shape, access: Offsets) -> Spread | None:
    """How one wavefront spreads; ``None`` where it is not known, or no lane goes there."""
    size = bytes_of(pair, access.row)
    guards = _guards(pair, access, shape)
    needed = needed_by(pair, access)
    if size is None or guards is None or needed is None or shape.block[2] != 1:
        return None
    _number, lanes = lanes_of(shape)
    values = _known(pair, access, shape)
    found: list[int] = []
    kept_off: list[Needed] = []
    for tx, ty in lanes:
        if not all(_passes(guard, {**access.values, **pair.constants}, tx, ty) for guard in guards):
            return None
        spot: dict[str, Value] = {**values, "threadIdx.x": tx, "threadIdx.y": ty}
        goes = [makes(tests, *_of(pair), spot) for tests in needed]
        if True in goes:
            offset = access.at(tx=tx, ty=ty)
            if offset is None:
                return None
            found.append(offset)
        elif None in goes:
            return None  # what decides is in memory, or not told by the launch
        else:
            kept_off += [one for one in needed[0] if makes([one], *_of(pair), spot) is False][:1]
    if kept_off and len(needed) > 1:
        return None  # no one test tells which lanes go there
    if not found:
        return None
    distinct = sorted(set(found))
    starts, runs = [distinct[0]], [1]
    for before, here in itertools.pairwise(distinct):
        if here == before + 1:
            runs[-1] += 1
        else:
            starts.append(here)
            runs.append(1)
    segments = {o * size // _SEGMENT for o in distinct}
    wide = shape.block[0] > 1
    origin = access.at()
    step_x = (access.at(tx=1) or 0) - (origin or 0) if wide else 0
    step_y = (access.at(ty=1) or 0) - (origin or 0) if shape.block[1] > 1 else 0
    tests = tuple(dict.fromkeys(kept_off))
    if len({one.negated for one in tests}) > 1:
        return None
    return Spread(
        access, size, tuple(starts), tuple(runs), len(segments), step_x, step_y, len(found), tests
    )


def _of(pair: Pair) -> tuple[FunctionReading, str]:
    return pair.facts.reading, pair.kernel.text


def needed_by(pair: Pair, access: Offsets) -> list[list[Needed]] | None:
    """Tests that tell threads apart around an access, and around others of the same element.

    ``c ? a[i] = 1 : a[i] = 0`` goes to the element in either case. ``None`` where the place of one
    is not found.
    """
    assert pair.kernel.span is not None
    start = pair.kernel.span.start_line
    rows = [access.row]
    rows += [
        row
        for row in pair.facts.of("global_access")
        if row is not access.row
        and all(row.value.get(k) == access.row.value.get(k) for k in ("buffer", "access", "index"))
    ]
    found = []
    for row in rows:
        tests = needed_at(pair.kernel.text, start, row.line, row.column)
        if tests is None:
            return None
        found.append([one for one in tests if not same_for_all(one.condition)])
    return found


def _known(pair: Pair, access: Offsets, shape: Shape) -> dict[str, Value]:
    """Values of the kernel's names: constants, what the launch passes, first rounds of loops."""
    values: dict[str, Value] = {
        **shape.spot(), **{f"blockIdx.{axis}": 0 for axis in "xyz"}, "threadIdx.z": 0,
    }  # fmt: skip
    for name in pair.arguments:
        passed = pair.passed(name, shape)
        if passed is not None:
            values[name] = passed
    for loop in pair.facts.reading.loops:
        if loop.variable and loop.start.isdigit() and loop.first <= access.row.line <= loop.last:
            values[loop.variable] = int(loop.start)
    return {**values, **pair.constants, **access.values}


Guard = tuple[str, bool, dict[str, Value]]


def _guards(pair: Pair, access: Offsets, shape: Shape) -> list[Guard] | None:
    """Tests before an access that end the kernel, with the values of their names; nothing where
    one is about data."""
    found: list[Guard] = []
    line = access.row.line
    for guard in pair.facts.of("guard"):
        span = guard.fact["span"]
        leaves = guard.value.get("effect") == "return"
        if not leaves or span["end_line"] > line:
            continue
        condition = str(guard.value.get("resolved") or "")
        if not condition or re.search(r"nullptr|alpha|beta", condition):
            if re.fullmatch(r"!?\w+", guard.value["condition"]) or "nullptr" in condition:
                continue  # a scalar or a pointer, the same for all threads
            return None
        values: dict[str, Value] = {}
        for name in names_of(condition):
            value = pair.constants.get(name, pair.passed(name, shape))
            if value is None:
                return None
            values[name] = value
        found.append((condition, leaves, values))
    return found


def _passes(guard: Guard, values: dict[str, Value], tx: int, ty: int) -> bool:
    condition, leaves, own = guard
    spots: dict[str, Value] = {f"{k}.{a}": 0 for k in ("threadIdx", "blockIdx") for a in "xyz"}
    try:
        holds = evaluate(
            condition, {**values, **own, **spots, "threadIdx.x": tx, "threadIdx.y": ty}
        )
    except Unknown:
        return False
    return bool(holds) is not leaves


def written(pair: Pair, access: Offsets) -> str:
    """The access as the kernel has it, where the buffer has others with other indices."""
    assert pair.kernel.span is not None
    row = access.row
    others = {
        str(one.value.get("index"))
        for one in pair.facts.of("global_access")
        if one.value.get("buffer") == row.value.get("buffer")
    }
    if len(others) < 2:
        return ""
    return written_at(pair.kernel.text, pair.kernel.span.start_line, row.line, row.column)


def asked_names(pair: Pair, access: Offsets) -> set[str]:
    """Names of the kernel that the tests of an access are made from."""
    return {
        name
        for tests in needed_by(pair, access) or ()
        for one in tests
        for name in re.findall(r"[A-Za-z_]\w*", spelled_out(one.condition, *_of(pair)))
    }


def tellable(spread: Spread) -> bool:
    """The offsets have one regular form."""
    lanes = spread.active
    starts, count = spread.starts, len(spread.runs)
    gaps = {b - a for a, b in itertools.pairwise(starts)}
    total = sum(spread.runs)
    return len(set(spread.runs)) == 1 and len(gaps) <= 1 and (count > 1 or lanes % total == 0)
