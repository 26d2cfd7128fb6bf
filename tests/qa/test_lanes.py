"""Which threads make an access: tests around a statement, within it, and before it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.gates import lanes_there
from qa.reading.access_guards import needed_at, written_at
from qa.reading.function import read_function
from qa.reading.lanes import makes, outcome, same_for_all, spelled_out

KERNEL = """__global__ void work(int m, float* A, int* info, bool on)
{
  const int tx = hipThreadIdx_x;
  int ty = threadIdx.y;
  int count = 0;
  float got = (tx < m) ? A[tx] : 0;
  if(tx == 0 && *info == 0 && count > 0)
    *info = 1;
  if(ty == 0)
    A[tx + 1] = got;
  else if(on || tx > 99)
    A[tx + 2] = got;
  count += 1;
}
"""
ROWS = KERNEL.split("\n")


def around(code: str) -> list[Any]:
    line = next(i for i, row in enumerate(ROWS) if code in row)
    return needed_at(KERNEL, 11, line + 11, ROWS[line].index(code) + 1) or []


def passes(code: str, **values: int) -> bool | None:
    spot: dict[str, Any] = {"threadIdx.x": values.pop("tx"), "threadIdx.y": values.pop("ty", 0)}
    return makes(around(code), read_function(KERNEL, 11), KERNEL, {**spot, **values})


def test_tests_around_and_within_a_statement_are_found() -> None:
    assert [(n.condition, n.negated, n.inside) for n in around("A[tx] :")] == [
        ("(tx < m)", False, True)
    ]
    assert [(n.condition, n.negated) for n in around("A[tx + 2]")] == [
        ("ty == 0", True), ("on || tx > 99", False),
    ]  # fmt: skip
    assert [n.condition for n in around("*info == 0")] == ["tx == 0"]
    assert written_at(KERNEL, 11, 16, ROWS[5].index("A[tx]") + 1) == "A[tx]"


@pytest.mark.parametrize(
    ("code", "values", "made"),
    [
        ("A[tx] :", {"tx": 64, "m": 100}, True),
        ("A[tx] :", {"tx": 100, "m": 100}, False),
        ("A[tx] :", {"tx": 3}, None),
        ("*info == 0", {"tx": 64}, False),
        ("*info = 1", {"tx": 64}, False),
        ("*info = 1", {"tx": 0}, None),
        ("A[tx + 1]", {"tx": 0, "ty": 1}, False),
        ("A[tx + 2]", {"tx": 100, "ty": 1}, True),
        ("A[tx + 2]", {"tx": 9, "ty": 1}, None),
        ("A[tx + 2]", {"tx": 9, "ty": 0}, False),
    ],
)
def test_a_thread_makes_an_access_or_not(
    code: str, values: dict[str, int], made: bool | None
) -> None:
    assert passes(code, **values) is made


def test_names_that_change_are_not_put_in() -> None:
    reading = read_function(KERNEL, 11)
    assert spelled_out("tx + count", reading, KERNEL) == "(threadIdx.x) + count"
    assert outcome("!(2 > 1) || 1 == 1", {}) is True
    assert same_for_all("A != nullptr && alpha")
    assert not same_for_all("tx < m")


def case(answer: str, question: str) -> Any:
    def row(code: str, buffer: str, index: str) -> dict[str, Any]:
        line = next(i for i, text in enumerate(ROWS) if code in text)
        return {
            "fact": "global_access", "value": {"buffer": buffer, "index": index},
            "subject": f"a.hpp:{line + 11}:{ROWS[line].index(code) + 1}",
        }  # fmt: skip

    function = SimpleNamespace(
        text=KERNEL, span=SimpleNamespace(start_line=11), name="work", id="work"
    )
    rows = [row("A[tx] :", "A", "threadIdx.x"), row("*info == 0", "info", "blockIdx.z")]
    return SimpleNamespace(
        is_code=False, sentences=[answer], evidence_functions=[function],
        entry=SimpleNamespace(answer=answer, question=question, interface="work"),
        ground=SimpleNamespace(facts_of=lambda _interface, _function: rows),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("In blocks of 128 threads `A` is read at `threadIdx.x` by all 64 lanes.", False),
        ("In blocks of 128 threads `A` is read at `threadIdx.x` by 36 of 64 lanes.", True),
        ("In blocks of 128 threads `info` is read at `blockIdx.z` by all 64 lanes.", False),
        ("In blocks of 128 threads `B` is read at `blockIdx.z` by all 64 lanes.", True),
    ],
)
def test_lanes_that_a_test_keeps_away_are_not_told_to_go(answer: str, passes: bool) -> None:
    asked = case(answer, "What does wavefront 1 of block 0 read for `m` = 100?")
    assert (lanes_there.get_there(asked) is None) == passes
