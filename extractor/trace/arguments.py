"""Concrete arguments: from what a trace says to what the worker passes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from extractor.errors import RuleError, UserError
from extractor.glob import match_name
from extractor.trace.effect_values import size_of
from extractor.trace.prototypes import Parameter, Prototype
from extractor.trace.worker import packed
from extractor.trace_rule import ParameterRule
from extractor.trace_rule import Trace as TraceRule

Value = int | float | str | list[float]

_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
_FUNCTIONS = {"max": max, "min": min}
_MOST_POINTERS = 4096
_DEFAULT_SIZE = 100


@dataclass(frozen=True)
class Caller:
    """Knows how one library's entry points are called.

    Args:
        rule: The rule file's ``[trace]``.
        enumerations: Values of enumerators, by type.
    """

    rule: TraceRule
    enumerations: Mapping[str, Mapping[str, int]]

    def line(self, entry: str, parameter: Parameter) -> ParameterRule | None:
        """The rule's line for a parameter."""
        for line in self.rule.parameters:
            if line.entries and not match_name(entry, line.entries):
                continue
            if match_name(parameter.name, line.names):
                return line
        return None

    def role(self, entry: str, parameter: Parameter) -> str:
        """``handle``, ``enumeration``, ``pointers``, ``unknown`` or a role of the rule."""
        if parameter.kind == "other":
            return "handle" if parameter.type == self.rule.handle else "null"
        if parameter.kind in ("enumeration", "pointers"):
            return parameter.kind
        line = self.line(entry, parameter)
        if parameter.kind == "pointer":
            known = line is not None and line.role not in ("number", "size")
            return line.role if known and line else "array"
        return line.role if line and line.role in ("number", "size") else "unknown"

    def named(self, entry: str, parameter: Parameter) -> bool:
        """Whether a trace names the parameter's value."""
        role = self.role(entry, parameter)
        return role in ("enumeration", "number", "size", "unknown", "scalar")

    def enumerators(self, parameter: Parameter) -> dict[str, int]:
        """Values of an enumeration's parameter by what a trace calls them."""
        known = self.enumerations.get(parameter.type, {})
        return {self.rule.letters.get(name, name): value for name, value in known.items()}

    def complete(self, prototype: Prototype, given: Mapping[str, Value]) -> dict[str, Value]:
        """All values that a trace names, with defaults for those that are not given.

        Raises:
            UserError: A name that the entry point does not have.
        """
        names = [p.name for p in prototype.parameters if self.named(prototype.name, p)]
        same = self.shared_memory(prototype, given)
        for name in given:
            if name not in names and name not in same:
                raise UserError(f"{prototype.name} has no argument '{name}'; it has {names}")
        return {**_Resolver(self, prototype, given).all(), **same}

    def alike(self, prototype: Prototype) -> list[tuple[str, str]]:
        """Pairs of array parameters of one type: the second may have the first's memory."""
        arrays = [
            p for p in prototype.parameters if self.role(prototype.name, p) in ("array", "pointers")
        ]
        return [
            (one.name, other.name)
            for number, one in enumerate(arrays)
            for other in arrays[number + 1 :]
            if (one.kind, one.type) == (other.kind, other.type)
        ]

    def shared_memory(self, prototype: Prototype, given: Mapping[str, Value]) -> dict[str, Value]:
        """Of what is given, array parameters that have the memory of another one, named so."""
        pairs = self.alike(prototype)
        return {name: value for name, value in given.items() if (value, name) in pairs}

    def wire(
        self, prototype: Prototype, args: Mapping[str, Value], pointer_mode: str
    ) -> list[list[Any]]:
        """What the worker passes, in order.

        Raises:
            UserError: A value that a parameter cannot have.
        """
        return [self._wire(prototype, p, args, pointer_mode) for p in prototype.parameters]

    def _wire(
        self, prototype: Prototype, parameter: Parameter, args: Mapping[str, Value], where: str
    ) -> list[Any]:
        role = self.role(prototype.name, parameter)
        value = args.get(parameter.name)
        if role in ("array", "pointers") and value is not None:
            names = [each.name for each in prototype.parameters]
            return ["same", names.index(str(value))]
        if role in ("handle", "null", "array"):
            return [role]
        if role == "pointers":
            count = args.get("batch_count", 1)
            return [role, max(0, count) if isinstance(count, int) else 1]
        if role == "host":
            return ["memory", "host", ""]
        if role == "result":
            return ["memory", where, ""]
        if role == "scalar":
            line = self.line(prototype.name, parameter)
            form = self._form(prototype, parameter, args)
            values = value if isinstance(value, list) else [value]
            data = packed(form, [float(item) for item in values if item is not None])
            return ["memory", where, (data * (line.count if line else 1)).hex()]
        if role == "enumeration":
            return ["integer", parameter.bits, self._enumerator(parameter, value)]
        if parameter.kind == "floating":
            return ["floating", parameter.bits, float(_number(parameter, value))]
        return ["integer", parameter.bits, int(_number(parameter, value))]

    def _enumerator(self, parameter: Parameter, value: Value | None) -> int:
        if isinstance(value, int):
            return value
        known = {**self.enumerations.get(parameter.type, {}), **self.enumerators(parameter)}
        if not isinstance(value, str) or value not in known:
            raise UserError(f"{parameter.name} cannot be '{value}'; known: {', '.join(known)}")
        return known[value]

    def _form(self, prototype: Prototype, parameter: Parameter, args: Mapping[str, Value]) -> str:
        """How a scalar is stored: by its type, else by the parameter that says what it is."""
        form = self.rule.elements.get(parameter.type)
        if form is not None:
            return form
        by_name = {each.name: each for each in prototype.parameters}
        for pattern in self.rule.scalar_types:
            teller = by_name.get(pattern.replace("{name}", parameter.name))
            if teller is None or teller.kind != "enumeration":
                continue
            number = self._enumerator(teller, args.get(teller.name))
            for name, value in self.enumerations.get(teller.type, {}).items():
                if value == number and name in self.rule.elements:
                    return self.rule.elements[name]
        return "dd"  # room for whatever it is


def evaluate(text: str, value_of: Callable[[str], Any]) -> Any:
    """The value of an expression of a rule file over other parameters.

    Raises:
        RuleError: Something else than numbers, names, ``+ - * //``, ``max`` and ``min``.
    """

    def visit(node: ast.AST) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.Name):
            return value_of(node.id)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](visit(node.left), visit(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -visit(node.operand)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _FUNCTIONS
            and not node.keywords
        ):
            return _FUNCTIONS[node.func.id](*map(visit, node.args))
        raise RuleError(f"'{text}' is no expression over parameters; see rules/README.md")

    try:
        return visit(ast.parse(text, mode="eval").body)
    except SyntaxError as error:
        raise RuleError(f"'{text}' is no expression: {error.msg}") from error


class _Resolver:
    """Defaults of one call, each from those it depends on."""

    def __init__(self, caller: Caller, prototype: Prototype, given: Mapping[str, Value]) -> None:
        self._caller, self._prototype = caller, prototype
        self._values: dict[str, Value] = {}
        self._given = given
        self._parameters = {p.name: p for p in prototype.parameters}

    def all(self) -> dict[str, Value]:
        """By name, in the order of the parameters."""
        return {
            parameter.name: self._value(parameter)
            for parameter in self._prototype.parameters
            if self._caller.named(self._prototype.name, parameter)
        }

    def _value(self, parameter: Parameter) -> Value:
        name = parameter.name
        if name not in self._values:
            self._values[name] = 0  # a circle of expressions ends here
            self._values[name] = self._resolved(parameter)
        return self._values[name]

    def _resolved(self, parameter: Parameter) -> Value:
        given = self._given.get(parameter.name)
        line = self._caller.line(self._prototype.name, parameter)
        if given is None:
            given = default_of(self._caller, self._prototype.name, parameter, line)
        if parameter.kind in ("integer", "floating") and isinstance(given, str):
            try:
                result: Value = evaluate(given, self._named)
            except KeyError:
                raise UserError(f"{parameter.name} is a number, not '{given}'") from None
            return result
        return given

    def _named(self, name: str) -> Value:
        if name == "sizes":
            return max([1, *self._with_role("size")])
        if name == "ld":
            leading = [v for n, v in self._leading() if isinstance(v, int)]
            return max([1, *leading])
        if name in self._parameters:
            parameter = self._parameters[name]
            if parameter.kind in ("pointer", "pointers"):
                raise KeyError(name)  # memory is no number
            return self._value(parameter)
        if not any(match_name(name, line.names) for line in self._caller.rule.parameters):
            raise KeyError(name)
        # `batch_count` of an entry point that has none.
        return 1

    def _with_role(self, role: str) -> list[int]:
        entry = self._prototype.name
        values = [
            self._value(parameter)
            for parameter in self._prototype.parameters
            if self._caller.role(entry, parameter) == role
        ]
        return [value for value in values if isinstance(value, int)]

    def _leading(self) -> list[tuple[str, Value]]:
        return [
            (name, self._value(parameter))
            for name, parameter in self._parameters.items()
            if name.startswith("ld") and parameter.kind == "integer"
        ]


def default_of(
    caller: Caller, entry: str, parameter: Parameter, line: ParameterRule | None
) -> Value:
    """What a parameter is given when nobody says."""
    if parameter.kind == "enumeration":
        known = caller.enumerators(parameter)
        named = [caller.rule.letters.get(str(v), str(v)) for v in line.values] if line else []
        return next((value for value in named if value in known), next(iter(known), 0))
    if line is not None and line.values:
        return line.values[0]
    return _DEFAULT_SIZE if caller.role(entry, parameter) == "size" else 1


def _number(parameter: Parameter, value: Value | None) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{parameter.name} is a number, not '{value}'")
    return value


__all__ = ["Caller", "Value", "default_of", "evaluate", "size_of"]
