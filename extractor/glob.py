"""Globs over relative paths and over qualified names, compiled once.

Path globs: ``*`` and ``?`` stay inside one folder, ``**`` crosses folders, ``{a,b}`` is either and
``[ab]`` or ``[a-c]`` one character of several; ``[]`` stands for itself, as in ``operator[]``.
Name globs: ``*`` matches anything, so ``rocblas_internal_*`` also matches across ``::``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_ONE_OF = re.compile(r"\[((?:\w-\w|\w)+)\]")


@lru_cache(maxsize=512)
def path_pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Compiles path globs into one expression for ``fullmatch`` on a path with ``/``."""
    return _either(_translate(glob, across=False) for glob in globs)


@lru_cache(maxsize=512)
def name_pattern(globs: tuple[str, ...]) -> re.Pattern[str]:
    """Compiles name globs into one expression for ``fullmatch`` on a qualified name."""
    return _either(_translate(glob, across=True) for glob in globs)


def match_path(path: str, globs: tuple[str, ...]) -> bool:
    """Says whether a relative path with forward slashes matches one of the globs."""
    return path_pattern(globs).fullmatch(path) is not None


def match_name(name: str, globs: tuple[str, ...]) -> bool:
    """Says whether a name matches one of the globs, upper and lower case kept apart."""
    return name_pattern(globs).fullmatch(name) is not None


def _either(expressions: Iterable[str]) -> re.Pattern[str]:
    parts = [f"(?:{expression})" for expression in expressions]
    return re.compile("|".join(parts) if parts else r"(?!)", re.DOTALL)


def _translate(glob: str, *, across: bool) -> str:
    out: list[str] = []
    depth = 0
    position = 0
    while position < len(glob):
        char = glob[position]
        if not across and glob.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
            continue
        if glob.startswith("**", position):
            out.append(".*")
            position += 2
            continue
        if char == "*":
            out.append(".*" if across else "[^/]*")
        elif char == "?":
            out.append("." if across else "[^/]")
        elif char == "[" and (one := _ONE_OF.match(glob, position)) and _rises(one[1]):
            out.append(one[0])
            position = one.end()
            continue
        elif char == "{" and "}" in glob[position:]:
            out.append("(?:")
            depth += 1
        elif char == "}" and depth:
            out.append(")")
            depth -= 1
        elif char == "," and depth:
            out.append("|")
        else:
            out.append(re.escape(char))
        position += 1
    return "".join(out) + ")" * depth


def _rises(text: str) -> bool:
    """Each range of a ``[a-c]`` goes from a character to a later one."""
    return all(first <= last for first, last in re.findall(r"(\w)-(\w)", text))
