"""Sizes as a task writes them: integer arithmetic over a case's scalars, and nothing else."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from extractor.errors import UserError

_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"max": max, "min": min, "abs": abs}
_LARGEST = 1 << 40


def evaluate(text: str, values: Mapping[str, float | complex]) -> int:
    """The value of a size.

    ``/`` and ``//`` both divide as C does for sizes, towards zero for what is not negative.

    Example:
        >>> evaluate("(n + 255) / 256", {"n": 1000})
        4

    Raises:
        UserError: It is no such expression, or names what the case does not have.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
        value = _value(tree.body, values)
    except (SyntaxError, ZeroDivisionError, ValueError, TypeError, RecursionError) as error:
        raise UserError(f"'{text}' is not a size: {error}") from error
    if not 0 <= value <= _LARGEST:
        raise UserError(f"'{text}' is {value}, which is no size")
    return value


def names_in(text: str) -> set[str]:
    """The scalars that a size depends on.

    Raises:
        UserError: It cannot be read.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise UserError(f"'{text}' is not a size: {error.msg}") from error
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return found - set(_FUNCTIONS)


def _value(node: ast.expr, values: Mapping[str, float | complex]) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise ValueError(f"there is no scalar '{node.id}'")
        value = values[node.id]
        if isinstance(value, complex) or value != int(value):
            raise ValueError(f"'{node.id}' is no whole number")
        return int(value)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function:
            return function(*(_value(argument, values) for argument in node.args))
    raise ValueError("only + - * / %, max, min, abs, whole numbers and scalars are allowed")
