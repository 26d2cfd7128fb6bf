"""Values of the expressions in facts, on concrete arguments.

An expression's integers are mathematical ones; division goes towards zero, and a conversion such
as ``int32_t(x)`` is written wherever it can change a value. ``evaluate`` says what such a text is
worth, and ``holds`` what a condition is worth, where some of its symbols may be unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from extractor.facts.host.expression import arithmetic, wrapped

Value = int | float | complex | str
_TOKEN = re.compile(
    r"\s*(?:(\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)|(\d+)|([A-Za-z_][\w@:]*)|"
    r"(->|&&|\|\||<<|>>|[<>=!]=|[-+*/%&|^~!<>?:().,\[\]{}]))"
)
_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_TYPES = {
    "int8_t": "i8", "int16_t": "i16", "int32_t": "i32", "int64_t": "i64", "uint8_t": "u8",
    "uint16_t": "u16", "uint32_t": "u32", "size_t": "u64", "bool": "b",
}  # fmt: skip
_FLOATS = ("float", "double", "half")
_FUNCTIONS: dict[str, Any] = {
    "min": min, "max": max, "abs": abs, "fabs": abs, "sqrt": math.sqrt, "log2": math.log2,
    "log": math.log, "log10": math.log10, "ceil": math.ceil, "floor": math.floor,
    "round": lambda x: math.floor(x + 0.5), "pow": pow,
}  # fmt: skip


class Undecidable(Exception):
    """A symbol has no value, or the text is no expression; the message says which."""


def evaluate(text: str, values: Mapping[str, Value]) -> Value:
    """Value of an expression.

    Args:
        text: As in a fact.
        values: By symbol: a parameter's name, an enumerator, or a longer piece of text such as
            ``handle->pointer_mode`` or ``*alpha``.

    Raises:
        Undecidable: It depends on something that has no value here.

    Example:
        >>> evaluate("(n - 1) / 256 + 1", {"n": 1000})
        4
    """
    return _Evaluation(values).of(parsed(text))


def holds(text: str, values: Mapping[str, Value]) -> bool | None:
    """Truth of a condition; ``None`` where it depends on something that has no value here.

    ``a && b`` is false where one side is false and the other unknown.
    """
    try:
        return bool(evaluate(text, values))
    except Undecidable:
        return None


@lru_cache(maxsize=100_000)
def parsed(text: str) -> tuple[Any, ...]:
    """The expression as a tree.

    Raises:
        Undecidable: The text is no expression.
    """
    parser = _Parser(text)
    tree = parser.expression(0)
    if parser.token:
        raise Undecidable(f"'{parser.token}' in '{text}'")
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self.token = ""
        self._next()

    def _next(self) -> str:
        before = self.token
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            if self._text[self._position :].strip():
                raise Undecidable(f"'{self._text}' is no expression")
            self.token = ""
        else:
            self.token = match[0].strip()
            self._position = match.end()
        return before

    def _take(self, token: str) -> None:
        if self.token != token:
            raise Undecidable(f"'{token}' is missing in '{self._text}'")
        self._next()

    def expression(self, least: int) -> tuple[Any, ...]:
        left = self._operand()
        while self.token in _PRECEDENCE and _PRECEDENCE[self.token] >= max(least, 1):
            op = self._next()
            left = ("binary", op, left, self.expression(_PRECEDENCE[op] + 1))
        if self.token == "?" and least == 0:
            self._next()
            yes = self.expression(0)
            self._take(":")
            left = ("choice", left, yes, self.expression(0))
        return left

    def _operand(self) -> tuple[Any, ...]:
        if self.token in ("-", "!", "~", "*", "&", "+"):
            op = self._next()
            return ("unary", op, self._operand())
        start = self._position - len(self.token)
        token = self._next()
        if token == "(":
            node = self.expression(0)
            self._take(")")
        elif token == "{":
            node = ("table", tuple(self._until("}")))
        elif token[:1].isdigit():
            node = ("number", float(token) if any(c in token for c in ".e") else int(token))
        elif token[:1].isalpha() or token[:1] == "_":
            node = ("name", token)
        else:
            raise Undecidable(f"'{token}' in '{self._text}'")
        while self.token in ("->", ".", "[", "("):
            op = self._next()
            if op in ("->", "."):
                node = ("name", f"{_spelled(node)}{op}{self._next()}")
            elif op == "[":
                index = self.expression(0)
                self._take("]")
                node = ("element", node, index)
            else:
                arguments = tuple(self._until(")"))
                end = self._position - len(self.token)
                node = ("call", node, arguments, self._text[start:end].strip())
        return node

    def _until(self, closing: str) -> Iterator[tuple[Any, ...]]:
        """What stands between commas; the closing token is taken."""
        while self.token != closing:
            yield self.expression(0)
            if self.token == ",":
                self._next()
            elif self.token != closing:
                raise Undecidable(f"'{self.token}' in '{self._text}'")
        self._next()


def _spelled(node: tuple[Any, ...]) -> str:
    # A call keeps its own text; anything else is nothing that a caller could name.
    return str(node[1]) if node[0] == "name" else str(node[-1]) if node[0] == "call" else "(…)"


def _of_table(node: tuple[Any, ...]) -> bool:
    """Whether an element is taken of numbers that stand there, or of a choice of such."""
    while node[0] == "element":
        node = node[1]
    return node[0] == "table" or (node[0] == "choice" and all(map(_of_table, node[2:])))


class _Evaluation:
    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values

    def of(self, node: tuple[Any, ...]) -> Value:
        value: Value = getattr(self, f"_{node[0]}")(*node[1:])
        return value

    def _number(self, value: Value) -> Value:
        return value

    def _name(self, name: str) -> Value:
        if name in ("true", "false"):
            return int(name == "true")
        if name == "nullptr":
            return 0
        if name not in self._values:
            raise Undecidable(f"'{name[:100]}' has no value")
        return self._values[name]

    def _element(self, base: tuple[Any, ...], index: tuple[Any, ...]) -> Value:
        at: Any = self.of(index)
        if not _of_table(base):
            return self._name(f"{_spelled(base)}[{at}]")
        row: Any = self.of(base)
        if not isinstance(row, tuple) or not 0 <= at < len(row):
            raise Undecidable(f"element {at} of a table")
        found: Value = row[at]
        return found

    def _table(self, rows: tuple[Any, ...]) -> Any:
        return tuple(self.of(row) for row in rows)

    def _unary(self, op: str, operand: tuple[Any, ...]) -> Value:
        if op in "*&":
            return self._name(f"{op}{_spelled(operand)}")
        value: Any = self.of(operand)
        if op == "!":
            return int(not value)
        changed: Value = -value if op == "-" else ~value if op == "~" else value
        return changed

    def _choice(self, test: Any, yes: Any, no: Any) -> Value:
        return self.of(yes if self.of(test) else no)

    def _call(self, callee: Any, arguments: tuple[Any, ...], text: str) -> Value:
        if text in self._values:
            return self._values[text]
        name = callee[1] if callee[0] == "name" else ""
        if name in _TYPES and len(arguments) == 1:
            value: Any = self.of(arguments[0])
            return int(bool(value)) if name == "bool" else wrapped(int(value), _TYPES[name])
        if name in _FLOATS and len(arguments) == 1:
            number: Any = self.of(arguments[0])
            return float(number)
        if name in _FUNCTIONS:
            result: Value = _FUNCTIONS[name](*(self.of(a) for a in arguments))
            return result
        raise Undecidable(f"'{text[:100]}' has no value")

    def _binary(self, op: str, x: Any, y: Any) -> Value:
        if op in ("&&", "||"):
            return self._logical(op == "||", x, y)
        a: Any = self.of(x)
        b: Any = self.of(y)
        if op in ("==", "!="):
            return int((a == b) == (op == "=="))
        if isinstance(a, str) or isinstance(b, str):
            raise Undecidable(f"'{op}' of a name")
        if op in ("<", ">", "<=", ">="):
            return int({"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[op])
        if isinstance(a, int) and isinstance(b, int):
            result = arithmetic(op, a, b)
            if result is None:
                raise Undecidable(f"{a} {op} {b}")
            return result
        if op == "/" and b == 0:
            raise Undecidable(f"{a} / 0")
        values = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b}
        if op not in values:
            raise Undecidable(f"'{op}' of numbers that are not whole")
        made: Value = values[op]()
        return made

    def _logical(self, decided_by: bool, x: Any, y: Any) -> Value:
        unknown: Undecidable | None = None
        for side in (x, y):
            try:
                if bool(self.of(side)) == decided_by:
                    return int(decided_by)
            except Undecidable as error:
                unknown = error
        if unknown is not None:
            raise unknown
        return int(not decided_by)
