"""What a step of registers more would cost, in numbers that are all claimed."""

from __future__ import annotations

from typing import Any

import pytest

from qa.author.launch_limits import tell_next
from qa.text.prose import numbers


class Sayings:
    """Keeps what is said and claimed."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.claims: dict[str, Any] = {}

    def say(self, text: str, *_cites: object) -> None:
        self.said.append(text)

    def claim(self, _kind: str, subject: str, value: Any, _check: str) -> None:
        self.claims[subject] = value


@pytest.mark.parametrize("waves", range(1, 17))
def test_every_number_that_is_worked_out_is_claimed(waves: int) -> None:
    draft: Any = Sayings()
    tell_next(draft, waves)
    for number in numbers(" ".join(draft.said)):
        assert number.value in draft.claims.values() or number.value in (4, 512)


def test_it_is_told_where_whole_blocks_leave_places_open() -> None:
    draft: Any = Sayings()
    tell_next(draft, 8)
    assert "28 / 8 = 3 blocks with 3 * 8 = 24 of them" in draft.said[0]
