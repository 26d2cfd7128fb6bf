"""Which parts of a condition settle it: the ones a reader has to look at."""

from __future__ import annotations

import re
from collections.abc import Callable

Part = tuple[str, bool]
"""A piece of a condition as written, and whether it holds."""
Truth = Callable[[str], bool | None]


def deciding(condition: str, holds: bool, truth: Truth, wanted: str = "") -> tuple[Part, ...]:
    """The parts of a condition that make it come out as it does.

    A conjunction holds by all of its parts and fails by one; a disjunction the other way round.
    Where the values do not tell which one it is, the condition stays whole.

    Args:
        condition: As written.
        holds: How it comes out.
        truth: What the values say of a piece; ``None`` where they do not settle it.
        wanted: A name that the part should speak of, where several parts would do.
    """
    inner = unwrapped(condition)
    for sign, by_all in (("||", not holds), ("&&", holds)):
        pieces = split_at(inner, sign)
        if len(pieces) < 2:
            continue
        if by_all:
            parts = [part for piece in pieces for part in deciding(piece, holds, truth, wanted)]
            return tuple(dict.fromkeys(parts))
        known = [(piece, truth(piece)) for piece in pieces]
        sure = [piece for piece, value in known if value is holds]
        sure.sort(key=lambda p: not (wanted and re.search(rf"\b{re.escape(wanted)}\b", p)))
        left = [piece for piece, value in known if value is not (not holds)]
        if not sure and len(left) == 1:
            sure = left
        return deciding(sure[0], holds, truth, wanted) if sure else ((inner, holds),)
    return ((inner, holds),)


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
