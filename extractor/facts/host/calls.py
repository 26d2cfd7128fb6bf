"""Launches and calls of the symbolic walk, and what a call leaves changed."""

from __future__ import annotations

from collections.abc import Hashable
from fnmatch import fnmatchcase
from typing import Any, ClassVar

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import joined
from extractor.facts.host.expression import Expression
from extractor.facts.host.state import LARGEST, State, failed
from extractor.facts.host.substitution import standard, substitute
from extractor.facts.host.summary import Event, Summary
from extractor.facts.host.trees import Trees
from extractor.facts.host.values import Node, Values

_TRANSPARENT = frozenset({"forward", "move", "as_const", "real_if_same"})
_PURE = frozenset({
    "min", "max", "abs", "ceil", "floor", "sqrt", "log2", "pow", "log", "log10", "round", "fabs",
})  # fmt: skip
_COPIES = ("memcpy", "hipMemcpy", "hipMemcpyAsync")
_EXTREMES = ("min", "max")
_OPERATORS = {
    f"operator{op}": op
    for op in ("==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&&", "||")
}


class Calls(Values):
    """Values with those of calls; launches, and calls that lead to some, become events.

    Args:
        summary: Takes the events.
        trees: Every tree.
    """

    def __init__(self, summary: Summary, trees: Trees) -> None:
        super().__init__(summary, trees)
        self.started_once = False

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
        state.wrote = True
        return ("x", "", "void")

    def _changed(self, state: State) -> frozenset[str]:
        """Members that may have been written before; in a loop, by what follows as well."""
        written = {k[1] for k in state.values if isinstance(k, tuple) and k[0] == "m"}
        if self.loops:
            written |= self.trees.effects.members(self.summary.symbol)
        return frozenset(written.union(state.stale))

    def _content(self, argument: Expression, state: State) -> Expression | None:
        """What the variable holds whose address an argument is."""
        if argument[0] == "?":
            sides = [self._content(side, state) for side in argument[3:5]]
            if sides[0] is None or sides[1] is None:
                return None
            return ex.conditional(argument[2], sides[0], sides[1], ex.type_of(sides[0]))
        if argument[:2] != ("u", "&"):
            return None
        inner: Expression = argument[3]
        if inner[0] in ("k", "e", "f"):
            return inner
        if inner[0] == "v" and isinstance(inner[1], tuple) and inner[1][0] == "address":
            return state.values.get(inner[1][1])
        return None

    def _event(self, event: Event, state: State) -> None:
        if not self.quiet:
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
            return self.arithmetic(_OPERATORS[name], kind, *arguments)
        if name == "operator=" and len(arguments) == 2:
            self.assign(written[0], arguments[1], state)
            return arguments[1]
        if name in _EXTREMES and len(written) == 1:
            listed = _listed(written[0])
            if len(listed) > 1:
                return self._extreme(name, kind, [self.value(item, state) for item in listed])
        if name in _PURE and symbol not in self.trees.trees:
            return standard(name, kind, arguments) or ("fn", name, kind, arguments)
        event = Event(
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
            contents=tuple(self._content(a, state) for a in arguments),
            changed=self._changed(state),
            wrote=state.wrote or bool(self.loops),
        )
        if not self.quiet and any(fnmatchcase(name, glob) for glob in self.trees.workspace):
            self.summary.workspace.append(event)
        launches = self.trees.effects.launches(symbol)
        if launches:
            self._event(event, state)
        inlined = None if launches else self._inlined(symbol, arguments, base, kind, state)
        self._effects(symbol, name, written, mutable, arguments, state, launches=launches)
        if name in _COPIES and len(written) > 2:
            self._copied(written[0], arguments, state)
        if inlined is not None:
            return inlined
        if launches:
            return ("x", f"{name}(…)", kind, self.number())
        return ("call", name, kind, arguments, base, self.number())

    @staticmethod
    def _extreme(name: str, kind: str, values: list[Expression]) -> Expression:
        """The smallest or largest of a list."""
        result = values[0]
        for value in values[1:]:
            both = (result, value)
            result = standard(name, kind, both) or ("fn", name, kind, both)
        return result

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
        state: State,
    ) -> Expression | None:
        """What a call returns, over the arguments; where a step on the way may fail, on the
        supposition that it did not."""
        summary = self.trees.summary(symbol)
        if summary is None or summary.problem or kind in ("void",) or not summary.returns:
            return None
        result = self._returned(summary, arguments, base, kind, state)
        if result is None and any(argument[0] == "list" for argument in arguments):
            # What a search in a table finds depends on the table.
            known = tuple(a if a[0] in ("k", "e", "list") else None for a in arguments)
            special = self.trees.specialised(symbol, known)
            if special is not None and not special.problem:
                result = self._returned(special, arguments, base, kind, state)
        return result

    def _returned(
        self,
        summary: Summary,
        arguments: tuple[Expression, ...],
        base: Expression | None,
        kind: str,
        state: State,
    ) -> Expression | None:
        values: dict[Hashable, Expression] = {
            parameter.key: argument
            for parameter, argument in zip(summary.parameters, arguments, strict=False)
        }
        if base is not None:
            values["this"] = base
        result: Expression | None = None
        ways = summary.returns
        supposed = dict.fromkeys(one for way in ways for one in way.assumes)
        if supposed:
            ways = [way for way in ways if not failed(way.conditions)]
        for way in reversed(ways):
            if way.value is None or way.in_loop:
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
        if ex.size(result) > LARGEST or any(map(_escapes, supposed)):
            return None
        made = (substitute(one, values) for one in supposed)
        state.assumes = (*state.assumes, *(one for one in made if one not in state.assumes))
        return result

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
        if launches or mutable or any(ex.type_of(a) in ("p", "?") for a in arguments):
            state.wrote = True
        summary = None if launches else self.trees.summary(symbol)
        values: dict[Hashable, Expression] = {}
        if summary is not None:
            values = {p.key: a for p, a in zip(summary.parameters, arguments, strict=False)}
        for index, node in enumerate(written):
            written_to = summary is None or summary.problem or index in summary.outputs
            if written_to and arguments[index][0] == "list":
                self.forget_array(node, state)
            target = self._target(node, index in mutable, arguments[index])
            if target is None or self.trees.reads_only(symbol, index):
                continue
            if summary is not None and not summary.problem:
                output = summary.outputs.get(index)
                if output is not None:
                    made = substitute(output, self._with_targets(values, state))
                    if _escapes(made) or ex.size(made) > LARGEST:
                        made = ("x", f"{name}(…)", ex.type_of(made), self.number())
                    self._store(target, made, state)
                continue
            old = state.values.get(target)
            if old is not None:
                kind = ex.type_of(old)
            else:
                kind = target[2] if isinstance(target, tuple) else _kind(node)
            left = None
            if summary is None and not launches and kind[:1] in ("i", "u"):
                left = self._left_behind(name, written, mutable, arguments, index, kind)
            self._store(target, left or ("x", f"{name}(…)", kind, self.number()), state)
        for member_name in self.trees.effects.members(symbol):
            state.stale[member_name] = self.number()
            for key in [
                k for k in state.values if isinstance(k, tuple) and k[:2] == ("m", member_name)
            ]:
                del state.values[key]

    def _left_behind(
        self,
        name: str,
        written: list[Node],
        mutable: list[int],
        arguments: tuple[Expression, ...],
        index: int,
        kind: str,
    ) -> Expression | None:
        """A number that a function of another library leaves behind an argument, as a term that
        names the call and the argument; ``None`` where what it is given cannot be said."""
        given = tuple(
            argument
            for number, (node, argument) in enumerate(zip(written, arguments, strict=True))
            if self._target(node, number in mutable, argument) is None
        )
        if any(map(_escapes, given)) or sum(map(ex.size, given)) > LARGEST:
            return None
        call = ("call", name, "?", given, None, self.number())
        return ("m", f"argument_{index + 1}", kind, call)

    def _copied(self, node: Node, arguments: tuple[Expression, ...], state: State) -> None:
        """A variable that was copied from where a pointer points to has the value found there."""
        while node[0] == "c":
            node = node[3]
        if node[0] == "u" and node[1] == 5 and node[3][0] == "v":
            kind = node[3][3].lstrip("&")
            state.values[node[3][1]] = ex.unary("*", kind, arguments[1])

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

    BY_TAG: ClassVar[dict[str, Any]] = {**Values.BY_TAG, "launch": _launch, "call": _call}


_POINTED = {
    "unsigned long": "u64", "size_t": "u64", "bool": "b", "int": "i32", "long": "i64",
    "unsigned int": "u32", "rocblas_int": "i32", "int64_t": "i64",
}  # fmt: skip


def _listed(node: Node) -> list[Node]:
    """What stands in braces, also where it is converted to a list of the standard library."""
    while node[0] in ("c", "x", "l"):
        inner = node[1] if node[0] == "l" else node[3] if node[0] == "x" else [node[3]]
        if len(inner) != 1:
            return list(inner) if node[0] == "l" else []
        node = inner[0]
    return []


def _kind(node: Node) -> str:
    """Type of the variable that is passed by reference or by its address."""
    while node[0] == "c":
        node = node[3]
    if node[0] == "u" and node[1] == 5:
        node = node[3]
    return str(node[3]).lstrip("&") if node[0] == "v" else "?"


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
