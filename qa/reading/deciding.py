"""Which parts of a condition settle it: the ones a reader has to look at."""

from __future__ import annotations

from collections.abc import Callable

from qa.text.brackets import split_at, unwrapped

Part = tuple[str, bool]
"""A piece of a condition as written, and whether it holds."""
Truth = Callable[[str], bool | None]


def deciding(
    condition: str, holds: bool, truth: Truth, fixed: Truth | None = None
) -> tuple[Part, ...]:
    """The parts of a condition that make it come out as it does.

    A conjunction holds by all of its parts and fails by one; a disjunction the other way round.
    Where the values do not tell which one it is, the condition stays whole.

    Args:
        condition: As written.
        holds: How it comes out.
        truth: What the values say of a piece; ``None`` where they do not settle it.
        fixed: What is so for every call, as by a type: of pieces that settle a test alike these
            say most.
    """
    inner = unwrapped(condition)
    for sign, by_all in (("||", not holds), ("&&", holds)):
        pieces = split_at(inner, sign)
        if len(pieces) < 2:
            continue
        if by_all:
            parts = [part for piece in pieces for part in deciding(piece, holds, truth, fixed)]
            return tuple(dict.fromkeys(parts))
        known = [(piece, truth(piece)) for piece in pieces]
        sure = [piece for piece, value in known if fixed and value is holds is fixed(piece)]
        if sure:
            return deciding(sure[0], holds, truth, fixed)
        left = [(piece, value) for piece, value in known if value is not (not holds)]
        # The one that settles it is the first that does: all before it are known not to.
        if left and (left[0][1] is holds or len(left) == 1):
            return deciding(left[0][0], holds, truth, fixed)
        return ((inner, holds),)
    return ((inner, holds),)
