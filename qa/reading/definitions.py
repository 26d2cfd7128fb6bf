"""Where a file defines functions, by a C++ grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qa.reading.syntax import parse, walk


def definitions(lines: Sequence[bytes]) -> list[tuple[int, int]]:
    """First and last line, from 1, of every function with a body."""
    text = b"".join(lines).decode(errors="replace")
    found = []
    for node in walk(parse(text)):
        if node.type == "function_definition" and node.child_by_field_name("body") is not None:
            body = node.child_by_field_name("body")
            if body is not None and body.type in ("compound_statement", "try_statement"):
                found.append((node.start_point[0] + 1, node.end_point[0] + 1))
    return found


def times_set(text: str, name: str) -> int:
    """How often a function's text gives a name a value, its declaration included."""
    return len(
        re.findall(
            rf"(?<![\w.>]){name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"
            rf"|(?:\+\+|--)\s*{name}\b|(?<![\w.>]){name}\s*(?:\+\+|--)|(?<!&)&\s*{name}\s*[,)]",
            text,
        )
    )
