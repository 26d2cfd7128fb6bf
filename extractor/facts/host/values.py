"""Values of expressions in a state of the symbolic walk, and what assignments change in it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from extractor.facts.host import expression as ex
from extractor.facts.host.expression import Expression
from extractor.facts.host.state import LARGEST, State
from extractor.facts.host.substitution import element, member
from extractor.facts.host.summary import Loop, Summary
from extractor.facts.host.trees import Trees

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


class Values:
    """Values of expressions; what calls and launches do is for who inherits from it.

    Args:
        summary: Of the function.
        trees: Every tree.
    """

    def __init__(self, summary: Summary, trees: Trees) -> None:
        self.summary, self.trees = summary, trees
        self.loops: list[Loop] = []
        self.quiet = False

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
            before, self.quiet = self.quiet, True
            try:
                return self.value(node, state)
            finally:
                self.quiet = before
        made: Expression = self.BY_TAG[node[0]](self, node, state)
        return made

    def declared(self, key: int, name: str, kind: str, initial: Node, state: State) -> None:
        """A variable with an initialiser."""
        value = self.value(initial, state)
        if initial[0] == "l" and len(initial[1]) == 1 and kind == "?" and _table(value):
            value = ("list", value)
        state.values[key] = value

    def may_write(self, place: Expression, body: Any) -> bool:
        """Whether a loop's body may write what a pointer refers to, or a member."""
        from extractor.facts.host.loops import walked

        name = place[1] if place[0] == "m" else None
        for node in walked(body):
            if node[0] == "call" and len(node) == 9 and place[0] == "m":
                if name in self.trees.effects.members(node[3]):
                    return True
            elif node[0] == "b" and len(node) == 5 and 22 <= node[1] <= 32:
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
        return ("g", node[1], node[2].lstrip("&"), *node[3:])

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
        base, index = self.value(node[2], state), self.value(node[3], state)
        place = element(node[1].lstrip("&"), base, index)
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
            value = self.arithmetic(_COMPOUND[op], kind, target, self.value(node[4], state))
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
            return ("x", "(…)", kind, self.number())
        return self.arithmetic(name, kind, left, right)

    @staticmethod
    def arithmetic(op: str, kind: str, left: Expression, right: Expression) -> Expression:
        """A binary operation on values."""
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
                copied = _original(state.values.get(target[1]))
                if copied is not None:
                    return copied
                return ("u", "&", "p", ("v", ("address", target[1]), target[2], "p"))
            return ("u", "&", "p", self.value(target, state))
        value = self.value(node[3], state)
        name = _UNARY.get(op)
        if name == "+":
            return value
        if name == "*":
            place = ("u", "*", kind, value)
            if value[:2] == ("u", "&") and value[3][0] == "v" and value[3][1][0] == "address":
                unknown = ("x", "(…)", kind, self.number())
                return state.values.get(value[3][1][1], unknown)
            return state.values.get(place, place)
        if name is None:
            return ("x", "(…)", kind, self.number())
        return ex.unary(name, kind, value)

    def assign(self, target: Node, value: Expression, state: State) -> None:
        """Stores a value where an expression says."""
        while target[0] == "c":
            target = target[3]
        if ex.size(value) > LARGEST:
            value = ("x", "(an expression too long to state)", ex.type_of(value), self.number())
        if target[0] == "v":
            state.values[target[1]] = value
        elif target[0] == "m" and target[3] is not None:
            self._assign_member(target, value, state)
        elif target[0] == "u" and target[1] == 6:
            state.wrote = True
            pointer = self.value(target[3], state)
            if pointer[:2] == ("u", "&") and pointer[3][0] == "v" and pointer[3][1][0] == "address":
                state.values[pointer[3][1][1]] = value
            else:
                state.values["u", "*", target[2].lstrip("&"), pointer] = value
        elif target[0] == "i" and self.array(target[2], state) is not None:
            self.forget_array(target[2], state)
        elif target[0] == "i":
            state.wrote = True
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

    @staticmethod
    def array(node: Node, state: State) -> int | None:
        """The variable that an expression names, where it is an array of constants so far."""
        while node[0] in ("c", "i"):
            node = node[3] if node[0] == "c" else node[2]
        if node[0] != "v" or state.values.get(node[1], ("?",))[0] != "list":
            return None
        return int(node[1])

    def forget_array(self, node: Node, state: State) -> None:
        """An array of constants that something is written to is none any more."""
        key = self.array(node, state)
        if key is not None:
            state.values[key] = ("x", "{…}", "?", self.number())

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
        if len(values) > 1 and all(map(_table, values)):
            return ("list", *values)
        return values[0] if len(values) == 1 else ("x", "{…}", "?")

    def _lambda(self, node: Node, state: State) -> Expression:
        return ("x", "(a lambda)", "?")

    def _opaque(self, node: Node, state: State) -> Expression:
        for inner in node[3]:
            self.value(inner, state)
        return ("x", node[1] or "(…)", node[2].lstrip("&"), self.number())

    BY_TAG: ClassVar[dict[str, Any]] = {
        "k": _constant, "e": _enumerator, "f": _float, "v": _variable_read, "g": _global,
        "fn": _function, "m": _member, "i": _element, "c": _converted, "?": _conditional,
        "b": _binary, "u": _unary, "l": _list, "lambda": _lambda, "x": _opaque,
    }  # fmt: skip


def _table(value: Expression) -> bool:
    """A number, or an array of them."""
    return ex.value_of(value) is not None or value[0] == "list"


def _original(value: Expression | None, *, part: bool = False) -> Expression | None:
    """A pointer to what a variable is a copy of, and so to the same content; ``None`` for no copy.

    A side of a choice may be a constant: that side points to the constant.
    """
    if value is None:
        return None
    if value[:2] == ("u", "*"):
        return tuple(value[3])
    if part and value[0] in ("k", "f", "e"):
        return ("u", "&", "p", value)
    if value[0] != "?":
        return None
    sides = [_original(side, part=True) for side in value[3:5]]
    if (
        sides[0] is None
        or sides[1] is None
        or all(side[:2] == ("u", "&") for side in sides if side)
    ):
        return None
    return ex.conditional(value[2], sides[0], sides[1], "p")
