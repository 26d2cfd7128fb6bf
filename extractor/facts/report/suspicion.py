"""Something to look at: what a rule saw, and what would make it a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Confidence = Literal["worth a look", "unlikely but possible"]
SURE: Confidence = "worth a look"
UNLIKELY: Confidence = "unlikely but possible"

Blocks = dict[str, list[tuple[str | None, list[int] | None]]]
"""Blocks by the kernel's id: the instantiation, where it is known, and threads along x, y, z, where
they are numbers."""


@dataclass(frozen=True)
class Suspicion:
    """Something to look at.

    Attributes:
        kind: Which rule.
        confidence: How likely it is a real fault.
        function: Id of the definition.
        file: Where it is first.
        line: Where it is first.
        seen: What the facts say.
        matters_if: What would make it a fault.
        places: All places of the function of which the same is seen, as ``file:line``.
        group: What they have in common, where ``seen`` says more.
    """

    kind: str
    confidence: Confidence
    function: str
    file: str
    line: int
    seen: str
    matters_if: str
    places: tuple[str, ...] = ()
    group: str = ""
