"""Index expressions of facts, read from their text and evaluated with numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Scope = Mapping[str, int]
Evaluator = Callable[[Scope], int]

_TOKEN = re.compile(r"\s*(\d+|[A-Za-z_][\w.]*(?:::\w+|'\d+|@\w+)*|&&|\|\||<<|>>|<=|>=|==|!=|.)")
_LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)


class Unsupported(Exception):
    """An expression depends on something that a recording does not tell, such as loaded values."""


@lru_cache(maxsize=100_000)
def compiled(text: str) -> Evaluator:
    """Reads an expression.

    Raises:
        Unsupported: It depends on memory.

    Example:
        >>> compiled("4*(threadIdx.x / 8) + select((n < 3), 1, 2)")({"threadIdx.x": 17, "n": 5})
        10
    """
    return _Parser(text).whole()


def names_in(text: str) -> set[str]:
    """Names that an expression mentions, functions apart.

    Example:
        >>> sorted(names_in("max(0, n - blockIdx.x)"))
        ['blockIdx.x', 'n']
    """
    found = {token for token in _TOKEN.findall(text) if re.match(r"[A-Za-z_]", token)}
    return found - {"max", "min", "abs", "select"}


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text.strip())
        self._at = 0

    def whole(self) -> Evaluator:
        result = self._level(0)
        if self._at < len(self._tokens):
            raise Unsupported("".join(self._tokens[self._at :]))
        return result

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _level(self, level: int) -> Evaluator:
        if level == len(_LEVELS):
            return self._unary()
        left = self._level(level + 1)
        while self._peek() in _LEVELS[level]:
            operator = self._take()
            left = _binary(operator, left, self._level(level + 1))
        return left

    def _unary(self) -> Evaluator:
        token = self._peek()
        if token == "-":
            self._take()
            inner = self._unary()
            return lambda scope: -inner(scope)
        if token == "!":
            self._take()
            inner = self._unary()
            return lambda scope: int(not inner(scope))
        return self._primary()

    def _primary(self) -> Evaluator:
        token = self._take()
        if token.isdigit():
            value = int(token)
            return lambda _: value
        if token == "(":
            inner = self._level(0)
            if self._take() != ")":
                raise Unsupported("an address in a condition")
            return inner
        if not re.match(r"[A-Za-z_]", token):
            raise Unsupported(token)
        if self._peek() == "[":
            raise Unsupported(f"{token}[…] is loaded")
        if self._peek() == "(":
            return self._function(token)
        return lambda scope: _looked_up(scope, token)

    def _function(self, name: str) -> Evaluator:
        self._take()
        arguments = [self._level(0)]
        while self._peek() == ",":
            self._take()
            arguments.append(self._level(0))
        if self._take() != ")":
            raise Unsupported(name)
        if name == "select":
            condition, yes, no = arguments
            return lambda scope: yes(scope) if condition(scope) else no(scope)
        known: dict[str, Callable[..., int]] = {"min": min, "max": max, "abs": abs}
        if name not in known:
            raise Unsupported(name)
        function = known[name]
        return lambda scope: function(*(one(scope) for one in arguments))


def _looked_up(scope: Scope, name: str) -> int:
    try:
        return scope[name]
    except KeyError:
        raise Unsupported(f"{name} has no value") from None


def _binary(operator: str, left: Evaluator, right: Evaluator) -> Evaluator:
    if operator == "&&":
        return lambda scope: int(bool(left(scope)) and bool(right(scope)))
    if operator == "||":
        return lambda scope: int(bool(left(scope)) or bool(right(scope)))
    function: Callable[[int, int], Any] = _OPERATORS[operator]
    return lambda scope: int(function(left(scope), right(scope)))


def _divided(a: int, b: int) -> int:
    if b == 0:
        raise Unsupported("a division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


_OPERATORS: dict[str, Callable[[int, int], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "%": lambda a, b: a - _divided(a, b) * b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
