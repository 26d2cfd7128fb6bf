"""Expressions as text that reads like the source and means what the evaluator makes of it.

Integers are mathematical ones: a conversion is written only where it can change a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from extractor.facts.host.expression import Expression, type_of, value_of

_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
    "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_UNARY, _POSTFIX = 11, 12
_WORDS = re.compile(r"[A-Za-z_]\w*")
_NAMES = {
    "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t",
    "u16": "uint16_t", "u32": "uint32_t", "u64": "size_t", "f16": "half", "f32": "float",
    "f64": "double", "b": "bool", "p": "pointer",
}  # fmt: skip


def write(x: Expression, *, names: bool = False) -> str:
    """Text of an expression.

    Args:
        x: The expression.
        names: Write a constant as the source does (``NB``) instead of its value (``256``).
    """
    return _written(x, names)[0]


def conjunction(conditions: Iterable[Expression], *, names: bool = False) -> str:
    """Conditions joined by ``&&``; ``true`` where there are none."""
    parts = [_written(condition, names) for condition in conditions]
    if len(parts) == 1:
        return parts[0][0]
    return " && ".join(f"({text})" if own < 3 else text for text, own in parts) or "true"


@lru_cache(maxsize=50_000)
def _written(x: Expression, names: bool) -> tuple[str, int]:
    """Text of an expression and the precedence of what stands outermost in it."""
    return _Writer(names).made(x)


class _Writer:
    def __init__(self, names: bool) -> None:
        self._names = names

    def of(self, x: Expression, above: int) -> str:
        text, own = self.made(x)
        return f"({text})" if own < above else text

    def made(self, x: Expression) -> tuple[str, int]:
        tag = x[0]
        if tag == "k":
            return self._constant(x)
        if tag == "e":
            return str(x[1]), _POSTFIX
        if tag == "f":
            return repr(x[1]), _POSTFIX if x[1] >= 0 else _UNARY
        if tag == "v":
            return str(x[2]), _POSTFIX
        if tag == "g":
            return str(x[1]), _POSTFIX
        if tag == "m":
            if x[3] is None or x[3][:2] == ("g", "this"):
                return str(x[1]), _POSTFIX
            arrow = "->" if type_of(x[3]) == "p" else "."
            return f"{self.of(x[3], _POSTFIX)}{arrow}{x[1]}", _POSTFIX
        if tag == "u":
            return f"{x[1]}{self.of(x[3], _UNARY)}", _UNARY
        if tag == "b":
            return self._binary(x)
        if tag == "?":
            texts = (self.of(x[2], 1), self.of(x[3], 1), self.of(x[4], 0))
            return f"{texts[0]} ? {texts[1]} : {texts[2]}", 0
        if tag == "c":
            return f"{_NAMES.get(x[1].lstrip('e'), 'int32_t')}({self.of(x[3], 0)})", _POSTFIX
        if tag == "call":
            arguments = ", ".join(self.of(a, 0) for a in x[3])
            before = f"{self.of(x[4], _POSTFIX)}->" if x[4] is not None else ""
            return f"{before}{x[1]}({arguments})", _POSTFIX
        if tag == "fn":
            return f"{x[1]}({', '.join(self.of(a, 0) for a in x[3])})", _POSTFIX
        if tag == "i":
            return f"{self.of(x[2], _POSTFIX)}[{self.of(x[3], 0)}]", _POSTFIX
        if tag == "list":
            return f"{{{', '.join(self.of(part, 0) for part in x[1:])}}}", _POSTFIX
        if tag == "dim":
            return f"dim3({', '.join(self.of(part, 0) for part in x[1:])})", _POSTFIX
        return str(x[1]) or "(…)", _POSTFIX

    def _constant(self, x: Expression) -> tuple[str, int]:
        if self._names and x[3] and _WORDS.search(x[3]):
            whole = _WORDS.fullmatch(x[3]) is not None
            return str(x[3]), _POSTFIX if whole else 0
        if x[2] == "b":
            return ("true" if x[1] else "false"), _POSTFIX
        if x[2] == "p":
            return "nullptr" if not x[1] else str(x[1]), _POSTFIX
        return str(x[1]), _POSTFIX if x[1] >= 0 else _UNARY

    def _binary(self, x: Expression) -> tuple[str, int]:
        op = x[1]
        own = _PRECEDENCE.get(op, 0)
        if op in ("==", "!=") and value_of(x[4]) == 0 and type_of(x[3]) == "p":
            # A pointer is tested as the source tests it.
            operand = self.of(x[3], _UNARY)
            return (operand if op == "!=" else f"!{operand}"), _UNARY
        # C++ lets these mix without parentheses; readers do not.
        left = own if op not in ("|", "&", "^") else _UNARY
        right = own + 1 if op not in ("&&", "||") else own
        if op == "||":
            left = right = 3  # parentheses around && inside ||
            if x[3][:2] == ("b", "||"):
                left = 1
            if x[4][:2] == ("b", "||"):
                right = 1
        return f"{self.of(x[3], left)} {op} {self.of(x[4], right)}", own
