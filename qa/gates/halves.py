"""Halves of a test: only a test of two parts has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qa.text.brackets import split_at, unwrapped

_HALF = re.compile(
    r"\b(?:first|second|left|right|former|latter|other|one) half of (?:it|(?:the|this|that) "
    r"(?:test|condition|conjunction|disjunction))\b",
    re.I,
)
_CODE = re.compile(r"`([^`]*(?:&&|\|\|)[^`]*)`")


def of_two(sentences: Sequence[str]) -> str | None:
    """A sentence that speaks of one half of a test which has more than two parts.

    The test is the last one that is quoted, in this sentence or the one before.
    """
    before = ""
    for sentence in sentences:
        match = _HALF.search(sentence)
        if match is not None:
            quoted = _CODE.findall(before + " " + sentence[: match.start()])
            if quoted and parts(quoted[-1]) > 2:
                return f"that test has {parts(quoted[-1])} parts and no halves: {sentence[:90]}"
        before = sentence
    return None


def parts(condition: str) -> int:
    """How many operands a condition has at its outermost joint."""
    inner = unwrapped(condition)
    alternatives = split_at(inner, "||")
    return len(alternatives) if len(alternatives) > 1 else len(split_at(inner, "&&"))
