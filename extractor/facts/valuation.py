"""Expressions of facts on the arguments of one call, each worked out once.

Launches below an entry point share most of their conditions and loops, and most conditions say
nothing of a loop that is around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from extractor.facts.host.evaluate import Undecidable, Value, evaluate

MOST_TURNS = 20_000
"""Turns of loops after which a launch counts as undecidable."""

Turn = tuple[tuple[str, Value], ...]
"""Loop variables with their values in one turn of all loops, the outermost first."""

_WORD = re.compile(r"[A-Za-z_][\w@:]*")


@lru_cache(maxsize=100_000)
def words(text: str) -> frozenset[str]:
    """Every word of an expression, so also every loop variable that it speaks of."""
    return frozenset(_WORD.findall(text))


class Valuation:
    """Values of expressions on one call.

    Args:
        values: By symbol, as ``evaluate`` takes them.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values: dict[str, Value] = dict(values)
        self._known: dict[tuple[str, Turn], Value | Undecidable] = {}
        self._turns: dict[str, tuple[list[Turn], Undecidable | None]] = {}

    def evaluate(self, text: str, turn: Turn = ()) -> Value:
        """Value of an expression in a turn of the loops around it.

        Raises:
            Undecidable: It depends on something that has no value here.
        """
        own = turn
        if turn:
            spoken = words(text)
            own = tuple(pair for pair in turn if pair[0] in spoken)
        found = self._known.get((text, own))
        if found is None:
            found = self._known[text, own] = self._worked_out(text, own)
        if isinstance(found, Undecidable):
            raise found
        return found

    def _worked_out(self, text: str, turn: Turn) -> Value | Undecidable:
        hidden = {name: self._values[name] for name, _ in turn if name in self._values}
        self._values.update(turn)
        try:
            return evaluate(text, self._values)
        except Undecidable as error:
            return error
        finally:
            for name, _ in turn:
                self._values.pop(name, None)
            self._values.update(hidden)

    def holds(self, text: str, turn: Turn = ()) -> bool | None:
        """Truth of a condition; ``None`` where it depends on something that has no value here."""
        try:
            return bool(self.evaluate(text, turn))
        except Undecidable:
            return None

    def missing(self, text: str, turn: Turn = ()) -> str:
        """What has no value in an expression."""
        try:
            self.evaluate(text, turn)
        except Undecidable as error:
            return str(error)
        return "undecided"

    def turns(self, loops: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
        """Every turn of nested loops.

        Args:
            loops: As in a fact: ``variable``, ``start``, ``condition`` and ``step`` of each.

        Raises:
            Undecidable: After the turns that are known, if it is not known how they go on.
        """
        if not loops:
            yield ()
            return
        key = repr(loops)
        if key not in self._turns:
            found: list[Turn] = []
            why = None
            try:
                found.extend(self._nested(loops, (), [0]))
            except Undecidable as error:
                why = error
            self._turns[key] = found, why
        turns, why = self._turns[key]
        yield from turns
        if why is not None:
            raise why

    def _nested(
        self, loops: Sequence[Mapping[str, Any]], outer: Turn, count: list[int]
    ) -> Iterator[Turn]:
        if not loops:
            yield outer
            return
        loop, *inner = loops
        if loop["variable"] is None:
            if loop["condition"] != "true" and self.holds(loop["condition"], outer) is False:
                return
            raise Undecidable("a loop that does not count")
        at: Any = self.evaluate(loop["start"], outer)
        while True:
            turn = (*outer, (loop["variable"], at))
            if not self.evaluate(loop["condition"], turn):
                return
            count[0] += 1
            if count[0] > MOST_TURNS:
                raise Undecidable("a loop of very many turns")
            yield from self._nested(inner, turn, count)
            step: Any = self.evaluate(loop["step"], turn)
            if step == 0:
                raise Undecidable("a loop that does not move")
            at += step
