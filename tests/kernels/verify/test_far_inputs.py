"""Inputs whose parts lie beyond what 32 bits count: asked only of whom the baseline asks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends.cpu import CpuBackend
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify import Standard, judge, set_standard

pytest.importorskip("numpy")
SOURCE = """
#include <hip/hip_runtime.h>
__global__ void turn(int n, const float* x, INDEX incx, float* y) {
  // A loop whose index a compiler may count in 64 bits, where that cannot overflow.
  for (int i = 0; i < n; ++i) if (int(threadIdx.x) == i % 64) y[i] = x[PLACE];
}
"""
LOOP, ALONE = "i * incx", "int(i * unsigned(incx))"


def _standard(folder: Path, index: str) -> Standard:
    source = folder / "turn.hip"
    source.write_text(SOURCE.replace("INDEX", index).replace("PLACE", LOOP))
    options = SeedOptions(
        extents={"x": "1 + (n - 1) * incx", "y": "n"}, outputs=("y",), grid=("1",), block=("64",),
        cases=({"n": 9, "incx": 1}, {"n": 70, "incx": 1}),
    )  # fmt: skip
    task = seed_task(source, folder / "task", options)
    return set_standard(task, folder / "task", CpuBackend())


def _far(standard: Standard) -> int:
    """Far inputs on which the baseline has a value."""
    inputs, expected = standard.inputs, standard.conditions.expected
    return sum(
        bool(inputs.calls[k].reserve) and expected[k].buffers is not None for k in inputs.tried
    )


@pytest.mark.parametrize("index", ["int", "int64_t"])
def test_an_index_of_32_bits_is_wrong_only_where_the_baseline_has_64(
    tmp_path: Path, index: str
) -> None:
    standard = _standard(tmp_path, index)
    candidate = tmp_path / "candidate.hip"
    candidate.write_text(SOURCE.replace("INDEX", index).replace("PLACE", ALONE))
    verdict = judge(standard, candidate)
    if index == "int":
        assert verdict.correct, verdict.failures
    else:
        assert _far(standard) > 0
        assert not verdict.correct
        assert all("far" in failure.input for failure in verdict.failures)
