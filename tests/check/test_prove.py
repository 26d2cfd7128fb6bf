"""An index's answer against the compiler's, dead calls against the optimiser's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from extractor.check import prove
from extractor.check.answer import Answer, CallKey
from extractor.toolchain.model import Toolchain

from .conftest import Ask, make_units

TEXT = """#include <hip/hip_runtime.h>
__global__ void never() {}
__global__ void often() {}
template <bool on> void launch(int x) {
  static constexpr bool chosen = on;
  if (x && chosen) never<<<1, 1>>>();
  if (x) often<<<1, 1>>>();
}
extern "C" void run(int x) { launch<false>(x); }
"""
FILES = {"run.cpp": TEXT}


def dead(answer: Answer, kernel: str, reason: str = "constant false") -> Answer:
    """The answer with one kernel and its launch given as dead."""
    entry = answer.entries["run"]
    kernels = tuple(
        replace(each, dead=True, reason=reason) if each.key.name == kernel else each
        for each in entry.kernels
    )
    calls = {
        key: replace(call, dead=True, reason=reason) if kernel in key.callee.symbol else call
        for key, call in answer.calls.items()
    }
    return replace(answer, entries={"run": replace(entry, kernels=kernels)}, calls=calls)


def test_a_launch_that_is_dead_is_explained(ask: Ask, toolchain: Toolchain, tmp_path: Path) -> None:
    index = dead(ask(FILES), "never")
    root = tmp_path / "tree"
    found = prove(index, make_units(toolchain, root, FILES), root, toolchain)
    assert found.passed
    assert (found.kernels.recall, found.kernels.precision, found.kernels.explained) == (1, 1, 1)
    assert {(each.side, each.explanation) for each in found.differences} == {
        ("dead", "constant false")
    }


def test_a_live_launch_given_as_dead_is_found_out(
    ask: Ask, toolchain: Toolchain, tmp_path: Path
) -> None:
    index = dead(ask(FILES), "often")
    root = tmp_path / "tree"
    found = prove(index, make_units(toolchain, root, FILES), root, toolchain)
    assert not found.passed
    assert {(each.what, each.explained, each.explanation) for each in found.differences} == {
        ("kernel", False, "given as dead, but optimised code still has the call"),
        ("call", False, "given as dead, but optimised code still has the call"),
    }


def test_an_index_that_lacks_a_call_fails(ask: Ask, toolchain: Toolchain, tmp_path: Path) -> None:
    index = ask(FILES)
    lost: CallKey = next(key for key in index.calls if "often" in key.callee.symbol)
    del index.calls[lost]
    root = tmp_path / "tree"
    found = prove(index, make_units(toolchain, root, FILES), root, toolchain)
    (difference,) = found.differences
    assert (difference.file, difference.line) == ("run.cpp", 7)
    assert difference.explanation == "only the compiler has launch -> often"
