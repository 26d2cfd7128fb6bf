"""Compile-time constants that are given another value, to reach cheaply what only huge sizes reach.

A library starts another loop where a batch is larger than a grid may be, and another kernel where a
matrix is larger than some threshold. With the limit lowered, small inputs take these ways.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from extractor.errors import UserError

Constants = Mapping[str, str]

_VALUE = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*")


def read_constants(words: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` words as the command line has them.

    Raises:
        UserError: One is no such word.
    """
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name) or not _VALUE.fullmatch(value):
            raise UserError(f"--limit {word}: it must be NAME=WHOLE_NUMBER, such as LIMIT=64")
        found[name] = value
    return found


def with_constants(text: str, constants: Constants) -> tuple[str, set[str]]:
    """A text whose definitions of some constants have other values.

    Definitions are ``#define``, and ``const`` or ``constexpr`` variables that are set where they
    are declared.

    Args:
        text: Of a source file.
        constants: Values by name.

    Returns:
        The text, and the names that it defines.
    """
    defined = set()
    for name, value in constants.items():
        for pattern in _definitions(name):
            text, count = pattern.subn(rf"\g<head>{value}\g<tail>", text)
            if count:
                defined.add(name)
    return text, defined


def require_defined(constants: Constants, defined: Iterable[str], where: str) -> None:
    """Says so where a constant is not defined.

    Raises:
        UserError: There is such a constant.
    """
    missing = sorted(set(constants) - set(defined))
    if missing:
        raise UserError(
            f"--limit {missing[0]}: {where} defines no constant of this name; a limit is a #define "
            "or a const or constexpr variable of the source"
        )


def _definitions(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    macro = rf"(?P<head>^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+)\S[^\n]*(?P<tail>)"
    variable = (
        rf"(?P<head>\bconst(?:expr)?\b[^;=(){{}}]*\b{name}[ \t]*(?:=|\{{)[ \t]*)"
        r"[^;{}]*?(?P<tail>[ \t]*\}?[ \t]*;)"
    )
    return re.compile(macro, re.M), re.compile(variable)
