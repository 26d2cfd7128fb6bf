"""Barriers that some threads of a block skip, weighed by what the others would wait for.

On CDNA a barrier waits for the wavefronts of a block that have not ended (ISA guides, S_BARRIER),
and a wavefront of which one lane comes to it has come. So threads that skip a barrier matter where
a whole wavefront of them goes on to another barrier, which the rest then takes for the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from extractor import settings
from extractor.facts.records import Fact
from extractor.facts.report.suspicion import SURE, UNLIKELY, Blocks, Confidence, Suspicion
from extractor.records import Span

DIVERGENT = "barrier in divergent control flow"

_LONGEST = 160


@dataclass(frozen=True)
class _Barrier:
    """A barrier as one function has it; ``condition`` is ``None`` where all threads reach it, and
    empty where that was not proved."""

    span: Span
    condition: str | None
    line: int


def divergent_barriers(facts: Iterable[Fact], blocks: Blocks) -> Iterator[Suspicion]:
    """One suspicion for each function and condition: kernels first, since a device function says
    less of its barriers than the kernels that call it."""
    barriers: dict[str, dict[tuple[str, int, str | None], _Barrier]] = {}
    loops: dict[str, list[Span]] = {}
    kernels = set(blocks)
    for fact in facts:
        if fact.fact == "launch_bounds":
            kernels.add(fact.function)
        elif fact.fact == "loop" and fact.span is not None:
            loops.setdefault(fact.function, []).append(fact.span)
        elif fact.fact == "barrier" and fact.span is not None:
            one = _barrier(fact.span, fact.value)
            key = (one.span.file, one.span.start_line, one.condition)
            barriers.setdefault(fact.function, {})[key] = one
    for function in sorted(barriers, key=lambda name: (name not in kernels, name)):
        rows = list(barriers[function].values())
        for condition in dict.fromkeys(row.condition for row in rows if row.condition):
            skipped = [row for row in rows if row.condition == condition]
            others = [row for row in rows if row.condition != condition]
            yield _weighed(function, skipped, others, loops.get(function, ()), blocks)


def _barrier(span: Span, value: Any) -> _Barrier:
    if not isinstance(value, Mapping):
        return _Barrier(span, "", 0)
    if value.get("divergent") is not True:
        return _Barrier(span, None, 0)
    return _Barrier(span, value.get("condition") or "a condition", int(value.get("line") or 0))


def _weighed(
    function: str,
    skipped: Sequence[_Barrier],
    others: Sequence[_Barrier],
    loops: Sequence[Span],
    blocks: Blocks,
) -> Suspicion:
    first = min(skipped, key=lambda row: (row.span.file, row.span.start_line))
    known = [block for _, block in blocks.get(function, ())]
    coming = [row.span.start_line for row in others if _after(row, first, loops)]
    behind = [line for line in coming if line > first.span.start_line]
    next_one = min(behind or coming, default=None)
    confidence: Confidence = UNLIKELY
    if known and all(block and prod(block) <= _WAVEFRONT for block in known):
        matters = (
            f"a wavefront has fewer than {_WAVEFRONT} threads: all blocks that the host side "
            "launches it with are one wavefront"
        )
    elif next_one is None:
        matters = (
            "a wavefront all of whose threads skip it has to be waited for: those threads come to "
            "no other barrier, and CDNA waits only for wavefronts that have not ended"
        )
    else:
        confidence = SURE
        matters = (
            "a block has several wavefronts and one of them skips it with all its threads: it goes "
            f"on to another barrier, line {next_one}, and the others take that for this one"
        )
    lines = sorted({row.span.start_line for row in skipped})
    text = first.condition or ""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    where = f" (line {first.line})" if first.line else ""
    seen = f"the barrier stands under '{shown}'{where}"
    if len(lines) > 1:
        seen = f"{len(lines)} barriers stand under '{shown}'{where}"
    places = tuple(f"{row.span.file}:{row.span.start_line}" for row in skipped)
    return Suspicion(
        DIVERGENT, confidence, function, first.span.file, first.span.start_line, seen, matters,
        tuple(sorted(set(places))),
    )  # fmt: skip


_WAVEFRONT = settings.wavefront_size(settings.DEFAULT_ARCHITECTURE)


def _after(other: _Barrier, skipped: _Barrier, loops: Sequence[Span]) -> bool:
    """Whether threads that skip one barrier may come to another: it is behind the condition, or
    both are in one loop, or that cannot be told."""
    if other.span.file != skipped.span.file or not skipped.line:
        return True
    line = other.span.start_line
    if line > skipped.line:
        return True
    return any(
        span.file == other.span.file
        and span.start_line <= line <= span.end_line
        and span.start_line <= skipped.span.start_line <= span.end_line
        for span in loops
    )
