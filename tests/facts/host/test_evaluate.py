"""Expressions of facts on concrete arguments."""

from __future__ import annotations

import pytest

from extractor.facts.host.evaluate import Undecidable, evaluate, holds


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("(n - 1) / 256 + 1", {"n": 1000}, 4),
        ("-7 / 2", {}, -3),
        ("-7 % 3", {}, -1),
        ("uint32_t(-1)", {}, 4294967295),
        ("int32_t(2147483648)", {}, -2147483648),
        ("a ? 1 : b ? 2 : 3", {"a": 0, "b": 1}, 2),
        ("min(n, 5) * max(2, 3)", {"n": 9}, 15),
        ("handle->mode == host", {"handle->mode": 0, "host": 0}, 1),
        ("*alpha != 0", {"*alpha": 2.5}, 1),
        ("1 << 4 | 3 & 1", {}, 17),
        ("{5, 6, 7}[n - 1] + 1", {"n": 2}, 7),
        ("(n > 1 ? {{1, 2}, {3, 4}} : {{5, 6}, {7, 8}})[1][n & 1]", {"n": 2}, 3),
        ("mode == kind_none", {"mode": "N", "kind_none": "N"}, 1),
    ],
)
def test_values(text: str, values: dict[str, object], expected: int) -> None:
    assert evaluate(text, values) == expected  # type: ignore[arg-type]


def test_unknown_symbols_do_not_matter_where_another_side_decides() -> None:
    assert holds("x > 0 && n < 0", {"n": 1}) is False
    assert holds("x > 0 || n > 0", {"n": 1}) is True
    assert holds("x > 0 && n > 0", {"n": 1}) is None


@pytest.mark.parametrize("text", ["n", "n / 0", "a b", "(1", "f(…)", "", "{1, 2}[2]", "{1, 2"])
def test_what_has_no_value_says_so(text: str) -> None:
    with pytest.raises(Undecidable):
        evaluate(text, {} if text == "n" else {"n": 1, "a": 1, "b": 1})
