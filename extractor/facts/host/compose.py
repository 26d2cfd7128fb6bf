"""Launches of a function and of all it calls, over the arguments of the function called first."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction, conjoin
from extractor.facts.host.expression import Expression
from extractor.facts.host.substitution import substitute
from extractor.facts.host.summary import Event, Loop, Summary
from extractor.facts.host.trees import Trees

MOST_LAUNCHES = 600
"""Of one entry point, beyond which the ways to its launches are not listed one by one."""

DEEPEST = 24


@dataclass(frozen=True)
class Composed:
    """A launch as the function called first sees it.

    Attributes:
        event: The launch, over that function's parameters.
        path: The calls on the way: function and line.
        launcher: Symbol of the function that launches.
    """

    event: Event
    path: tuple[tuple[str, int], ...]
    launcher: str


@dataclass
class Composition:
    """Launches of one entry point.

    Attributes:
        launches: In the order of the source.
        problems: Why some are not among them.
    """

    launches: list[Composed]
    problems: list[str]


def compose(symbol: str, trees: Trees) -> Composition:
    """Launches below a function; those whose conditions exclude each other are left out."""
    result = Composition([], [])
    summary = trees.summary(symbol)
    if summary is None:
        result.problems.append("its body was not read")
        return result
    names = frozenset(parameter.name for parameter in summary.parameters)
    _Descent(trees, result, names).enter(summary, {}, (), (), (), ())
    return result


class _Descent:
    def __init__(self, trees: Trees, result: Composition, names: frozenset[str]) -> None:
        self._trees, self._result, self._names = trees, result, names
        self._open: list[str] = []

    def enter(
        self,
        summary: Summary,
        values: dict[Hashable, Expression],
        conditions: Conjunction,
        assumes: Conjunction,
        loops: tuple[Loop, ...],
        path: tuple[tuple[str, int], ...],
    ) -> None:
        if summary.problem:
            self._note(f"{summary.name}: {summary.problem}")
            return
        if summary.symbol in self._open:
            self._note(f"{summary.name} calls itself")
            return
        if len(self._open) >= DEEPEST:
            self._note(f"{summary.name} is more than {DEEPEST} calls deep")
            return
        self._open.append(summary.symbol)
        known: dict[tuple[int, ...], Conjunction | None] = {(): conditions}
        replaced: dict[int, Expression] = {}
        for event in summary.events:
            if len(self._result.launches) >= MOST_LAUNCHES:
                self._note(f"there are more than {MOST_LAUNCHES} ways to a launch")
                break
            if not event.loops and self._held(event, values, known, replaced) is None:
                continue
            made = self._seen(event, values, known, assumes, loops)
            if made is None:
                continue
            step = (*path, (event.name, event.at[0]))
            if event.kind == "launch":
                self._result.launches.append(Composed(made, step, summary.symbol))
            else:
                self._call(made, step)
        self._open.pop()

    def _call(self, event: Event, path: tuple[tuple[str, int], ...]) -> None:
        callee = self._trees.summary(event.symbol)
        if callee is None:
            self._note(f"the body of {event.name} was not read")
            return
        values: dict[Hashable, Expression] = {
            parameter.key: ex.converted(parameter.kind, ex.type_of(argument), argument)
            for parameter, argument in zip(callee.parameters, event.arguments, strict=False)
        }
        if event.base is not None:
            values["this"] = event.base
        self.enter(callee, values, event.conditions, event.assumes, event.loops, path)

    def _seen(
        self,
        event: Event,
        values: dict[Hashable, Expression],
        known: dict[tuple[int, ...], Conjunction | None],
        assumes: Conjunction,
        loops: tuple[Loop, ...],
    ) -> Event | None:
        """An event over the first function's arguments; ``None`` where it cannot happen."""
        values = dict(values)
        around = list(loops)
        for loop in event.loops:
            variable = loop.variable
            if variable is not None:
                name = variable[2]
                used = {other.variable[2] for other in around if other.variable} | self._names
                if name in used:
                    name = f"{variable[2]}@{loop.line}"
                renamed = ("v", ("loop", len(around), variable[1]), name, variable[3])
                values[variable[1]] = renamed
                variable = renamed
            around.append(
                Loop(
                    variable,
                    None if loop.start is None else substitute(loop.start, values),
                    substitute(loop.condition, values),
                    None if loop.step is None else substitute(loop.step, values),
                    loop.line,
                )
            )
        if event.loops:
            start = known[()]
            assert start is not None
            together = conjoin(start, *(substitute(c, values) for c in event.conditions))
        else:
            together = known[tuple(id(c) for c in event.conditions)]
        if together is None:
            return None
        supposed = list(assumes)
        for assumed in event.assumes:
            assumed = substitute(assumed, values)
            if assumed not in supposed and ex.value_of(assumed) is None:
                supposed.append(assumed)

        def over(x: Expression | None) -> Expression | None:
            return None if x is None else substitute(x, values)

        return replace(
            event,
            conditions=together,
            assumes=tuple(supposed),
            loops=tuple(around),
            arguments=tuple(substitute(a, values) for a in event.arguments),
            base=over(event.base),
            grid=over(event.grid),
            block=over(event.block),
            shared_bytes=over(event.shared_bytes),
        )

    @staticmethod
    def _held(
        event: Event,
        values: dict[Hashable, Expression],
        known: dict[tuple[int, ...], Conjunction | None],
        replaced: dict[int, Expression],
    ) -> Conjunction | None:
        """What holds at an event outside loops; ``known`` has what the first of its conditions say,
        as those of neighbours begin alike."""
        held = known[()]
        key: tuple[int, ...] = ()
        for condition in event.conditions:
            key = (*key, id(condition))
            if key in known:
                held = known[key]
                continue
            if held is not None:
                made = replaced.get(id(condition))
                if made is None:
                    made = replaced[id(condition)] = substitute(condition, values)
                held = conjoin(held, made)
            known[key] = held
        return held

    def _note(self, why: str) -> None:
        if why not in self._result.problems:
            self._result.problems.append(why)


def leaves(x: Expression, conditions: Conjunction) -> Iterator[tuple[Conjunction, Expression]]:
    """The values that a choice can have, each with the conditions under which it has it."""
    if x[0] == "?":
        yes = conjoin(conditions, x[2])
        if yes is not None:
            yield from leaves(x[3], yes)
        no = conjoin(conditions, ex.negated(x[2]))
        if no is not None:
            yield from leaves(x[4], no)
    else:
        yield conditions, x
