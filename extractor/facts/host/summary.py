"""What a host function does, over its parameters: starts, returns, writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from extractor.facts.host.conditions import Conjunction, joined
from extractor.facts.host.expression import Expression, conditional


@dataclass(frozen=True)
class Parameter:
    """A parameter; ``type_text`` is its type as this instantiation has it."""

    key: int
    name: str
    kind: str
    type_text: str


@dataclass(frozen=True)
class Loop:
    """A counted loop around something: ``variable = start; condition; variable += step``.

    Attributes:
        variable: Symbol of the counter.
        start: First value; ``None`` where the loop does not count.
        condition: Goes on while it holds.
        step: Added after each turn.
        line: Where it stands.
        writes: Names of members that its turns may write.
    """

    variable: Expression | None
    start: Expression | None
    condition: Expression
    step: Expression | None
    line: int
    writes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Event:
    """A launch, or a call of a function that launches something.

    Attributes:
        kind: Which of the two.
        at: First and last line.
        file: File of these lines.
        conditions: What holds whenever control is here, each once.
        assumes: What else has to hold, and only a run can tell: earlier calls returned no error.
        loops: Loops around it, the outermost first.
        symbol: Kernel or function.
        name: Its plain name.
        arguments: Of the call or of the kernel.
        grid: Blocks; ``None`` for a call.
        block: Threads; ``None`` for a call.
        shared_bytes: Dynamic LDS; ``None`` for a call.
        contents: Of a call, what the variables hold whose addresses are its arguments.
        changed: Names of members that may have been written since the function began.
        wrote: Something may have been written through a pointer since then.
    """

    kind: Literal["launch", "call"]
    at: tuple[int, int]
    file: str
    conditions: Conjunction
    assumes: Conjunction
    loops: tuple[Loop, ...]
    symbol: str
    name: str
    arguments: tuple[Expression, ...]
    base: Expression | None = None
    grid: Expression | None = None
    block: Expression | None = None
    shared_bytes: Expression | None = None
    contents: tuple[Expression | None, ...] = ()
    changed: frozenset[str] = frozenset()
    wrote: bool = False


@dataclass(frozen=True)
class Return:
    """A way out.

    Attributes:
        conditions: What holds there.
        local: What the statements around it ask for, without what earlier ways out leave over.
        assumes: As of ``Event``.
        value: What is returned; ``None`` for nothing.
        at: First and last line; the function's last line where it just ends.
        started: Something may have been launched before.
        in_loop: It stands in a loop.
    """

    conditions: Conjunction
    local: Conjunction
    assumes: Conjunction
    value: Expression | None
    at: tuple[int, int]
    started: bool
    in_loop: bool


@dataclass
class Summary:
    """One instantiated host function.

    Attributes:
        symbol: Mangled symbol.
        name: Plain name.
        file: Where it is defined.
        place: First and last line.
        parameters: In order.
        events: Launches and calls that lead to launches, in source order.
        returns: Ways out, in source order.
        outputs: What is written through pointers and references, by parameter.
        workspace: Bytes asked for: places, conditions and sizes.
        problem: Why nothing is known of it; empty otherwise.
        result: Type code of what it returns.
        ruled_out: Statements that no call of it reaches.
        passed_over: Statements that are not part of the events, whether some call reaches them
            or not.
    """

    symbol: str
    name: str
    file: str
    place: tuple[int, int]
    parameters: tuple[Parameter, ...]
    events: list[Event] = field(default_factory=list)
    returns: list[Return] = field(default_factory=list)
    outputs: dict[int, Expression] = field(default_factory=dict)
    workspace: list[Event] = field(default_factory=list)
    problem: str = ""
    result: str = ""
    ruled_out: list[Any] = field(default_factory=list)
    passed_over: list[Any] = field(default_factory=list)

    def returned(self) -> Expression | None:
        """What it returns, as one expression; ``None`` where a loop or a missing value decides."""
        result: Expression | None = None
        for way in reversed(self.returns):
            if way.value is None or way.in_loop:
                return None
            if result is None:
                result = way.value
            else:
                kind = self.result.lstrip("&")
                result = conditional(joined(way.conditions), way.value, result, kind)
        return result
