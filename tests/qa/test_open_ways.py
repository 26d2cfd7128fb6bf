"""What the constants that calls hand down close: kernels that an entry point never comes to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.open_ways import OpenWays
from qa.author.subjects import launched_somewhere, reaching, remember_open

ENTRY = """int entry_{0}(int n)
{{
  const bool pivot = {1};
  return body<float>(n, 1, pivot, {2});
}}
"""
BODY = """template <typename T, bool BATCHED>
int body(int n, int batch_count, bool pivot, trans op)
{
  if(batch_count == 0)
    return never(n);
  if(op == op_none && !pivot)
    return plain(n);
  if(pivot)
    launch(with_pivot, n);
  else
    launch(without_pivot, n);
  if(n > 4 || BATCHED)
    launch(large, n);
  if(BATCHED && n > 4)
    launch(batched, n);
  return later(n);
}
"""
NAMES = ("never", "plain", "with_pivot", "without_pivot", "large", "batched", "later")


def function(name: str, text: str, kind: str, *arguments: str) -> Any:
    return SimpleNamespace(
        id=name, name=name, text=text, kind=kind, span=SimpleNamespace(start_line=1),
        signature=text.split("{")[0],
        instantiations=({"id": name, "template_arguments": list(arguments)},),
    )  # fmt: skip


@pytest.fixture
def view() -> Any:
    entries = [
        function("entry_a", ENTRY.format("a", "true", "op_none"), "entry_point"),
        function("entry_b", ENTRY.format("b", "false", "op_t"), "entry_point"),
        function("entry_c", ENTRY.format("c", "n > 2", "op_none"), "entry_point"),
    ]
    body = function("body", BODY, "launcher", "float", "false")
    leaves = [function(n, f"void {n}(int n)\n{{\n}}\n", "kernel") for n in NAMES]
    rows = BODY.split("\n")
    lines = {n: next(i + 1 for i, row in enumerate(rows) if f"{n}(" in row or f"{n}," in row)
             for n in NAMES}  # fmt: skip

    def at(line: int) -> Any:
        return SimpleNamespace(start_line=line)

    made: dict[str, Any] = {}
    functions = [*entries, body, *leaves]
    owner = {f.id: f for f in functions}
    edges = {f.id: [("body", at(4), ())] for f in entries}
    edges["body"] = [(name, at(lines[name]), ()) for name in NAMES]
    callers: dict[str, list[str]] = {}
    for caller, targets in edges.items():
        for target, _at, _configs in targets:
            callers.setdefault(target, []).append(caller)

    def once(name: str, make: Any) -> Any:
        return made.setdefault(name, make())

    return SimpleNamespace(
        functions=functions, owner=owner, edges=edges, callers=callers, once=once,
        entry_ids=lambda entry: [entry],
    )  # fmt: skip


GROUND: Any = SimpleNamespace(enumerators=frozenset(("op_none", "op_t")))


@pytest.mark.parametrize(
    ("entry", "closed"),
    [
        ("entry_a", {"never", "plain", "without_pivot", "batched"}),
        ("entry_b", {"never", "plain", "with_pivot", "batched"}),
        ("entry_c", {"never", "batched"}),
    ],
)
def test_constants_of_calls_close_branches(view: Any, entry: str, closed: set[str]) -> None:
    reached = OpenWays(view, GROUND).reached(entry)
    assert set(NAMES) - reached == closed


def test_the_one_constant_that_closes_a_call_is_known(view: Any) -> None:
    ways = OpenWays(view, GROUND)
    closed = {c.callee: (c.name, c.value, c.guard.negated) for c in ways.closed("entry_a")}
    assert closed == {
        "never": ("batch_count", "1", False), "plain": ("pivot", "true", False),
        "without_pivot": ("pivot", "true", True), "batched": ("BATCHED", "false", False),
    }  # fmt: skip
    assert ways.is_open("entry_a", "entry_a", "body", 4)
    line = next(c.line for c in ways.closed("entry_a") if c.callee == "batched")
    assert not ways.is_open("entry_a", "body", "batched", line)


def test_a_kernel_is_told_only_for_entry_points_that_come_to_it(view: Any) -> None:
    kernel, never = view.owner["with_pivot"], view.owner["batched"]
    assert reaching(view, kernel) == {"entry_a", "entry_b", "entry_c"}
    remember_open(view, GROUND)
    view.once.__closure__[0].cell_contents.clear()
    remember_open(view, GROUND)
    assert reaching(view, kernel) == {"entry_a", "entry_c"}
    assert launched_somewhere(view, [kernel, never], {}) == [kernel]
