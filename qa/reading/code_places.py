"""Where a piece of code stands in a function, under which tests and loops; whence names come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from qa.reading.function import FunctionReading, Guard, Statement
from qa.text.comparisons import tight

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[xyz]\b)?")
_BUILT_IN = re.compile(r"(?:hip)?(threadIdx|ThreadIdx|blockIdx|BlockIdx)[._]([xyz])")
_DEEPEST = 6


@dataclass(frozen=True)
class CodePlace:
    """One occurrence of a piece of code: its function's reading and what encloses it."""

    reading: FunctionReading
    guards: tuple[Guard, ...]
    loops: tuple[int, ...]


def places_of(code: str, readings: Iterable[FunctionReading]) -> list[CodePlace]:
    """Smallest statements and tests that have a piece of code, white space left out."""
    wanted = tight(code).rstrip(";")
    found: list[CodePlace] = []
    for reading in readings:
        rows = [s for s in _statements(reading) if _has(tight(s.text), wanted)]
        rows = [
            s for s in rows
            if not any(o is not s and _within(o, s) and len(o.text) < len(s.text) for o in rows)
        ]  # fmt: skip
        found += [CodePlace(reading, s.guards, s.loops) for s in rows]
        found += [
            CodePlace(reading, b.guards, b.loops)
            for b in reading.branches
            if _has(tight(b.condition), wanted.removeprefix("if"))
        ]
    return found


def _statements(reading: FunctionReading) -> Iterator[Statement]:
    for rows in (reading.stores, reading.calls, reading.definitions, reading.returns):
        yield from rows


def _within(inner: Statement, outer: Statement) -> bool:
    return outer.first <= inner.first and inner.last <= outer.last


def _has(text: str, wanted: str) -> bool:
    """The text has the code, and not as a part of longer names."""
    before = r"(?<![\w.])" if re.match(r"\w", wanted) else ""
    after = r"(?!\w)" if re.search(r"\w$", wanted) else ""
    return bool(wanted) and re.search(f"{before}{re.escape(wanted)}{after}", text) is not None


def made_from(expression: str, reading: FunctionReading) -> set[str]:
    """Built-in indices that an expression is made from, its local names followed.

    Returns:
        ``threadIdx.x`` and so on; with ``?`` where a name is set in several ways.
    """
    found: set[str] = set()
    queue = [(name, 0) for name in _NAME.findall(expression)]
    found |= _built_in(expression)
    seen: set[str] = set()
    while queue:
        name, depth = queue.pop()
        if name in seen or depth > _DEEPEST:
            continue
        seen.add(name)
        rows = [d for d in reading.definitions if d.name == name]
        if len(rows) > 1 or any(loop.variable == name for loop in reading.loops):
            found.add("?")
        for row in rows:
            found |= _built_in(row.value)
            queue += [(inner, depth + 1) for inner in _NAME.findall(row.value)]
    return found


def _built_in(text: str) -> set[str]:
    return {
        f"{kind[0].lower()}{kind[1:]}.{axis}" for kind, axis in _BUILT_IN.findall(text)
    }  # fmt: skip


def one_thread(guard: Guard, reading: FunctionReading) -> bool:
    """A test that one thread of a block or of a row of it passes: ``tx == 0``, ``!tid``."""
    match = re.fullmatch(r"([\w.]+)\s*==\s*0|!\s*([\w.]+)", guard.condition.strip())
    if match is None or guard.negated:
        return False
    made = made_from(match[1] or match[2], reading)
    return bool(made) and all(one.startswith("threadIdx") for one in made)


def asks_threads(guard: Guard, reading: FunctionReading) -> bool:
    """A test that tells threads of a block apart, or may do so."""
    made = made_from(guard.condition, reading)
    return "?" in made or any(one.startswith("threadIdx") for one in made)
