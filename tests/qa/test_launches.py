"""Launches put into numbers: formulas, bounds, owners, what is left over, and wavefronts."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.author.lane_spread import spread_of
from qa.author.launch_bounds import Line, bounds_at, line_of, parts_at
from qa.author.launch_offsets import Offsets
from qa.author.launch_pairs import Pair, Shape, passed_arguments
from qa.author.launch_values import allowed, choose_shape, shape_of
from qa.author.numbers import put_into
from qa.text.brackets import unwrapped


def guard(condition: str, resolved: str, first: int, last: int, effect: str = "skip") -> Any:
    return SimpleNamespace(
        value={"condition": condition, "resolved": resolved, "effect": effect},
        fact={"span": {"start_line": first, "end_line": last}}, line=first,
    )  # fmt: skip


def pair(*guards: Any, **changes: Any) -> Pair:
    """A kernel with blocks of 256 threads over ``n`` elements."""
    reading = SimpleNamespace(
        parameters=[SimpleNamespace(name=n, type="int") for n in ("n", "lda")], loops=[],
    )  # fmt: skip
    facts: Any = SimpleNamespace(
        reading=reading,
        of=lambda kind: list(guards) if kind == "guard" else [],
        arrays=lambda _n: 0,
    )
    kernel: Any = SimpleNamespace(
        name="k", file="f", span=SimpleNamespace(start_line=1),
        text="template <int NB, typename T> void k(T* y, int n, int lda)\n{\n}\n",
        instantiations=({"symbol": "k0", "template_arguments": ["256", "float"]},),
    )  # fmt: skip
    given: dict[str, Any] = {
        "launcher": SimpleNamespace(name="l", file="f", instantiations=(), text="void l()"),
        "kernel": kernel, "site": SimpleNamespace(), "facts": facts, "number": 0,
        "grid": ("(n - 1) / 256 + 1", "1", "batch_count"),
        "named": ("(n - 1) / NB + 1", "1", "batch_count"),
        "block": ("256", "1", "1"), "block_named": ("NB", "1", "1"),
        "conditions": ("n > 0", "m % 64 == 0"), "arguments": {"n": "n", "lda": "lda"},
    }  # fmt: skip
    return Pair(**{**given, **changes})


def test_numbers_stand_for_names_and_terms_that_are_zero_are_left_out() -> None:
    values = {"n": 1000, "batch": 0, "lda": 8}
    assert put_into("batch*lda + (n - 1) / 256 + 1", values) == "(1000 - 1) / 256 + 1"
    assert put_into("size_t(n < 1024 ? 64 : 128) * lda", values) == "64 * 8"
    assert put_into("batch*lda", values) == "0"
    assert unwrapped("((a) + (b))") == "(a) + (b)"


def test_conditions_of_a_launch_rule_values_out() -> None:
    assert allowed(pair(), {"n": 5, "m": 128})
    assert not allowed(pair(), {"n": 0, "m": 128})
    assert not allowed(pair(), {"n": 5, "m": 100})
    assert not allowed(pair(grid=("n / 64", "1", "1")), {"n": 100})
    shared = {"launch_shared_bytes": {"value": {"expression": "n * n * 8"}}}
    assert allowed(pair(rows=shared), {"n": 90, "m": 64})
    assert not allowed(pair(rows=shared), {"n": 91, "m": 64}), "more LDS than a block can have"


def test_a_shape_is_what_the_formulas_make_of_the_values() -> None:
    shape = shape_of(pair(), {"n": 1000})
    assert shape is not None
    assert (shape.grid, shape.block, shape.threads) == ((4, 1, None), (256, 1, 1), 256)
    chosen = choose_shape(pair(conditions=("n % 300 == 0",)))
    assert chosen is not None
    assert chosen.values == {"n": 300}
    assert choose_shape(pair(block=("dimx", "1", "1"))) is None, "a block that nothing settles"


def test_bounds_are_those_that_a_thread_has_passed() -> None:
    below = guard("tid < n", "((NB*blockIdx.x + threadIdx.x) < n)", 5, 9)
    leaves = guard("tid >= n", "(n <= (NB*blockIdx.x + threadIdx.x))", 3, 4, "return")
    data = guard("a[tid] > 0", "", 5, 9)
    found = bounds_at(pair(below), 7)
    assert found is not None
    assert [(b.position, b.extent, b.axis) for b in found] == [
        ("NB*blockIdx.x + threadIdx.x", "n", "x")
    ]
    assert bounds_at(pair(below), 12) == []
    assert len(bounds_at(pair(leaves), 12) or ()) == 1
    assert bounds_at(pair(below, data), 7) is None, "a test on data decides as well"
    other = guard("row == col", "(threadIdx.x == threadIdx.y)", 5, 9)
    assert bounds_at(pair(below, other), 7) is None


def test_conjunctions_split_outside_parentheses() -> None:
    assert parts_at("(a < (b && c)) && d < e", "&&") == ["a < (b && c)", "d < e"]


@pytest.mark.parametrize(("position", "owner"), [(0, (0, 0)), (255, (0, 255)), (999, (3, 231))])
def test_a_position_has_one_owner(position: int, owner: tuple[int, int]) -> None:
    assert Line(1, 256).owner(position) == owner


def test_a_line_is_only_told_where_positions_grow_with_the_block() -> None:
    shape = Shape({"n": 1000}, (4, 1, 1), (256, 1, 1))
    even = bounds_at(pair(guard("t < n", "((NB*blockIdx.x + threadIdx.x) < n)", 1, 9)), 5)
    odd = bounds_at(pair(guard("t < n", "((NB*blockIdx.x + 3*threadIdx.x) < n)", 1, 9)), 5)
    assert even
    assert odd
    assert line_of(pair(), shape, even[0]) == Line(1, 256)
    assert line_of(pair(), shape, odd[0]) is None


def test_arguments_of_a_launch_are_found_behind_a_macro() -> None:
    source = (
        "#define KARGS(alpha_) grid, threads, 0, stream, y, rows, alpha_\n"
        "LAUNCH((k<NB>), KARGS(2 * lda));\n"
    )
    ground: Any = SimpleNamespace(
        text=lambda _span: source.split("\n")[1],
        locate=lambda file: file,
        project=SimpleNamespace(
            text=SimpleNamespace(
                lines=lambda _file: [x.encode() + b"\n" for x in source.split("\n")]
            )
        ),
    )
    site: Any = SimpleNamespace(
        at=SimpleNamespace(file="f", start_line=2),
        callee=SimpleNamespace(name="k", signature="void k(T* y, int n, int lda)"),
    )
    facts: Any = SimpleNamespace(
        reading=SimpleNamespace(parameters=[SimpleNamespace(name=n) for n in ("y", "n", "lda")])
    )
    assert passed_arguments(ground, site, facts) == {"y": "y", "n": "rows", "lda": "2 * lda"}


def test_a_wavefront_of_a_tile_falls_into_runs() -> None:
    row: Any = SimpleNamespace(
        value={
            "buffer": "A", "access": "load", "index": "lda*threadIdx.y + threadIdx.x",
            "element": "element of T",
        },
        line=1, column=1,
    )  # fmt: skip
    shape = Shape({"n": 1000}, (1, 1, 1), (16, 16, 1))
    access = Offsets(row, row.value["index"], {"lda": 1024})
    spread = spread_of(pair(), shape, access)
    assert spread is not None
    assert spread.runs == (16, 16, 16, 16)
    assert spread.starts == (4096, 5120, 6144, 7168)
    assert (spread.segments, spread.size, spread.step_x, spread.step_y) == (4, 4, 1, 1024)
