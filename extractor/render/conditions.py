"""Under which conditions a call site runs, as far as the text around it says.

These are the enclosing branches and loops exactly as written, for a person to read beside the
source. They are not proved: an early return above the site, or a macro that hides a branch, is not
among them. Proved dispatch conditions are facts, not pictures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST = 160


def conditions_of(text: str, sites: Sequence[tuple[int, str]]) -> list[tuple[str, ...]]:
    """Finds what encloses each site.

    Args:
        text: Source text of one function.
        sites: (line from 0 within the text, callee's plain name) pairs.

    Returns:
        For each site its conditions, outermost first; empty where nothing encloses it.
    """
    import tree_sitter_cpp
    from tree_sitter import Language, Parser

    source = text.encode()
    root = Parser(Language(tree_sitter_cpp.language())).parse(source).root_node
    lines = source.split(b"\n")
    answers: list[tuple[str, ...]] = []
    for line, name in sites:
        if not 0 <= line < len(lines):
            answers.append(())
            continue
        start, end = _column(lines[line], name.encode())
        node = root.descendant_for_point_range((line, start), (line, end))
        answers.append(_enclosing(node, source) if node else ())
    return answers


def _column(line: bytes, name: bytes) -> tuple[int, int]:
    """Where on its line the site begins: at the callee's name, else at the first character."""
    place = line.find(name) if name else -1
    while place >= 0:
        end = place + len(name)
        if not _is_word(line[place - 1 : place]) and not _is_word(line[end : end + 1]):
            return place, end
        place = line.find(name, place + 1)
    start = len(line) - len(line.lstrip())
    return start, min(start + 1, len(line))


def _is_word(char: bytes) -> bool:
    return char.isalnum() or char == b"_"


def _enclosing(node: Node, source: bytes) -> tuple[str, ...]:
    found: list[str] = []
    child, parent = node, node.parent
    while parent is not None:
        text = _condition(parent, child, source)
        if text:
            found.append(text)
        child, parent = parent, parent.parent
    return tuple(reversed(found))


def _condition(parent: Node, child: Node, source: bytes) -> str:
    def written(field: str) -> str:
        part = parent.child_by_field_name(field)
        return _one_line(source[part.start_byte : part.end_byte]) if part else ""

    def inside(field: str) -> bool:
        part = parent.child_by_field_name(field)
        return part is not None and part.start_byte <= child.start_byte < part.end_byte

    kind = parent.type
    if kind == "if_statement":
        word = "if constexpr" if any(c.type == "constexpr" for c in parent.children) else "if"
        if inside("alternative"):
            return f"not {written('condition')}"
        return f"{word} {written('condition')}" if inside("consequence") else ""
    if kind == "conditional_expression":
        if inside("alternative"):
            return f"not ({written('condition')})"
        return f"if ({written('condition')})" if inside("consequence") else ""
    if kind == "case_statement":
        value = written("value")
        return f"case {value}" if value else "default"
    if kind == "switch_statement" and inside("body"):
        return f"switch {written('condition')}"
    if kind == "while_statement" and inside("body"):
        return f"while {written('condition')}"
    if kind in ("for_statement", "for_range_loop") and inside("body"):
        body = parent.child_by_field_name("body")
        assert body is not None
        return _one_line(source[parent.start_byte : body.start_byte])
    if kind in ("preproc_if", "preproc_elif", "preproc_ifdef", "preproc_elifdef"):
        word = _one_line(source[parent.children[0].start_byte : parent.children[0].end_byte])
        word = word.replace("#el", "#")
        line = f"{word} {written('condition') or written('name')}"
        return f"#else of {line}" if inside("alternative") else line
    return ""


def _one_line(text: bytes) -> str:
    line = re.sub(r"\s+", " ", text.decode(errors="replace")).strip()
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
