"""Launches that no arguments of an entry point lead to: on every way their conditions exclude
each other."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction, conjoin
from extractor.facts.host.expression import Expression
from extractor.facts.host.substitution import substitute
from extractor.facts.host.summary import Event, Summary
from extractor.facts.host.trees import Trees

Place = tuple[str, int, str]
"""File, first line and kernel's plain name of a launch."""

_DEEPEST = 24
_MOST_STEPS = 20_000


@dataclass
class Reach:
    """Launches below one entry point.

    Attributes:
        open: Those for which no contradiction was found.
        all: All that stand in functions below it, whatever their conditions.
        problem: Why nothing can be said of the others; ``None`` where all ways were followed.
    """

    open: set[Place]
    all: frozenset[Place] = frozenset()
    problem: str | None = None


def reach(symbol: str, trees: Trees) -> Reach:
    """Follows every way from a function to launches, as far as its conditions can hold.

    Args:
        symbol: Of the function called first.
        trees: Trees and summaries.
    """
    result = Reach(set())
    summary = trees.summary(symbol)
    if summary is None:
        return Reach(set(), problem="its body was not read")
    descent = _Descent(trees, result)
    descent.enter(summary, {}, ())
    result.all = descent.below(symbol)
    return result


class _Descent:
    def __init__(self, trees: Trees, result: Reach) -> None:
        self._trees, self._result = trees, result
        self._open: list[str] = []
        self._below: dict[str, frozenset[Place]] = {}
        self._steps = 0

    def enter(
        self, summary: Summary, values: dict[Hashable, Expression], conditions: Conjunction
    ) -> None:
        self._steps += 1
        if summary.problem or len(self._open) >= _DEEPEST or self._steps > _MOST_STEPS:
            self._note(f"{summary.name}: {summary.problem or 'too many ways'}")
            return
        if summary.symbol in self._open:
            self._note(f"{summary.name} calls itself")
            return
        self._open.append(summary.symbol)
        for event in summary.events:
            if self._below_event(event) <= self._result.open and not self._result.problem:
                continue
            self._event(event, values, conditions)
            if self._result.problem:
                break
        self._open.pop()

    def _event(
        self, event: Event, values: dict[Hashable, Expression], conditions: Conjunction
    ) -> None:
        values = dict(values)
        for depth, loop in enumerate(event.loops):
            if loop.variable is not None:
                counter = loop.variable
                values[counter[1]] = (
                    "v", ("turn", len(self._open), depth, counter[1]), counter[2], counter[3],
                )  # fmt: skip
        together = conjoin(conditions, *(substitute(c, values) for c in event.conditions))
        if together is None:
            return
        if event.kind == "launch":
            self._result.open.add((event.file, event.at[0], event.name))
            return
        callee = self._trees.summary(event.symbol)
        if callee is None:
            self._note(f"the body of {event.name} was not read")
            return
        handed: dict[Hashable, Expression] = {
            parameter.key: ex.converted(
                parameter.kind, ex.type_of(argument), substitute(argument, values)
            )
            for parameter, argument in zip(callee.parameters, event.arguments, strict=False)
        }
        if event.base is not None:
            handed["this"] = substitute(event.base, values)
        self.enter(callee, handed, together)

    def _below_event(self, event: Event) -> frozenset[Place]:
        if event.kind == "launch":
            return frozenset([(event.file, event.at[0], event.name)])
        return self.below(event.symbol)

    def below(self, symbol: str, on_the_way: tuple[str, ...] = ()) -> frozenset[Place]:
        """All launches below a function."""
        if symbol in on_the_way:
            return frozenset()
        if symbol not in self._below:
            summary = self._trees.summary(symbol)
            # Of what was not read anything may come, so it is never passed over.
            found: set[Place] = {("?", 0, symbol)} if summary is None or summary.problem else set()
            for event in summary.events if summary is not None else ():
                if event.kind == "launch":
                    found.add((event.file, event.at[0], event.name))
                else:
                    found |= self.below(event.symbol, (*on_the_way, symbol))
            self._below[symbol] = frozenset(found)
        return self._below[symbol]

    def _note(self, why: str) -> None:
        self._result.problem = self._result.problem or why
