"""Lanes that an answer sends to memory get there: the tests around an access let them through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from qa.gates.case import Case
from qa.reading.access_guards import Needed, needed_at
from qa.reading.function import read_function
from qa.reading.lanes import makes
from qa.scope_view import FunctionView
from qa.text.arithmetic import Value, bindings
from qa.text.prose import plain

_WAVEFRONT = re.compile(r"\bwavefront (\d+)\b")
_BLOCK = re.compile(r"\bblocks? of (\d+)(?: x (\d+))? threads\b")
_ACCESS = re.compile(
    r"`(?P<buffer>\w+)` is (?:read|written|loaded|stored)(?: to| from)? at `(?P<index>[^`]+)`"
)
_LANES = 64


def get_there(case: Case) -> str | None:
    """Where a wavefront and a block are told, accesses are made by as many lanes as is said."""
    if case.is_code:
        return None
    whole = f"{case.entry.question} {case.entry.answer}"
    waves, blocks = set(_WAVEFRONT.findall(whole)), set(_BLOCK.findall(plain(whole)))
    if len(waves) != 1 or len(blocks) != 1:
        return None
    number, (wide, high) = int(waves.pop()), blocks.pop()
    lanes = _lanes(number, int(wide), int(high or 1))
    given = bindings(plain(case.entry.question))
    for sentence in case.sentences:
        for match in _ACCESS.finditer(plain(sentence)):
            for function, tests in _made(case, match["buffer"], match["index"]):
                why = _missing(function, tests, lanes, given, case.entry.answer)
                if why:
                    return f"{match['buffer']} in {function.name}: {why}"
    return None


def _lanes(number: int, wide: int, high: int) -> list[tuple[int, int]]:
    first = number * _LANES
    return [(i % wide, i // wide) for i in range(first, min(first + _LANES, wide * high))]


def _made(case: Case, buffer: str, index: str) -> Iterator[tuple[FunctionView, list[list[Needed]]]]:
    """Functions with the access, and the tests around each of its places there."""
    for function in case.evidence_functions:
        if function.span is None:
            continue
        tests = []
        for row in case.ground.facts_of(case.entry.interface, function.id):
            if _about(row, buffer, index):
                _file, line, column = str(row["subject"]).rsplit(":", 2)
                found = needed_at(function.text, function.span.start_line, int(line), int(column))
                tests.append([] if found is None else found)
        if tests:
            yield function, tests


def _about(row: dict[str, Any], buffer: str, index: str) -> bool:
    value = row["value"]
    return (
        row["fact"] == "global_access" and isinstance(value, dict) and not value.get("through")
        and value.get("buffer") == buffer and value.get("index") == index
        and str(row["subject"]).count(":") > 1
    )  # fmt: skip


def _missing(
    function: FunctionView, tests: list[list[Needed]], lanes: list[tuple[int, int]],
    given: dict[str, Value], answer: str,
) -> str | None:  # fmt: skip
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    names = {p.name for p in reading.parameters}
    known = {name: value for name, value in given.items() if name in names}
    away = 0
    for tx, ty in lanes:
        spot: dict[str, Value] = {**known, "threadIdx.x": tx, "threadIdx.y": ty, "threadIdx.z": 0}
        spot.update({f"blockIdx.{axis}": 0 for axis in "xyz"})
        away += all(makes(one, reading, function.text, spot) is False for one in tests)
    if lanes and away == len(lanes):
        return "no lane of the wavefront makes the access"
    if away and not re.search(rf"(?<!\w){len(lanes) - away}(?!\w)", answer):
        return f"{away} of {len(lanes)} lanes do not make the access"
    return None
