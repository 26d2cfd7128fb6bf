"""Kernels whose whole effect is closed: what they write follows from their arguments alone.

A kernel's tree is read from its first statement to its last. It is closed where each store goes
through a pointer parameter and address, value and the conditions around it are made of scalar
arguments, constants and the thread's place. One that loads memory, works across threads or does
anything that is not followed is open.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.builtins import BARRIERS, FENCES
from extractor.facts.device.node import Function, Node
from extractor.facts.device.trees import UnitTrees
from extractor.trace.closed_expressions import ClosedExpressions
from extractor.trace.closed_values import (
    Address,
    Frame,
    Open,
    Unfollowed,
    Value,
    number_of,
)
from extractor.trace.effect_values import Expression, made, number, size_of

Effect = dict[str, Any]
"""``{"sizes", "stores"}``: bytes of each argument; in order, of each store the ``parameter`` it
goes through, its ``offset`` in bytes, ``values`` as ``[byte, letter, expression]``, ``loops`` (of
each one around it the name of its turn and the condition under which it takes one more) and
``guards``: the conditions outside of these loops, then those inside the first, the second, …"""

_DEPTH = 12
_NODES = 20_000
_STATIC = 3
"""How libclang numbers the storage of a static variable."""


def read_effects(
    trees: UnitTrees, symbols: set[str], elements: Mapping[str, str]
) -> dict[str, Effect | str]:
    """Effects of kernels; of one that is open the reason.

    Args:
        trees: Of their unit.
        symbols: The kernels.
        elements: By class, the letters of its parts.
    """
    found: dict[str, Effect | str] = {}
    for function in trees.functions.values():
        if function.symbol not in symbols:
            continue
        try:
            found[function.symbol] = ClosedReader(trees, elements).read(function)
        except Open as reason:
            found[function.symbol] = str(reason)
        except RecursionError:
            found[function.symbol] = "it is nested too deeply"
    return found


class ClosedReader(ClosedExpressions):
    """Reads one kernel.

    Args:
        trees: Of its unit.
        elements: By class, the letters of its parts.
    """

    def __init__(self, trees: UnitTrees, elements: Mapping[str, str]) -> None:
        super().__init__(trees, elements)
        self._stores: list[dict[str, Any]] = []
        self._loops: list[list[Any]] = []
        self._outside: list[int] = []
        self._turns = 0
        self._budget = _NODES

    def read(self, function: Function) -> Effect:
        """The kernel's effect.

        Raises:
            Open: It is not closed.
        """
        if function.body is None:
            raise Open("it has no body here")
        sizes = []
        for position, (declaration, _, kind, _) in enumerate(function.parameters):
            sizes.append(self.types[kind].size)
            if sizes[-1] <= 0:
                raise Open("it has an argument of unknown size")
            self.env[declaration] = self.parameter(position, kind)
        self.frames.append(Frame(function, 0, 0))
        self.run(function.body)
        return {"sizes": sizes, "stores": self._stores}

    # --- statements -------------------------------------------------------------------------

    def run(self, node: Node) -> bool:
        """Runs a statement; whether control goes on behind it."""
        self._budget -= 1
        if self._budget < 0:
            raise Open("it is too long")
        kind, kids = node[n.KIND], node[n.KIDS]
        if kind == n.COMPOUND:
            return all(self.run(kid) for kid in kids)
        if kind == n.DECL_STMT:
            for kid in kids:
                if kid[n.KIND] == n.VAR:
                    self._declare(kid)
            return True
        if kind == n.VAR:
            self._declare(node)
            return True
        if kind == n.IF:
            return self._if(node)
        if kind == n.FOR:
            return self._for(node)
        if kind == n.RETURN:
            frame = self.frames[-1]
            if len(self._loops) > frame.loops:
                raise Open("it returns from inside a loop")
            value = self.value(kids[0]) if kids else None
            frame.returns.append((self.path[frame.path :], value))
            return False
        if kind == n.CONTINUE:
            return False
        if kind < 200:
            self.value(node)
            return True
        if not kids and kind not in (n.BREAK, n.GOTO):
            return True
        raise Open("it has a statement that is not followed")

    def _declare(self, node: Node) -> None:
        declaration, name, shared, storage = node[n.EXTRA][:4]
        kind = self.types[node[n.TYPE]]
        kids = node[n.KIDS]
        if shared or kind.array or not kids:
            self.env[declaration] = Unfollowed(f"it uses {name}")
        elif storage == _STATIC:
            raise Open(f"{name} is static")
        elif kind.reference and not self.types[kind.inner].constant:
            raise Open(f"{name} is a reference")
        elif kind.record and kids[0][n.KIND] == n.CALL and not kids[0][n.KIDS]:
            self.env[declaration] = Unfollowed(f"{name} is not set")
        else:
            self.env[declaration] = self.value(kids[0])

    def _if(self, node: Node) -> bool:
        kids = list(node[n.KIDS])
        while kids and kids[0][n.KIND] in (n.DECL_STMT, n.VAR):
            self.run(kids.pop(0))
        if node[n.EXTRA] is not None:
            condition = number("?", node[n.EXTRA])
        else:
            condition = self.condition(kids[0])
        if condition[0] == "k":
            if condition[2]:
                return self.run(kids[1])
            return self.run(kids[2]) if len(kids) > 2 else True
        before, variables = self.path, self.env
        opposite = made("!", "?", condition)
        self.env, self.path = dict(variables), (*before, condition)
        then = self.run(kids[1])
        then_path, then_env = self.path[len(before) :], self.env
        self.env, self.path = dict(variables), (*before, opposite)
        other = self.run(kids[2]) if len(kids) > 2 else True
        other_path = self.path[len(before) :]
        if then and other:
            self._merge(condition, then_env)
            if len(then_path) == 1 and len(other_path) == 1:
                self.path = before
            else:
                self.path = (*before, made("||", "?", every(then_path), every(other_path)))
            return True
        if then:
            self.env, self.path = then_env, (*before, *then_path)
        return then or other

    def _merge(self, condition: Expression, taken: dict[int, Value | Unfollowed]) -> None:
        for declaration, value in self.env.items():
            first = taken.get(declaration, value)
            if first is not value and first != value:
                try:
                    self.env[declaration] = self.select(condition, first, value)
                except Open as reason:
                    self.env[declaration] = Unfollowed(str(reason))

    def _for(self, node: Node) -> bool:
        if len(node[n.KIDS]) != 4:
            raise Open("it has a loop of unusual form")
        first, test, step, body = node[n.KIDS]
        if first[n.KIND] != n.DECL_STMT or [k[n.KIND] for k in first[n.KIDS]] != [n.VAR]:
            raise Open("it has a loop without a counter of its own")
        self.run(first)
        counter = first[n.KIDS][0][n.EXTRA][0]
        start = number_of(self.env[counter])
        self._turns += 1
        turn = ["i", "I", f"turn {self._turns}"]
        grows = made("cast", start[1], self._step(step, counter))
        times = made("*", start[1], ["cast", start[1], turn], grows)
        self.env[counter] = made("+", start[1], start, times)
        before, outside = dict(self.env), self.path
        self._loops.append([turn[2], self.condition(test)])
        self._outside.append(len(outside))
        self.run(body)
        self._loops.pop()
        self._outside.pop()
        if any(before[key] != self.env.get(key) for key in before):
            raise Open("a variable changes from turn to turn of a loop")
        self.env, self.path = before, outside
        self.env[counter] = Unfollowed("the counter of a loop that is over")
        return True

    def _step(self, node: Node, counter: int) -> Expression:
        """What the counter grows by in a turn."""
        target = n.stripped(node[n.KIDS][0]) if node[n.KIDS] else None
        if target is not None and target[n.KIND] == n.DECL_REF and target[n.EXTRA][0] == counter:
            if node[n.KIND] == n.UNARY and node[n.EXTRA] in (n.PRE_INC, n.POST_INC):
                return number("i", 1)
            if node[n.KIND] == n.UNARY and node[n.EXTRA] in (n.PRE_DEC, n.POST_DEC):
                return number("i", -1)
            operator = n.BINARY_TEXT.get(node[n.EXTRA] if node[n.KIND] != n.UNARY else -1)
            if operator in ("+=", "-="):
                value = number_of(self.value(node[n.KIDS][1]))
                return value if operator == "+=" else made("neg", value[1], value)
        raise Open("it has a loop whose counter is not followed")

    # --- calls and stores -------------------------------------------------------------------

    def call(self, node: Node) -> Value:
        """The value of a call of a function that is no operator and no constructor."""
        target, name = node[n.EXTRA][:2]
        arguments = [kid for kid in node[n.KIDS] if kid[n.KIND] != n.OBJECT]
        if (name in BARRIERS and not arguments) or name in FENCES:
            return number("i", 0)
        function = self.functions.get(target)
        if function is None or function.body is None:
            raise Open(f"it calls {name}")
        if len(self.frames) > _DEPTH:
            raise Open("its calls are nested too deeply")
        if len(arguments) != len(function.parameters):
            raise Open(f"it calls {name} with arguments that are not given")
        bound: dict[int, Value] = {}
        for (declaration, _, number_, _), kid in zip(function.parameters, arguments, strict=True):
            kind = self.types[number_]
            if kind.reference and not self.types[kind.inner].constant:
                raise Open(f"{name} takes a reference")
            bound[declaration] = self.value(kid)
        outer, entry = self.env, self.path
        # A lambda sees the variables around it; nothing of a function is seen behind its end.
        self.env = {**outer, **bound}
        frame = Frame(function, len(entry), len(self._loops))
        self.frames.append(frame)
        self.run(function.body)
        self.frames.pop()
        if any(self.env.get(key) is not value for key, value in outer.items() if key not in bound):
            raise Open(f"{name} changes a variable of its caller")
        self.env, self.path = outer, entry
        return self._returned(frame)

    def _returned(self, frame: Frame) -> Value:
        values = [(path, value) for path, value in frame.returns if value is not None]
        if not values:
            return number("i", 0)
        result = values[-1][1]
        for path, value in reversed(values[:-1]):
            result = self.select(every(path), value, result)
        return result

    def store(self, address: Address, value: Value, kind: int) -> None:
        """Notes a store."""
        form = self.form(kind)
        if size_of(form) != self.types[kind].size:
            raise Open("it stores a value whose parts are not known")
        values: list[list[Any]] = []
        at = 0
        for letter, part in zip(form, self.parts(value, form), strict=True):
            values.append([at, letter, part])
            at += size_of(letter)
        cuts = [0, *self._outside, len(self.path)]
        guards = [list(self.path[a:b]) for a, b in pairwise(cuts)]
        self._stores.append(
            {
                "parameter": address.parameter,
                "offset": address.offset,
                "values": values,
                "loops": list(self._loops),
                "guards": guards,
            }
        )


def every(conditions: tuple[Expression, ...]) -> Expression:
    """All of some conditions."""
    result = number("?", 1)
    for condition in conditions:
        result = made("&&", "?", result, condition)
    return result
