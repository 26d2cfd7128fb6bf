"""Expressions of facts on one call: each worked out once, in every turn of the loops around it."""

from __future__ import annotations

from typing import Any

import pytest

from extractor.facts import valuation
from extractor.facts.host.evaluate import Undecidable, evaluate
from extractor.facts.valuation import Valuation


def _loop(variable: str | None, start: str, condition: str, step: str) -> dict[str, Any]:
    return {"variable": variable, "start": start, "condition": condition, "step": step}


def test_turns_of_nested_loops_are_those_that_the_conditions_let_through() -> None:
    loops = [_loop("i", "0", "i < n", "2"), _loop("j@7", "i", "j@7 < n", "1")]
    found = list(Valuation({"n": 3}).turns(loops))
    assert [tuple(value for _, value in turn) for turn in found] == [
        (0, 0), (0, 1), (0, 2), (2, 2),
    ]  # fmt: skip
    assert list(Valuation({"n": 3}).turns([])) == [()]
    assert list(Valuation({"n": 0}).turns(loops)) == []


@pytest.mark.parametrize(
    ("loop", "why"),
    [
        (_loop("i", "0", "i < n", "0"), "a loop that does not move"),
        (_loop("i", "0", "i > -1", "1"), "a loop of very many turns"),
        (_loop(None, "", "p[0] == 1", ""), "a loop that does not count"),
        (_loop("i", "first", "i < n", "1"), "'first' has no value"),
    ],
)
def test_what_is_not_known_of_a_loop_is_said_each_time(loop: dict[str, Any], why: str) -> None:
    known = Valuation({"n": 3})
    for _ in range(2):
        with pytest.raises(Undecidable, match=why):
            list(known.turns([loop]))


def test_an_expression_is_worked_out_once_for_what_it_speaks_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def counted(text: str, values: Any) -> Any:
        asked.append(text)
        return evaluate(text, values)

    monkeypatch.setattr(valuation, "evaluate", counted)
    known = Valuation({"n": 5, "handle->mode": 1})
    texts = ("n > 2 && handle->mode == 1", "n - i > 3", "x == 1 && i > 1")
    for i in (0, 1, 2, 1):
        for j in range(3):
            turn = (("i", i), ("j", j))
            assert [known.holds(text, turn) for text in texts] == [
                True, 5 - i > 3, None if i > 1 else False,
            ]  # fmt: skip
    assert asked.count(texts[0]) == 1
    assert asked.count(texts[1]) == asked.count(texts[2]) == 3
    assert known.missing(texts[2], (("i", 2),)) == "'x' has no value"
