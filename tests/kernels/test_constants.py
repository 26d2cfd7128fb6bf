"""Compile-time constants that are lowered: what is changed in a text, and what it reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.errors import UserError
from kernels.building.constants import read_constants, require_defined, with_constants


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("#define LIMIT 65535\nint a;", "#define LIMIT 7\nint a;"),
        ("  #  define LIMIT (1 << 16) // some\n", "  #  define LIMIT 7\n"),
        ("constexpr int LIMIT = 1 << 16; // on some\n", "constexpr int LIMIT = 7; // on some\n"),
        ("static const int64_t LIMIT{1ULL << 28};", "static const int64_t LIMIT{7};"),
        ("inline constexpr auto LIMIT = std::min(3, 4);",
         "inline constexpr auto LIMIT = 7;"),
    ],
)  # fmt: skip
def test_a_definition_gets_another_value(text: str, changed: str) -> None:
    assert with_constants(text, {"LIMIT": "7"}) == (changed, {"LIMIT"})


@pytest.mark.parametrize(
    "text",
    [
        "int x = LIMIT;", "const int LIMITED = 3;", "if (n > LIMIT) f();", "#define MY_LIMIT 3\n",
        "constexpr int other = LIMIT;", "void f(const int LIMIT);", "#ifdef LIMIT\n",
    ],
)  # fmt: skip
def test_nothing_else_is_changed(text: str) -> None:
    assert with_constants(text, {"LIMIT": "7"}) == (text, set())


def test_words_of_the_command_line() -> None:
    assert read_constants(["A=3", "b_2=0x10"]) == {"A": "3", "b_2": "0x10"}
    for wrong in ("A", "A=", "A=3;system()", "3=4", "A=x"):
        with pytest.raises(UserError, match="--limit"):
            read_constants([wrong])
    with pytest.raises(UserError, match="defines no constant of this name"):
        require_defined({"A": "3"}, (), "saxpy")


_KERNEL = """\
#include <hip/hip_runtime.h>
#define MOST_BLOCKS 65535
__global__ void twice_kernel(int n, const double* x, double* y) {
  STEP
  for (int b = blockIdx.x; b * 64 < n; b += MOST_BLOCKS) {
    int i = b * 64 + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
  }
}
void twice(int n, const double* x, double* y) {
  int blocks = (n + 63) / 64;
  if (n > 0) twice_kernel<<<blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS, 64>>>(n, x, y);
}
"""


def test_a_loop_that_only_huge_sizes_reach_is_judged(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    from kernels.backends.cpu import CpuBackend
    from kernels.task import load_task
    from kernels.task.seed import SeedOptions, seed_task
    from kernels.verify import verify

    source, candidate = tmp_path / "twice.hip", tmp_path / "candidate.hip"
    source.write_text(_KERNEL.replace("STEP", ""))
    candidate.write_text(
        _KERNEL.replace("STEP", "if (blockIdx.x >= MOST_BLOCKS) return;").replace(
            "b += MOST_BLOCKS", "b = n"
        )
    )
    options = SeedOptions(
        extents={"x": "n", "y": "n"}, outputs=("y",), cases=({"n": 65}, {"n": 300})
    )
    seed_task(source, tmp_path / "twice", options)
    task, folder, cpu = load_task(tmp_path / "twice"), tmp_path / "twice", CpuBackend()
    assert verify(task, folder, candidate, cpu, seed=1).correct
    lowered = verify(task, folder, candidate, cpu, seed=1, constants={"MOST_BLOCKS": "2"})
    assert lowered.correct is False
    assert any("MOST_BLOCKS=2" in note for note in lowered.notes)
