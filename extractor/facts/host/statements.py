"""Host facts as records: launches, ways out and sizes of one instantiated function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.compose import leaves
from extractor.facts.host.conditions import Conjunction, settled
from extractor.facts.host.expression import Expression
from extractor.facts.host.program import HostProgram
from extractor.facts.host.summary import Event, Loop, Summary
from extractor.facts.host.text import conjunction, write
from extractor.facts.records import Fact

LONGEST = 4000
"""Characters of an expression beyond which it tells nobody anything."""


class Writer:
    """Makes records of one program's summaries.

    Args:
        program: The host side.
    """

    def __init__(self, program: HostProgram) -> None:
        self._program = program
        self._statuses = program.project.rule.facts

    def record(
        self,
        function: str,
        subject: str,
        fact: str,
        value: Any,
        at: tuple[str, int, int],
        *,
        unit: str | None = None,
        instantiation: str | None = None,
        reason: str | None = None,
    ) -> Fact:
        """One fact; ``at`` is file, first and last line."""
        return Fact(
            project=self._program.project.rule.name,
            function=function,
            subject=subject,
            fact=fact,
            value=value,
            unit=unit,
            config=self._program.config,
            arch=None,
            instantiation=instantiation,
            span=self._program.span(*at),
            proved_by="ast",
            reason=reason,
        )

    def launch(
        self, function: str, event: Event, instantiation: str | None, extra: dict[str, Any]
    ) -> Iterator[Fact]:
        """The four facts of a launch."""
        file = self._program.project.text.portable(event.file)
        subject = f"{file}:{event.at[0]}"
        at = (event.file, *event.at)
        event = _settled(event)
        symbol, kernel = self._program.kernel(event.symbol, event.name)
        common = {"kernel": kernel, "symbol": symbol, **extra}

        def made(fact: str, value: Any, why: str | None, unit: str | None = None) -> Fact:
            return self.record(
                function,
                subject,
                fact,
                None if why else value,
                at,
                unit=unit,
                instantiation=instantiation,
                reason=why,
            )

        why = unstatable([*event.conditions])
        texts = [write(c) for c in event.conditions]
        value = {
            "conditions": texts,
            "text": conjunction(event.conditions),
            "named": conjunction(event.conditions, names=True),
            "assumes": [write(c) for c in event.assumes if statable(c)],
            "loops": [loop_value(loop) for loop in event.loops],
            **common,
        }
        yield made("launch_condition", value, why)
        for fact, part, unit in (
            ("launch_grid", event.grid, "blocks"),
            ("launch_block", event.block, "threads"),
        ):
            dims = dimensions(part)
            why = unstatable(dims) if dims else "it is no dim3 whose parts are known"
            value = {
                "expressions": [write(d) for d in dims],
                "named": [write(d, names=True) for d in dims],
                **common,
            }
            yield made(fact, value, why, unit)
        part = event.shared_bytes
        why = "it is not written" if part is None else unstatable([part])
        value = (
            {"expression": write(part), "named": write(part, names=True), **common} if part else {}
        )
        yield made("launch_shared_bytes", value, why, "bytes")

    def ways_out(
        self, function: str, summary: Summary, instantiation: str | None
    ) -> Iterator[Fact]:
        """Argument checks and quick returns."""
        rules = self._statuses
        for way in summary.returns:
            if way.value is None or way.in_loop or way.assumes:
                continue
            for conditions, value in leaves(way.value, way.conditions):
                if value[0] != "e" or not conditions:
                    continue
                if any(ex.holds_call(c) for c in conditions):
                    continue
                if any(fnmatchcase(value[1], glob) for glob in rules.success):
                    # Past the first launch it is how the function ends.
                    if way.started or not _early(summary, way.at):
                        continue
                    fact = "quick_return"
                elif any(fnmatchcase(value[1], glob) for glob in rules.going_on):
                    continue
                else:
                    fact = "argument_check"
                why = unstatable(conditions)
                file = self._program.project.text.portable(summary.file)
                own = [c for c in conditions if c not in way.conditions] or list(
                    _local(way.local, conditions)
                )
                stated = {
                    "condition": conjunction(own),
                    "conditions": [write(c) for c in conditions],
                    "returns": value[1],
                }
                yield self.record(
                    function,
                    f"{file}:{way.at[0]}",
                    fact,
                    None if why else stated,
                    (summary.file, *way.at),
                    instantiation=instantiation,
                    reason=why,
                )

    def _returned_size(
        self, function: str, summary: Summary, instantiation: str | None
    ) -> Iterator[Fact]:
        names = self._program.project.rule.facts.sizes
        if summary.result != "u64" or not any(fnmatchcase(summary.name, glob) for glob in names):
            return
        value = summary.returned()
        why = "a loop decides what is returned" if value is None else unstatable([value])
        yield self.record(
            function,
            summary.name,
            "workspace_bytes",
            None
            if why or value is None
            else {"expression": write(value), "named": write(value, names=True)},
            (summary.file, *summary.place),
            unit="bytes",
            instantiation=instantiation,
            reason=why,
        )

    def sizes(self, function: str, summary: Summary, instantiation: str | None) -> Iterator[Fact]:
        """Bytes that the function computes for others, through ``size_t*`` or as what it returns,
        and that it asks for where it calls what the rule file names."""
        yield from self._returned_size(function, summary, instantiation)
        for event in summary.workspace:
            sizes = [a for a in event.arguments if ex.type_of(a)[:1] in ("i", "u")]
            if not sizes:
                continue
            why = unstatable([*sizes, *event.conditions])
            file = self._program.project.text.portable(event.file)
            stated = {
                "call": event.name,
                "conditions": [write(c) for c in event.conditions],
                "expressions": [write(size) for size in sizes],
                "named": [write(size, names=True) for size in sizes],
            }
            yield self.record(
                function,
                f"{file}:{event.at[0]}",
                "workspace_bytes",
                None if why else stated,
                (event.file, *event.at),
                unit="bytes",
                instantiation=instantiation,
                reason=why,
            )
        for index, value in sorted(summary.outputs.items()):
            parameter = summary.parameters[index]
            if ex.type_of(value) != "u64" and "unsigned long" not in parameter.type_text:
                continue
            why = unstatable([value])
            yield self.record(
                function,
                parameter.name,
                "workspace_bytes",
                None if why else {"expression": write(value), "named": write(value, names=True)},
                (summary.file, *summary.place),
                unit="bytes",
                instantiation=instantiation,
                reason=why,
            )


def _settled(event: Event) -> Event:
    """A launch whose expressions make no choice that its conditions have made already."""
    known = event.conditions
    conditions = tuple(settled(c, [other for other in known if other is not c]) for c in known)
    kept = tuple(c for c in conditions if ex.value_of(c) is None)

    def made(x: Expression | None) -> Expression | None:
        return None if x is None else settled(x, known)

    return replace(
        event,
        conditions=kept,
        grid=made(event.grid),
        block=made(event.block),
        shared_bytes=made(event.shared_bytes),
    )


def _early(summary: Summary, at: tuple[int, int]) -> bool:
    return bool(summary.events) and at[0] < max(event.at[0] for event in summary.events)


def _local(local: Conjunction, conditions: Conjunction) -> Conjunction:
    return local or conditions


def dimensions(x: Expression | None) -> list[Expression]:
    """The three parts of a ``dim3``; empty where they are not known."""
    if x is None:
        return []
    if x[0] == "dim":
        return list(x[1:])
    if x[0] == "?":
        yes, no = dimensions(x[3]), dimensions(x[4])
        if yes and no:
            return [ex.conditional(x[2], a, b, "u32") for a, b in zip(yes, no, strict=True)]
    return []


def loop_value(loop: Loop) -> dict[str, Any]:
    """A loop as it stands in a fact."""
    return {
        "variable": None if loop.variable is None else loop.variable[2],
        "start": None if loop.start is None else write(loop.start),
        "condition": write(loop.condition),
        "step": None if loop.step is None else write(loop.step),
    }


def statable(x: Expression) -> bool:
    """Whether an expression is short enough to be read."""
    return ex.size(x) < LONGEST // 4 and len(write(x)) <= LONGEST


def unstatable(expressions: Iterable[Expression]) -> str | None:
    """Why expressions cannot be stated; ``None`` where they can."""
    total = 0
    for x in expressions:
        if x is None:
            return "it is not written"
        hole = _whole_hole(x)
        if hole is not None:
            return hole
        total += ex.size(x)
        if total > LONGEST // 2:
            return "it is too long to state"
    return None


@lru_cache(maxsize=50_000)
def _whole_hole(x: Expression) -> str | None:
    return _hole(x)


def _hole(x: Any, *, table: bool = False) -> str | None:
    """What keeps an expression from being stated; ``table``: an element of it is taken."""
    if not isinstance(x, tuple):
        return None
    if x and x[0] == "list":
        if not table:
            return "it depends on {…} as a whole"
    elif x and x[0] == "x":
        return (
            f"it depends on {x[1]}" if x[1] and x[1] != "(…)" else "it depends on code not followed"
        )
    for place, part in enumerate(x):
        of_table = {"i": place == 2, "?": table and place > 2, "list": table}.get(x[0], False)
        found = _hole(part, table=of_table)
        if found is not None:
            return found
    return None
