"""What must hold for one access to be made: tests around its statement, and within it.

A read may stand in an arm of ``c ? a : b`` or behind ``c &&``; no statement of its own is guarded
there, and yet threads for which ``c`` fails never make the access.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from qa.reading.function_text import blanked, body_start
from qa.reading.syntax import parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_ARMS = ("if_statement", "conditional_expression")
_JOINED = {"&&": False, "||": True}


@dataclass(frozen=True)
class Needed:
    """One condition of an access: the test as written, and whether it has to fail.

    Attributes:
        condition: The test.
        negated: It has to fail.
        line: Line of the file where it begins.
        inside: It stands in the access's own statement, not around it.
    """

    condition: str
    negated: bool
    line: int
    inside: bool


@lru_cache(maxsize=256)
def _tree(text: str) -> Node:
    bare = blanked(text)
    body = body_start(bare)
    head = "".join(c if c == "\n" else " " for c in bare[: max(body, 0)])
    prefix = "void f()"
    head = prefix + head[len(prefix) :] if "\n" not in head[: len(prefix)] else prefix + head
    return parse(head + bare[max(body, 0) :])


def needed_at(text: str, first_line: int, line: int, column: int) -> list[Needed] | None:
    """The tests that an expression's evaluation hangs on, the outermost first.

    Args:
        text: The function's definition.
        first_line: Line of the file on which it begins.
        line: Line of the expression.
        column: Its column, from 1.

    Returns:
        Nothing where no expression stands at the place.
    """
    row, place = line - first_line, column - 1
    rows = text.split("\n")
    if not 0 <= row < len(rows) or not 0 <= place < len(rows[row]) or column < 1:
        return None
    point = (row, len(rows[row][:place].encode()))
    node = _tree(text).descendant_for_point_range(point, (point[0], point[1] + 1))
    if node is None or node.type == "translation_unit":
        return None
    found: list[Needed] = []
    inside = True
    while node.parent is not None:
        above = node.parent
        if above.type in _ARMS:
            negated = _is(node, above.child_by_field_name("alternative"))
            if negated or _is(node, above.child_by_field_name("consequence")):
                found.append(_needed(above, "condition", negated, first_line, inside))
        elif above.type == "binary_expression" and _is(node, above.child_by_field_name("right")):
            operator = above.child_by_field_name("operator")
            sign = text_of(operator) if operator is not None else ""
            if sign in _JOINED:
                found.append(_needed(above, "left", _JOINED[sign], first_line, inside))
        inside = inside and not above.type.endswith("_statement")
        node = above
    return found[::-1]


def _is(node: Node, other: Node | None) -> bool:
    return other is not None and node.id == other.id


def _needed(above: Node, part: str, negated: bool, first_line: int, inside: bool) -> Needed:
    test = above.child_by_field_name(part)
    assert test is not None
    said = text_of(test)
    if test.type == "condition_clause":
        said = said[1:-1].strip()
    return Needed(said, negated, test.start_point[0] + first_line, inside)


def written_at(text: str, first_line: int, line: int, column: int) -> str:
    """The element that stands at a place, as the source has it: ``A[i + j * lda]``; or nothing."""
    row, place = line - first_line, column - 1
    rows = text.split("\n")
    if not 0 <= row < len(rows) or not 0 <= place < len(rows[row]) or column < 1:
        return ""
    point = (row, len(rows[row][:place].encode()))
    node = _tree(text).descendant_for_point_range(point, (point[0], point[1] + 1))
    while node is not None and node.start_point == point:
        if node.type in ("subscript_expression", "pointer_expression"):
            return text_of(node)
        node = node.parent
    return ""
