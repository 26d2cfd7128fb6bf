"""Answers without holes: every test told or named, every item of a question answered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from kept_sayings import Draft, function

from qa.author import leaving, recursion, subjects
from qa.author.beyond import handed_on, tell_beyond
from qa.author.host_scalars import tell_host_test
from qa.author.kernels_apart import tell_apart
from qa.author.launch_limits import tell_next
from qa.author.launch_lists import _launch_words
from qa.author.passed_values import hands_on, other_names
from qa.author.pieces import tell_limits
from qa.author.told_values import set_to, tell_passed
from qa.author.ways import _names, tell_ways
from qa.reading.function import read_function

FOUR = """void f(H handle, int n, bool wide)
{
  if(kept && (n % 32 == 0 || is_double))
  {
    if(handle->mode == on_device)
    {
      if(wide) g(n, 1); else g(n, 2);
    }
    else
    {
      if(wide) g(n, 3); else g(n, 4);
    }
  }
}
"""


def ways(text: str, *told: tuple[str, bool]) -> list[str]:
    draft = Draft()
    calls = read_function(text, 1).calls_of("g")
    tell_ways(cast(Any, draft), function(text), "`g`", calls, told)
    return draft.said


def test_places_that_differ_in_every_way_are_told_by_the_tests_that_part_them() -> None:
    around, places = ways(FOUR)
    assert around == "Around all places of `g` `kept && (n % 32 == 0 || is_double)` holds too."
    assert places == (
        "It is called there in four branches, one for each way in which "
        "`handle->mode == on_device` and `wide` can come out."
    )


def test_a_test_too_long_to_quote_leaves_its_names_and_its_outcome() -> None:
    long = " || ".join(f"n == {number}" for number in range(20))
    text = f"void f(int n, bool wide)\n{{\n  if({long} || wide)\n    g(n);\n}}\n"
    assert ways(text) == ["A further test around `g` looks at `n` and `wide` and has to hold."]


def test_tests_one_behind_the_other_are_told_in_their_order() -> None:
    rows = "".join(
        f"  else if(n <= {64 * number})\n    g(n, {number});\n" for number in range(2, 6)
    )
    text = f"void f(int n)\n{{\n  if(n <= 64)\n    g(n, 1);\n{rows}  else\n    g(n, 6);\n}}\n"
    assert ways(text) == [
        "It is called there at 6 places, and a call takes the first of them whose test holds: "
        "`n <= 64`; `n <= 128`; `n <= 192`; `n <= 256`; `n <= 320`; where all of these fail."
    ]


def test_an_answer_that_cannot_tell_its_places_apart_is_no_entry() -> None:
    rows = "".join(f"  if(n == {number} || wide)\n    g(n, {number});\n" for number in range(9))
    draft = Draft()
    text = f"void f(int n, bool wide)\n{{\n{rows}}}\n"
    calls = read_function(text, 1).calls_of("g")
    assert not tell_ways(cast(Any, draft), function(text), "`g`", calls, ())
    assert (draft.said, draft.untold) == ([], True)


def test_nothing_is_said_where_every_test_is_told() -> None:
    assert ways("void f(int n)\n{\n  if(n > 4)\n    g(n);\n}\n", ("n > 4", False)) == []


@pytest.mark.parametrize(
    ("given", "same"),
    [
        ("n", True), ("n_64", True), ("rocblas_int(n)", True), ("(rocblas_int)n_64", True),
        ("static_cast<int>(n)", True), ("*n", True), ("&n", True),
        ("n - j", False), ("jb", False), ("n * 2", False),
    ],
)  # fmt: skip
def test_a_part_of_an_argument_is_not_the_argument(given: str, same: bool) -> None:
    assert hands_on(given, "n") is same


CALLER = """void caller(int n)
{
  if(n <= SWITCH)
    return callee(n);
  for(int j = 0; j < n; j += 64)
    callee(jb);
  callee(n - j);
}
"""


def test_every_place_of_a_call_is_told_with_what_it_passes() -> None:
    steps = [function("void entry(int n) { caller(n); }", "entry"), function(CALLER, "caller"),
             function("void callee(int n) { k(n); }", "callee")]  # fmt: skip
    passed = other_names(steps, ["n"])["n"]
    assert passed.texts == ("jb", "n - j")
    assert passed.own
    draft = Draft()
    tell_passed(cast(Any, draft), "n", steps[2], passed)
    assert draft.said == [
        "The `n` of `callee` is that of `caller` where `n <= SWITCH` holds there; else `caller` "
        "passes `jb` or `n - j`."
    ]


LOOP = """void caller(int m, int k)
{
  int nrow = m;
  for(int i = 0; i < k; ++i)
  {
    if(left)
      nrow = m - k + i + 1;
    callee(nrow);
  }
}
"""


def test_a_passed_name_is_told_with_what_it_is_made_from_and_the_loop_that_moves_it() -> None:
    caller = function(LOOP, "caller")
    assert set_to(caller, "nrow") == {"m": 3, "m - k + i + 1": 7}
    steps = [function("void entry(int m) { caller(m, 3); }", "entry"), caller,
             function("void callee(int m) { k(m); }", "callee")]  # fmt: skip
    draft = Draft()
    tell_passed(cast(Any, draft), "m", steps[2], other_names(steps, ["m"])["m"])
    assert draft.said[1] == (
        "There `nrow` is set to `m` or `m - k + i + 1`, anew in each round of "
        "`for(int i = 0; i < k; ++i)`."
    )


COUNTER = """void caller(int n)
{
  for(int j = 0; j < n; ++j)
    callee(j);
}
"""


def test_a_passed_counter_is_told_with_its_loop() -> None:
    steps = [function("void entry(int n) { caller(n); }", "entry"), function(COUNTER, "caller"),
             function("void callee(int n) { k(n); }", "callee")]  # fmt: skip
    draft = Draft()
    tell_passed(cast(Any, draft), "n", steps[2], other_names(steps, ["n"])["n"])
    assert draft.said[1:] == ["There `j` is the counter of `for(int j = 0; j < n; ++j)`."]


def test_the_names_of_tests_are_variables_and_members() -> None:
    rows = [("n <= 32", False), ("x < y && f<T>(z)", False), ("h->mode == std::max(q, 1)", True)]
    assert _names(rows) == "`n`, `x`, `y`, `z` and `h->mode` and others"


LEAVES = """void f(int m, int n, int offset)
{
  if(n < 0)
    return bad;
  if(offset == 0)
    LAUNCH(reset, grid, block, 0, stream, m, n);
  if(m == 0 || n == 0)
    return done;
  LAUNCH(more, grid, block, 0, stream, m, n);
}
"""


def end_of(monkeypatch: pytest.MonkeyPatch, truth: bool | None) -> list[str]:
    host = function(LEAVES)
    inside = SimpleNamespace(truth=lambda _text, _ground: truth)
    monkeypatch.setattr(leaving, "within", lambda *_: inside)
    at = Draft.lines(host, 6)
    draft = Draft()
    site: Any = SimpleNamespace(caller=host, at=at)
    leaving.tell_end(cast(Any, draft), {}, {"symbol": "reset"}, [site], set())
    return draft.said


def test_the_return_that_ends_a_call_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert end_of(monkeypatch, truth=True) == [
        "With that done `f` asks `m == 0 || n == 0`, which this call meets, so it returns there "
        "with `done` and launches nothing more."
    ]


@pytest.mark.parametrize("truth", [None, False])
def test_no_return_is_told_that_the_numbers_do_not_lead_to(
    monkeypatch: pytest.MonkeyPatch, truth: bool | None
) -> None:
    assert end_of(monkeypatch, truth) == []


def test_returns_ahead_of_a_call_are_those_on_its_way() -> None:
    reading = read_function(LEAVES, 1)
    found = leaving.leaving_before(reading, (), 9)
    assert [branch.condition for branch in found] == ["n < 0", "m == 0 || n == 0"]


HALF = """void f(int n, bool host)
{
  if(n == 0)
    return;
  if(host)
  {
    if(n == 1)
      return;
    g(n, 1);
  }
  else
    g(n, 2);
}
"""


def test_a_return_on_some_ways_is_not_told_as_one_on_all() -> None:
    draft = Draft()
    calls = read_function(HALF, 1).calls_of("g")
    assert leaving.tell_leaving(cast(Any, draft), function(HALF), calls, set())
    assert draft.said == [
        "Before it comes to that, `f` returns where `n == 0` holds.",
        "On some of the ways to it, not on all, `f` returns before that where `n == 1` holds.",
    ]


BEYOND = {"boundaries": ["_Z21runContractionProblemIffffffE6status", "_ZN3lib5solveEv"]}


@pytest.fixture
def boundary() -> dict[str, Any]:
    caller = function("void solve_it(int n)\n{\n  runContractionProblem(n);\n}\n", "solve_it")
    names = ("runContractionProblem", "other")
    rows = [{"name": f"lib::{n}(int)", "callers": ["solve_it_id"]} for n in names]
    return {"boundaries": rows, "owner": {"solve_it_id": caller}}


def test_a_function_beyond_is_named_where_its_call_can_be_cited(boundary: dict[str, Any]) -> None:
    draft = Draft(**boundary)
    assert tell_beyond(cast(Any, draft), {"boundaries": ["_Z21runContractionProblemi"]})
    assert draft.said[0].startswith("Besides these the call hands work to `runContractionProblem`")


def test_work_past_the_boundary_is_named_and_no_launch_is_the_last() -> None:
    assert handed_on(BEYOND) == ["runContractionProblem", "solve"]
    draft = Draft(boundaries=[], owner={})
    assert tell_beyond(cast(Any, draft), BEYOND)
    assert not tell_beyond(cast(Any, draft), {"boundaries": []})
    launch = {"kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "shared_bytes": 0, "repeat": 1}
    words = [_launch_words(cast(Any, draft), launch, n, 2, [], beyond=True) for n in (0, 1)]
    assert words[1] == "Another launch of the library itself is `k`, 4 blocks of 64 threads."
    assert not any("First" in one or "Last" in one for one in words)


RECURSIVE = """void split(H handle, int n, int lda)
{
  if(n <= 32)
    return small(handle, n, lda);
  int n2 = power_of_two(n);
  int n1 = n - n2;
  split(handle, n1, lda);
  gemm(handle, n1, n2, lda, lda, lda);
  split(handle, n2, lda);
}
"""


def test_a_function_that_calls_itself_gives_the_rule_of_a_list() -> None:
    callee = function("void gemm(int a) {}", "gemm")
    draft = Draft(callees={"split": [callee]})
    split = function(RECURSIVE, "split")
    reading = read_function(RECURSIVE, 1)
    assert recursion._tell(cast(Any, draft), split, reading, reading.calls_of("split"))
    assert draft.said == [
        "The order comes from `split`, which calls itself at 2 places and passes `n1` or `n2` "
        "for `n`.",
        "There `n1` is `n - n2` and `n2` is `power_of_two(n)`.",
        "Beside these it calls `gemm` for what lies between the parts.",
    ]


def test_a_kernel_that_an_entry_point_never_launched_is_not_its_own() -> None:
    known: dict[str, Any] = {}
    view: Any = SimpleNamespace(
        callers={"k": ["a", "b"], "other": ["b"], "never": ["a"], "unread": ["c"]},
        entry_points=["a", "b", "c"],
        owner={n: SimpleNamespace(kind="entry_point", name=n) for n in ("a", "b", "c")},
        once=lambda name, make: known.setdefault(name, make()), interface="i",
    )  # fmt: skip
    rows = [{"entry": n, "launches": [{"kernel": k}]} for n, k in (("a", "k"), ("b", "other"))]
    ground: Any = SimpleNamespace(traces=lambda _interface: rows, untold=set())
    recorded = subjects.remember_launched(view, ground)
    kernels: Any = [
        SimpleNamespace(kind="kernel", name=n, instantiations=({"id": n},))
        for n in ("k", "other", "never", "unread")
    ]
    assert subjects.entries_through(view, kernels[0]) == ["a"]
    left = subjects.launched_somewhere(view, kernels, recorded)
    assert [one.name for one in left] == ["k", "other", "unread"]


def test_what_only_one_of_two_kernels_is_given_is_told() -> None:
    draft = Draft()
    one = function("void plain(int n, float* x, float* y)\n{\n}\n", "plain", "kernel")
    two = function("void strided(int n, float* x, int incx, float* y)\n{\n}\n", "strided", "kernel")
    assert tell_apart(cast(Any, draft), one, two)
    assert draft.said == [
        "Of the two kernels only `strided` takes `incx`; the other parameters have the same names."
    ]


def test_a_statement_on_a_kernel_does_not_speak_for_the_public_call() -> None:
    host = function(
        "int impl(int n, T* alpha)\n{\n  if(*alpha == 0)\n    return set_zero(n);\n}\n", "impl"
    )
    kernel = function("void k(T alpha_device_host)\n{\n}\n", "k", "kernel")
    draft = Draft(
        configs=("source",), owner={"impl_id": host, "k_id": kernel},
        path=lambda *_: [("impl_id", None), ("k_id", None)],
    )  # fmt: skip
    assert tell_host_test(cast(Any, draft), kernel, "entry", "alpha_device_host", 0)
    assert "the host asks in `impl` for `*alpha == 0` as well" in draft.said[0]
    assert not tell_host_test(cast(Any, draft), kernel, "entry", "beta", 0)


WIDE = """int wide(int64_t n_64, int64_t inc)
{
  if(inc <= c_i32_max)
  {
    if(n_64 <= c_i32_max)
      return narrow(n_64, inc);
    for(int64_t base = 0; base < n_64; base += c_chunk)
      narrow(base, inc);
  }
  return 0;
}
"""


def test_a_loop_over_pieces_is_told_with_the_way_around_it() -> None:
    reading = read_function(WIDE, 1)
    draft = Draft()
    assert tell_limits(cast(Any, draft), function(WIDE, "wide"), reading, reading.loops[0])
    assert draft.said == [
        "Where `inc <= c_i32_max` and `n_64 <= c_i32_max` hold in `wide`, a single call of "
        "`narrow` serves it all.",
        "The loop `for(int64_t base = 0; base < n_64; base += c_chunk)` is for calls for which "
        "`inc <= c_i32_max` holds.",
    ]


def test_blocks_of_many_wavefronts_lose_more_than_one_place() -> None:
    draft = Draft()
    tell_next(cast(Any, draft), 16)
    assert "only 28 / 16 = 1 block with 1 * 16 = 16 of them could stay" in draft.said[0]
    tell_next(cast(Any, draft), 4)
    assert len(draft.said) == 1, "four wavefronts fill what is left"
