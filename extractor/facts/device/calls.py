"""Calls in a kernel: what HIP provides, and device functions read in place of their calls."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.builtins import BARRIERS, LANES, SHUFFLES, VOTES, is_atomic
from extractor.facts.device.expressions import FLOAT, Expressions, Frame
from extractor.facts.device.node import Function, Node
from extractor.facts.device.polynomial import Polynomial
from extractor.facts.device.record import Barrier, Condition, Lanes
from extractor.facts.device.symbols import DATA, SHARED_DATA, Atom
from extractor.facts.device.template_text import evaluated
from extractor.facts.device.values import UNSET, Memory, Nowhere, Pointer, Unknown, Value, Variable

_DEPTH = 14
_NODES = 60_000
_COMPOUND = {"operator+=", "operator-=", "operator*=", "operator/="}


class Calls(Expressions):
    """Expressions with their calls followed."""

    budget = _NODES

    def call(self, node: Node) -> Value:
        """The value of a call, and what it does to memory and variables."""
        extra = node[n.EXTRA]
        arguments = [kid for kid in node[n.KIDS] if kid[n.KIND] != n.OBJECT]
        objects = [kid[n.KIDS][0] for kid in node[n.KIDS] if kid[n.KIND] == n.OBJECT]
        if extra is None:
            return self._opaque([self.value(kid) for kid in (*arguments, *objects)])
        target, name, kind = extra[:3]
        if name in BARRIERS:
            return self._barrier(node, name, arguments)
        if name in SHUFFLES or name in VOTES or name in LANES:
            return self._lanes(node, name, arguments)
        if is_atomic(name) and arguments:
            return self._atomic(node, arguments)
        if kind == n.CONSTRUCTOR:
            values = [self.value(kid) for kid in arguments]
            return values[0] if len(values) == 1 else self.unresolved(FLOAT, *values)
        if name in ("min", "max", "abs") and arguments and self._of_integers(arguments):
            return self._known(name, [self.value(kid) for kid in arguments])
        if name.startswith("operator") and name != "operator()":
            return self._operator(node, name, arguments, objects)
        function = self.functions.get(target)
        if function is None or function.body is None:
            return self._outside(name, arguments, objects, extra)
        return self._inlined(node, function, arguments, objects, extra)

    @abstractmethod
    def run(self, body: Node) -> bool:
        """Reads a function's body; statements know how."""

    def _of_integers(self, arguments: list[Node]) -> bool:
        # The result may be a double, as HIP has it for two kinds of integers; its value is theirs.
        kinds = [self.type_of(kid) for kid in arguments]
        return all(kind is not None and kind.integer for kind in kinds)

    def _known(self, name: str, values: list[Value]) -> Value:
        numbers = [value for value in values if isinstance(value, Polynomial)]
        if len(numbers) != len(values):
            return self.unresolved("a call with an unresolved argument", *values)
        known = [value.constant for value in numbers if value.constant is not None]
        if len(known) == len(numbers):
            if name == "abs":
                return Polynomial.number(abs(known[0]))
            return Polynomial.number(min(known) if name == "min" else max(known))
        if len(numbers) == 2 and numbers[0] == numbers[1]:
            return numbers[0]
        ordered = sorted(numbers, key=lambda value: value.text) if name != "abs" else numbers
        return self.symbols.operation(name, *ordered)

    def _opaque(self, values: list[Value], reason: str = "the result of a call") -> Unknown:
        return self.unresolved(reason, *values)

    def _barrier(self, node: Node, name: str, arguments: list[Node]) -> Value:
        values = [self.value(kid) for kid in arguments]
        if not self.rehearsal:
            left = tuple(condition for frame in self.frames for condition in frame.left)
            where = (node, self.frame.function, name, self.path, left, self.through)
            self.record.barriers.append(Barrier(*where))
        return (
            Unknown("the result of a barrier", frozenset({SHARED_DATA}))
            if values
            else Unknown("nothing", frozenset())
        )

    def _lanes(self, node: Node, name: str, arguments: list[Node]) -> Value:
        values = [self.value(kid) for kid in arguments]
        if not self.rehearsal:
            written = tuple(v.text if isinstance(v, Polynomial) else "" for v in values)
            where = (node, self.frame.function, name, written, self.through)
            self.record.lanes.append(Lanes(*where))
        if name in LANES:
            return self.symbols.named("lane", Atom("builtin", frozenset({"lane"})))
        uniform = name in VOTES or "readfirstlane" in name
        return Unknown(f"the result of {name}", frozenset({SHARED_DATA if uniform else DATA}))

    def _atomic(self, node: Node, arguments: list[Node]) -> Value:
        target = self.at(self.value(arguments[0]))
        for kid in arguments[1:]:
            self.value(kid)
        if isinstance(target, Memory | Nowhere) and not self.rehearsal:
            before = len(self.record.accesses)
            self.note("atomic", target, node)
            for number in range(before, len(self.record.accesses)):
                access = self.record.accesses[number]
                kind = self.type_of(arguments[0])
                if kind is not None and kind.pointer:
                    object.__setattr__(access, "type", kind.inner)
        return Unknown("the result of an atomic operation", frozenset({DATA}))

    def _operator(self, node: Node, name: str, arguments: list[Node], objects: list[Node]) -> Value:
        sides = [*objects, *arguments]
        if name == "operator=" and len(sides) == 2:
            place = self.place(sides[0])
            value = self.value(sides[1])
            self.store(place, value, sides[0])
            return value
        if name in _COMPOUND and len(sides) == 2:
            place = self.place(sides[0])
            old = self.load(place, sides[0])
            new = self.unresolved(FLOAT, old, self.value(sides[1]))
            self.store(place, new, sides[0])
            return new
        return self.unresolved(FLOAT, *(self.value(kid) for kid in sides))

    def _outside(
        self, name: str, arguments: list[Node], objects: list[Node], extra: list[Any]
    ) -> Value:
        values: list[Value] = [self.value(kid) for kid in objects]
        parameters = [self.types[number] for number in extra[6]]
        for position, kid in enumerate(arguments):
            kind = parameters[position] if position < len(parameters) else None
            if kind is not None and kind.reference and not self.types[kind.inner].constant:
                place = self.place(kid)
                values.append(self.load(place, kid))
                self.store(place, Unknown(f"changed by {name}"), kid)
                continue
            value = self.value(kid)
            values.append(value)
            if isinstance(value, Pointer) and kind is not None and kind.pointer:
                constant = self.types[kind.inner].constant
                access = "load" if constant or "load" in name else "store"
                if value.buffer.kind == "local":
                    if value.buffer.declaration >= 0 and not constant:
                        changed = Unknown(f"changed by {name}")
                        self.store(Variable(value.buffer.declaration), changed, kid)
                elif self.types[kind.inner].size > 0:
                    self.note(access, Memory(value), kid)
        return self._opaque(values, f"the result of {name}")

    def _inlined(
        self,
        node: Node,
        function: Function,
        arguments: list[Node],
        objects: list[Node],
        extra: list[Any],
    ) -> Value:
        depth = sum(frame.function.id == function.id for frame in self.frames)
        if len(self.frames) > _DEPTH or depth > 2 or self.budget <= 0:
            values = [self.value(kid) for kid in arguments]
            for value in values:
                if isinstance(value, Pointer) and value.buffer.kind == "global":
                    lost = Nowhere(
                        f"{function.name} calls too deep to be followed", frozenset(), True
                    )
                    self.note("load", lost, node)
            return self._opaque(values, f"{function.name} calls too deep to be followed")
        constants = self._constants(function, extra[7])
        bound: list[tuple[int, Any]] = []
        for parameter, kid in zip(function.parameters, arguments, strict=False):
            bound.append((parameter[0], self._argument(self.types[parameter[2]], kid)))
        for kid in objects:
            if kid[n.KIND] != n.DECL_REF:
                self.value(kid)
        for declaration, value in bound:
            self.variables[declaration] = value
        for missing in function.parameters[len(arguments) :]:
            self.variables[missing[0]] = Unknown("an argument that is not given")
        frame = Frame(function, constants, len(self.path), len(self.loops), len(self.exits))
        entry, through = self.path, self.through
        place = f"{node[n.FILE]}:{node[n.LINE]}:{node[n.COLUMN]}"
        self.through = (*through, place)
        self.frames.append(frame)
        assert function.body is not None
        live = self.run(function.body)
        self.frames.pop()
        self.through, self.path = through, entry
        return self._returned(frame, live)

    def _argument(self, kind: Any, node: Node) -> Any:
        if kind.reference:
            inner = self.types[kind.inner]
            if inner.array or not inner.constant:
                place = self.place(node)
                if isinstance(place, Nowhere) and not place.through_pointer:
                    return Unknown(place.reason, place.depends)
                if isinstance(place, Variable) and isinstance(
                    self.variables.get(place.declaration), type(None)
                ):
                    self.variables.setdefault(place.declaration, UNSET)
                return place
        return self.value(node)

    def _constants(self, function: Function, call: str) -> dict[str, Polynomial]:
        """Values of a template's constants: as the call writes them, else as built."""
        written = _template_arguments(call)
        result: dict[str, Polynomial] = {}
        for position, name in enumerate(function.order):
            known = function.constants.get(name)
            if name in function.types:
                continue
            if position < len(written):
                text = written[position]
                value = evaluated(text, self.frame.constants, self.integer, self.negated)
                if value is not None:
                    result[name] = value
                    continue
            if known is not None:
                if function.constants.get(name) == self.frame.function.constants.get(name) and (
                    name in self.frame.constants
                ):
                    # Deduced from an argument that has the caller's constant in its type.
                    result[name] = self.frame.constants[name]
                    continue
                info = {"value": known}
                atom = Atom("template constant", info=info)
                result[name] = self.symbols.named(f"{function.name}::{name}", atom)
        return result

    def _returned(self, frame: Frame, live: bool) -> Value:
        if not frame.returns:
            return Unknown("no value", frozenset())
        returns = list(frame.returns)
        inside = any(loops > frame.loops for *_, loops in returns)
        if live:
            returns.append(((), None, self.variables, frame.loops))
        *_, last = returns
        value = last[1]
        self.variables = last[2]
        for path, other, variables, _ in reversed(returns[:-1]):
            condition = self._all(path[frame.entry :])
            if inside:
                condition = Unknown("a return inside a loop", self.depends(condition))
            self.merge(condition, variables)
            if value is None or other is None:
                value = value or other
            else:
                value = self.select(condition, other, value)
        return value if value is not None else Unknown("no value", frozenset())

    def _all(self, path: tuple[Condition, ...]) -> Value:
        result: Polynomial | None = None
        depends: set[str] = set()
        for condition in path:
            depends |= condition.depends
            if condition.value is None:
                return Unknown("a condition that is not resolved", frozenset(depends))
            if result is None:
                result = condition.value
            else:
                result = self.symbols.operation("&&", result, condition.value)
        return result if result is not None else Polynomial.number(1)


def _template_arguments(text: str) -> list[str]:
    """The explicit template arguments in a callee's text.

    Example:
        >>> _template_arguments("reduce<NB, pair<int, T>, (N > 2)>")
        ['NB', ' pair<int, T>', ' (N > 2)']
    """
    start = text.find("<")
    if start < 0:
        return []
    parts, current = [], ""
    around: list[str] = []
    for character in text[start + 1 :]:
        if character in "([" or (character == "<" and around[-1:] in ([], ["<"])):
            around.append(character)
        elif character in ")]" or (character == ">" and around[-1:] in ([], ["<"])):
            if not around:
                break
            around.pop()
        elif character == "," and not around:
            parts.append(current)
            current = ""
            continue
        current += character
    return [*parts, current]
