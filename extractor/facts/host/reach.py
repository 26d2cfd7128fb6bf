"""Launches that no arguments of an entry point lead to: on every way their conditions exclude
each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction, conjoin
from extractor.facts.host.contradictions import contradictory
from extractor.facts.host.expression import Expression
from extractor.facts.host.frames import Frame, Frames
from extractor.facts.host.loops import walked
from extractor.facts.host.substitution import Substitution
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
    descent.enter(descent.frames.first(summary), ())
    result.all = descent.below(symbol)
    return result


class _Descent:
    def __init__(self, trees: Trees, result: Reach) -> None:
        self._trees, self._result = trees, result
        self._open: list[str] = []
        self._below: dict[str, frozenset[Place]] = {}
        self._steps = 0
        self._silent: dict[str, frozenset[Place]] = {}
        self.frames = Frames()

    def enter(self, frame: Frame, conditions: Conjunction) -> None:
        self._steps += 1
        summary = frame.summary
        if summary.problem or len(self._open) >= _DEEPEST or self._steps > _MOST_STEPS:
            self._note(f"{summary.name}: {summary.problem or 'too many ways'}")
            return
        if summary.symbol in self._open:
            self._note(f"{summary.name} calls itself")
            return
        self._open.append(summary.symbol)
        self._result.open |= self._unfollowed(summary)
        for event in summary.events:
            if self._below_event(event) <= self._result.open and not self._result.problem:
                continue
            self._event(event, frame, conditions)
            if self._result.problem:
                break
        self._open.pop()

    def _event(self, event: Event, outer: Frame, conditions: Conjunction) -> None:
        frame = outer.inside(event, len(self._open))
        over = self.frames.over(frame)
        written = frozenset[str]().union(*(loop.writes for loop in event.loops))
        # A turn of a loop may find another member than the first one did.
        own = [c for c in event.conditions if written.isdisjoint(_members(c))]
        together = conjoin(conditions, *map(over.of, own), *_counted(event, frame, over))
        if together is None or contradictory(together):
            return
        if event.kind == "launch":
            self._result.open.add((event.file, event.at[0], event.name))
            return
        callee = self._trees.summary(event.symbol)
        if callee is None:
            self._note(f"the body of {event.name} was not read")
            return
        inner, worth = self.frames.called(frame, event, callee)
        self.enter(inner, conjoin(together, *worth) or together)

    def _below_event(self, event: Event) -> frozenset[Place]:
        if event.kind == "launch":
            return frozenset([(event.file, event.at[0], event.name)])
        return self.below(event.symbol)

    def below(self, symbol: str, on_the_way: tuple[str, ...] = ()) -> frozenset[Place]:
        """All launches below a function."""
        if symbol in on_the_way:
            return frozenset({("?", 0, symbol)})
        if symbol not in self._below:
            summary = self._trees.summary(symbol)
            # Of what was not read anything may come, so it is never passed over.
            found: set[Place] = {("?", 0, symbol)} if summary is None or summary.problem else set()
            for event in summary.events if summary is not None else ():
                if event.kind == "launch":
                    found.add((event.file, event.at[0], event.name))
                else:
                    found |= self.below(event.symbol, (*on_the_way, symbol))
            if summary is not None:
                for nodes in (summary.ruled_out, summary.passed_over):
                    found |= self._within(summary, nodes, (*on_the_way, symbol))
            self._below[symbol] = frozenset(found)
        return self._below[symbol]

    def _unfollowed(self, summary: Summary) -> frozenset[Place]:
        """What a function may launch in ways that its events are silent of."""
        if summary.symbol not in self._silent:
            found = self._within(summary, summary.passed_over, ())
            tree = self._trees.trees.get(summary.symbol)
            for node in walked(tree["body"]) if tree is not None else ():
                if node[0] == "fn" and self._trees.effects.launches(node[1]):
                    found |= self.below(node[1])
            self._silent[summary.symbol] = frozenset(found)
        return self._silent[summary.symbol]

    def _within(
        self, summary: Summary, nodes: list[Any], on_the_way: tuple[str, ...]
    ) -> set[Place]:
        """All launches in and below some statements of a function."""
        found: set[Place] = set()
        for node in walked(nodes):
            if node[0] == "launch":
                found.add((summary.file, node[1], node[4]))
            elif node[0] == "call" and len(node) == 9 and self._trees.effects.launches(node[3]):
                found |= self.below(node[3], on_the_way)
        return found

    def _note(self, why: str) -> None:
        self._result.problem = self._result.problem or why


def _counted(event: Event, frame: Frame, over: Substitution) -> Iterator[Expression]:
    """That counters which go up are not below where they began."""
    for loop in event.loops:
        if loop.variable is None or loop.start is None or loop.step is None:
            continue
        counter = frame.values[loop.variable[1]]
        risen = ex.binary(">=", "b", counter, over.of(loop.start))
        value = ex.value_of(loop.step)
        if value is not None and value > 0:
            yield risen
        elif value is None and _steady(loop.step):
            falls = ex.binary("<=", "b", over.of(loop.step), ex.integer(0, "i64"))
            yield ex.binary("||", "b", falls, risen)


def _steady(x: Any) -> bool:
    """Whether every turn of a loop finds the same value: it is made of parameters, of what was
    computed before, and of constants."""
    if not isinstance(x, tuple) or not x:
        return True
    if x[0] == "v":
        return not (isinstance(x[1], tuple) and x[1][0] in ("at", "loop", "turn", "address"))
    if x[0] == "g":
        return len(x) == 5
    if x[0] in ("m", "x", "call") or (x[0] == "u" and x[1] == "*"):
        return False
    return all(map(_steady, x))


@lru_cache(maxsize=100_000)
def _members(x: Any) -> frozenset[str]:
    """Names of the members in an expression."""
    if not isinstance(x, tuple):
        return frozenset()
    own = [x[1]] if x and x[0] == "m" else []
    return frozenset(own).union(*map(_members, x))
