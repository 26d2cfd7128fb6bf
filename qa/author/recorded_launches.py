"""Recorded launches of calls: their sites, their kernels, their sizes."""

from __future__ import annotations

import json
from typing import Any

from qa.author.launch_prose import Trace
from qa.author.sites import launching, sites_of
from qa.ground import Ground
from qa.scope_view import ScopeView, Site

_PAST = 2**31
_VECTORS = frozenset("xyABC")
MOST_LAUNCHES = 8


class Sites:
    """Launch sites of recorded launches."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, str], list[Site]] = {}

    def of(
        self, launch: dict[str, Any], view: ScopeView, ground: Ground, trace: Trace
    ) -> list[Site]:
        """Sites that can have made a recorded launch; none where that is not certain."""
        symbol = launch.get("symbol", "")
        if not symbol:
            return []
        if runs := ground.runs(view, trace):
            every = sites_of(view, symbol)
            made = [site for site in every if any(r.made([site]) for r in runs.values())]
            return made if len({site.caller.id for site in made}) == 1 else []
        key = (trace["entry"], trace.get("config", "source"), symbol)
        if key not in self._known:
            self._known[key] = launching(view, *key)
        return self._known[key]


def is_told(trace: Trace) -> bool:
    """The call can be told launch by launch.

    Sizes past 32 bits are served in passes, and a trace folds the launches of these passes, whose
    last one is smaller, together. A list of many launches, repeats counted, says nothing.
    """
    sizes = [v for v in trace["args"].values() if isinstance(v, int)]
    return max(map(abs, sizes), default=0) < _PAST and (
        sum(launch["repeat"] for launch in trace["launches"]) <= MOST_LAUNCHES
    )


def has_aliases(trace: Trace) -> bool:
    """A pointer is given by the name of another one: the two are the same memory."""
    return any(v in _VECTORS for v in trace["args"].values() if isinstance(v, str))


def kernels_of(trace: Trace) -> list[str]:
    """Kernels in the order of their launches."""
    return [launch["kernel"] for launch in trace["launches"]]


def has_several_blocks(trace: Trace) -> bool:
    """Some launch has several blocks, and not so many that no arithmetic is left."""
    return any(max(launch["grid"][:2]) in range(2, 5000) for launch in trace["launches"])


def shape_of(trace: Trace) -> str:
    """All that a trace says of sizes, as a key."""
    return json.dumps(
        [[x["kernel"], x["grid"], x["block"], x["repeat"]] for x in trace["launches"]]
    )
