"""Where the head of a function's text ends and its body begins."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(r"\s*template\s*<")
_OPENING, _CLOSING = "([{", ")]}"


def head_of(text: str) -> str:
    """The text of a definition up to its body.

    Braces in what comes before, such as the default of a template's argument, begin no body.

    Example:
        >>> head_of("template <bool = same<T>{}, int = (a > b)> void f(int n = int{}) { g(); }")
        'template <bool = same<T>{}, int = (a > b)> void f(int n = int{}) '
    """
    at = 0
    while match := _TEMPLATE.match(text, at):
        at = _closed(text, match.end())
    depth = 0
    for index in range(at, len(text)):
        character = text[index]
        if character == "{" and depth == 0:
            return text[:index]
        depth += (character in _OPENING) - (character in _CLOSING)
    return text


def _closed(text: str, at: int) -> int:
    """Behind the ``>`` that closes what was opened before; a ``>`` in brackets is an operator."""
    around: list[str] = ["<"]
    while at < len(text) and around:
        character = text[at]
        if character in _OPENING or (character == "<" and around[-1] == "<"):
            around.append(character)
        elif character in _CLOSING or (character == ">" and around[-1] == "<"):
            around.pop()
        at += 1
    return at
