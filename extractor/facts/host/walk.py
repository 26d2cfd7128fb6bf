"""The symbolic walk: statements of one instantiated function, every way through it once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.calls import Calls
from extractor.facts.host.conditions import either, excluded, joined
from extractor.facts.host.expression import TRUE, Expression
from extractor.facts.host.loops import Counted, counted, final, modified, moving, rising, searching
from extractor.facts.host.state import State, meet
from extractor.facts.host.summary import Loop, Parameter, Return, Summary
from extractor.facts.host.trees import Known, Trees

Node = list[Any]


def summarise(tree: dict[str, Any], trees: Trees, arguments: Known = ()) -> Summary:
    """What a function does, from its tree.

    Args:
        tree: As ``extractor.facts.host.bodies`` reads it.
        trees: Every tree, for functions that are called.
        arguments: Constants that it is called with.
    """
    return _Walk(tree, trees, arguments).summary


class _Walk(Calls):
    """Statements; expressions are the base's."""

    def __init__(self, tree: dict[str, Any], trees: Trees, arguments: Known = ()) -> None:
        parameters = tuple(Parameter(*row) for row in tree["parameters"])
        summary = Summary(
            tree["symbol"], tree["name"], tree["file"], tuple(tree["place"]), parameters
        )
        summary.result = tree.get("result", "")
        super().__init__(summary, trees)
        self._breaks: list[list[tuple[Expression, State | None, State | None]]] = []
        self._depth: list[int] = []
        state: State | None = State()
        assert state is not None
        for parameter in parameters:
            kind = parameter.kind.lstrip("&")
            state.values[parameter.key] = ("v", parameter.key, parameter.name, kind)
        for parameter, argument in zip(parameters, arguments, strict=False):
            if argument is not None:
                state.values[parameter.key] = argument
        self._exits: list[tuple[State, Expression | None]] = []
        for statement in tree["body"]:
            if state is not None:
                state = self.statement(statement, state)
        if state is not None:
            self._leave(state, None, (summary.place[1], summary.place[1]))
        self._write_outputs()

    def statement(self, node: Node | None, state: State) -> State | None:
        """The state behind a statement; ``None`` where control never gets there."""
        if node is None:
            return state
        tag = node[0]
        method = getattr(self, f"_{_METHODS.get(tag, 'other')}")
        result: State | None = method(node, state)
        return result

    def _block(self, node: Node, state: State) -> State | None:
        following: State | None = state
        for inner in node[3]:
            if following is None:
                return None
            following = self.statement(inner, following)
        return following

    def _try(self, node: Node, state: State) -> State | None:
        # What handles an exception starts nothing that the library promises.
        self._skipped([s for s in node[3] if s[0] == "catch"], False)
        return self._block([*node[:3], [s for s in node[3] if s[0] != "catch"]], state)

    def _skipped(self, statements: Sequence[Node | None], excluded: bool) -> None:
        """Notes statements that are not walked, and whether they can be no part of a call."""
        kept = self.summary.ruled_out if excluded else self.summary.passed_over
        kept.extend(statement for statement in statements if statement is not None)

    def _expression(self, node: Node, state: State) -> State | None:
        self.value(node[3], state)
        return state

    def _variable(self, node: Node, state: State) -> State | None:
        _, _, _, key, name, kind, initial = node
        if initial is None:
            state.values[key] = ("x", name, kind.lstrip("&"), self.number())
        else:
            self.declared(key, name, kind, initial, state)
        return state

    def _if(self, node: Node, state: State) -> State | None:
        _, _, _, before, condition, then, otherwise = node
        current: State | None = state
        for statement in before:
            if current is not None:
                current = self.statement(statement, current)
        assert current is not None
        test = ex.boolean(self.value(condition, current))
        if ex.value_of(test) is not None:
            skipped = otherwise if ex.value_of(test) else then
            self._skipped([skipped], not moving(condition))
            return self.statement(then if ex.value_of(test) else otherwise, current)
        branches: list[tuple[Expression, State | None, State | None]] = []
        for branch, test_of in ((then, test), (otherwise, ex.negated(test))):
            first = current.under(test_of)
            if first is None:
                self._skipped([branch], excluded(current.path, test_of))
                branches.append((test_of, None, None))
                continue
            last = self.statement(branch, first.copy())
            branches.append((test_of, first, last))
        return meet(current, branches, whole=True)

    def _switch(self, node: Node, state: State) -> State | None:
        subject = self.value(node[3], state)
        items = node[4][3] if node[4] is not None and node[4][0] == "{" else [node[4]]
        segments: list[tuple[list[Expression] | None, list[Node]]] = []
        labels: list[Expression] = []
        for item in items:
            fresh = False
            wanted: list[Expression] | None = []
            while item is not None and item[0] in ("case", "default"):
                fresh = True
                if item[0] == "default":
                    wanted = None
                elif wanted is not None:
                    wanted += [self.value(v, state) for v in item[3][:1]]
                    labels += [self.value(v, state) for v in item[3][:1]]
                item = item[4]
            if fresh:
                segments.append((wanted, []))
            if item is not None and segments:
                segments[-1][1].append(item)
        return self._segments(subject, segments, labels, state)

    def _segments(
        self,
        subject: Expression,
        segments: Sequence[tuple[list[Expression] | None, list[Node]]],
        labels: list[Expression],
        state: State,
    ) -> State | None:
        def equal(value: Expression) -> Expression:
            return ex.binary("==", "b", subject, value)

        none = ex.negated(either(equal(label) for label in labels))
        self._breaks.append([])
        self._depth.append(len(state.local))
        falling: tuple[Expression, State, State] | None = None
        for wanted, statements in segments:
            condition = none if wanted is None else either(equal(v) for v in wanted)
            first = state.under(condition)
            entry = None if first is None else first.copy()
            if falling is not None:
                joined_first = None if first is None else (condition, first, entry)
                both = [branch for branch in (falling, joined_first) if branch is not None]
                condition = either(branch[0] for branch in both)
                entry = meet(state, both, whole=False)
                first = None if entry is None else entry.copy()
            last = entry
            if entry is None and statements:
                self._skipped(statements, excluded(state.path, condition))
            for statement in statements:
                if last is not None:
                    last = self.statement(statement, last)
            falling = None
            if last is not None and first is not None:
                falling = (condition, first, last)
            elif first is not None:
                self._breaks[-1].append((condition, first, None))
        ends = self._breaks.pop()
        self._depth.pop()
        if falling is not None:
            ends.append(falling)
        if all(wanted is not None for wanted, _ in segments):
            past = state.under(none)
            if past is not None:
                ends.append((none, past, past.copy()))
        return meet(state, ends, whole=False)

    def _break(self, node: Node, state: State) -> State | None:
        if self._breaks:
            # The state before it differs from any, so that its own conditions are not taken for
            # granted where the ways meet.
            self._breaks[-1].append((joined(state.local[self._depth[-1] :]), State(), state))
        return None

    def _for(self, node: Node, state: State) -> State | None:
        _, line, end, start, condition, step, body = node
        before = self.statement(start, state)
        assert before is not None
        test, change = (part[3] if part else None for part in (condition, step))
        turns = searching(test, change, body, lambda node, own: self.value(node, own), before)
        if turns:
            return self._unrolled(turns, change, body, before)
        return self._loop((line, end), test, change, body, before)

    def _unrolled(
        self, turns: int, step: Node | None, body: Node | None, state: State
    ) -> State | None:
        """A search among constants, turn by turn."""
        self._breaks.append([])
        self._depth.append(len(state.local))
        last: State | None = state.copy()
        for _ in range(turns):
            last = self.statement(body, last) if last is not None else None
            if last is not None:
                self.value(step, last)
        ends = self._breaks.pop()
        self._depth.pop()
        if last is not None:
            ends.append((TRUE, State(), last))
        return meet(state, ends, whole=False)

    def _while(self, node: Node, state: State) -> State | None:
        return self._loop((node[1], node[2]), node[3], None, node[4], state)

    def _do(self, node: Node, state: State) -> State | None:
        if node[3] is not None and node[3][:2] in (["k", 0], ["c", 0]):
            return self.statement(node[4], state)
        return self._loop((node[1], node[2]), None, None, node[4], state)

    def _range(self, node: Node, state: State) -> State | None:
        return self._loop((node[1], node[2]), None, None, node[3][-1], state)

    def _loop(
        self,
        at: tuple[int, int],
        condition: Node | None,
        step: Node | None,
        body: Node | None,
        state: State,
    ) -> State | None:
        changed = modified([body, step, condition], self.trees.reads_only)
        count = counted(condition, step, body)
        inside = state.copy()
        least: dict[int, tuple[int, ...]] = {}
        for key, name, kind in changed:
            first = state.values.get(key)
            low = rising([condition, step, body], key, first, self.trees.reads_only)
            least[key] = () if low is None else (low,)
            inside.values[key] = ("v", ("at", self.number(), *least[key]), f"{name}@{at[0]}", kind)
        self._forget(inside, body)
        writes = self.trees.effects.written([condition, step, body])
        loop = replace(self._described(at, count, condition, state, inside), writes=writes)
        entry: State | None = inside
        if loop.condition[0] != "k":
            entry = inside.under(loop.condition)
        self.loops.append(loop)
        self._breaks.append([])
        self._depth.append(len(state.local))
        last: State | None = None
        if entry is None:
            self._skipped([body], False)
        else:
            entry.local = inside.local
            last = self.statement(body, entry)
            if last is not None and step is not None:
                self.value(step, last)
        broke = self._breaks.pop()
        self._depth.pop()
        self.loops.pop()
        after = state.copy()
        after.started = state.started or (last is not None and last.started) or self.started_once
        after.wrote = True
        for key, name, kind in changed:
            after.values[key] = ("v", ("at", self.number(), *least[key]), f"{name}@{at[1]}", kind)
        self._forget(after, body)
        if last is not None:
            after.stale.update(last.stale)
        end = None if broke else final(loop, count, {key for key, _, _ in changed}, inside)
        if end is not None and count is not None:
            after.values[count.key] = end
        return after

    def _forget(self, state: State, body: Node | None) -> None:
        """What the turns of a loop may write through pointers and into members."""
        for place in [key for key in state.values if isinstance(key, tuple)]:
            if self.may_write(place, body):
                state.values[place] = (
                    "x",
                    "(written in a loop)",
                    ex.type_of(place),
                    self.number(),
                )

    def _described(
        self,
        at: tuple[int, int],
        count: Counted | None,
        condition: Node | None,
        before: State,
        inside: State,
    ) -> Loop:
        variable = start = step = None
        if count is not None and count.key in before.values:
            start = before.values[count.key]
            name = count.name
            if name in self.taken or any(
                loop.variable and loop.variable[2] == name for loop in self.loops
            ):
                name = f"{name}@{at[0]}"
            variable = ("v", ("loop", self.number()), name, count.kind)
            inside.values[count.key] = variable
            step = self.value(count.step, inside.copy(), quiet=True)
            if count.negative:
                step = ex.unary("-", count.kind, step)
        test = TRUE
        if condition is not None:
            test = ex.boolean(self.value(condition, inside))
        return Loop(variable, start, test, step, at[0])

    def _return(self, node: Node, state: State) -> State | None:
        value = None if node[3] is None else self.value(node[3], state)
        self._leave(state, value, (node[1], node[2]))
        return None

    def _leave(self, state: State, value: Expression | None, at: tuple[int, int]) -> None:
        self.summary.returns.append(
            Return(
                state.path,
                state.local,
                state.assumes,
                value,
                at,
                state.started,
                bool(self.loops),
            )
        )
        self._exits.append((state, value))

    def _end(self, node: Node, state: State) -> State | None:
        return None

    def _goto(self, node: Node, state: State) -> State | None:
        self.summary.problem = f"line {node[1]}: a goto is not followed"
        return None

    def _label(self, node: Node, state: State) -> State | None:
        self.summary.problem = f"line {node[1]}: a label is not followed"
        return self._block(node, state)

    def _catch(self, node: Node, state: State) -> State | None:
        return state

    def _other(self, node: Node, state: State) -> State | None:
        if len(node) > 3 and isinstance(node[3], list):
            return self._block(node, state)
        return state

    def _write_outputs(self) -> None:
        keys = {
            parameter.key: ("u", "*", parameter.kind)
            for parameter in self.summary.parameters
            if parameter.kind in ("p",) or parameter.kind.startswith("&")
        }
        for index, parameter in enumerate(self.summary.parameters):
            if parameter.key not in keys:
                continue
            place: Any = parameter.key
            initial: Expression = ("v", parameter.key, parameter.name, parameter.kind.lstrip("&"))
            if parameter.kind == "p":
                written = {
                    key
                    for state, _ in self._exits
                    for key in state.values
                    if isinstance(key, tuple) and key[:2] == ("u", "*") and key[3] == initial
                }
                if not written:
                    continue
                place = sorted(written, key=repr)[0]
                initial = place
            # Who calls it leaves, too, where it failed on what only a run can tell.
            exits = [s for s, _ in self._exits if not any(ex.holds_call(c) for c in s.path)]
            held = [
                (joined(state.path), state.values.get(place, initial))
                for state in exits or [s for s, _ in self._exits]
            ]
            if all(value == initial for _, value in held):
                continue
            value = held[-1][1]
            for condition, other in reversed(held[:-1]):
                value = ex.conditional(condition, other, value, ex.type_of(other))
            self.summary.outputs[index] = value


_METHODS = {
    "{": "block", "if": "if", "for": "for", "while": "while", "do": "do", "switch": "switch",
    "return": "return", "var": "variable", "expr": "expression", "try": "try", "range": "range",
    "break": "break", "continue": "end", "throw": "end", "goto": "goto", "label": "label",
    "catch": "catch", "case": "stray", "default": "stray",
}  # fmt: skip
