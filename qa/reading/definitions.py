"""Where a file defines functions, by a C++ grammar."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from qa.reading.syntax import parse, walk


def definitions(lines: Sequence[bytes]) -> list[tuple[int, int]]:
    """First and last line, from 1, of every function with a body."""
    return list(_definitions(b"".join(lines)))


@functools.lru_cache(maxsize=256)
def _definitions(text: bytes) -> tuple[tuple[int, int], ...]:
    found = []
    for node in walk(parse(text.decode(errors="replace"))):
        if node.type == "function_definition" and node.child_by_field_name("body") is not None:
            body = node.child_by_field_name("body")
            if body is not None and body.type in ("compound_statement", "try_statement"):
                found.append((node.start_point[0] + 1, node.end_point[0] + 1))
    return tuple(found)


_SETS_AFTER = re.compile(r"\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)")
_ENDS_ARGUMENT = re.compile(r"\s*[,)]")


@functools.lru_cache(maxsize=1 << 15)
def times_set(text: str, name: str) -> int:
    """How often a function's text gives a name a value, its declaration included."""
    count = 0
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before = text[max(0, start - 1) : start]
        if not _is_word(before) and not _is_word(text[end : end + 1]):
            at = start
            while text[at - 1 : at].isspace():
                at -= 1
            above = text[max(0, at - 2) : at]
            count += bool(
                (before not in (".", ">") and _SETS_AFTER.match(text, end))
                or above in ("++", "--")
                or (above[-1:] == "&" != above[:-1] and _ENDS_ARGUMENT.match(text, end))
            )
        start = text.find(name, end)
    return count


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
