"""Why a call makes one launch again and again: the loops around the calls on the way to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from qa.author.draft import Draft, code
from qa.author.outline import loop_heads
from qa.author.passed_values import way_of
from qa.reading.function import Loop, read_function
from qa.scope_view import FunctionView

_LONGEST_HEAD = 150
_LARGE_STEP = 4096
_STEP = re.compile(r"\+=\s*(\w+)\s*\)?\s*$")


def tell_repeats(draft: Draft, trace: Mapping[str, Any], launch: Mapping[str, Any]) -> bool:
    """Names the loop that repeats a launch, and whether other calls stand outside of it.

    Args:
        draft: The entry.
        trace: The call.
        launch: A launch that is recorded several times in a row.

    Returns:
        Whether a loop was found on the way.
    """
    view = draft.view
    way = way_of(view, draft.ground, trace, launch["symbol"])
    told = False
    for (one, _a), (other, at) in reversed(list(pairwise(way))):
        function, following = view.owner[one], view.owner[other]
        if at is None or function.span is None or at.file != function.file:
            continue
        reading = read_function(function.text, function.span.start_line)
        loop = _innermost(reading.loops, at.start_line)
        head = loop_heads(function, reading).get(loop.first, "") if loop is not None else ""
        if loop is None or not 0 < len(head) <= _LONGEST_HEAD or _in_passes(draft, function, head):
            continue
        lines = _calls(draft, function, following)
        outside = [line for line in lines if not loop.first <= line <= loop.last]
        does = "launches" if following.kind == "kernel" else "calls"
        more = f", and at {len(outside)} more places outside of that loop" if outside else ""
        more = more.replace("1 more places", "one more place")
        draft.say(
            f"{code(function.name)} {does} {code(following.name)} in every round of {code(head)}{more}.",
            draft.lines(function, loop.first, loop.first + 1), at,
            *[draft.lines(function, line) for line in outside[:4]], draft.head(function),
        )  # fmt: skip
        if len(outside) > 1:
            draft.claim("number", str(len(outside)), len(outside), "recompute")
        told = True
    return told


def _innermost(loops: list[Loop], line: int) -> Loop | None:
    return max(
        (loop for loop in loops if loop.first <= line <= loop.last),
        key=lambda loop: loop.first, default=None,
    )  # fmt: skip


def _in_passes(draft: Draft, function: FunctionView, head: str) -> bool:
    """A loop over parts that are larger than any size that is recorded has one round.

    The step of such a loop is a constant of the library: a large one, or one that is worked out.
    """
    step = _STEP.search(head)
    if step is None or step[1].isdigit() or re.search(rf"\b{step[1]}\b", function.signature):
        return False
    if re.search(rf"(?<![\w.])\w+\s+{step[1]}\s*(?:=|;|,)", function.text):
        return False
    value = draft.ground.constants.get(step[1])
    return value is None or value[0] > _LARGE_STEP


def _calls(draft: Draft, function: FunctionView, following: FunctionView) -> list[int]:
    """Lines on which a function calls or launches another one, dead ones left out."""
    if following.kind == "kernel":
        return sorted({
            s.at.start_line for s in draft.view.launches
            if not s.dead and s.caller.id == function.id and s.callee.id == following.id
        })  # fmt: skip
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    return sorted({call.first for call in reading.calls_of(following.name)})
