"""Loops of a kernel: variables that grow by the same step each time have a closed form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.expressions import ONE, ZERO
from extractor.facts.device.loop_growth import Known, difference, settled
from extractor.facts.device.loop_shape import Change, changes_in, leaves_early, parts_of
from extractor.facts.device.node import Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Condition, Loop
from extractor.facts.device.statements import Statements
from extractor.facts.device.symbols import MAYBE, Atom, Dependences
from extractor.facts.device.values import (
    UNSET,
    Buffer,
    Memory,
    Nowhere,
    Pointer,
    Unknown,
    Value,
    Variable,
)

_MOST_REHEARSALS = 3
_SWAPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Loops(Statements):
    """Runs loops once, with their variables as symbols."""

    _depth = 0

    def loop(self, body: Node) -> bool:
        """Runs a loop's body once for any iteration."""
        initial, condition, increment, inner = parts_of(body)
        outer = dict(self.variables)
        for kid in initial:
            if kid[n.KIND] >= 200:
                self.run(kid)
            else:
                self.value(kid)
        before = dict(self.variables)
        path = self.path
        looked_at = [*condition, *increment, inner]
        changes = changes_in(looked_at, inner, increment, self.references)
        for called in self._lambdas(looked_at):
            changes.update(
                dict.fromkeys(changes_in([called], called, [], self.references), Change())
            )
        live = {key: change for key, change in changes.items() if key in before}
        known = self._rehearsed(body, condition, increment, inner, live, before)
        entry, steps = self._enter(body, condition, live, before, known)
        self.loops = (*self.loops, entry)
        depends = self._around(body, condition, increment, inner)
        self.loops = self.loops[:-1]
        self.path = path
        self._leave(body, entry, live, before, steps, known, depends)
        for key in list(self.variables):
            if key not in outer:
                del self.variables[key]
        return True

    def _around(
        self, body: Node, condition: list[Node], increment: list[Node], inner: Node
    ) -> Dependences:
        """Goes round once; returns what decides when the loop ends."""
        start = len(self.path)
        self.exits.append((start, set()))
        found: set[str] = set()
        if body[n.KIND] != n.DO:
            self._conditions(condition)
            for one in self.path[start:]:
                found |= one.depends
        self.run(inner)
        for kid in increment:
            self.value(kid)
        if body[n.KIND] == n.DO:
            for kid in condition:
                found |= self.depends(self.value(kid))
        return frozenset(found | self.exits.pop()[1])

    def _rehearsed(
        self,
        body: Node,
        condition: list[Node],
        increment: list[Node],
        inner: Node,
        changes: dict[Any, Change],
        before: dict[Any, Any],
    ) -> Known:
        """What one iteration does to the variables that do not simply grow by a step.

        The body is run once in rehearsal. A variable that ends it with what it began with and
        something that no iteration changes is steady. One that ends it with a value made of known
        things keeps its name as a symbol, and depends on what those depend on.
        """
        known = Known()
        followed = {
            k: v for k, v in before.items() if isinstance(v, Polynomial | Pointer | Unknown)
        }
        hoped = {key: self.depends(before[key]) for key in changes if key in followed}
        if not hoped or self.budget <= 0 or self._depth > _MOST_REHEARSALS:
            return known
        state = (self.variables, self.path, self.rehearsal, len(self.frame.returns))
        left = list(self.frame.left)
        self.variables, self.rehearsal = dict(self.variables), True
        outside = self.symbols.atoms
        self.symbols.atoms = dict(outside)
        _, steady = self._enter(body, condition, changes, before, Known({}, hoped))
        open_ = [key for key in hoped if key not in steady]
        if not open_:
            self.symbols.atoms = outside
            self.variables, self.path, self.rehearsal, _ = state
            return known
        self._depth += 1
        begun = {key: self.variables[key] for key in open_}
        depends = self._around(body, condition, increment, inner)
        skipped = any(change.skipped for change in changes.values())
        ends = {key: self.variables.get(key) for key in open_}
        for key in open_:
            amount = difference(ends[key], begun[key])
            if amount is None or changes[key].skipped or isinstance(key, tuple):
                continue
            new = {k: a for k, a in self.symbols.closure([amount]).items() if k not in outside}
            if all(atom.kind in ("operation", "parameter", "builtin") for atom in new.values()):
                known.steps[key] = amount
                outside.update(new)
        known.depends.update(settled(self.symbols, begun, ends, hoped))
        unset = [key for key in known.depends if before[key] == UNSET]
        known.like.update((key, ends[key]) for key in unset)
        if skipped:
            known.depends = {key: own | depends for key, own in known.depends.items()}
        self.symbols.atoms = outside
        self._depth -= 1
        self.variables, self.path, self.rehearsal, count = state
        del self.frame.returns[count:]
        self.frame.left[:] = left
        return known

    def _conditions(self, condition: list[Node]) -> None:
        for kid in condition:
            if kid[n.KIND] >= 200 or kid[n.KIND] == n.VAR:
                self.run(kid)
                continue
            value = self.value(kid)
            known = value if isinstance(value, Polynomial) else None
            text = known.text if known else self.source(kid)
            self.path += (Condition(text, self.depends(value), kid[n.LINE], known),)

    def _enter(
        self,
        body: Node,
        condition: list[Node],
        changes: dict[Any, Change],
        before: dict[Any, Any],
        known: Known,
    ) -> tuple[Loop, dict[Any, Polynomial]]:
        steps: dict[Any, Polynomial] = dict(known.steps)
        for key in changes:
            old = known.like.get(key, before[key])
            self.variables[key] = self._carried(key, body, old, known.depends.get(key))
        for key, change in changes.items():
            if change.steady and isinstance(before[key], Polynomial | Pointer):
                step = self._step(change)
                if step is not None and not step.atoms() & self._opaque_names(changes):
                    steps[key] = step
        main = _counter(condition, [key for key in steps if isinstance(before[key], Polynomial)])
        name, symbol, start, step = "", "", None, None
        info: dict[str, Any] = {}
        if main is not None:
            name, start, step = self._name_of(main, body), before[main], steps[main]
            info = {"start": start.text, "step": step.text, "of": (start, step)}
            depends = self.symbols.depends(start) | self.symbols.depends(step)
            symbol = (
                self.symbols.fresh(name, Atom("loop variable", depends, info=info)).single or ""
            )
        else:
            symbol = (
                self.symbols.fresh(
                    f"k{body[n.LINE]}",
                    Atom("iteration", frozenset(), info={"start": "0", "step": "1"}),
                ).single
                or ""
            )
        counter = Polynomial.atom(symbol)
        for key, amount in steps.items():
            if key == main:
                self.variables[key] = counter
                continue
            moved = self._moved(amount, counter, start, step)
            self.variables[key] = _plus(before[key], moved)
        entry = Loop(body, name, symbol, start, "", None, "", step)
        return self._bounded(entry, condition, main), steps

    def _moved(
        self,
        amount: Polynomial,
        counter: Polynomial,
        start: Polynomial | None,
        step: Polynomial | None,
    ) -> Polynomial:
        """What a steady variable has grown by when the counter has its value."""
        if start is None or step is None:
            return amount * counter
        grown = counter - start
        factor = amount.divided(step)
        if factor is not None:
            return factor * grown
        return amount * self.integer("/", grown, step)

    def _bounded(self, entry: Loop, condition: list[Node], main: Any) -> Loop:
        rehearsal, self.rehearsal = self.rehearsal, True
        variables, self.variables = self.variables, dict(self.variables)
        texts, limit, operator, trips = [], None, "", None
        for kid in condition:
            if kid[n.KIND] >= 200 or kid[n.KIND] == n.VAR:
                continue
            value = self.value(kid)
            known = isinstance(value, Polynomial)
            texts.append(value.text if isinstance(value, Polynomial) else self.source(kid))
            node = n.stripped(kid)
            if known and main is not None and node[n.KIND] == n.BINARY:
                limit, operator = self._limit(node, main, entry)
        self.rehearsal, self.variables = rehearsal, variables
        if limit is not None and entry.start is not None and entry.step is not None:
            trips = self._trips(entry.start, limit, operator, entry.step)
        if entry.symbol and main is not None and limit is not None:
            atom = self.symbols.atoms[entry.symbol]
            of = (*atom.info["of"], limit)
            info = {**atom.info, "bound": f"{operator} {limit.text}", "of": of}
            self.symbols.atoms[entry.symbol] = replace(atom, info=info)
        return replace(entry, bound="; ".join(texts), limit=limit, compare=operator, trips=trips)

    def _limit(self, node: Node, main: Any, entry: Loop) -> tuple[Polynomial | None, str]:
        operator = n.BINARY_TEXT.get(node[n.EXTRA], "")
        if operator not in ("<", "<=", ">", ">=", "!="):
            return None, ""
        left, right = self.value(node[n.KIDS][0]), self.value(node[n.KIDS][1])
        if not (isinstance(left, Polynomial) and isinstance(right, Polynomial)):
            return None, ""
        # Whatever stands beside the variable goes to the other side.
        difference = right - left
        scale = difference.coefficient(entry.symbol)
        if scale is None or scale.constant not in (1, -1):
            return None, ""
        symbol = Polynomial.atom(entry.symbol)
        if scale.constant == -1:
            return difference + symbol, operator
        return symbol - difference, _SWAPPED.get(operator, operator)

    def _trips(
        self, start: Polynomial, limit: Polynomial, operator: str, step: Polynomial
    ) -> Polynomial | None:
        by = step.constant
        if operator in (">", ">="):
            start, limit, step = -start, -limit, -step
            operator, by = _SWAPPED[operator], -by if by is not None else None
        if by is not None and by <= 0:
            return None
        span = limit - start + (ONE if operator == "<=" else ZERO)
        if operator == "!=" and by != 1:
            return None
        count = span if by == 1 else self.integer("/", span + step - ONE, step)
        if count.constant is not None:
            return Polynomial.number(max(0, count.constant))
        return self.symbols.operation("max", ZERO, count)

    def _step(self, change: Change) -> Polynomial | None:
        if change.step is None:
            return Polynomial.number(change.sign)
        rehearsal, self.rehearsal = self.rehearsal, True
        value = self.value(change.step)
        self.rehearsal = rehearsal
        if not isinstance(value, Polynomial):
            return None
        return value if change.sign > 0 else -value

    def _carried(
        self, key: Any, body: Node, old: Any, depends: Dependences | None, after: str = ""
    ) -> Any:
        """A variable as a symbol of its own, in an iteration or after the last one."""
        if isinstance(old, Buffer | Variable | Memory | Nowhere):
            return old
        name, line = self._name_of(key, body), body[n.LINE]
        if not isinstance(old, Polynomial | Pointer):
            found = self.depends(old) | {MAYBE}
            return Unknown(f"{name} changes in the loop at line {line}", found)
        when = "after" if after else "in an iteration of"
        info: dict[str, Any] = {"variable": name, "value": f"{when} the loop at line {line}"}
        if depends is None:
            info["unresolved"] = True
            depends = frozenset({MAYBE})
        atom = Atom("loop-carried", depends, info=info)
        carried = self.symbols.fresh(f"{name}@{after}{line}", atom)
        if isinstance(old, Polynomial):
            return carried
        return Pointer(old.buffer, carried, old.type, old.size)

    def _opaque_names(self, changes: Iterable[Any]) -> set[str]:
        names: set[str] = set()
        for key in changes:
            value = self.variables.get(key)
            if isinstance(value, Polynomial):
                names |= value.atoms()
            elif isinstance(value, Pointer):
                names |= value.offset.atoms()
        return names

    def _name_of(self, key: Any, body: Node) -> str:
        declaration = key[0] if isinstance(key, tuple) else key
        for node in n.walk(body):
            if node[n.KIND] == n.DECL_REF and node[n.EXTRA] and node[n.EXTRA][0] == declaration:
                return str(node[n.EXTRA][1])
            if node[n.KIND] == n.VAR and node[n.EXTRA][0] == declaration:
                return str(node[n.EXTRA][1])
        return "a variable"

    def _leave(
        self,
        body: Node,
        entry: Loop,
        changes: dict[Any, Change],
        before: dict[Any, Any],
        steps: dict[Any, Polynomial],
        known: Known,
        depends: Dependences,
    ) -> None:
        if not self.rehearsal:
            self.record.loops.append((self.frame.function, entry, self.through))
        closed = entry.trips is not None and not leaves_early(body)
        for key in changes:
            step, old = steps.get(key), before[key]
            if closed and step is not None and entry.trips is not None:
                self.variables[key] = _plus(old, step * entry.trips)
                continue
            own = known.depends.get(key)
            if step is not None:
                own = self.depends(old) | self.symbols.depends(step)
            old = known.like.get(key, old)
            found = None if own is None else own | depends
            self.variables[key] = self._carried(key, body, old, found, "after")

    def _lambdas(self, looked_at: list[Node]) -> list[Node]:
        """Bodies of lambdas that are called: they change variables around them."""
        found = []
        for part in looked_at:
            for node in n.walk(part):
                if node[n.KIND] == n.CALL and node[n.EXTRA] and node[n.EXTRA][1] == "operator()":
                    function = self.functions.get(node[n.EXTRA][0])
                    if function is not None and function.body is not None:
                        found.append(function.body)
        return found


def _plus(value: Value, amount: Polynomial) -> Value:
    if isinstance(value, Pointer):
        return Pointer(value.buffer, value.offset + amount, value.type, value.size)
    assert isinstance(value, Polynomial)
    return value + amount


def _counter(condition: list[Node], steady: list[Any]) -> Any:
    """The steady variable that the loop's condition looks at."""
    for kid in condition:
        for node in n.walk(kid):
            if node[n.KIND] == n.DECL_REF and node[n.EXTRA] and node[n.EXTRA][0] in steady:
                return node[n.EXTRA][0]
    return None
