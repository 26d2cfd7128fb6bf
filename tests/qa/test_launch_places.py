"""What stands around a launch on a way; mended faults of entries on ways and sizes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from extractor.records import Span
from qa.author.decisions import Decision, _is_built
from qa.author.launch_places import _on_side, _tell_loop, tell_shape
from qa.author.launch_shapes import bare
from qa.author.sizes import _parts, _tell_grown
from qa.gates.asked_calls import CHAIN
from qa.gates.places_told import _way
from qa.reading.function import Branch, read_function
from qa.reading.outcome import Outcome, Step

LAUNCHER = """void launcher(int n, int m)
{
#ifdef WITH_OTHER
  if(n > 9)
    return other(n);
#endif
  if(m == 0)
  {
    LAUNCH((one), grid, block, 0, stream, n, m);
  }
  else
  {
    for(int j = 0; j < n; ++j)
      LAUNCH((two), grid, block, 0, stream, n, m);
  }
}
"""


def place(line: int, last: int = 0) -> Span:
    return Span(file="a.hpp", start_line=line, end_line=last or line, sha256="0" * 64)


def function() -> Any:
    return SimpleNamespace(
        id="launcher", name="launcher", text=LAUNCHER, span=place(1, 17), file="a.hpp"
    )


class Draft:
    """Keeps what is said, with places."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.claims: list[tuple[str, str, Any]] = []

    def say(self, text: str, *_cites: object) -> None:
        self.said.append(text)

    def claim(self, kind: str, subject: str, value: Any, _check: str) -> None:
        self.claims.append((kind, subject, value))

    def lines(self, _function: object, first: int, last: int = 0) -> Span:
        return place(first, last)

    def head(self, _function: object) -> Span:
        return place(1)


def site(name: str, line: int) -> Any:
    return SimpleNamespace(
        dead=False, caller=function(), callee=SimpleNamespace(name=name), at=place(line)
    )


def test_launches_of_the_other_branch_are_found() -> None:
    view: Any = SimpleNamespace(launches=[site("one", 9), site("two", 14)])
    held = Decision(function(), "m == 0", True, "", place(7, 8))
    assert [s.callee.name for s in _on_side(view, function(), held, same=False)] == ["two"]
    failed = Decision(function(), "m == 0", False, "", place(7, 8))
    assert [s.callee.name for s in _on_side(view, function(), failed, same=False)] == ["one"]


def test_only_a_launch_in_a_loop_is_made_in_rounds() -> None:
    draft: Any = Draft()
    assert not _tell_loop(draft, function(), [site("one", 9)])
    assert _tell_loop(draft, function(), [site("two", 14)])
    assert draft.said == [
        "The launch stands in the loop `for(int j = 0; j < n; ++j)` and is made once "
        "in each of its rounds."
    ]


def test_a_way_out_that_another_configuration_has_is_not_told() -> None:
    branch = read_function(LAUNCHER, 1).branches[0]
    assert isinstance(branch, Branch)
    owner = {"other1": SimpleNamespace(name="other")}

    def built(configs: tuple[str, ...], to: str = "other1") -> bool:
        view: Any = SimpleNamespace(
            owner=owner, edges={"launcher1": [(to, place(5), configs)]}, configs=("source",)
        )
        return _is_built(view, "launcher1", function(), branch, "other")

    assert built(("source",))
    assert not built(("tensile",))
    assert not built(("source",), "nobody")


def test_a_size_that_is_set_and_multiplied_is_told_as_such() -> None:
    draft: Any = Draft()
    steps = [
        Step("assign", 4, 4, "*size_X = m * k", 600),
        Step("assign", 5, 5, "*size_X *= sizeof(T) * batch", 48000),
    ]
    made: Any = SimpleNamespace(types={"T": "double"}, function=function())
    assert _parts(steps[1].text) == ("*size_X", "*", "sizeof(T) * batch")
    values: Any = {"m": 300, "k": 2, "batch": 10}
    assert _tell_grown(draft, made, steps[1], Outcome(steps=steps), values) == 48000
    assert draft.said == [
        "`*size_X` starts from `m * k`, which is 600, and is multiplied by `sizeof(T) * batch` "
        "then, which makes 600 * 8 * 10 = 48000 bytes."
    ]
    assert ("number", "600 * 8 * 10", 48000) in draft.claims


def test_the_type_of_a_grid_is_no_part_of_it() -> None:
    for text in ("(dim3(256, f(1), 1))", "dim3(256, f(1), 1)", "(256, f(1), 1)"):
        assert bare(text) == "(256, f(1), 1)"
    assert bare("(n)") == "n"


def test_a_product_gives_no_value_to_its_last_factor() -> None:
    assert CHAIN.search("`*size_X` is `m * k` = 19200 at first") is None
    assert CHAIN.search("with `k` = 19200") is not None


def test_a_way_through_a_function_object_is_the_claimed_one() -> None:
    claim = SimpleNamespace(
        type="path", subject="call", value=["call", "a", "operator()", "b", "k"]
    )
    case: Any = SimpleNamespace(entry=SimpleNamespace(claims=[claim]))
    said = "`call` gets there by {}, and the checks of handle come first."
    assert _way(cast(Any, case), said.format("`a`, a function object and `b`")) is None
    assert _way(cast(Any, case), said.format("`b`, a function object and `a`")) is not None


def test_the_line_that_makes_a_block_is_cited_though_a_macro_hands_it_over_in_brackets() -> None:
    text = """void launcher(int n)
{
  dim3 grid(n, 1, 1);
  dim3 block(64, 1, 1);
  LAUNCH((one), (grid), (block), 0, stream, n);
}
"""
    caller: Any = SimpleNamespace(
        id="launcher", name="launcher", text=text, span=place(1, 6), file="a.hpp"
    )
    launch: Any = SimpleNamespace(caller=caller, at=place(5), grid="(grid)", block="(block)")
    cited: list[object] = []
    draft: Any = SimpleNamespace(
        say=lambda text, *cites: cited.extend(cites), lines=Draft().lines, head=Draft().head
    )
    ground: Any = SimpleNamespace(constants={}, enumerators=frozenset())
    assert tell_shape(draft, ground, caller, [launch])
    assert {place(3), place(4), place(5)} <= set(cited)
