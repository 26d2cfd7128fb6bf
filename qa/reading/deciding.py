"""Which parts of a condition settle it: the ones a reader has to look at."""

from __future__ import annotations

import re
from collections.abc import Callable

from qa.text.brackets import split_at, unwrapped

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
