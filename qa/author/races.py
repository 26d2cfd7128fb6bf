"""Two threads of a block that meet at one element of LDS."""

from __future__ import annotations

import re

from qa.author.kernel_facts import KernelFacts, Row, at, settings
from qa.author.launch_pairs import Pair, Shape
from qa.text.arithmetic import Value

Launched = tuple[Pair, Shape]
_FAR = 256
_BLOCK: dict[str, Value] = {"warpSize": 64}


def clash_of(
    facts: KernelFacts, store: Row, load: Row, launched: Launched | None
) -> tuple[int, int, int, dict[str, object]] | None:
    """A thread that reads what another one, of another wavefront if possible, has stored."""
    _number, types = facts.types()
    symbols = {**(store.value.get("symbols") or {}), **(load.value.get("symbols") or {})}
    first = settings(store.value["index"], types, symbols)
    second = settings(load.value["index"], types, symbols)
    if first is None or second is None:
        return None
    for name in [*first, *(n for n in second if n not in first)]:
        kind = (symbols.get(name) or {}).get("kind", "")
        if kind == "loop variable":
            start = (symbols.get(name) or {}).get("start", "0")
            value = int(start) if str(start).isdigit() else 0
            first[name] = second[name] = value
    written: dict[int, int] = {}
    width = launched[1].block[0] if launched is not None else _width(types)
    for thread in range(width):
        place = at(store.value["index"], first, tx=thread)
        passes = _passes(facts, store, first, thread)
        if passes is None:
            return None
        if place is not None and passes:
            written.setdefault(place, thread)
    best = None
    for thread in range(width):
        place = at(load.value["index"], second, tx=thread)
        passes = _passes(facts, load, second, thread)
        if passes is None:
            return None
        if place is None or not passes or place not in written or written[place] == thread:
            continue
        apart = written[place] // 64 != thread // 64
        if best is None or (apart and not best[3]):
            best = (written[place], thread, place, apart)
    if best is None:
        return None
    return (
        best[0],
        best[1],
        best[2],
        {"apart": best[3], "values": {**first, **second}, "types": types},
    )


def _width(types: dict[str, str]) -> int:
    """Threads along x of a block, as far as the template says."""
    for name, value in types.items():
        if value.isdigit() and re.fullmatch(r"NB|DIM_X|BLK_SIZE|BLOCK_SIZE|NTHREADS|THREADS", name):
            return min(int(value), _FAR)
    return 64


def _passes(facts: KernelFacts, row: Row, values: dict[str, Value], thread: int) -> bool | None:
    """Whether the guards around an access let a thread through; ``None`` where that is not known."""
    for guard in facts.of("guard"):
        span = guard.fact["span"]
        if not span["start_line"] <= row.line <= span["end_line"]:
            continue
        condition = guard.value.get("resolved") or guard.value["condition"]
        if "threadIdx" not in condition:
            continue
        holds = at(condition, {**values, **_BLOCK}, tx=thread)
        if holds is None:
            return None
        if not holds:
            return False
    return True
