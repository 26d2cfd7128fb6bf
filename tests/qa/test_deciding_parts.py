"""Which parts of a condition settle it, and how a launch's tests are told by them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from extractor.records import Span
from qa.author.decisions import _pieces
from qa.author.settled import Settled, _failing_word, _meant, failing_words, holding_words
from qa.author.sites import Test as Condition
from qa.gates import polarity
from qa.gates.followed_call import _NEITHER
from qa.reading.architecture_calls import answers
from qa.reading.deciding import deciding
from qa.text.brackets import split_at, unwrapped

SPAN = Span(file="a.cpp", start_line=1, end_line=9, sha256="0" * 64)
VALUES = {"m <= 32": False, "n <= 32": False, "many": True, "x": True, "y": False}


@pytest.mark.parametrize(
    ("condition", "holds", "parts"),
    [
        ("many && m <= 32 && n <= 32", False, [("m <= 32", False)]),
        ("open && m <= 32", False, [("open && m <= 32", False)]),
        ("open || x", True, [("open || x", True)]),
        ("many && (x || y)", True, [("many", True), ("x", True)]),
        ("m <= 32 || y", False, [("m <= 32", False), ("y", False)]),
        ("many && open", False, [("open", False)]),
        ("y || open", True, [("open", True)]),
        ("open && other", False, [("open && other", False)]),
        ("(open || other)", True, [("open || other", True)]),
        ("f(a && b) == 0", True, [("f(a && b) == 0", True)]),
    ],
)
def test_a_condition_comes_out_by_the_parts_that_the_values_settle(
    condition: str, holds: bool, parts: list[tuple[str, bool]]
) -> None:
    assert list(deciding(condition, holds, VALUES.get)) == parts


def test_expressions_are_split_outside_of_brackets() -> None:
    assert split_at("a && (b && c) && f(d && e)", "&&") == ["a", "(b && c)", "f(d && e)"]
    assert unwrapped("((a) && (b))") == "(a) && (b)"


def test_a_handle_answers_with_the_digits_of_the_architecture() -> None:
    text = "h->getArch() == 910 && h->getArchMajor() == 9"
    assert answers(text, "gfx90a") == {"h->getArch()": 910, "h->getArchMajor()": 9}
    assert answers(text, "gfx1030") == {"h->getArch()": 1030, "h->getArchMajor()": 10}
    assert answers(text, "any") == {}


def settled(condition: str, negated: bool, *parts: str, **apart: tuple[str, ...]) -> Settled:
    rows = {arch: tuple((p, not negated) for p in own) for arch, own in apart.items()}
    test = Condition(condition, negated, SPAN)
    return Settled(test, tuple((p, not negated) for p in parts), rows)


def test_a_failed_test_says_where_and_a_long_one_is_told_by_its_parts() -> None:
    long = " && ".join(f"first_part_{n} == second_part_{n}" for n in range(9))
    assert _failing_word(settled("n == 0", True, "n == 0")) == "`n == 0` fails"
    assert _failing_word(settled("a && b", True, "b")) == "`a && b` fails at `b`"
    assert _failing_word(settled("a || b", True, "a", "b")) == "`a || b` fails"
    assert _failing_word(settled("c && (a || b)", True, "a", "b")) == (
        "`c && (a || b)` fails since neither `a` nor `b` holds"
    )
    assert _failing_word(settled("a && b", True, gfx90a=("a",), gfx942=("b",))) == (
        "`a && b` fails, on gfx90a at `a` and on gfx942 at `b`"
    )
    two = [settled(long, True, "first_part_0 == second_part_0"), settled(long + " ", True, "x")]
    assert failing_words(two) == (
        "a longer test fails at `first_part_0 == second_part_0` and another one fails at `x`"
    )
    assert holding_words(settled(long, False, "x", gfx90a=("y",))) == ["`x`", "`y` on gfx90a"]
    assert holding_words(settled("a && b", False, "a", "b")) == ["`a && b`"]


def test_what_the_type_settles_is_said_once() -> None:
    by_type = ["`a` is false for this type", "`b` is true for this type"]
    assert _meant(by_type) == "For this type `a` is false and `b` is true."
    assert _meant([by_type[0], "`c` is `n < 4`"]) == (
        "There `a` is false for this type and `c` is `n < 4`."
    )


def test_a_test_that_is_too_long_is_told_by_its_short_parts() -> None:
    long = f"small && m == n && ({' || '.join(f'threshold_{n} < m' for n in range(20))})"
    assert _pieces(Condition("a && b", False, SPAN)) == ["a && b"]
    assert _pieces(Condition(long, False, SPAN)) == ["small", "m == n"]
    assert _pieces(Condition(long, True, SPAN)) == [], "one of them fails, and which is not known"


LAUNCHER = """void launcher(handle h, int n, int m)
{
  if(fast && n <= 64)
    launch(small);
  else if(narrow || m < 8)
    launch(middle);
  else
    launch(large);
}
"""


def case(sentence: str) -> Any:
    host: Any = SimpleNamespace(id="l", name="launcher", text=LAUNCHER, span=SPAN, file="a.cpp")
    sites = [
        SimpleNamespace(
            caller=host, callee=SimpleNamespace(name=name), dead=False,
            at=SimpleNamespace(start_line=line),
        )
        for name, line in (("small", 4), ("middle", 6), ("large", 8))
    ]  # fmt: skip
    return SimpleNamespace(
        is_code=False, sentences=[sentence], view=SimpleNamespace(launches=sites, calls=[]),
        entry=SimpleNamespace(claims=[]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("The launch of `small` asks for `fast && n <= 64`.", True),
        ("The call comes to `small` because `fast && n <= 64` fails at `fast`.", False),
        (
            "The call gets to `middle` because `fast && n <= 64` fails at `n <= 64`, while "
            "`narrow || m < 8` holds.",
            True,
        ),
        (
            "The call gets to `middle` because `fast && n <= 64` fails at `n <= 64`, while "
            "`narrow || m < 8` fails.",
            False,
        ),
        (
            "For this call `fast && n <= 64` fails at `fast`; `narrow || m < 8` holds and leads to "
            "`middle`.",
            True,
        ),
        (
            "For this call `fast && n <= 64` holds at `fast`; `narrow || m < 8` holds and leads to "
            "`middle`.",
            False,
        ),
        (
            "The call comes to `large` because `fast && n <= 64` fails, on gfx90a at `fast` and on "
            "gfx942 at `n <= 64` and `narrow || m < 8` fails since neither `narrow` nor `m < 8` "
            "holds.",
            True,
        ),
        ("What leads to `large` is that `narrow` and `m < 8` hold.", False),
    ],
)  # fmt: skip
def test_tests_and_their_parts_hold_or_fail_as_around_the_launch(
    sentence: str, passes: bool
) -> None:
    assert (polarity.right_way_round(case(sentence)) is None) is passes


@pytest.mark.parametrize(
    ("before", "denied"),
    [
        ("fails since neither ", True),
        ("neither `a` nor ", True),
        ("none of `a`, `b` and ", True),
        ("neither `a` nor `b` holds, while ", False),
    ],
)
def test_neither_denies_what_follows(before: str, denied: bool) -> None:
    assert (re.search(_NEITHER, before) is not None) is denied
