"""Expressions as text: cut at a sign, and freed of the brackets around all of it."""

from __future__ import annotations


def split_at(text: str, sign: str) -> list[str]:
    """Pieces of an expression between signs that stand outside of brackets."""
    pieces, depth, start, index = [], 0, 0, 0
    while index < len(text):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0 and text.startswith(sign, index):
            pieces.append(text[start:index].strip())
            start = index = index + len(sign)
            continue
        index += 1
    return [*pieces, text[start:].strip()]


def unwrapped(text: str) -> str:
    """An expression without brackets around all of it."""
    text = text.strip()
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for index, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0 and index < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text
