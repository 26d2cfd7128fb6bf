"""Launches that are made again: by which loop, and what a recorded call shows to be possible."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from kept_sayings import Draft, function

from qa.author import launch_places
from qa.author.kernel_layout import calls_itself, counted_in
from qa.author.launch_prose import size_words
from qa.author.repeats import tell_repeats

OUTER = """void outer(int n)
{
  inner(n, 0);
  for(int i = 0; i < n; i += 64)
    inner(n, i);
}
"""
INNER = """void inner(int n, int i)
{
  for(int b = 0; b < n; b += WHOLE)
    LAUNCH((kernel), grid, block, 0, stream, n);
}
"""


CALL = {"entry": "entry", "args": {}}


def made(way: list[tuple[str, int]]) -> Any:
    owner = {
        "outer": function(OUTER, "outer"), "inner": function(INNER, "inner"),
        "kernel": function("void kernel(int n)\n{\n}\n", "kernel", "kernel"),
    }  # fmt: skip
    owner["inner"].signature = "void inner(int n, int i)"
    path = [(name, Draft.lines(None, line) if line else None) for name, line in way]
    draft = Draft(owner=owner, path=lambda *_a, **_k: path, launches=[])
    draft.ground = SimpleNamespace(
        constants={"WHOLE": (1 << 20, "a.hpp", 1)}, runs=lambda _view, _trace: {}
    )
    return draft


def test_the_loop_that_repeats_a_launch_is_named_and_so_are_calls_outside() -> None:
    draft = made([("outer", 0), ("inner", 5), ("kernel", 4)])
    assert tell_repeats(draft, CALL, {"symbol": "kernel"})
    assert draft.said == [
        "`outer` calls `inner` in every round of `for(int i = 0; i < n; i += 64)`, "
        "and at one more place outside of that loop."
    ]


def test_no_loop_is_made_up() -> None:
    draft = made([("outer", 0), ("inner", 3), ("kernel", 4)])
    assert not tell_repeats(draft, CALL, {"symbol": "kernel"})
    launch = {"grid": [1, 1, 1], "block": [8, 1, 1], "shared_bytes": 0, "repeat": 4}
    assert size_words(launch) == "1 block of 8 threads"


def test_a_kernel_counts_as_launched_by_the_function_that_alone_can_have_done_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launches = [{"kernel": "k", "symbol": "k1"}]
    one: Any = SimpleNamespace(id="one")
    two: Any = SimpleNamespace(id="two")
    view: Any = SimpleNamespace(interface="i", once=lambda _name, make: make())
    ground: Any = SimpleNamespace(traces=lambda _i: [{"entry": "e", "launches": launches}])
    monkeypatch.setattr(launch_places, "launching", lambda *_a: [SimpleNamespace(caller=one)])
    assert launch_places.launched_by(view, ground, ["e"], one) == {"k"}
    assert launch_places.launched_by(view, ground, ["e"], two) == set()


def test_a_recursion_meets_its_barriers_at_each_level() -> None:
    own: Any = SimpleNamespace(id="r", instantiations=[{"id": "r4"}, {"id": "r2"}])
    view: Any = SimpleNamespace(by_id={"r": own}, owner={"r4": own}, callers={"r2": ("r4",)})
    assert calls_itself(view, "r")
    view.callers = {}
    assert not calls_itself(view, "r")
    assert counted_in(1, more=False, again=True) == "1 at each level of its recursion"
