"""Whether a fault that nothing shows can be believed to change nothing: by results and by order."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends.cpu import CpuBackend
from kernels.isolation import EXECUTION
from kernels.isolation.sandbox import best_sandbox
from kernels.mutants.domain import small_inputs
from kernels.mutants.evidence import Comparison, Evidence
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify import Standard
from kernels.verify.conditions import Conditions
from kernels.verify.inputs import Inputs

pytest.importorskip("numpy")
# Each block turns its part of x round.
SOURCE = """
#include <hip/hip_runtime.h>
__global__ void turn(int n, int incx, const float* x, float* y) {
  __shared__ float lds[64];
  int t = threadIdx.x, first = blockIdx.x * 64, here = min(64, n - first);
  for (int i = t; i < here; i += 64) lds[i] = x[(first + i) * abs(incx)];
  __syncthreads();
  if (t < here) y[first + t] = lds[here - 1 - t];
  __syncthreads();
}
"""
LOAD, BARRIER = "i += 64", "  __syncthreads();\n"


def _comparison(folder: Path) -> Comparison:
    source = folder / "turn.hip"
    source.write_text(SOURCE)
    options = SeedOptions(
        extents={"x": "1 + (n - 1) * abs(incx)", "y": "n"}, outputs=("y",),
        grid=("(n + 63) / 64",), block=("64",), cases=({"n": 65, "incx": 1},),
    )  # fmt: skip
    task = seed_task(source, folder / "task", options)
    backend = CpuBackend()
    nothing = Inputs((), (), (), frozenset())
    standard = Standard(
        task, folder / "task", backend, nothing, Conditions(backend, (), ()), True, 0,
        EXECUTION, best_sandbox(),
    )  # fmt: skip
    return Comparison(standard, most=60)


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Comparison, Path]:
    folder = tmp_path_factory.mktemp("evidence")
    return _comparison(folder), folder


def _of(turned: tuple[Comparison, Path], text: str) -> Evidence:
    comparison, folder = turned
    source = folder / "mutant.hip"
    source.write_text(text)
    return comparison.evidence(source)


def test_inputs_are_the_same_every_time_and_say_how_many_there_are(
    turned: tuple[Comparison, Path],
) -> None:
    domain = turned[0]._domain
    again = small_inputs(turned[0]._task, 60)
    assert domain.names == again.names
    assert 0 < len(domain.calls) <= 60 < domain.of


def test_what_writes_a_value_twice_changes_nothing(turned: tuple[Comparison, Path]) -> None:
    found = _of(turned, SOURCE.replace(LOAD, "i += 32"))
    assert found.harmless, found.sentence()
    assert found.equal_bits == found.inputs > 20
    assert "to the last bit" in found.sentence()


def test_a_barrier_behind_which_nothing_comes_is_not_needed(
    turned: tuple[Comparison, Path],
) -> None:
    head, _, tail = SOURCE.rpartition(BARRIER)
    assert _of(turned, head + tail).harmless


def test_one_that_is_needed_shows_as_a_race_though_results_may_be_right(
    turned: tuple[Comparison, Path],
) -> None:
    found = _of(turned, SOURCE.replace(BARRIER, "", 1))
    assert not found.harmless
    assert found.races


def test_another_result_is_found(turned: tuple[Comparison, Path]) -> None:
    found = _of(turned, SOURCE.replace("here - 1 - t", "here > 40 ? t : here - 1 - t"))
    assert not found.harmless
    assert found.differs
    assert "another result" in found.sentence()


def test_nothing_is_said_where_accesses_are_not_seen(tmp_path: Path) -> None:
    source = tmp_path / "sum.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\n"
        "__global__ void sum(int n, const int* x, int* y) {\n"
        "  if (threadIdx.x < n) atomicAdd(y, x[threadIdx.x]);\n}\n"
    )
    options = SeedOptions(extents={"x": "n", "y": "1"}, grid=("1",), cases=({"n": 5},))
    task = seed_task(source, tmp_path / "task", options)
    backend = CpuBackend()
    nothing = Inputs((), (), (), frozenset())
    standard = Standard(
        task, tmp_path / "task", backend, nothing, Conditions(backend, (), ()), True, 0,
        EXECUTION, best_sandbox(),
    )  # fmt: skip
    found = Comparison(standard).evidence(source)
    assert not found.harmless
    assert "atomic" in found.sentence()
