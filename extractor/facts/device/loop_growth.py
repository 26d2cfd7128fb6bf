"""What one iteration of a loop did to variables, from their values before and after it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.symbols import Dependences, Symbols
from extractor.facts.device.values import Pointer


@dataclass
class Known:
    """What a rehearsal of a loop showed.

    Attributes:
        steps: What a variable grows by in every iteration.
        depends: For a variable whose value after an iteration is made of known things, on what it
            depends.
        like: For one of them that was not set before the loop, its value after an iteration.
    """

    steps: dict[Any, Polynomial] = field(default_factory=dict)
    depends: dict[Any, Dependences] = field(default_factory=dict)
    like: dict[Any, Any] = field(default_factory=dict)


def settled(
    symbols: Symbols,
    begun: dict[Any, Any],
    ends: dict[Any, Any],
    hoped: dict[Any, Dependences],
) -> dict[Any, Dependences]:
    """Dependences of the variables whose value after an iteration is made of known things."""
    names: dict[str, Any] = {}
    for key, value in begun.items():
        offset = value.offset if isinstance(value, Pointer) else value
        if isinstance(offset, Polynomial) and offset.single:
            names[offset.single] = key
    found: dict[Any, Dependences] = {}
    uses: dict[Any, set[Any]] = {}
    for key, value in ends.items():
        first = begun[key]
        if isinstance(value, Pointer):
            if not isinstance(first, Pointer) or first.buffer != value.buffer:
                continue
        elif not isinstance(value, Polynomial):
            continue
        offset = value.offset if isinstance(value, Pointer) else value
        found[key] = hoped[key] | _depends(symbols, value)
        uses[key] = {names[name] for name in symbols.closure([offset]) if name in names}
    while True:
        kept = {key for key in found if uses[key] <= found.keys()}
        grown = {key: found[key].union(*(found[other] for other in uses[key])) for key in kept}
        if grown == found:
            return found
        found = grown


def _depends(symbols: Symbols, value: Polynomial | Pointer) -> Dependences:
    return symbols.depends(value.offset if isinstance(value, Pointer) else value)


def difference(last: Any, first: Any) -> Polynomial | None:
    """How far a number or an address has moved; ``None`` where it went elsewhere."""
    if isinstance(last, Pointer) and isinstance(first, Pointer):
        if last.buffer == first.buffer and last.size == first.size:
            return last.offset - first.offset
    elif isinstance(last, Polynomial) and isinstance(first, Polynomial):
        return last - first
    return None
