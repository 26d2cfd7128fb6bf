"""What a whole number is for, by the names that kernels of linear algebra give it."""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["size", "increment", "leading", "stride", "batch", "offset"]

_PATTERNS: tuple[tuple[Role, str], ...] = (
    ("batch", r"batch"),
    ("stride", r"stride|dist"),
    ("offset", r"offset|shift|^off"),
    ("increment", r"^inc|_inc$|inc[a-z]?$"),
    ("leading", r"^ld|_ld$|^lead|pitch"),
)


def role_of(name: str) -> Role:
    """The role of a whole number; a size where its name says nothing else."""
    lower = name.lower()
    return next((role for role, pattern in _PATTERNS if re.search(pattern, lower)), "size")
