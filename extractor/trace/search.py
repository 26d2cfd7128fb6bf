"""Looks for calls that reach launch sites which the sweep of an entry point has not shown.

A call that came near is taken, one of its values is changed, and the new call is kept as a place
to go on from where it takes a way that none took before. Near is what launches from the function
that has the site, then what launches another instantiation of the kernel. Values come from the
site first: whole numbers among its kernels' template arguments are often the sizes for which
these were made.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extractor.demangle import template_arguments
from extractor.trace.calls import Calls
from extractor.trace.case import Case
from extractor.trace.cases import Variations
from extractor.trace.choice import Shape, ways
from extractor.trace.records import Trace
from extractor.trace.sites import Sites

_NUMBER = re.compile(r"\d{1,6}")
_WORD = re.compile(r"[A-Za-z_]\w*")
_WHOLE = re.compile(r"(?<![\w.])\d{1,6}(?![\w.])")
_LEAST, _MOST = 1, 100_000
_BATCH = 24
"""So many changes of a call are made before the next best one has its turn."""
_AGAIN = 16
"""This part of the calls goes to what came near, on the other architectures."""


@dataclass
class _Start:
    case: Case
    traces: list[Trace]
    depth: int
    changes: Iterator[Case] | None = field(default=None, repr=False)


class Search:
    """Looks for the sites of one entry point.

    Args:
        calls: Makes the calls.
        variations: Changes a call.
        sites: Sites of the interface.
        guards: By site, the conditions around it.
        archs: Architectures of these calls.
        most: How many of them.
    """

    def __init__(
        self,
        calls: Calls,
        variations: Variations,
        sites: Sites,
        guards: Mapping[str, Sequence[str]],
        archs: Sequence[str],
        most: int,
    ) -> None:
        self._calls, self._variations, self._sites = calls, variations, sites
        self._archs, self._most, self._left = archs, most, most
        self._guards = guards
        self._words = {site: _words(text) for site, text in guards.items()}
        self._callers: dict[str, set[str]] = {}
        for site, kernels in sites.kernels.items():
            for symbol in kernels:
                self._callers.setdefault(symbol, set()).update(sites.callers[site])

    def pursue(
        self, known: Sequence[tuple[Case, list[Trace]]], goals: Mapping[str, frozenset[str]]
    ) -> list[tuple[Case, list[Trace]]]:
        """Further calls that launch something of the goals or take a way of their own.

        Args:
            known: Calls made so far.
            goals: By site that is looked for, its kernels.
        """
        wanted = dict(goals)
        tried = {case.key() for case, _ in known}
        seen: set[Shape] = set()
        starts: list[_Start] = []
        for case, traces in known:
            self._begin(case, traces, 0, seen, starts)
        words = frozenset(word for site in goals for word in self._words.get(site, ()))
        found: list[tuple[Case, list[Trace]]] = []
        again = [start.case for start in self._ranked(starts, wanted)[: self._left // _AGAIN]]
        again += self._variations.turned_squares()
        for first in range(0, len(again), _BATCH):
            batch = again[first : first + _BATCH]
            if not wanted or self._left < self._most // 2:
                break
            tried |= {case.key() for case in batch}
            found += self._made(batch, 0, wanted, seen, starts)
        while wanted and self._left > 0:
            if not starts:
                break
            start = self._ranked(starts, wanted)[0]
            batch = self._next(start, wanted, words, tried)
            if not batch:
                starts.remove(start)
                continue
            start.depth += 1
            found += self._made(batch, start.depth, wanted, seen, starts)
        return found

    def _made(
        self,
        batch: Sequence[Case],
        depth: int,
        wanted: dict[str, frozenset[str]],
        seen: set[Shape],
        starts: list[_Start],
    ) -> list[tuple[Case, list[Trace]]]:
        self._left -= len(batch)
        found = []
        for case, traces in self._calls.make(batch, self._archs):
            new = self._reached(traces, wanted)
            if new:
                found.append((case, traces))
            # What showed a site is a good place to go on from at once.
            self._begin(case, traces, 0 if new else depth, seen, starts)
        return found

    def _compared(self, wanted: Mapping[str, frozenset[str]]) -> list[int]:
        """Numbers in the conditions around sites."""
        texts = {text for site in wanted for text in self._guards.get(site, ())}
        found = {int(number) for text in texts for number in _WHOLE.findall(text)}
        return sorted(number for number in found if _LEAST <= number <= _MOST)

    def _begin(
        self, case: Case, traces: list[Trace], depth: int, seen: set[Shape], starts: list[_Start]
    ) -> None:
        shapes = {ways(trace) for trace in traces}
        if shapes - seen and any(trace.launches for trace in traces):
            seen |= shapes
            starts.append(_Start(case, traces, depth))

    def _reached(self, traces: list[Trace], wanted: dict[str, frozenset[str]]) -> bool:
        launched = {launch.symbol for trace in traces for launch in trace.launches}
        new = [site for site, kernels in wanted.items() if not kernels.isdisjoint(launched)]
        for site in new:
            del wanted[site]
        return bool(new)

    def _ranked(
        self, starts: Sequence[_Start], wanted: Mapping[str, frozenset[str]]
    ) -> list[_Start]:
        """Those not used yet first, of them what is near most sites, then the shortest."""
        near: dict[str, int] = {}
        names: dict[str, int] = {}
        for site in wanted:
            name = site.rpartition(" ")[2]
            names[name] = names.get(name, 0) + 1
            for caller in self._sites.callers[site]:
                near[caller] = near.get(caller, 0) + 1

        @functools.cache
        def closeness(symbol: str, kernel: str) -> int:
            callers = self._callers.get(symbol, ())
            return 2 * max((near.get(caller, 0) for caller in callers), default=0) + names.get(
                kernel, 0
            )

        def order(start: _Start) -> tuple[int, int, int]:
            launches = [launch for trace in start.traces for launch in trace.launches[:200]]
            closest = max((closeness(x.symbol, x.kernel) for x in launches), default=0)
            return start.depth, -closest, max(len(trace.launches) for trace in start.traces)

        return sorted(starts, key=order)

    def _next(
        self,
        start: _Start,
        wanted: Mapping[str, frozenset[str]],
        words: frozenset[str],
        tried: set[str],
    ) -> list[Case]:
        if start.changes is None:
            known = [*numbers(wanted), *self._compared(wanted)]
            start.changes = self._variations.of(start.case, list(dict.fromkeys(known)), words)
        batch: list[Case] = []
        for case in start.changes:
            if case.key() not in tried:
                tried.add(case.key())
                batch.append(case)
                if len(batch) >= min(self._left, _BATCH):
                    break
        return batch


def numbers(goals: Mapping[str, frozenset[str]]) -> list[int]:
    """Whole numbers among the template arguments of the kernels looked for, sorted."""
    found: set[int] = set()
    for kernels in goals.values():
        for symbol in kernels:
            for argument in template_arguments(symbol) or ():
                text = re.sub(r"^\(\w[\w ]*\)", "", argument).removesuffix("l").removesuffix("u")
                if _NUMBER.fullmatch(text) and _LEAST <= int(text) <= _MOST:
                    found.add(int(text))
    return sorted(found)


def _words(conditions: Sequence[str]) -> frozenset[str]:
    return frozenset(word for text in conditions for word in _WORD.findall(text))
