"""Tests that an answer tells, against the call made again."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from extractor.records import Span
from extractor.trace import branches
from extractor.trace.branches import Executed, Function, Region
from qa.author.came_by import _has_both, is_usual
from qa.executed import Run
from qa.gates import came_out
from qa.gates.came_out import _count, _tests, told_tests
from qa.reading.function import read_function

FILE = "src/a.cpp"
TEXT = """\
int launcher(int n, int m)
{
    if(n > 64 && (m == 1 || m == 2))
        small();
    else if(!ready)
        large();
    for(int i = 0; i < n; i += 8)
        piece();
    return constant_of<T>() && n ? 1 : 2;
}
"""


def operand(line: int, text: str, held: int, failed: int) -> branches.Test:
    column = TEXT.split("\n")[line - 1].index(text) + 1
    return branches.Test(FILE, (line, column, line, column + len(text)), held, failed)


def run() -> tuple[Run, Any]:
    """A call with n = 100 and m = 3 that was followed by hand."""
    function: Any = SimpleNamespace(
        id="1", name="launcher", text=TEXT, file=FILE, kind="launcher",
        span=Span(file=FILE, start_line=1, end_line=10, sha256=""),
        instantiations=({"id": "f@1", "symbol": "f"},),
    )  # fmt: skip
    view: Any = SimpleNamespace(symbols={"f": {}}, owner={"f@1": function})
    regions = (
        Region(FILE, (2, 1, 10, 2), 1),
        Region(FILE, (4, 9, 4, 16), 0),
        Region(FILE, (5, 10, 6, 16), 1),
        Region(FILE, (6, 9, 6, 16), 1),
        Region(FILE, (8, 9, 8, 16), 13),
    )
    tests = (
        operand(3, "n > 64", 1, 0),
        operand(3, "m == 1", 0, 1),
        operand(3, "m == 2", 0, 1),
        operand(5, "!ready", 1, 0),
        operand(7, "i < n", 13, 1),
        operand(9, "constant_of<T>()", 0, 0),
        operand(9, "n ", 1, 0),
    )
    return Run(view, Executed((Function("f", regions, tests),))), function


@pytest.mark.parametrize(
    ("condition", "truth"),
    [
        ("n > 64", True),
        ("n>64", True),
        ("m == 1 || m == 2", False),
        ("(n > 64 && (m == 1 || m == 2))", False),
        ("!ready", True),
        ("!(m == 1)", True),
        # Both ways, and not asked.
        ("i < n", None),
        ("constant_of<T>()", None),
        ("n < 64", None),
        ("n > 64 && never_asked", None),
        ("m == 1 && never_asked", False),
    ],
)
def test_a_condition_came_out_as_its_operands_did(condition: str, truth: bool | None) -> None:
    made, function = run()
    assert made.truth(function, condition) is truth


def test_what_was_not_asked_may_be_known_otherwise() -> None:
    made, function = run()
    assert made.truth(function, "constant_of<T>()", 0, lambda text: "constant" in text) is True
    # What came out both ways is not asked for elsewhere.
    assert made.truth(function, "i < n", 0, lambda _text: True) is None


def test_it_is_known_whether_a_condition_was_asked() -> None:
    made, function = run()
    assert made.asks(function, "i < n")
    assert made.asks(function, "never_asked && (m == 1 || other)")
    assert made.asks(function, "!(m == 1)")
    assert not made.asks(function, "constant_of<T>()")
    assert not made.asks(function, "never_asked")


def test_a_loop_has_rounds() -> None:
    made, function = run()
    assert made.rounds(function, "i < n", 7) == (13, 1)


def test_branches_and_lines_ran_as_counted() -> None:
    made, function = run()
    first, second = read_function(TEXT, 1).branches
    assert made.taken(function, first) is False
    assert made.taken(function, second) is True
    assert [made.count(function, line) for line in (4, 6, 8)] == [0, 1, 13]


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("The call gets there because `a` fails, while `b` and `c` hold.",
         [("a", True), ("b", False), ("c", False)]),
        ("`a` fails at `x`.", [("a", True), ("x", True)]),
        ("`a` fails since neither `x` nor `y` holds.", [("a", True), ("x", True), ("y", True)]),
        ("For this call `a` fails at `x`, `b` fails since none of `p`, `q` and `r` holds and `c` "
         "fails; `d` holds and leads to `k`.",
         [("a", True), ("x", True), ("b", True), ("p", True), ("q", True), ("r", True),
          ("c", True), ("d", False)]),
        ("`a` fails, on gfx90a at `x` and on gfx942 at `y`.",
         [("a", True), ("x", True), ("y", True)]),
        ("`f` launches `k` with 3 blocks.", []),
    ],
)  # fmt: skip
def test_sentences_are_read(sentence: str, told: list[tuple[str, bool]]) -> None:
    assert told_tests(sentence) == told


@pytest.mark.parametrize(
    ("sentence", "refused"),
    [
        ("Here `n > 64` holds and `m == 1 || m == 2` fails.", False),
        ("Here `n > 64` fails and `m == 1 || m == 2` fails.", True),
        ("Here `n > 64` holds, and `m == 2` holds as well.", True),
        ("It fails since neither `m == 1` nor `m == 2` holds.", False),
        ("`!ready` fails.", True),
        ("`i < n` fails.", False),
        ("`something else` fails.", False),
    ],
)
def test_a_test_that_came_out_otherwise_is_refused(sentence: str, refused: bool) -> None:
    made, function = run()
    why = _tests(sentence, [({}, {"gfx942": made})], [function])
    assert (why is not None) is refused


def test_nothing_is_refused_where_another_function_asks_the_same_both_ways() -> None:
    made, function = run()
    sentence = "Here `n > 64` fails."
    assert _tests(sentence, [({}, {"gfx942": made})], [function]) is not None
    mixed: Any = SimpleNamespace(truth=lambda *_a: None, asks=lambda *_a: True)
    assert _tests(sentence, [({}, {"gfx942": made}), ({}, {"gfx90a": mixed})], [function]) is None


def test_so_is_a_call_that_was_made_another_number_of_times() -> None:
    made, function = run()
    calls: list[tuple[dict[str, Any], dict[str, Run]]] = [({}, {"gfx942": made})]
    told = "`launcher` calls `piece` {} times, in the rounds of `for(int i = 0; i < n; i += 8)`."
    assert _count(told.format(13), calls, [function]) is None
    assert _count(told.format(12), calls, [function]) is not None


ARMS = """\
void f(int n, bool left, bool upper)
{
    if(left)
        go<true>(n);
    else
        go<false>(n);
    if(upper)
    {
        if(n > 3)
            go<true>(n);
    }
    else
        stay(n);
}
"""


def test_a_test_whose_other_outcome_leads_to_the_same_is_no_reason() -> None:
    calls = read_function(ARMS, 1).calls_of("go")
    guards = [[(g.condition, _has_both(call, g, twin)) for g in call.guards for twin in calls]
              for call in calls]  # fmt: skip
    assert ("left", True) in guards[0]
    assert ("left", True) in guards[1]
    assert all(not both for _condition, both in guards[2])


@pytest.mark.parametrize(
    ("condition", "usual"),
    [
        ("handle->pointer_mode == pointer_mode_host", True),
        ("!handle", True),
        ("handle->pointer_mode == pointer_mode_host && *alpha == 0", False),
        ("n > 3", False),
    ],
)
def test_a_test_on_more_than_the_modes_of_a_handle_is_told(condition: str, usual: bool) -> None:
    assert is_usual(condition) is usual


def test_calls_that_cannot_be_made_again_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(came_out, "find_trace", lambda _case, _value: None)
    value = {"entry": "f", "args": {"n": 1}, "arch": ["gfx90a"]}
    claims = [SimpleNamespace(type="launch", value={**value, "args": {"n": n}}) for n in (1, 2, 2)]
    case: Any = SimpleNamespace(
        is_code=False, entry=SimpleNamespace(answer="`n > 1` holds.", claims=claims),
        left_out=Counter(), ground=None, view=None,
    )  # fmt: skip
    assert came_out.as_executed(case) is None
    assert case.left_out == {came_out.NOT_MADE: 2}
