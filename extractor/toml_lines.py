"""Finds on which line of a TOML text each key stands.

``tomllib`` forgets positions; a rule file's author needs them. The text is already known to be
valid TOML, so this only has to follow tables, keys, brackets and strings.
"""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"([^"]*)"|'([^']*)'""")
_TOKEN = re.compile(r'''"""|\'\'\'|"(?:\\.|[^"\\])*"|'[^']*'|\#.*|[\[\]{}]''')


def key_lines(text: str) -> dict[Path, int]:
    """Maps each table and key to the line where it starts.

    Args:
        text: A valid TOML document.

    Returns:
        ``("units", 0, "flags")`` -> line, lines from 1. Elements of arrays of tables carry their
        index. Keys of inline tables are absent; ask for their parent.
    """
    lines: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    depth, quote = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if depth == 0 and not quote:
            header = _HEADER.match(line)
            if header:
                table = _enter(_parts(header[2]), header[1] == "[[", counts)
                lines.setdefault(table, number)
                continue
            key = _KEY.match(line)
            if key:
                lines.setdefault(table + _parts(key[1]), number)
        depth, quote = _follow(line, depth, quote)
    return lines


def line_of(lines: dict[Path, int], location: Path) -> int:
    """Line of a key, or of the nearest enclosing key or table that has one; 1 for the document."""
    for end in range(len(location), 0, -1):
        if location[:end] in lines:
            return lines[location[:end]]
    return 1


def _parts(dotted: str) -> Path:
    return tuple(match[1] or match[2] or match[0] for match in _PART.finditer(dotted))


def _enter(parts: Path, is_array: bool, counts: dict[Path, int]) -> Path:
    """Path of a table header, with the index of every array of tables on the way."""
    table: Path = ()
    for position, part in enumerate(parts):
        table += (part,)
        last = position == len(parts) - 1
        if last and is_array:
            counts[table] = counts.get(table, -1) + 1
        if table in counts:
            table += (counts[table],)
    return table


def _follow(line: str, depth: int, quote: str) -> tuple[int, str]:
    """Carries bracket depth and an open multi-line string over one line."""
    position = 0
    while position < len(line):
        if quote:
            end = line.find(quote, position)
            if end < 0:
                return depth, quote
            position, quote = end + 3, ""
            continue
        token = _TOKEN.search(line, position)
        if token is None:
            break
        position = token.end()
        if token[0] in ('"""', "'''"):
            quote = token[0]
        elif token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
    return depth, quote
