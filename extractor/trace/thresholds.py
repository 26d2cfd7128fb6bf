"""Sizes at which host code decides: the numbers that its functions compare with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

_COMPARED = re.compile(
    r"(?:[<>]=?|==|!=)\s*(\d{1,6})\b(?!\s*[*/>,])|\b(\d{1,6})\s*(?:[<>]=?|==|!=)(?!\s*[>(,])"
)
_CONSTANT = re.compile(r"\bconstexpr\s+\w+(?:\s+\w+)?\s*=\s*(\d{1,6})\s*;")
_LABEL = re.compile(r"\bcase\s+(\d{1,6})\s*:")
_HOST = ("host", "launcher", "entry_point")
_LEAST, _MOST = 4, 100_000


def thresholds(scope: dict[str, Any], most: int = 16) -> list[int]:
    """Numbers that host functions of a scope compare with, the most frequent ones, sorted.

    Args:
        scope: ``scope.json`` of an interface.
        most: How many.
    """
    counts: Counter[int] = Counter()
    for text in _texts(scope, _HOST):
        for pattern in (_COMPARED, _CONSTANT):
            for match in pattern.finditer(text):
                value = int(next(group for group in match.groups() if group))
                if _LEAST <= value <= _MOST:
                    counts[value] += 1
    return sorted(value for value, _ in counts.most_common(most))


def labels(scope: dict[str, Any]) -> list[int]:
    """Numbers that are labels of a ``switch`` in launchers: each may be a way of its own."""
    found = {int(n) for text in _texts(scope, ("launcher",)) for n in _LABEL.findall(text)}
    return sorted(found - {0})


def _texts(scope: dict[str, Any], kinds: Sequence[str]) -> Iterator[str]:
    for function in scope["functions"]:
        if function["kind"] in kinds and function["infrastructure"] is None:
            yield function["text"]
