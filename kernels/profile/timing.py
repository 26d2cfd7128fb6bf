"""What times of calls say: median with an interval, and the share of the card's roofline."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

_CARDS = Path(__file__).with_name("cards.toml")


@dataclass(frozen=True)
class Timing:
    """Times of one call.

    Attributes:
        calls: How many were measured.
        median_ms: Their median, in milliseconds.
        low_ms: Lower end of its 95 % interval.
        high_ms: Upper end.
    """

    calls: int
    median_ms: float
    low_ms: float
    high_ms: float


@dataclass(frozen=True)
class Roofline:
    """How near a call is to what a card can do.

    Attributes:
        gigabytes_per_second: Least traffic over the median time.
        gigaflops_per_second: Operations over the median time; 0 where nobody counted them.
        bound: ``memory`` or ``arithmetic``: which of the two limits it by definition.
        share: Of the limit that applies; ``None`` where the card is not known.
        card: The card's name in the table; empty where it is not known.
    """

    gigabytes_per_second: float
    gigaflops_per_second: float
    bound: str
    share: float | None
    card: str


def summarise(milliseconds: Sequence[float]) -> Timing:
    """Median and its interval by order statistics: no distribution is assumed.

    The ends are the observations at ``n/2 -+ 0.98 sqrt(n)`` (the normal approximation of the
    binomial with p = 1/2, 95 %).

    Raises:
        ValueError: There is no time.
    """
    times = sorted(milliseconds)
    n = len(times)
    if not n:
        raise ValueError("no call was measured")
    away = 0.98 * math.sqrt(n)
    low = max(0, math.floor(n / 2 - away))
    high = min(n - 1, math.ceil(n / 2 + away))
    return Timing(n, median(times), times[low], times[high])


def roofline(timing: Timing, moved: int, flops: int, hardware: str, element: str) -> Roofline:
    """The share of a card's roofline (Williams, Waterman and Patterson, CACM 52, 2009).

    Args:
        timing: Of the call.
        moved: Bytes that it must move.
        flops: Operations that it must do; 0 if nobody counted.
        hardware: Name of the card as its driver has it.
        element: Type that it calculates in.
    """
    seconds = timing.median_ms / 1e3
    rates = (moved / seconds / 1e9, flops / seconds / 1e9) if seconds else (0.0, 0.0)
    card = find_card(hardware)
    if card is None:
        return Roofline(*rates, "memory", None, "")
    kind = {"complex64": "float32", "complex128": "float64", "bfloat16": "float16"}.get(
        element, element
    )
    peak = float(card.get(kind, card["float32"]))
    at_memory = moved / (card["bandwidth"] * 1e9)
    at_arithmetic = flops / (peak * 1e9)
    bound = "memory" if at_memory >= at_arithmetic else "arithmetic"
    share = max(at_memory, at_arithmetic) / seconds if seconds else 0.0
    return Roofline(*rates, bound, share, str(card["name"]))


def find_card(hardware: str) -> dict[str, Any] | None:
    """What is known of a card, by its name as its driver has it; ``None`` where nothing is."""
    return next((one for one in _cards() if one["name"] in hardware), None)


@cache
def _cards() -> list[dict[str, Any]]:
    with _CARDS.open("rb") as file:
        return list(tomllib.load(file)["card"])
