"""Entries that gates refused though they were right, and what their authors say instead."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from qa.author.entry_pairs import _tell_meeting
from qa.author.launch_shapes import _shown
from qa.gates.followed_call import _clauses


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("(32, 32, 1)", "32 x 32"),
        ("(256)", "256"),
        ("(1, 1, 1)", "1"),
        ("(BS2, BS2)", "`(BS2, BS2)`"),
        ("((n - 1) / 32 + 1)", "`((n - 1) / 32 + 1)`"),
    ],
)
def test_a_size_of_mere_numbers_is_told_as_numbers(written: str, shown: str) -> None:
    assert _shown(written) == shown


def test_a_clause_that_gives_an_argument_two_values_is_about_two_calls() -> None:
    known = frozenset({"n"})
    told = "`n` = 3 ends at `levels = 1`, and `n` = 2 comes to `levels = 0`."
    assert list(_clauses(told, known)) == [
        "`n` = 3 ends at `levels = 1`",
        "`n` = 2 comes to `levels = 0`.",
    ]
    assert list(_clauses("`n` = 3 fails, and `m` is left", known)) == [
        "`n` = 3 fails, and `m` is left"
    ]


def _way(*names: str) -> list[Any]:
    kinds = ["entry_point", *["host"] * (len(names) - 2), "kernel"]
    return [SimpleNamespace(name=n, kind=k) for n, k in zip(names, kinds, strict=True)]


def test_two_ways_meet_where_the_last_function_of_one_alone_hands_on() -> None:
    told: list[str] = []
    draft = SimpleNamespace(
        choose=lambda *texts, salt: texts[1], head=lambda function: function.name,
        say=lambda text, *where: told.append(text),
    )  # fmt: skip
    _tell_meeting(
        cast(Any, draft), "gbmv", "gbmv_64",
        _way("gbmv", "impl", "launcher", "kernel"),
        _way("gbmv_64", "impl", "launcher_64", "launcher", "kernel"),
    )  # fmt: skip
    assert told == [
        "`launcher_64` hands the work on to `launcher`, "
        "and from there on `gbmv_64` goes the way of `gbmv`."
    ]
    _tell_meeting(
        cast(Any, draft), "gbmv", "gbmv_64",
        _way("gbmv", "impl", "kernel"), _way("gbmv_64", "impl", "kernel_64"),
    )  # fmt: skip
    assert len(told) == 1
