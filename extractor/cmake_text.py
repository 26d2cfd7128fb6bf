"""The commands of a CMake file, as words. Nothing of CMake runs and no condition is evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator

Command = tuple[str, list[str]]
"""Name in lower case, and its arguments without quotes; a list in quotes is one word."""

_COMMAND = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_WORD = re.compile(r'"((?:\\.|[^"\\])*)"|([^\s()"#]+)|(\()|(\))')
# A `#` inside a string starts no comment, nor does a quote inside a comment start a string.
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|#\[(=*)\[.*?\]\2\]|#[^\n]*', re.DOTALL)


def commands_of(text: str) -> Iterator[Command]:
    """Commands of a text, in order, from inside conditions as well."""
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    position = 0
    while match := _COMMAND.search(text, position):
        words, depth, position = [], 1, match.end()
        while depth and (token := _WORD.search(text, position)):
            position = token.end()
            depth += bool(token[3]) - bool(token[4])
            if token[1] is not None or token[2] is not None:
                words.append(token[1] if token[1] is not None else token[2])
        yield match[1].lower(), words
