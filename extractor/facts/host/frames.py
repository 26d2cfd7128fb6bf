"""What a called function's expressions are worth to who follows a chain of calls.

A summary speaks of a function's parameters, of members, of what pointers refer to, all as they
are when it is called. Between two calls of a chain all of these but the parameters may have
changed, so each function of the chain sees them under marks of its own wherever something before
may have written them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.expression import Expression
from extractor.facts.host.substitution import Substitution, element, member
from extractor.facts.host.summary import Event, Summary
from extractor.facts.host.trees import points_to_constant

_LONG = 60
"""Nodes of an argument beyond which it gets a symbol."""


@dataclass
class Frame:
    """One function of a chain of calls.

    Attributes:
        summary: What it does.
        values: Its parameters and loop counters over what the chain began with.
        pointees: What pointers among its parameters refer to as it begins.
        stale: Members that may have been written before it began, with a mark.
        memory: Marks what pointers refer to, where that may have been written before; 0 where not.
        number: Tells its variables from those of the others.
    """

    summary: Summary
    values: dict[Hashable, Expression]
    pointees: dict[Hashable, Expression] = field(default_factory=dict)
    stale: dict[str, int] = field(default_factory=dict)
    memory: int = 0
    number: int = 0

    def inside(self, event: Event, depth: int) -> Frame:
        """The function with the loops around an event entered."""
        values = dict(self.values)
        for level, loop in enumerate(event.loops):
            if loop.variable is not None:
                counter = loop.variable
                values[counter[1]] = (
                    "v", ("turn", depth, level, counter[1]), counter[2], counter[3],
                )  # fmt: skip
        return replace(self, values=values)


class Frames:
    """Makes the frames of a chain; no two of them have a mark in common."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def first(self, summary: Summary) -> Frame:
        """The function that the chain begins with: its parameters are what they are."""
        return Frame(summary, {}, number=next(self._numbers))

    def called(self, frame: Frame, event: Event, callee: Summary) -> tuple[Frame, list[Expression]]:
        """The function that an event calls, and what its long arguments are worth.

        These get symbols of their own: what the function asks of them is then asked of a symbol.
        """
        over = self.over(frame)
        handed: dict[Hashable, Expression] = {}
        pointees: dict[Hashable, Expression] = {}
        worth: list[Expression] = []
        contents = event.contents or (None,) * len(event.arguments)
        rows = zip(callee.parameters, event.arguments, contents, strict=False)
        for parameter, argument, content in rows:
            value = ex.converted(parameter.kind, ex.type_of(argument), over.of(argument))
            kind = parameter.kind.lstrip("&")
            if ex.limits(kind) is not None and ex.nodes(value, _LONG) is None:
                symbol = ("v", ("handed", next(self._numbers)), parameter.name, kind)
                worth.append(("b", "==", "b", symbol, value))
                value = symbol
            handed[parameter.key] = value
            if parameter.kind.lstrip("&") == "p":
                pointees[parameter.key] = self._pointee(frame, event, argument, content, over)
        if event.base is not None:
            handed["this"] = over.of(event.base)
        mark = next(self._numbers)
        stale = {**frame.stale, **dict.fromkeys(event.changed, mark)}
        memory = mark if event.wrote else frame.memory
        return Frame(callee, handed, pointees, stale, memory, mark), worth

    def _pointee(
        self,
        frame: Frame,
        event: Event,
        argument: Expression,
        content: Expression | None,
        over: Substitution,
    ) -> Expression:
        if content is not None:
            return over.of(content)
        if argument[0] == "v":
            constant = any(
                p.key == argument[1] and points_to_constant(p.type_text)
                for p in frame.summary.parameters
            )
            if constant or not event.wrote:
                return over.of(("u", "*", "?", argument))
        return ("v", ("pointee", next(self._numbers)), "(…)", "?")

    def over(self, frame: Frame) -> Substitution:
        """Turns expressions of a frame into those over what the chain began with."""
        return _Placed(frame, self._numbers)


class _Placed(Substitution):
    def __init__(self, frame: Frame, numbers: count[int]) -> None:
        super().__init__(frame.values)
        self._frame, self._numbers = frame, numbers

    def _made(self, x: Expression) -> Expression:
        tag, frame = x[0], self._frame
        if tag == "x" and len(x) == 3:
            # Nothing tells it from others that read the same.
            return ("v", ("unnamed", next(self._numbers)), x[1], x[2])
        if tag == "v" and isinstance(x[1], tuple) and x[1][0] == "address":
            return ("v", ("address", frame.number, *x[1][1:]), *x[2:])
        if tag == "u" and x[1] == "*":
            return self._content(x[2], x[3])
        if tag == "b" and x[1] in ("==", "!="):
            left, right = self.of(x[3]), self.of(x[4])
            if ex.value_of(right) == 0 and left[:2] == ("u", "&"):
                return ex.truth(x[1] == "!=")
            return ex.binary(x[1], x[2], left, right)
        if tag == "m" and x[1] in frame.stale and x[3] is not None and x[3][0] != "dim":
            return member(f"{x[1]}@{frame.stale[x[1]]}", x[2], self.of(x[3]))
        if tag == "i" and frame.memory:
            made = element(x[1], self.of(x[2]), self.of(x[3]))
            if made[0] == "i" and not _table(made):
                return ("i", made[1], ("u", f"@{frame.memory}", "p", made[2]), made[3])
            return made
        return super()._made(x)

    def _content(self, kind: str, pointer: Expression) -> Expression:
        """What a pointer of the frame refers to."""
        frame = self._frame
        if pointer[0] == "?":
            yes, no = (self._content(kind, side) for side in pointer[3:5])
            return ex.conditional(self.of(pointer[2]), yes, no, kind)
        if pointer[0] == "v" and pointer[1] in frame.pointees:
            return _typed(frame.pointees[pointer[1]], kind)
        if frame.memory and pointer[:2] != ("u", "&"):
            return ("u", f"*@{frame.memory}", kind, self.of(pointer))
        return ex.unary("*", kind, self.of(pointer))


def _typed(x: Expression, kind: str) -> Expression:
    """A pointee that was noted before anyone said what type it has."""
    if x[:3] == ("u", "*", "?") or (x[0] == "v" and x[3] == "?"):
        return (*x[:2], kind, x[3]) if x[0] == "u" else (*x[:3], kind)
    return x


def _table(x: Any) -> bool:
    """Whether an element is one of a variable with global storage."""
    while x[0] == "i":
        x = x[2]
    return bool(x[0] == "g")
