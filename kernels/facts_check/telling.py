"""Which instantiations show most: those that most stated index maps wait for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from extractor.facts.device.representatives import shape
from kernels.facts_check.alone import chosen_of
from kernels.slice.choice import Chosen, Launchable, simplicity

Shape = tuple[str, tuple[str, ...]]
"""A kernel's id and a shape of its template arguments."""


def map_of(fact: Mapping[str, Any]) -> str:
    """What an access fact says, whichever instantiation it is said of."""
    value = {key: item for key, item in fact["value"].items() if key != "symbols"}
    return json.dumps([fact["function"], fact["subject"], value], sort_keys=True)


def telling(
    facts: Iterable[Mapping[str, Any]],
    kernels: Sequence[Launchable],
    known: Sequence[Chosen],
    most: int,
) -> list[Chosen]:
    """Instantiations to run beside others, the one that shows most first.

    Args:
        facts: Lines of ``facts.jsonl``.
        kernels: All that can be launched.
        known: Instantiations that are run anyway.
        most: How many to choose.

    Returns:
        Of each shape that is worth it the simplest instantiation.
    """
    waiting: dict[Shape, set[str]] = {}
    for fact in facts:
        if fact["fact"] == "global_access" and fact["value"] is not None and fact["instantiation"]:
            own = (fact["function"], shape(fact["instantiation"]))
            waiting.setdefault(own, set()).add(map_of(fact))
    shown: set[str] = set()
    for one in known:
        shown |= waiting.pop((one.function, shape(one.symbol)), set())
    simplest: dict[Shape, tuple[Launchable, str]] = {}
    for kernel in kernels:
        for symbol in sorted(kernel.symbols, key=simplicity):
            simplest.setdefault((kernel.function, shape(symbol)), (kernel, symbol))
    left = {own: maps for own, maps in waiting.items() if own in simplest}
    found: list[Chosen] = []
    while left and len(found) < most:
        best = max(sorted(left), key=lambda own: len(left[own] - shown))
        if not left[best] - shown:
            break
        shown |= left.pop(best)
        found.append(chosen_of(*simplest[best]))
    return found
