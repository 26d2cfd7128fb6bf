"""Template arguments as a call writes them, evaluated: ``!TRANS``, ``NB / 2``, ``(N > 32)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from extractor.facts.device.polynomial import Polynomial

Combine = Callable[[str, Polynomial, Polynomial], Polynomial]
Negate = Callable[[Polynomial], Polynomial]

_TOKEN = re.compile(r"\s*(\d+[uUlL]*|[A-Za-z_]\w*|&&|\|\||<=|>=|==|!=|\S)")
_NUMBER = re.compile(r"(\d+)[uUlL]*")
_LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"))


class _Open(Exception):
    """Something else stands there."""


def evaluated(
    text: str, names: Mapping[str, Polynomial], combine: Combine, negate: Negate
) -> Polynomial | None:
    """Value of a template argument.

    Args:
        text: As it is written.
        names: Values of the constants it may name.
        combine: Makes the value of an operator on two others.
        negate: Makes the opposite of a condition.

    Returns:
        The value; ``None`` where anything else stands in the text, such as a type.
    """
    parser = _Parser(_TOKEN.findall(text), names, combine, negate)
    try:
        value = parser.level(0)
    except _Open:
        return None
    return value if parser.ended else None


class _Parser:
    def __init__(
        self, tokens: list[str], names: Mapping[str, Polynomial], combine: Combine, negate: Negate
    ) -> None:
        self._tokens, self._names, self._at = tokens, names, 0
        self._combine, self._negate = combine, negate

    @property
    def ended(self) -> bool:
        return self._at == len(self._tokens)

    def _take(self) -> str:
        if self.ended:
            raise _Open
        self._at += 1
        return self._tokens[self._at - 1]

    def level(self, level: int) -> Polynomial:
        if level == len(_LEVELS):
            return self._single()
        left = self.level(level + 1)
        while not self.ended and self._tokens[self._at] in _LEVELS[level]:
            operator = self._take()
            left = self._combine(operator, left, self.level(level + 1))
        return left

    def _single(self) -> Polynomial:
        token = self._take()
        if token == "(":
            inner = self.level(0)
            if self._take() != ")":
                raise _Open
            return inner
        if token == "!":
            return self._negate(self._single())
        if token == "-":
            return -self._single()
        if token in ("true", "false"):
            return Polynomial.number(int(token == "true"))
        number = _NUMBER.fullmatch(token)
        if number:
            return Polynomial.number(int(number[1]))
        if token not in self._names:
            raise _Open
        return self._names[token]
