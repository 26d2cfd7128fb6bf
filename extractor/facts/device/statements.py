"""Statements of a kernel, run once each with what is known about variables before them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.calls import Calls
from extractor.facts.device.expressions import FLOAT
from extractor.facts.device.node import Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Access, Condition, Guard, ScalarTest
from extractor.facts.device.symbols import DATA, MAYBE, THREAD
from extractor.facts.device.values import UNSET, Buffer, Memory, Nowhere, Unknown, Value


class Statements(Calls):
    """Runs statements; ``texts`` reads the source for what is shown as it is written."""

    def run(self, body: Node) -> bool:
        """Runs a statement; returns whether control goes on behind it."""
        self.budget -= 1
        kind = body[n.KIND]
        kids = body[n.KIDS]
        if kind == n.COMPOUND:
            return self._compound(kids)
        if kind == n.DECL_STMT:
            for kid in kids:
                if kid[n.KIND] == n.VAR:
                    self._declare(kid)
            return True
        if kind == n.VAR:
            self._declare(body)
            return True
        if kind == n.IF:
            return self._if(body)
        if kind in (n.FOR, n.WHILE, n.DO, n.FOR_RANGE):
            return self.loop(body)
        if kind == n.RETURN:
            value = self.value(kids[0]) if kids else None
            returned = (self.path, value, self.variables, len(self.loops))
            self.frame.returns.append(returned)
            self._note_exit()
            self.variables = dict(self.variables)
            own = self.path[self.frame.entry :]
            looped = len(self.loops) > self.frame.loops
            self.frame.left_loop = self.frame.left_loop or looped
            nested = [c for c in own if c.depends & (THREAD | {DATA, MAYBE})]
            if nested or looped:
                self.frame.left.append(nested[0] if nested else _left_a_loop(body))
            return False
        if kind in (n.BREAK, n.CONTINUE, n.GOTO):
            self._note_exit()
            return False
        if kind == n.SWITCH:
            return self._switch(body)
        if kind >= 200 and kind not in (n.CASE, n.DEFAULT):
            for kid in kids:
                if kid[n.KIND] >= 200:
                    self.run(kid)
                elif kid[n.KIND] >= 100:
                    self.value(kid)
            return True
        if kind >= 100 and kind < 200:
            self.value(body)
        return True

    def _note_exit(self) -> None:
        """Notes on what it depends that control leaves the loop, or this iteration of it."""
        if len(self.exits) > self.frame.exits:
            start, found = self.exits[-1]
            for condition in self.path[start:]:
                found |= condition.depends

    @abstractmethod
    def loop(self, body: Node) -> bool:
        """Runs a loop; loops know how."""

    def _compound(self, kids: list[Node]) -> bool:
        return all(self.run(kid) for kid in kids)

    def _declare(self, node: Node) -> None:
        declaration, name, shared, storage, sizes, _ = node[n.EXTRA]
        kind = self.types[node[n.TYPE]]
        if shared:
            # An array of a branch that this instantiation does not have takes no memory of it.
            arrays = self.record.others if self.unreached else self.record.arrays
            arrays.setdefault(declaration, (node, self.frame.function))
            extents = tuple(self._extents(node, sizes))
            self.variables[declaration] = Buffer("lds", name, "", declaration, extents)
            return
        if kind.array:
            extents = tuple(self._extents(node, sizes))
            self.variables[declaration] = Buffer("local", name, "", declaration, extents)
            for kid in node[n.KIDS]:
                self.value(kid)
            return
        if not node[n.KIDS]:
            self.variables[declaration] = UNSET
            return
        initial = node[n.KIDS][0]
        if kind.reference:
            place = self.place(initial)
            if isinstance(place, Nowhere) and not place.through_pointer:
                self.variables[declaration] = Unknown(place.reason, place.depends)
            else:
                self.variables[declaration] = place
            return
        value = self.value(initial)
        if kind.record and initial[n.KIND] == n.CALL and not initial[n.KIDS]:
            value = Unknown(FLOAT, frozenset())  # a default constructor
        if storage == 3 and kind.constant and not isinstance(value, Polynomial):
            value = self.unresolved(FLOAT, value)
        self.variables[declaration] = value

    def _extents(self, node: Node, sizes: list[Node]) -> list[Polynomial | None]:
        counts: list[int] = []
        kind = self.types[node[n.TYPE]]
        while kind.array:
            counts.append(kind.count)
            kind = self.types[kind.inner]
        # An array's element comes before its own size: the innermost extent is first.
        written = [self.value(size) for size in reversed(sizes)]
        result: list[Polynomial | None] = []
        if len(written) == len(counts):
            for value, count in zip(written, counts, strict=True):
                fallback = Polynomial.number(count) if count >= 0 else None
                result.append(value if isinstance(value, Polynomial) else fallback)
            return result
        return [Polynomial.number(count) if count >= 0 else None for count in counts]

    # Branches.

    def _if(self, node: Node) -> bool:
        kids = list(node[n.KIDS])
        while kids and kids[0][n.KIND] in (n.DECL_STMT, n.VAR):
            self.run(kids.pop(0))
        if len(kids) < 2:
            for kid in kids:
                self.run(kid)
            return True
        condition = self.value(kids[0])
        if isinstance(condition, Polynomial) and condition.constant is not None:
            if condition.constant:
                return self.run(kids[1])
            return self.run(kids[2]) if len(kids) > 2 else True
        if node[n.EXTRA] is not None and not isinstance(condition, Polynomial):
            # A constant of this instantiation, such as a trait of a type.
            if node[n.EXTRA]:
                return self.run(kids[1])
            return self.run(kids[2]) if len(kids) > 2 else True
        return self._branches(node, kids, condition)

    def _branches(self, node: Node, kids: list[Node], condition: Value) -> bool:
        opaque = not isinstance(condition, Polynomial)
        if opaque:
            condition = self.opaque_condition(kids[0], condition)
        before, variables = self.path, self.variables
        depends, line = self.depends(condition), kids[0][n.LINE]
        yes = condition if isinstance(condition, Polynomial) else None
        no = self.negated(yes) if yes is not None else None
        written = self.source(kids[0])
        start = len(self.record.accesses)
        self.variables = dict(variables)
        shown = written if opaque or yes is None else yes.text
        self.path = (*before, Condition(shown, depends, line, yes))
        then_lives = self._side(kids[1], node[n.EXTRA] in (None, 1))
        then_path, then_variables = self.path, self.variables
        middle = len(self.record.accesses)
        self.variables = dict(variables)
        text = f"!({written})" if opaque or no is None else no.text
        self.path = (*before, Condition(text, depends, line, no))
        else_lives = self._side(kids[2], not node[n.EXTRA]) if len(kids) > 2 else True
        if not self.rehearsal:
            self._guard(node, kids, None if opaque else yes, then_lives)
            accesses = self.record.accesses
            then = (*_touched(accesses[start:middle]), then_lives)
            other = (*_touched(accesses[middle:]), else_lives)
            self._scalar(node, kids[0], then, other)
        if then_lives and else_lives:
            self.merge(condition, then_variables)
            self.path = before
            return True
        if then_lives:
            self.path, self.variables = then_path, then_variables
            return True
        return else_lives

    def _side(self, side: Node, reached: bool) -> bool:
        """Runs one side of a branch, which this instantiation may not have."""
        self.unreached += not reached
        lives = self.run(side)
        self.unreached -= not reached
        return lives

    def _guard(self, node: Node, kids: list[Node], yes: Polynomial | None, lives: bool) -> None:
        if len(kids) > 2:
            return
        effect = "skip" if lives else _ending(kids[1])
        where = (node, self.frame.function, self.source(kids[0]), yes.text if yes else None)
        self.record.guards.append(Guard(*where, effect, self.through))

    def _scalar(self, node: Node, condition: Node, then: Any, other: Any) -> None:
        several = self.source(condition) if _has_several(condition) else None
        for tested, equals, negated in _scalar_tests(condition):
            kind = self.type_of(tested)
            if kind is None or kind.pointer or kind.integer:
                continue
            rehearsal, self.rehearsal = self.rehearsal, True
            value = self.value(tested)
            self.rehearsal = rehearsal
            names = [d[1:] for d in self.depends(value) if d.startswith("=")]
            if len(names) == 1 and isinstance(value, Unknown):
                where = (node, self.frame.function, names[0], equals, negated)
                self.record.scalars.append(ScalarTest(*where, then, other, several))

    def _switch(self, node: Node) -> bool:
        *heads, body = node[n.KIDS]
        value = self.value(heads[-1]) if heads else Unknown("not followed")
        depends = self.depends(value)
        before, variables = self.path, self.variables
        written = self.source(heads[-1]) if heads else ""
        outcomes: list[dict[Any, Any]] = [variables]
        group: list[Node] = []
        groups: list[list[Node]] = []
        for kid in body[n.KIDS]:
            inner, labelled = kid, False
            while inner[n.KIND] in (n.CASE, n.DEFAULT) and inner[n.KIDS]:
                inner, labelled = inner[n.KIDS][-1], True
            if labelled:
                group = []
                groups.append(group)
            group.append(inner)
        for members in groups:
            self.variables = dict(variables)
            text = f"switch ({written})"
            self.path = (*before, Condition(text, depends, node[n.LINE]))
            self._compound(members)
            outcomes.append(self.variables)
        self.variables, self.path = dict(outcomes[-1]), before
        for other in outcomes[:-1]:
            self.merge(Unknown("a switch", depends), other)
        return True


def _ending(node: Node) -> str:
    """What ends a branch: ``return``, ``break`` or ``continue``."""
    last = node
    while last[n.KIND] == n.COMPOUND and last[n.KIDS]:
        last = last[n.KIDS][-1]
    return {n.BREAK: "break", n.CONTINUE: "continue"}.get(last[n.KIND], "return")


def _left_a_loop(node: Node) -> Condition:
    return Condition("a return inside a loop", frozenset({MAYBE}), node[n.LINE])


def _touched(accesses: list[Access]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    read: set[str] = set()
    written: set[str] = set()
    for access in accesses:
        if isinstance(access.place, Memory) and access.place.pointer.buffer.kind == "global":
            name = access.place.pointer.buffer.parameter or access.place.pointer.buffer.name
            (read if access.kind == "load" else written).add(name)
    return tuple(sorted(read)), tuple(sorted(written))


def _scalar_tests(condition: Node) -> list[tuple[Node, int, bool]]:
    """Comparisons with 0 or 1 in a condition: the operand, the number, whether negated."""
    node = n.stripped(condition)
    if node[n.KIND] == n.UNARY and node[n.EXTRA] == n.LOGICAL_NOT:
        return [(o, e, not negated) for o, e, negated in _scalar_tests(node[n.KIDS][0])]
    if node[n.KIND] == n.BINARY and node[n.EXTRA] in (20, 21):
        return [test for kid in node[n.KIDS] for test in _scalar_tests(kid)]
    if node[n.KIND] == n.DECL_REF:
        return [(node, 0, True)]
    if node[n.KIND] == n.CALL and node[n.EXTRA]:
        name = node[n.EXTRA][1]
        if name == "operator bool":
            inner = node[n.KIDS][-1]
            inner = inner[n.KIDS][0] if inner[n.KIND] == n.OBJECT else inner
            return [(n.stripped(inner), 0, True)]
        if name in ("operator==", "operator!="):
            sides = [k[n.KIDS][0] if k[n.KIND] == n.OBJECT else k for k in node[n.KIDS]]
            return _compared(sides, name == "operator!=")
    if node[n.KIND] == n.BINARY and node[n.EXTRA] in (15, 16):
        return _compared(node[n.KIDS], node[n.EXTRA] == 16)
    return []


def _has_several(condition: Node) -> bool:
    """It joins several tests, so that one of them does not decide alone."""
    node = n.stripped(condition)
    while node[n.KIND] == n.UNARY and node[n.EXTRA] == n.LOGICAL_NOT:
        node = n.stripped(node[n.KIDS][0])
    return bool(node[n.KIND] == n.BINARY and node[n.EXTRA] in (20, 21))


def _compared(sides: list[Node], negated: bool) -> list[tuple[Node, int, bool]]:
    found = []
    for side, other in (sides, sides[::-1]) if len(sides) == 2 else ():
        number = _number(other)
        if number in (0, 1) and n.stripped(side)[n.KIND] == n.DECL_REF:
            found.append((n.stripped(side), number, negated))
    return found


def _number(node: Node) -> int | None:
    for inner in n.walk(node):
        if inner[n.KIND] == n.INTEGER and isinstance(inner[n.EXTRA], int):
            return int(inner[n.EXTRA])
        if inner[n.KIND] == n.FLOATING:
            try:
                value = float(str(inner[n.EXTRA]).rstrip("fFlL"))
            except ValueError:
                return None
            return int(value) if value in (0, 1) else None
        if inner[n.KIND] in (n.DECL_REF, n.MEMBER_REF, n.SUBSCRIPT):
            return None
    return None
