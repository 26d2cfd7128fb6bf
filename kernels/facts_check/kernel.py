"""How a kernel's launch is read: names of its parameters and template arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from extractor.demangle import template_arguments

_HEAD = re.compile(r"template\s*<")


@dataclass
class Kernel:
    """One instantiation as its launch's values have to be read.

    Attributes:
        function: Id of its definition.
        parameters: Names, in order.
        constants: Values of the template's constants.
        types: Template arguments that are types.
    """

    function: str
    parameters: list[str]
    constants: dict[str, int]
    types: dict[str, str]


def kernel_of_text(function: Mapping[str, Any], symbol: str) -> Kernel:
    """How values are read, by the text of a definition as ``scope.json`` has it."""
    constants, types = arguments_by_name(_template_names(function["text"]), symbol)
    return Kernel(function["id"], _parameter_names(function["signature"]), constants, types)


def arguments_by_name(names: Sequence[str], symbol: str) -> tuple[dict[str, int], dict[str, str]]:
    """Template arguments of an instantiation, numbers and types apart.

    Args:
        names: Of the template's parameters.
        symbol: Mangled symbol of the instantiation.
    """
    constants: dict[str, int] = {}
    types: dict[str, str] = {}
    for name, argument in zip(names, template_arguments(symbol), strict=False):
        number = _number(argument)
        if number is None:
            types[name] = argument
        else:
            constants[name] = number
    return constants, types


def _number(text: str) -> int | None:
    if text in ("true", "false"):
        return int(text == "true")
    match = re.fullmatch(r"(?:\([\w: ]+\))?(-?\d+)[uUlL]*", text)
    return int(match[1]) if match else None


def _template_names(text: str) -> list[str]:
    match = _HEAD.search(text)
    if not match:
        return []
    inside = _until_closed(text[match.end() :], "<", ">")
    return [_last_word(part.split("=")[0]) for part in _split(inside)]


def _parameter_names(signature: str) -> list[str]:
    text = signature.rstrip()
    if not text.endswith(")"):
        text = text[: text.rfind(")") + 1]
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return [_last_word(part.split("=")[0]) for part in _split(text[at + 1 : -1])]
    return []


def _last_word(text: str) -> str:
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", text))
    return words[-1] if words else ""


def _until_closed(text: str, opening: str, closing: str) -> str:
    depth = 0
    for at, character in enumerate(text):
        if character == opening:
            depth += 1
        elif character == closing:
            if depth == 0:
                return text[:at]
            depth -= 1
    return text


def _split(text: str) -> Iterable[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += character
    return [part for part in (*parts, current) if part.strip()]
