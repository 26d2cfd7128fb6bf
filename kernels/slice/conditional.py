"""Conditional expressions in sizes: one side is taken, and said."""

from __future__ import annotations

_OPEN, _CLOSE = "([{", ")]}"


def without_conditionals(text: str, notes: list[str]) -> str:
    """An expression with the second value of every ``condition ? first : second``.

    Launchers use them for what the task does not have (another architecture, an empty matrix).

    Args:
        text: The expression.
        notes: Gets a line for every condition.

    Example:
        >>> without_conditionals("(h->major == 12 ? min(n, 9) : n) - 1", [])
        '(n) - 1'
    """
    groups: list[str] = []
    start, depth = 0, 0
    for index, character in enumerate(text):
        if character in _OPEN:
            depth += 1
            if depth == 1:
                groups.append(text[start : index + 1])
                start = index + 1
        elif character in _CLOSE:
            depth -= 1
            if depth == 0:
                groups.append(without_conditionals(text[start:index], notes))
                start = index
    groups.append(text[start:])
    flat = "".join(groups)
    return _second(flat, notes) if "?" in flat else flat


def _second(text: str, notes: list[str]) -> str:
    """The text behind the colon that belongs to its first question mark, parentheses skipped."""
    parts: list[str] = []
    depth = open_questions = begin = 0
    for index, character in enumerate(text):
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth:
            continue
        if character == "," and not open_questions:
            parts.append(text[begin : index + 1])
            begin = index + 1
        elif character == "?":
            if not open_questions:
                question = index
            open_questions += 1
        elif character == ":" and open_questions and text[index - 1 : index + 2].count(":") == 1:
            open_questions -= 1
            if not open_questions:
                condition = text[begin:question].strip()
                note = f"'{condition}' is taken to be false"
                if note not in notes:
                    notes.append(note)
                begin = index + 1
    parts.append(text[begin:])
    return "".join(parts).strip()
