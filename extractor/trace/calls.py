"""Calls of one entry point, without those that would only launch more of the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractor.trace.case import Case
from extractor.trace.records import Trace
from extractor.trace.tracer import Tracer

_TOGETHER = 24
"""Cases called in one go."""


@dataclass(frozen=True)
class Effort:
    """How much is tried and kept for each entry point.

    Attributes:
        draws: Cases drawn at random besides the systematic ones.
        budget: Cases kept, besides those that show a launch site that no other one shows.
        long: Launches from which on a call counts as long.
        long_calls: So many long calls are made; larger problems are left out then.
        search: Most calls that look for launch sites which no case of the sweep has shown.
    """

    draws: int = 200
    budget: int = 24
    long: int = 4000
    long_calls: int = 6
    search: int = 1000


class Calls:
    """Calls one entry point.

    Args:
        tracer: The library.
        entry: The entry point.
        effort: Which calls are too long.
    """

    def __init__(self, tracer: Tracer, entry: str, effort: Effort) -> None:
        self._tracer, self.entry, self._effort = tracer, entry, effort
        self.prototype = tracer.prototypes.functions[entry]
        caller = tracer.caller
        self._sizes = [
            p.name
            for p in self.prototype.parameters
            if caller.named(entry, p) and caller.role(entry, p) == "size"
        ]
        self._long: list[tuple[int, ...]] = []
        self.left_out = 0
        self.made = 0

    def make(self, cases: Sequence[Case], archs: Sequence[str]) -> list[tuple[Case, list[Trace]]]:
        """Each case that is called, with one trace for each group of architectures."""
        result: list[tuple[Case, list[Trace]]] = []
        for first in range(0, len(cases), _TOGETHER):
            chosen = []
            for case in cases[first : first + _TOGETHER]:
                if len(self._long) >= self._effort.long_calls and _covers(
                    self._extents(case), self._long
                ):
                    self.left_out += 1
                else:
                    chosen.append(case)
            made = self._tracer.call_all(self.entry, chosen, archs) if chosen else []
            self.made += len(chosen) * len(archs)
            result += zip(chosen, made, strict=True)
            self._long += [
                self._extents(case)
                for case, traces in zip(chosen, made, strict=True)
                if max(len(trace.launches) for trace in traces) >= self._effort.long
            ]
        return result

    def _extents(self, case: Case) -> tuple[int, ...]:
        full = self._tracer.caller.complete(self.prototype, case.args)
        return tuple(value for name in self._sizes if isinstance(value := full[name], int))


def _covers(extents: tuple[int, ...], known: Iterable[tuple[int, ...]]) -> bool:
    """The problem is at least as large as a known one in every extent."""
    return any(
        len(one) == len(extents) and all(a >= b for a, b in zip(extents, one, strict=True))
        for one in known
    )
