"""What looks like a fault: patterns among facts, with evidence, worded so that nobody is accused.

Every rule names what was seen and what would have to be true for it to matter; whether it does is
for a reader of the source to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from extractor.facts.records import Fact
from extractor.facts.report.divergence import DIVERGENT, divergent_barriers
from extractor.facts.report.suspicion import (
    SURE,
    UNLIKELY,
    Blocks,
    Confidence,
    Suspicion,
)

PASSED = "bound that lets an index pass its buffer"
NARROW = "product of two sizes in 32 bits"
WAVE32 = "works for wavefronts of 32 threads"
LARGE_GRID = "grid that a large batch exceeds"

_GRAVEST = (PASSED, DIVERGENT, WAVE32, NARROW, LARGE_GRID)


def suspicions(facts: Iterable[Fact]) -> list[Suspicion]:
    """Everything that some rule finds, the gravest kind first, then by place.

    What one rule sees in several places of one function, in the same words, is one suspicion.
    """
    found: dict[tuple[str, str, int], Suspicion] = {}
    facts = list(facts)
    blocks = launched_blocks(facts)
    for one in divergent_barriers(facts, blocks):
        found.setdefault((one.kind, one.file, one.line), one)
    for fact in facts:
        if fact.fact == "lds_access" and isinstance(fact.value, dict) and fact.span is not None:
            for one in _passed(fact, fact.value, blocks):
                found.setdefault((one.kind, one.file, one.line), one)
        rule = _RULES.get(fact.fact)
        if rule is None or fact.value is None or fact.span is None:
            continue
        for one in rule(fact, fact.value):
            found.setdefault((one.kind, one.file, one.line), one)
    alike: dict[tuple[str, ...], list[Suspicion]] = {}
    for one in sorted(found.values(), key=lambda one: (one.file, one.line)):
        key = (one.kind, one.confidence, one.function, one.group or one.seen, one.matters_if)
        alike.setdefault(key, []).append(one)
    merged = [
        replace(first, places=tuple(dict.fromkeys(place for one in rows for place in one.places)))
        for rows in alike.values()
        for first in rows[:1]
    ]
    return sorted(merged, key=lambda s: (s.confidence != SURE, _rank(s.kind), s.file, s.line))


def _rank(kind: str) -> tuple[int, str]:
    """Kinds that end in wrong results or in a launch that never ends come first."""
    return _GRAVEST.index(kind) if kind in _GRAVEST else len(_GRAVEST), kind


def _at(
    fact: Fact, kind: str, confidence: Confidence, seen: str, matters_if: str, group: str = ""
) -> Suspicion:
    assert fact.span is not None
    span = fact.span
    place = f"{span.file}:{span.start_line}"
    return Suspicion(
        kind, confidence, fact.function, span.file, span.start_line, seen, matters_if, (place,),
        group,
    )  # fmt: skip


def _wavefront(fact: Fact, value: Any) -> Iterator[Suspicion]:
    if value.get("width") == 32:
        yield _at(
            fact,
            WAVE32,
            SURE,
            f"{value.get('how')} takes a wavefront for 32 threads",
            "the kernel runs on an architecture whose wavefronts have 64 threads",
        )


_PRODUCT = re.compile(r"\b[A-Za-z_]\w*(?:->\w+)? \* [A-Za-z_]\w*")


def _grid(fact: Fact, value: Any) -> Iterator[Suspicion]:
    for axis, text in zip("xyz", value.get("expressions", ()), strict=False):
        if axis in "yz" and re.fullmatch(r"[a-z_]*batch[a-z_]*", text):
            yield _at(
                fact,
                LARGE_GRID,
                UNLIKELY,
                f"grid.{axis} is '{text}' as it stands",
                "a caller may pass more than 65535 and the device limits this axis to that",
            )
        if _PRODUCT.search(text) and "int64" not in text and "size_t" not in text:
            yield _at(
                fact,
                NARROW,
                UNLIKELY,
                f"grid.{axis} is '{text}'",
                "the product passes 2147483647 for sizes that the interface admits",
            )


def _access(fact: Fact, value: Any) -> Iterator[Suspicion]:
    narrow = value.get("overflow")
    if narrow:
        yield _at(
            fact,
            NARROW,
            UNLIKELY,
            f"the index '{value.get('index')}' holds '{narrow['product']}', computed in 32 bits",
            "the interface admits sizes whose product passes 2147483647, and neither a condition "
            "of the launch nor the host side's choice of kernels keeps them away from here",
            str(narrow["product"]),
        )
    counted = value.get("one_too_many")
    if counted:
        name = counted["parameter"]
        yield _at(
            fact,
            PASSED,
            SURE,
            f"{value.get('access')} of {value.get('buffer')}: '{counted['bound']}' lets the count "
            f"that begins at 0 be {name}, so that {name} + 1 elements are touched, "
            f"{counted['step']} apart",
            f"{value.get('buffer')} has {name} elements and not one more",
        )


def launched_blocks(facts: Iterable[Fact]) -> Blocks:
    """Blocks that the host side launches kernels with."""
    found: Blocks = {}
    for fact in facts:
        value: Any = fact.value
        if fact.fact != "launch_block" or not isinstance(value, dict):
            continue
        texts = value["expressions"]
        known = all(text.isdigit() for text in texts)
        row = (value.get("symbol"), [*map(int, texts), 1, 1, 1][:3] if known else None)
        rows = found.setdefault(value["kernel"], [])
        if row not in rows:
            rows.append(row)
    return found


def _passed(fact: Fact, value: Any, blocks: Blocks) -> Iterator[Suspicion]:
    """An index that passes its array in LDS, for every block the kernel may be launched with.

    Which launch starts which instantiation is not always known, and the array's size is that of one
    instantiation: where some block of the kernel has no such thread, nothing is said.
    """
    past = value.get("passes")
    rows = blocks.get(fact.function, []) if past else []
    exact = [row for row in rows if fact.instantiation and row[0] == fact.instantiation]
    threads = []
    for _, block in exact or rows:
        doing = [t for t in past["threads"] if block and _holds(block, t)]
        if not doing:
            return
        threads.append((block, doing[0]))
    if threads:
        block, thread = threads[0]
        yield _at(
            fact,
            PASSED,
            SURE,
            f"{value['array']} has {past['bytes']} bytes; thread {thread} of a block of "
            f"{'x'.join(map(str, block or ()))} reaches byte {past['reaches']} by "
            f"'{value['index']}'",
            "the launch with this block takes the way on which the access stands",
        )


def _holds(block: list[int], thread: list[int]) -> bool:
    return all(own < size for own, size in zip(thread, block, strict=True))


_RULES: dict[str, Callable[[Fact, Any], Iterator[Suspicion]]] = {
    "wavefront_assumption": _wavefront,
    "launch_grid": _grid,
    "global_access": _access,
}
