"""Answers on resources: whole blocks, LDS from the launch and its parts, sizes set in steps."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.block_room import _largest, blocks_held, other_blocks, registers_for, tell_more
from qa.author.lds_parts import kept_is_told, parts_of
from qa.author.sizes import _tell_size
from qa.reading.function import read_function
from qa.reading.outcome import Outcome, Step

KERNEL = """__global__ void work(int n, float* A)
{
  extern __shared__ double mem[];
  float* x = reinterpret_cast<float*>(mem);
  float* y = x + half;
  int* top = reinterpret_cast<int*>(y + n);
  int half = n / 2;
  x[threadIdx.x] = A[threadIdx.x];
  solve(n, y, top);
}
"""
CALLEE = "void solve(int n, float* part, int* order)\n{\n  part[0] = 1;\n  order[0] = 2;\n}\n"


class Heard:
    """A draft that only keeps what is said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str, *_cites: Any) -> None:
        self.said.append(text)

    def claim(self, *_claim: Any) -> None:
        return None

    def lines(self, *_place: Any) -> str:
        return ""

    def choose(self, *forms: str, salt: str = "") -> str:
        return forms[0]


@pytest.mark.parametrize(
    ("waves", "held", "blocks", "registers"),
    [(16, 5, 1, 64), (8, 4, 2, 80), (4, 5, 5, 80), (16, 8, 2, 0), (1, 5, 20, 80)],
)
def test_wavefronts_come_in_whole_blocks(
    waves: int, held: int, blocks: int, registers: int
) -> None:
    assert blocks_held(waves, held) == blocks
    assert registers_for(blocks + 1, waves) == registers


def test_a_wavefront_more_is_not_told_where_only_a_block_more_counts() -> None:
    draft: Any = Heard()
    one: Any = SimpleNamespace(registers=101, waves_of_block=16, of=lambda _name: 4)
    pair: Any = object()
    tell_more(draft, one, pair)
    assert "For 5 wavefronts" not in draft.said[0]
    assert "that is 64 or 101 - 64 = 37 fewer" in draft.said[0]
    tell_more(draft, one, None)
    assert "as far as single wavefronts go" in draft.said[1]
    assert "1 block then and not 2" in other_blocks(8, 4, 3)


def test_lds_from_the_launch_has_a_largest_size() -> None:
    assert _largest("4 * (n * (n + 1)) / 2", "n", 65536) == 180
    assert _largest("8 * (n + n % 2)", "n", 16384) == 2048
    assert _largest("8 * n", "n", 4) == 0
    assert _largest("8 * missing", "n", 64) is None


def test_parts_of_lds_have_their_extent_and_what_goes_into_them() -> None:
    parts = parts_of(read_function(KERNEL, 1), KERNEL)
    assert [(p.at.name, p.extent) for p in parts] == [("x", "half"), ("y", "n"), ("top", "")]
    assert parts[0].stores[0][0] == "x[threadIdx.x] = A[threadIdx.x]"
    callee = SimpleNamespace(text=CALLEE, span=SimpleNamespace(start_line=1), name="solve")
    known: Any = SimpleNamespace(by_name={"solve": [callee]})
    other: Any = SimpleNamespace(by_name={})
    assert kept_is_told(known, parts)
    assert not kept_is_told(other, parts)


def test_pointers_that_move_are_not_told_as_parts() -> None:
    moving = KERNEL.replace("  solve(", "  y += n;\n  solve(")
    assert parts_of(read_function(moving, 1), moving) == []


def test_a_size_that_is_made_from_itself_starts_with_what_it_was() -> None:
    steps = [
        Step("assign", 2, 2, "*size = 3 * 8 * n", 24),
        Step("assign", 3, 3, "*size = std::max(*size, 4 * n)", 24),
    ]
    outcome = Outcome(steps=steps, values={"*size": 24})
    made: Any = SimpleNamespace(types={}, function=None)
    draft: Any = Heard()
    assert _tell_size(draft, made, steps[1], outcome, {"n": 1}) == 24
    assert "3 * 8 * 1 = 24" in draft.said[0]
    assert "leaves it at max(24, 4 * 1) = 24" in draft.said[1]
