"""Expressions of the symbolic walk: values, assignments, launches and calls."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, ClassVar

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import joined
from extractor.facts.host.effects import Effects
from extractor.facts.host.expression import Expression
from extractor.facts.host.state import LARGEST, State
from extractor.facts.host.substitution import member, standard, substitute
from extractor.facts.host.summary import Event, Loop, Summary

Node = list[Any]

_BINARY = {
    3: "*", 4: "/", 5: "%", 6: "+", 7: "-", 8: "<<", 9: ">>", 11: "<", 12: ">", 13: "<=",
    14: ">=", 15: "==", 16: "!=", 17: "&", 18: "^", 19: "|", 20: "&&", 21: "||", 33: ",",
}  # fmt: skip
_ASSIGN = 22
_COMPOUND = {
    23: "*",
    24: "/",
    25: "%",
    26: "+",
    27: "-",
    28: "<<",
    29: ">>",
    30: "&",
    31: "^",
    32: "|",
}
_UNARY = {5: "&", 6: "*", 7: "+", 8: "-", 9: "~", 10: "!"}
_STEPS = {1: 1, 2: -1, 3: 1, 4: -1}
_POSTFIX = (1, 2)
_TRANSPARENT = frozenset({"forward", "move", "as_const", "real_if_same"})
_PURE = frozenset({
    "min", "max", "abs", "ceil", "floor", "sqrt", "log2", "pow", "log", "log10", "round", "fabs",
})  # fmt: skip
_OPERATORS = {
    f"operator{op}": op
    for op in ("==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&&", "||")
}
_DEEPEST = 12


class Trees:
    """Every tree of a program, and what was found about each function.

    Args:
        trees: By mangled symbol.
    """

    def __init__(self, trees: dict[str, dict[str, Any]]) -> None:
        self.trees = trees
        self.effects = Effects(trees)
        self._summaries: dict[str, Summary] = {}
        self._open: set[str] = set()
        self.numbers = 0

    def summary(self, symbol: str) -> Summary | None:
        """Of a function with a tree; ``None`` without one, or while it is being made."""
        known = self._summaries.get(symbol)
        if known is not None:
            return known
        tree = self.trees.get(symbol)
        if tree is None or symbol in self._open or len(self._open) > _DEEPEST:
            return None
        from extractor.facts.host.walk import summarise

        self._open.add(symbol)
        try:
            self._summaries[symbol] = result = summarise(tree, self)
        finally:
            self._open.discard(symbol)
        return result


class Calls:
    """Values of expressions in a state; assignments and calls change it.

    Args:
        summary: Takes the events.
        trees: Every tree.
    """

    def __init__(self, summary: Summary, trees: Trees) -> None:
        self.summary, self.trees = summary, trees
        self.loops: list[Loop] = []
        self.started_once = False
        self._quiet = False

    @cached_property
    def taken(self) -> frozenset[str]:
        """Names of parameters."""
        return frozenset(parameter.name for parameter in self.summary.parameters)

    def number(self) -> int:
        """Tells one unknown value from another."""
        self.trees.numbers += 1
        return self.trees.numbers

    def value(self, node: Node | None, state: State, *, quiet: bool = False) -> Expression:
        """Value of an expression; ``quiet`` records no events."""
        if node is None:
            return ("x", "", "void")
        if quiet:
            before, self._quiet = self._quiet, True
            try:
                return self.value(node, state)
            finally:
                self._quiet = before
        made: Expression = self._BY_TAG[node[0]](self, node, state)
        return made

    def declared(self, key: int, name: str, kind: str, initial: Node, state: State) -> None:
        """A variable with an initialiser."""
        state.values[key] = self.value(initial, state)

    def may_write(self, place: Expression, body: Any) -> bool:
        """Whether a loop's body may write what a pointer refers to, or a member."""
        from extractor.facts.host.loops import walked

        name = place[1] if place[0] == "m" else None
        for node in walked(body):
            if node[0] == "b" and len(node) == 5 and 22 <= node[1] <= 32:
                target = node[3]
                if target[0] in ("u", "i") and place[0] == "u":
                    return True
                if target[0] == "m" and target[1] == name:
                    return True
            elif node[0] in ("call", "launch") and place[0] == "u":
                return True
        return False

    def _constant(self, node: Node, state: State) -> Expression:
        return ("k", node[1], node[2].lstrip("&"), node[3])

    def _enumerator(self, node: Node, state: State) -> Expression:
        return ("e", node[1], node[2])

    def _float(self, node: Node, state: State) -> Expression:
        return ("f", float(node[1]))

    def _variable_read(self, node: Node, state: State) -> Expression:
        value = state.values.get(node[1])
        if value is None:
            # A structured binding, or a variable of the function around a lambda.
            return ("x", node[2], node[3].lstrip("&"))
        return value

    def _global(self, node: Node, state: State) -> Expression:
        return ("g", node[1], node[2].lstrip("&"))

    def _function(self, node: Node, state: State) -> Expression:
        return ("g", node[2], "p")

    def _member(self, node: Node, state: State) -> Expression:
        base = self.value(node[3], state) if node[3] is not None else None
        found = member(node[1], node[2].lstrip("&"), base)
        if found[0] != "m":
            return found
        known = state.values.get(found)
        if known is not None:
            return known
        if node[1] in state.stale:
            return ("x", f"{node[1]} after a change", found[2], state.stale[node[1]])
        return found

    def _element(self, node: Node, state: State) -> Expression:
        place = ("i", node[1].lstrip("&"), self.value(node[2], state), self.value(node[3], state))
        return state.values.get(place, place)

    def _converted(self, node: Node, state: State) -> Expression:
        return ex.converted(node[1], node[2], self.value(node[3], state))

    def _conditional(self, node: Node, state: State) -> Expression:
        test = ex.boolean(self.value(node[2], state))
        known = ex.value_of(test)
        if known is not None:
            return self.value(node[3] if known else node[4], state)
        sides = []
        for branch, condition in ((node[3], test), (node[4], ex.negated(test))):
            path = state.under(condition)
            sides.append(self.value(branch, path if path is not None else state.copy()))
        return ex.conditional(test, sides[0], sides[1], node[1].lstrip("&"))

    def _binary(self, node: Node, state: State) -> Expression:
        op, kind = node[1], node[2].lstrip("&")
        if op == _ASSIGN:
            value = self.value(node[4], state)
            self.assign(node[3], value, state)
            return value
        if op in _COMPOUND:
            target = ex.converted(
                kind, ex.type_of(self.value(node[3], state)), self.value(node[3], state)
            )
            value = self._arithmetic(_COMPOUND[op], kind, target, self.value(node[4], state))
            self.assign(node[3], value, state)
            return value
        if op in (20, 21):
            left = ex.boolean(self.value(node[3], state))
            known = ex.value_of(left)
            if known is not None:
                return (
                    ex.boolean(self.value(node[4], state))
                    if bool(known) == (op == 20)
                    else ex.truth(op == 21)
                )
            path = state.under(left if op == 20 else ex.negated(left))
            right = self.value(node[4], path if path is not None else state.copy())
            return ex.binary("&&" if op == 20 else "||", "b", left, right)
        left, right = self.value(node[3], state), self.value(node[4], state)
        name = _BINARY.get(op)
        if name is None:
            return ("x", "(…)", kind)
        return self._arithmetic(name, kind, left, right)

    @staticmethod
    def _arithmetic(op: str, kind: str, left: Expression, right: Expression) -> Expression:
        result = ex.binary(op, kind, left, right)
        if op in ("-", "*", "+", "<<") and kind[:1] == "u" and op == "-" and result[0] == "b":
            # An unsigned difference may wrap.
            return ("c", kind, "i64", ex.binary(op, "i64", left, right))
        return result

    def _unary(self, node: Node, state: State) -> Expression:
        op, kind = node[1], node[2].lstrip("&")
        if op in _STEPS:
            old = self.value(node[3], state)
            new = ex.binary("+" if _STEPS[op] > 0 else "-", kind, old, ex.integer(1, kind))
            self.assign(node[3], new, state)
            return old if op in _POSTFIX else new
        if op == 5:
            target = node[3]
            if target[0] == "v":
                return ("u", "&", "p", ("v", ("address", target[1]), target[2], "p"))
            return ("u", "&", "p", self.value(target, state))
        value = self.value(node[3], state)
        name = _UNARY.get(op)
        if name == "+":
            return value
        if name == "*":
            place = ("u", "*", kind, value)
            if value[:2] == ("u", "&") and value[3][0] == "v" and value[3][1][0] == "address":
                return state.values.get(value[3][1][1], ("x", "(…)", kind))
            return state.values.get(place, place)
        if name is None:
            return ("x", "(…)", kind)
        return ex.unary(name, kind, value)

    def assign(self, target: Node, value: Expression, state: State) -> None:
        """Stores a value where an expression says."""
        while target[0] == "c":
            target = target[3]
        if ex.size(value) > LARGEST:
            value = ("x", "(an expression too long to state)", ex.type_of(value))
        if target[0] == "v":
            state.values[target[1]] = value
        elif target[0] == "m" and target[3] is not None:
            self._assign_member(target, value, state)
        elif target[0] == "u" and target[1] == 6:
            pointer = self.value(target[3], state)
            if pointer[:2] == ("u", "&") and pointer[3][0] == "v" and pointer[3][1][0] == "address":
                state.values[pointer[3][1][1]] = value
            else:
                state.values["u", "*", target[2].lstrip("&"), pointer] = value
        elif target[0] == "i":
            place = (
                "i",
                target[1].lstrip("&"),
                self.value(target[2], state),
                self.value(target[3], state),
            )
            for key in [k for k in state.values if isinstance(k, tuple) and k[0] == "i"]:
                if key[2] == place[2]:
                    del state.values[key]
                    state.values[key] = ("x", "(an element)", ex.type_of(key), self.number())
            state.values[place] = value

    def _assign_member(self, target: Node, value: Expression, state: State) -> None:
        base = self.value(target[3], state)
        if base[0] == "dim" and target[1] in "xyz" and target[3][0] == "v":
            parts = list(base)
            parts[1 + "xyz".index(target[1])] = value
            state.values[target[3][1]] = tuple(parts)
            return
        state.values["m", target[1], target[2].lstrip("&"), base] = value

    def _list(self, node: Node, state: State) -> Expression:
        values = [self.value(item, state) for item in node[1]]
        return values[0] if len(values) == 1 else ("x", "{…}", "?")

    def _lambda(self, node: Node, state: State) -> Expression:
        return ("x", "(a lambda)", "?")

    def _opaque(self, node: Node, state: State) -> Expression:
        for inner in node[3]:
            self.value(inner, state)
        return ("x", node[1] or "(…)", node[2].lstrip("&"), self.number())

    def _launch(self, node: Node, state: State) -> Expression:
        _, line, end, symbol, name, parts, arguments = node
        grid, block, shared = ([self.value(p, state) for p in parts] + [None] * 3)[:3]
        self._event(
            Event(
                "launch",
                (line, end),
                self.summary.file,
                state.path,
                state.assumes,
                tuple(self.loops),
                symbol,
                name,
                tuple(self.value(a, state) for a in arguments),
                None,
                grid,
                block,
                shared,
            ),
            state,
        )
        return ("x", "", "void")

    def _event(self, event: Event, state: State) -> None:
        if not self._quiet:
            self.summary.events.append(event)
        state.started = self.started_once = True

    def _call(self, node: Node, state: State) -> Expression:
        _, line, end, symbol, name, kind, written, mutable, base_node = node
        kind = kind.lstrip("&")
        if base_node == "new":
            return self._constructed(node, state)
        arguments = tuple(self.value(a, state) for a in written)
        base = self.value(base_node, state) if base_node is not None else None
        if name in _TRANSPARENT and len(arguments) == 1:
            return arguments[0]
        if name in _OPERATORS and len(arguments) == 2:
            return self._arithmetic(_OPERATORS[name], kind, *arguments)
        if name == "operator=" and len(arguments) == 2:
            self.assign(written[0], arguments[1], state)
            return arguments[1]
        if name in _PURE and symbol not in self.trees.trees:
            return standard(name, kind, arguments) or ("fn", name, kind, arguments)
        launches = self.trees.effects.launches(symbol)
        if launches:
            self._event(
                Event(
                    "call",
                    (line, end),
                    self.summary.file,
                    state.path,
                    state.assumes,
                    tuple(self.loops),
                    symbol,
                    name,
                    arguments,
                    base,
                ),
                state,
            )
        inlined = None if launches else self._inlined(symbol, arguments, base, kind)
        self._effects(symbol, name, written, mutable, arguments, state, launches=launches)
        if inlined is not None:
            return inlined
        if launches:
            return ("x", f"{name}(…)", kind, self.number())
        return ("call", name, kind, arguments, base, self.number())

    def _constructed(self, node: Node, state: State) -> Expression:
        name, kind, written = node[4], node[5].lstrip("&"), node[6]
        arguments = [self.value(a, state) for a in written]
        if name == "dim3":
            if len(arguments) == 3:
                return ("dim", *(_plain(a) for a in arguments))
            if len(arguments) == 1:
                first = arguments[0]
                one = ex.integer(1, "u32")
                return first if ex.type_of(first) == "?" else ("dim", _plain(first), one, one)
        if len(arguments) == 1:
            return arguments[0]  # a copy, or a number as a complex one
        return ("call", name, kind, tuple(arguments), None, self.number())

    def _inlined(
        self,
        symbol: str,
        arguments: tuple[Expression, ...],
        base: Expression | None,
        kind: str,
    ) -> Expression | None:
        summary = self.trees.summary(symbol)
        if summary is None or summary.problem or kind in ("void",) or not summary.returns:
            return None
        values: dict[Hashable, Expression] = {
            parameter.key: argument
            for parameter, argument in zip(summary.parameters, arguments, strict=False)
        }
        if base is not None:
            values["this"] = base
        result: Expression | None = None
        for way in reversed(summary.returns):
            if way.value is None or way.assumes or way.in_loop:
                return None
            if result is None:
                result = way.value
            else:
                result = ex.conditional(joined(way.conditions), way.value, result, kind)
            if ex.size(result) > LARGEST:
                return None
        if result is None or _escapes(result):
            return None
        result = substitute(result, values)
        return None if ex.size(result) > LARGEST else result

    def _effects(
        self,
        symbol: str,
        name: str,
        written: list[Node],
        mutable: list[int],
        arguments: tuple[Expression, ...],
        state: State,
        *,
        launches: bool,
    ) -> None:
        """What a call leaves changed."""
        summary = None if launches else self.trees.summary(symbol)
        values: dict[Hashable, Expression] = {}
        if summary is not None:
            values = {p.key: a for p, a in zip(summary.parameters, arguments, strict=False)}
        for index, node in enumerate(written):
            target = self._target(node, index in mutable, arguments[index])
            if target is None:
                continue
            if summary is not None and not summary.problem:
                output = summary.outputs.get(index)
                if output is not None:
                    made = substitute(output, self._with_targets(values, state))
                    if _escapes(made) or ex.size(made) > LARGEST:
                        made = ("x", f"{name}(…)", ex.type_of(made), self.number())
                    self._store(target, made, state)
                continue
            kind = "?"
            old = state.values.get(target)
            if old is not None:
                kind = ex.type_of(old)
            self._store(target, ("x", f"{name}(…)", kind, self.number()), state)
        for member_name in self.trees.effects.members(symbol):
            state.stale[member_name] = self.number()
            for key in [
                k for k in state.values if isinstance(k, tuple) and k[:2] == ("m", member_name)
            ]:
                del state.values[key]

    def _with_targets(
        self, values: dict[Hashable, Expression], state: State
    ) -> dict[Hashable, Expression]:
        return values

    def _store(self, target: Hashable, value: Expression, state: State) -> None:
        state.values[target] = value

    def _target(self, node: Node, reference: bool, argument: Expression) -> Hashable | None:
        """Where a callee may write through an argument."""
        while node[0] == "c":
            node = node[3]
        if reference and node[0] == "v":
            return int(node[1])
        if node[0] == "u" and node[1] == 5 and node[3][0] == "v":
            return int(node[3][1])
        if (
            argument[0] == "v"
            and ex.type_of(argument) == "p"
            and not isinstance(argument[1], tuple)
        ):
            # A pointer of the caller's own caller, handed on.
            return None if not isinstance(argument[1], int) else self._behind(argument)
        return None

    def _behind(self, pointer: Expression) -> Hashable | None:
        for parameter in self.summary.parameters:
            if parameter.key == pointer[1] and parameter.type_text.count("*") == 1:
                text = parameter.type_text
                if "const" in text.partition("*")[0] or text.startswith(("void", "const")):
                    return None
                kind = _POINTED.get(text.removesuffix("*").strip())
                return ("u", "*", kind, pointer) if kind else None
        return None

    _BY_TAG: ClassVar[dict[str, Any]] = {
        "k": _constant, "e": _enumerator, "f": _float, "v": _variable_read, "g": _global,
        "fn": _function, "m": _member, "i": _element, "c": _converted, "?": _conditional,
        "b": _binary, "u": _unary, "l": _list, "lambda": _lambda, "x": _opaque,
        "launch": _launch, "call": _call,
    }  # fmt: skip


_POINTED = {
    "unsigned long": "u64", "size_t": "u64", "bool": "b", "int": "i32", "long": "i64",
    "unsigned int": "u32", "rocblas_int": "i32", "int64_t": "i64",
}  # fmt: skip


def _plain(x: Expression) -> Expression:
    # A count of blocks or threads is positive wherever the launch is possible at all.
    while x[0] == "c" and x[1] == "u32" and x[2] in ("i32", "i64", "u64"):
        x = x[3]
    if x[0] == "?":
        return ex.conditional(x[2], _plain(x[3]), _plain(x[4]), x[1])
    return x


def _escapes(x: Any) -> bool:
    """Whether an expression speaks of something that only its function knows."""
    if not isinstance(x, tuple):
        return False
    if x and x[0] == "v" and isinstance(x[1], tuple):
        return True
    return any(_escapes(part) for part in x)
