"""What requests cost, before and after they are sent."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.errors import RocQuarryError
from qa.model.settings import ModelSettings

_CHARACTERS_PER_TOKEN = 3.0
_PER_MESSAGE = 8
_MILLION = 1_000_000


class BudgetSpent(RocQuarryError):
    """The next request could go past what may be spent."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one request, or of many.

    Attributes:
        sent: Tokens of prompts.
        received: Tokens of answers.
        requests: How many requests.
        estimated: How many of them the server gave no figures for.
    """

    sent: int = 0
    received: int = 0
    requests: int = 0
    estimated: int = 0

    @property
    def tokens(self) -> int:
        """Both ways."""
        return self.sent + self.received

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.sent + other.sent,
            self.received + other.received,
            self.requests + other.requests,
            self.estimated + other.estimated,
        )


def tokens_of(text: str) -> int:
    """About how many tokens a text has: on the high side, for code has short tokens."""
    return int(len(text) / _CHARACTERS_PER_TOKEN) + _PER_MESSAGE


def cost(settings: ModelSettings, usage: Usage) -> float | None:
    """US dollars; ``None`` where no price is known."""
    if settings.input_price is None or settings.output_price is None:
        return None
    return (usage.sent * settings.input_price + usage.received * settings.output_price) / _MILLION


class Budget:
    """Keeps what may be spent ahead of what is asked.

    Args:
        settings: Prices.
        max_cost: US dollars at the most.
        max_tokens: Tokens at the most, both ways.
    """

    def __init__(
        self,
        settings: ModelSettings,
        max_cost: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self._settings = settings
        self._max_cost, self._max_tokens = max_cost, max_tokens
        self._reserved = Usage()
        self.spent = Usage()

    def reserve(self, usage: Usage) -> None:
        """Sets aside what a request may use.

        Raises:
            BudgetSpent: With all that is under way it could go past the limit.
        """
        after = self.spent + self._reserved + usage
        price = cost(self._settings, after)
        if self._max_cost is not None and price is not None and price > self._max_cost:
            raise BudgetSpent(
                f"the next request could cost more than --max-cost {self._max_cost:g}"
            )
        if self._max_tokens is not None and after.tokens > self._max_tokens:
            raise BudgetSpent(f"the next request could go past --max-tokens {self._max_tokens}")
        self._reserved += usage

    def settle(self, reserved: Usage, used: Usage) -> None:
        """Gives back what was set aside and books what was used."""
        self._reserved += Usage(
            -reserved.sent, -reserved.received, -reserved.requests, -reserved.estimated
        )
        self.spent += used

    def line(self) -> str:
        """Running total, for the progress line."""
        price = cost(self._settings, self.spent)
        money = "price unknown" if price is None else f"${price:.4f}"
        return f"{self.spent.requests} requests, {self.spent.tokens} tokens, {money}"
