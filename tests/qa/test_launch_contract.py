"""Launch contracts of instructions: what a block must have, and what it may have at most."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from extractor.records import Span
from qa.author.kernel_facts import KernelFacts
from qa.author.kernel_layout import cooperation
from qa.author.launch_contract import launch_contract
from qa.reading.function import read_function
from qa.scope_view import FunctionView, Site

KERNEL = """template <int DIM_X, typename T> __global__ void scale(int n, T* x, int offset)
{
  for(int i = blockIdx.x * DIM_X + threadIdx.x; i < n; i += DIM_X * gridDim.x)
    x[offset + i] *= 2;
}
"""
LAUNCHER = """template <typename T> void run(int n, T* x, int first)
{
  constexpr int NB = 256;
  dim3 grid((n - 1) / NB + 1);
  dim3 block(NB);
  LAUNCH((scale<NB, T>), grid, block, 0, stream, n, x, first + 1);
}
"""
AT = 6


def function_of(text: str, name: str, kind: str, bounds: str | None = None) -> FunctionView:
    return FunctionView(
        id=f"a.hip:1:{name}", name=name, qualified_name=name, signature=text.split("\n")[0],
        kind=kind, text=text, launch_bounds=bounds, infrastructure=None, instantiations=(),
        span=Span(file="a.hip", start_line=1, end_line=text.count("\n"), sha256="0" * 64),
    )  # fmt: skip


def told(kernel: str = KERNEL, launcher: str = LAUNCHER, launched: bool = True) -> str:
    callee, caller = function_of(kernel, "scale", "kernel", "DIM_X"), function_of(
        launcher, "run", "launcher"
    )  # fmt: skip
    at = Span(file="a.hip", start_line=AT, end_line=AT, sha256="0" * 64)
    site = Site(caller, callee, at, False, None, ("source",), "launch", "grid", "block", "0")
    lines = [f"{row}\n".encode() for row in launcher.split("\n")]
    ground: Any = SimpleNamespace(
        constants={}, facts_of=lambda *_a: [], locate=lambda file: file,
        project=SimpleNamespace(text=SimpleNamespace(lines=lambda _file: lines)),
        text=lambda _span: launcher.split("\n")[AT - 1],
    )  # fmt: skip
    view: Any = SimpleNamespace(
        once=lambda _name, make: make(),
        launches=[site] if launched else [],
        interface="scal",
        callees={},
        launch_rows=[],
    )
    facts = KernelFacts(callee, cast(Any, ground), read_function(kernel, 1))
    return launch_contract(ground, view, facts)


def test_a_launch_is_told_with_its_grid_its_block_and_what_it_gives() -> None:
    words = told()
    assert "`run` launches it with grid `((n - 1) / NB + 1)` and block `(NB)`" in words
    assert "`NB` is `256`" in words
    assert "`first + 1` for `offset`" in words


@pytest.mark.parametrize("launched", [True, False])
def test_positions_with_a_constant_for_the_block_need_exactly_so_many_threads(
    launched: bool,
) -> None:
    words = told(launched=launched)
    assert "a block needs exactly `DIM_X` threads along x" in words
    assert "at most `DIM_X` threads a block" in words
    free = told(KERNEL.replace("blockIdx.x * DIM_X +", "blockIdx.x * blockDim.x +"))
    assert "exactly" not in free


def test_barriers_of_called_functions_are_counted_apart() -> None:
    inner = function_of(
        "void part(T* x)\n{\n  __syncthreads();\n  __syncthreads();\n}\n", "part", "device"
    )
    outer = function_of("void k(T* x)\n{\n  __syncthreads();\n  part(x);\n}\n", "k", "kernel")
    facts = KernelFacts(outer, cast(Any, None), read_function(outer.text, 1))
    view: Any = SimpleNamespace(
        callees={outer.id: [inner]}, by_id={inner.id: inner}, owner={}, callers={}
    )
    assert cooperation(facts, view) == (
        "Cooperation: 1 barrier of its own orders its phases, and in functions that it calls "
        "`part` has 2 more."
    )
    view.callees = {}
    assert cooperation(facts, view) == "Cooperation: 1 barrier orders its phases."
