"""Demangled names, through LLVM's demangler, which knows the device's half and bfloat types."""

from __future__ import annotations

import functools

import pydemumble

_OPEN = "<([{"
_CLOSE = ">)]}"


@functools.lru_cache(maxsize=200_000)
def demangle(symbol: str) -> str:
    """The C++ spelling of a mangled symbol; the symbol itself when it is not mangled."""
    return str(pydemumble.demangle(symbol)) or symbol


def template_arguments(symbol: str) -> tuple[str, ...]:
    """Template arguments of the innermost template that a symbol names.

    Example:
        >>> template_arguments("_Z4kernILi256EfEvPT0_")
        ('256', 'float')
    """
    name = _name_part(demangle(symbol))
    while name and not name.endswith(">"):
        # `type<int>::method` takes its arguments from the class.
        cut = _last_scope(name)
        if cut < 0:
            return ()
        name = name[:cut]
    if not name:
        return ()
    depth = 0
    for index in range(len(name) - 1, -1, -1):
        if name[index] == ">" and name[index - 1 : index] != "-":
            depth += 1
        elif name[index] == "<":
            depth -= 1
            if depth == 0:
                return tuple(_split(name[index + 1 : -1]))
    return ()


@functools.lru_cache(maxsize=50_000)
def parameter_types(symbol: str) -> tuple[str, ...]:
    """Types of the parameters that a mangled symbol names; none where it names none.

    Example:
        >>> parameter_types("_Z4kernILi256EfEvPT0_i")
        ('float*', 'int')
    """
    text = demangle(symbol)
    rest = text[len(_name_part(text)) :].strip()
    if not rest.startswith("(") or rest == "()":
        return ()
    return tuple(_split(rest[1 : rest.rindex(")")]))


def _name_part(text: str) -> str:
    """Drops the parameter list and what follows it."""
    depth = 0
    end = len(text)
    for index in range(len(text) - 1, -1, -1):
        if text[index] == ")":
            if depth == 0:
                end = index + 1
            depth += 1
        elif text[index] == "(":
            depth -= 1
            if depth == 0:
                start = index
                before = text[:start]
                # Leave unnamed namespaces and lambdas alone: those parentheses are part of a name.
                if before.endswith("::") or not before:
                    return text[:end]
                return before
    return text


def _last_scope(name: str) -> int:
    depth = 0
    for index in range(len(name) - 1, 0, -1):
        character = name[index]
        if character in _CLOSE:
            depth += 1
        elif character in _OPEN:
            depth -= 1
        elif character == ":" and depth == 0 and name[index - 1] == ":":
            return index - 1
    return -1


def _split(text: str) -> list[str]:
    parts: list[str] = []
    depth, start = 0, 0
    for index, character in enumerate(text):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSE:
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    if last or parts:
        parts.append(last)
    return parts
