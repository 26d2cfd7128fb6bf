"""What of a way a public call can meet: constants passed down, early returns, values at a place."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from kept_sayings import Draft, function

from extractor.records import Span
from qa.author.decisions import _is_settled, equal_to
from qa.author.early_exits import exits_on, tell_early_exits
from qa.author.launch_places import _alike
from qa.author.launch_tests import _is_the_kernels_own
from qa.author.passed_values import fixed_parameters, other_names
from qa.author.reached_with import out_of_reach, taking
from qa.author.sites import Test as Condition
from qa.author.told_values import tell_passed
from qa.reading.function import read_function

ENTRY = "status entry(handle h, int n, int k) { return impl(h, n, k); }"
IMPL = """status impl(handle h, int n, int k)
{
  int batch_count = 1;
  return middle(h, n, n - k, batch_count);
}
"""
MIDDLE = """status middle(handle h, int n, int k, int batch_count)
{
  if(batch_count == 0 || n == 0)
    return status_success;
  if(k == 0)
    return status_success;
  if(n == 1)
  {
    launch(scalar);
    return status_success;
  }
  return inner(n, batch_count);
}
"""
INNER = """status inner(int n, int batch_count)
{
  if(n <= 1 || !batch_count)
    return status_success;
  launch(kernel);
}
"""
GROUND: Any = SimpleNamespace(enumerators={"side_left": 0, "side_right": 1}, constants={})


def place(line: int) -> Span:
    return Span(file="a.hpp", start_line=line, end_line=line, sha256="0" * 64)


def steps() -> list[Any]:
    texts = (("entry", ENTRY), ("impl", IMPL), ("middle", MIDDLE), ("inner", INNER))
    functions = [function(text, name) for name, text in texts]
    return list(zip([*functions, function("", "kernel")], [None, *map(place, (1, 4, 12, 5))],
                    strict=True))  # fmt: skip


def test_a_local_name_that_is_set_once_passes_its_constant_down() -> None:
    found = fixed_parameters([f for f, _at in steps()[:3]], GROUND)
    assert found == {"batch_count": {"1"}}
    again = "status middle(handle h, int n, int k, int batch_count) { batch_count = n; }"
    rows = [function(ENTRY, "entry"), function(IMPL, "impl"), function(again, "middle")]
    assert fixed_parameters(rows, GROUND) == {}


def test_only_returns_that_the_arguments_of_the_public_call_reach_are_told() -> None:
    told = [(e.function.name, e.condition, e.pieces) for e in exits_on(steps(), GROUND)]
    assert told == [
        ("middle", "batch_count == 0 || n == 0", ("n == 0",)),
        ("middle", "k == 0", ()),  # that is not the call's k
        ("middle", "n == 1", ("n == 1",)),
        ("inner", "n <= 1 || !batch_count", ()),  # 0 and 1 have left
    ]
    draft: Any = Draft(launches=())
    draft.ground = GROUND
    tell_early_exits(draft, steps())
    assert draft.said == [
        "Before it comes to that, `middle` returns where `n == 0` or `n == 1` holds."
    ]


SOME = """status inner(int n)
{
  if(n == 1)
    return status_success;
  if(mode)
    LAUNCH((kernel), grid, block, 0, stream, n);
  else
  {
    if(n == 2)
      return status_success;
    LAUNCH((kernel), grid, block, 0, stream, n);
  }
}
"""


def test_a_return_ahead_of_one_launch_is_none_ahead_of_the_other() -> None:
    way: Any = [
        (function("status entry(int n) { inner(n); }", "entry"), None),
        (function(SOME, "inner"), place(1)),
        (function("", "kernel"), place(11)),
    ]
    calls = [c for c in read_function(SOME, 1).calls if c.name == "LAUNCH"]
    assert [e.condition for e in exits_on(way, GROUND, calls[1:])] == ["n == 1", "n == 2"]
    assert [e.condition for e in exits_on(way, GROUND, calls)] == ["n == 1"]


def test_a_test_on_the_way_gives_a_name_its_value() -> None:
    tests = [
        Condition("side != side_left", True, place(1)), Condition("(n == 1)", False, place(1)),
        Condition("k == 4", True, place(1)), Condition("m == n", False, place(1)),
    ]  # fmt: skip
    assert equal_to(tests, GROUND) == {"side": "side_left", "n": "1"}


def test_a_parameter_that_the_entry_point_cannot_choose_has_its_constant() -> None:
    rows = [f for f, _at in steps()[:3]]
    rows[0].kind = "entry_point"
    view: Any = SimpleNamespace(
        by_name={"entry": [rows[0]]}, configs=("source",), owner={f.id: f for f in rows},
        path=lambda _entry, _config, _symbol: [(f.id, None) for f in rows],
    )  # fmt: skip
    assert out_of_reach(view, GROUND, ["entry"], rows[2]) == {"batch_count": 1}
    assert out_of_reach(view, GROUND, ["middle"], rows[2]) == {}


def test_values_of_a_batch_are_given_to_an_entry_point_that_takes_one() -> None:
    many = "status many(handle h, int n, int batch_count) { return impl(h, n, batch_count); }"
    owner = {"entry": function(ENTRY, "entry"), "many": function(many, "many"),
             "macro": function("MADE(many)", "macro"), "impl": function(many, "impl")}  # fmt: skip
    view: Any = SimpleNamespace(
        owner=owner, entry_ids=lambda name: [name],
        edges={name: [("impl", place(1), ("source",))] for name in ("entry", "many", "macro")},
    )  # fmt: skip
    entries = ["entry", "many", "macro"]
    assert taking(view, entries, ["n", "batch_count"]) == ["many", "macro"]
    assert taking(view, entries, ["n"]) == entries
    assert taking(view, entries[:1], ["stride_a"]) == entries[:1]


def test_a_flag_of_the_instantiation_settles_a_test() -> None:
    test = Condition("!BATCHED && batch_count == 1", False, place(1))
    assert _is_settled(test, {"BATCHED": {"true"}}, GROUND)
    assert not _is_settled(test, {"BATCHED": {"false"}}, GROUND)


LATER = """void caller(int n)
{
  int nb = SMALL;
  callee(nb);
  for(nb = SMALL, i = 0; i < n; nb *= 2)
    other(nb);
}
"""
BEHIND = """void caller(int n)
{
  int nb = SMALL;
  callee(nb);
  nb = LARGE;
  other(nb);
}
"""


def test_a_later_loop_gives_a_name_no_value_ahead_of_it() -> None:
    callee = function("void callee(int n) { k(n); }", "callee")
    for text, said in (
        (LATER, ["There `nb` is set to `SMALL`."]),
        (BEHIND, ["There `nb` is set to `SMALL`."]),
    ):
        way = [
            function("void entry(int n) { caller(n); }", "entry"),
            function(text, "caller"),
            callee,
        ]
        draft = Draft()
        tell_passed(cast(Any, draft), "n", callee, other_names(way, ["n"])["n"])
        assert draft.said[1:] == said


BOTH = """void launcher(int n, int trans)
{
  if(n > 4)
  {
    if(trans == none)
      LAUNCH((kernel<false>), grid, block, 0, stream, n);
    else
      LAUNCH((kernel<true>), grid, block, 0, stream, n);
  }
}
"""


def test_a_test_that_chooses_between_two_launches_of_a_kernel_does_not_lead_to_it() -> None:
    launcher, kernel = function(BOTH, "launcher"), function("", "kernel")
    sites = [
        SimpleNamespace(dead=False, caller=launcher, callee=kernel, at=place(line), grid="grid",
                        block=block)
        for line, block in ((6, "64"), (8, "128"))
    ]  # fmt: skip
    draft: Any = Draft(launches=sites)
    chooses = Condition("trans == none", False, place(5))
    assert not _is_the_kernels_own(draft, cast(Any, sites[0]), chooses)
    assert _is_the_kernels_own(draft, cast(Any, sites[0]), Condition("n > 4", False, place(3)))
    assert not _alike(draft.view, launcher, kernel), "one place's block is not the launch's"
