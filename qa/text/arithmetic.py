"""Whole-number expressions of C++ and of prose, evaluated; equations found in sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from qa.text.prose import plain

Value = int | float | Fraction

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:'\d+)*(?:\.\d+)?)"
    r"(?:[uU]?[lL]{0,2}|[fF])?(?!\w)"
    r"|(?P<name>[A-Za-z_][\w:]*(?:(?:\.|->)[A-Za-z_]\w*)*)"
    r"|(?P<operator><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:(),]))"
)
_POWER = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_CASTS = frozenset(
    [
        "int",
        "unsigned",
        "size_t",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
        "long",
        "rocblas_int",
        "rocblas_stride",
        "bool",
        "dim3",
        "I",
        "API_INT",
        "Index",
    ]
)
_FUNCTIONS = frozenset(("min", "max", "ceil", "floor", "abs", "std::min", "std::max", "std::abs"))


class Unknown(ValueError):
    """The expression has a name without a value, or is none."""


@dataclass
class _Parser:
    text: str
    values: Mapping[str, Value]
    whole: bool
    position: int = 0

    def peek(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.position)
        if match is None or not match.lastgroup:
            if self.text[self.position :].strip():
                raise Unknown(self.text)
            return ("end", "")
        return (match.lastgroup, match[match.lastgroup])

    def take(self) -> tuple[str, str]:
        token = self.peek()
        match = _TOKEN.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        return token

    def expect(self, operator: str) -> None:
        if self.take() != ("operator", operator):
            raise Unknown(self.text)

    def expression(self, power: int = 0) -> Value:
        left = self.unary()
        while True:
            kind, operator = self.peek()
            if kind != "operator":
                return left
            if operator == "?" and power == 0:
                self.take()
                yes = self.expression()
                self.expect(":")
                no = self.expression()
                chosen: Value = yes if left else no
                return chosen
            if _POWER.get(operator, 0) <= power:
                return left
            self.take()
            left = self.apply(operator, left, self.expression(_POWER[operator]))

    def unary(self) -> Value:
        kind, token = self.take()
        if kind == "number":
            raw = token.replace(",", "").replace("'", "")
            if raw.lower().startswith("0x"):
                return int(raw, 16)
            return Fraction(raw) if "." in raw else int(raw)
        if kind == "operator" and token in "+-!~":
            value = self.unary()
            if token == "-":
                return -value
            if token == "!":
                return int(not value)
            return ~_integer(value) if token == "~" else value
        if kind == "operator" and token == "(":
            mark = self.position
            if self.cast():
                return self.unary()
            self.position = mark
            value = self.expression()
            self.expect(")")
            return value
        if kind == "name":
            return self.named(token)
        raise Unknown(self.text)

    def cast(self) -> bool:
        kind, token = self.take()
        return kind == "name" and token in _CASTS and self.take() == ("operator", ")")

    def named(self, name: str) -> Value:
        if name in ("static_cast", "reinterpret_cast"):
            self.expect("<")
            depth = 1
            while depth:
                kind, token = self.take()
                if kind == "end":
                    raise Unknown(self.text)
                depth += (token == "<") - (token == ">")
            name = "int"
        if self.peek() == ("operator", "(") and (name in _FUNCTIONS or name in _CASTS):
            self.take()
            arguments = [self.expression()]
            while self.peek() == ("operator", ","):
                self.take()
                arguments.append(self.expression())
            self.expect(")")
            return self.call(name.removeprefix("std::"), arguments)
        if name in ("true", "false"):
            return int(name == "true")
        if name not in self.values:
            raise Unknown(name)
        return self.values[name]

    @staticmethod
    def call(name: str, arguments: list[Value]) -> Value:
        if name in ("min", "max"):
            ranked: list[Value] = sorted(arguments, key=float)
            return ranked[0] if name == "min" else ranked[-1]
        if name == "abs":
            return arguments[0] if arguments[0] >= 0 else -arguments[0]
        if name == "ceil":
            return math.ceil(arguments[0])
        if name == "floor":
            return math.floor(arguments[0])
        if len(arguments) != 1:
            raise Unknown(name)
        return arguments[0]

    def apply(self, operator: str, left: Value, right: Value) -> Value:
        try:
            return self.binary(operator, left, right)
        except (ZeroDivisionError, OverflowError) as error:
            raise Unknown(self.text) from error

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        match operator:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                exact = Fraction(left) / Fraction(right)
                both = isinstance(left, int) and isinstance(right, int)
                return math.trunc(exact) if self.whole and both else exact
            case "%":
                return int(math.fmod(_integer(left), _integer(right)))
            case "<<" | ">>":
                count = _integer(right)
                if not 0 <= count < 64:
                    raise Unknown(self.text)
                return _integer(left) << count if operator == "<<" else _integer(left) >> count
            case "&" | "|" | "^":
                a, b = _integer(left), _integer(right)
                return a & b if operator == "&" else a | b if operator == "|" else a ^ b
            case "&&":
                return int(bool(left) and bool(right))
            case "||":
                return int(bool(left) or bool(right))
        outcome = {
            "<": left < right, ">": left > right, "<=": left <= right, ">=": left >= right,
            "==": left == right, "!=": left != right,
        }  # fmt: skip
        return int(outcome[operator])


def _integer(value: Value) -> int:
    if isinstance(value, int) or (isinstance(value, Fraction) and value.denominator == 1):
        return int(value)
    raise Unknown(str(value))


def evaluate(text: str, values: Mapping[str, Value] | None = None, *, whole: bool = True) -> Value:
    """Value of an expression.

    Args:
        text: In C++ or as prose writes it.
        values: What its names stand for.
        whole: Division of whole numbers truncates, as in C++.

    Raises:
        Unknown: A name has no value, or the text is no expression.
    """
    parser = _Parser(plain(text), values or {}, whole)
    value = parser.expression()
    if parser.peek()[0] != "end":
        raise Unknown(text)
    return value


def names_in(text: str) -> list[str]:
    """Names of an expression in order, casts and functions left out."""
    found = []
    for match in _TOKEN.finditer(plain(text)):
        name = match["name"]
        if name and name not in _CASTS and name not in _FUNCTIONS and name != "static_cast":
            found.append(name)
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Equation:
    """``left = right`` as a sentence states it."""

    left: str
    right: str


_EQUALS = re.compile(r"(?<![<>=!+\-*/%&|^])=(?!=)")
_WORDS = _CASTS | _FUNCTIONS


def equations(sentence: str) -> list[Equation]:
    """Equations of a sentence; a chain ``a = b = c`` is two."""
    text = _without_calls(plain(sentence).replace("`", ""))
    spots = [m.start() for m in _EQUALS.finditer(text)]
    found = []
    for index, spot in enumerate(spots):
        before = text[spots[index - 1] + 1 if index else 0 : spot]
        after = text[spot + 1 : spots[index + 1] if index + 1 < len(spots) else len(text)]
        left, right = _suffix(before), _prefix(after)
        if left and right:
            found.append(Equation(left, right))
    return found


def _without_calls(text: str) -> str:
    """Innermost calls of ``min`` and ``max`` on numbers replaced by their values."""
    while True:
        match = re.search(r"(?:std::)?\b(?:min|max)\(\s*[^(),=]+,\s*[^(),=]+\)", text)
        if match is None:
            return text
        try:
            value = str(evaluate(match[0]))
        except Unknown:
            value = "\x00"
        text = text[: match.start()] + value + text[match.end() :]


def _tokens(text: str) -> list[tuple[str, str, int, int]]:
    found, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or not match.lastgroup:
            found.append(("other", text[position], position, position + 1))
            position += 1
            continue
        kind = match.lastgroup
        found.append((kind, match[kind], match.start(kind), match.end(kind)))
        position = match.end()
    return found


def _prefix(text: str) -> str:
    """The longest beginning that is an expression."""
    best, operand, depth = "", False, 0
    for kind, token, _start, end in _tokens(text):
        if kind in ("number", "name"):
            if operand:
                break
            operand = True
        elif kind == "operator" and token == "(":
            if operand:
                break
            depth += 1
        elif kind == "operator" and token == ")":
            if not operand or depth == 0:
                break
            depth -= 1
        elif kind == "operator" and token in _POWER:
            if not operand and token not in "+-":
                break
            operand = False
        else:
            break
        if operand and depth == 0:
            best = text[:end].strip()
    return best


def _suffix(text: str) -> str:
    """The longest ending that is an expression."""
    tokens = _tokens(text.rstrip())
    best, operand, depth = "", False, 0
    for kind, token, start, _end in reversed(tokens):
        if kind in ("number", "name"):
            if operand:
                break
            operand = True
        elif kind == "operator" and token == ")":
            if operand:
                break
            depth += 1
        elif kind == "operator" and token == "(":
            if not operand or depth == 0:
                break
            depth -= 1
        elif kind == "operator" and token in _POWER:
            if not operand:
                break
            operand = False
        else:
            break
        if operand and depth == 0:
            best = text[start:].strip()
    return best


def holds(equation: Equation, values: Mapping[str, Value]) -> bool | None:
    """Whether both sides agree; ``None`` where a side has no value.

    Division may be meant as in C++ or as in mathematics; one of them must agree.
    """
    known = False
    for whole in (True, False):
        try:
            left = evaluate(equation.left, values, whole=whole)
            right = evaluate(equation.right, values, whole=whole)
        except Unknown:
            continue
        known = True
        if left == right or _rounded(left, equation.right) or _rounded(right, equation.left):
            return True
    return False if known else None


def _rounded(value: Value, shown: str) -> bool:
    if not re.fullmatch(r"\d+\.\d+", shown.strip()):
        return False
    digits = len(shown.strip().split(".")[1])
    return bool(abs(float(value) - float(shown)) <= 0.5000001 * 10**-digits)


_BINDING = re.compile(
    r"`?\b([A-Za-z_]\w*(?:\.[xyz])?)`?\s*(?:=|is|of|equals)\s*`?(-?\d[\d,']*)\b(?![\w.]*\w)`?"
    r"(?!\s*[-+*/%])"
)


def bindings(text: str) -> dict[str, Value]:
    """Values that a text gives to names: ``n = 1000``, ``incx is 2``; the first one counts."""
    found: dict[str, Value] = {}
    for match in _BINDING.finditer(plain(text).replace("`", "")):
        found.setdefault(match[1], int(match[2].replace(",", "").replace("'", "")))
    return found
