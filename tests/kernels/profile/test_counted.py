"""Operations and traffic of a call are counted where they happen, and are the definition's."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.cpu.counting import COUNT, with_counters
from kernels.profile.counted import Counts, count
from kernels.profile.request import choose_request
from kernels.task import Task
from kernels.task.seed import SeedOptions, seed_task
from kernels.transfer.worker import ncu_counters, rocprof_counters

HIP = Path(__file__).parents[1] / "hip"


def _counted(task: Task, folder: Path) -> Counts:
    request = choose_request(task)
    # The sizes of the task itself: what is timed on a card is larger than a test.
    case = max(task.cases, key=lambda one: sum(v for v in one.scalars.values()))
    small = type(request)(case, task.geometry(case), 0, 0, False)
    found = count(task, folder / "baseline.hip", small)
    assert isinstance(found, Counts), found
    return found


def test_operations_and_traffic_are_those_of_the_definition(tmp_path: Path) -> None:
    n = 300
    task = seed_task(
        HIP / "saxpy.hip", tmp_path / "saxpy",
        SeedOptions(extents={"x": "n", "y": "n"}, grid=("(n + 255) / 256",), cases=({"n": n},)),
    )  # fmt: skip
    assert _counted(task, tmp_path / "saxpy") == Counts(2 * n, 2 * 4 * n, 4 * n)
    m, n, k = 33, 17, 65
    task = seed_task(
        HIP / "gemm.hip", tmp_path / "gemm",
        SeedOptions(
            extents={"a": "m*k", "b": "k*n", "c": "m*n"}, outputs=("c",),
            cases=({"m": m, "n": n, "k": k},),
        ),
    )  # fmt: skip
    found = _counted(task, tmp_path / "gemm")
    assert found.read == 4 * (m * k + k * n)
    assert found.written == 4 * m * n
    assert found.operations >= 2 * m * n * k


SOURCE = """
#include <hip/hip_runtime.h>
__global__ void kinds(int n, const double* a, const double* b, double* out, int* whole) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  whole[i] = 3 * i + 1;
  if (i % 2) return;
  out[i] = sqrt(fma(a[i], b[i], a[i])) / b[0] - (a[i] < b[i] ? 1.0 : 2.0);
}
"""


def test_each_operation_counts_and_only_where_it_is_executed(tmp_path: Path) -> None:
    source = tmp_path / "kinds.hip"
    source.write_text(SOURCE)
    task = seed_task(
        source, tmp_path / "task",
        SeedOptions(
            extents={"a": "n", "b": "n", "out": "n", "whole": "n"}, outputs=("out", "whole"),
            grid=("(n + 255) / 256",), cases=({"n": 10},),
        ),
    )  # fmt: skip
    found = _counted(task, tmp_path / "task")
    assert found.operations == 5 * (2 + 1 + 1 + 1)
    assert found.written == 5 * 8 + 10 * 4
    assert found.read == 2 * 5 * 8


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("  %3 = fadd float %1, %2", 1),
        ("  %3 = fsub fast double %1, %2", 1),
        ("  %x.i = fdiv contract <4 x float> %1, %2", 4),
        ("  %3 = tail call contract double @llvm.fmuladd.f64(double %1, double %2, double %0)", 2),
        ("  %3 = tail call <2 x double> @llvm.fma.v2f64(<2 x double> %1, <2 x double> %2)", 4),
        ("  %3 = tail call noundef float @sqrtf(float noundef %1)", 1),
        ("  %3 = call nnan double @llvm.sqrt.f64(double %1)", 1),
        ("  %3 = fcmp olt float %1, %2", 0),
        ("  %3 = fneg float %1", 0),
        ("  %3 = add nsw i32 %1, %2", 0),
        ("  %3 = tail call float @llvm.fabs.f32(float %1)", 0),
        ("  %3 = sitofp i32 %1 to float", 0),
    ],
)
def test_what_an_instruction_counts(line: str, counts: int) -> None:
    module = f"define void @f() {{\n{line}\n  br label %2\n\n2:\n  ret void\n}}\n"
    text = with_counters(module)
    call = f"  call void @{COUNT}(i64 {counts})\n  br label %2"
    assert (call in text) == (counts > 0)
    assert text.count(COUNT) == (2 if counts else 1)


def test_what_profilers_print_is_read(tmp_path: Path) -> None:
    printed = (
        '==PROF== Connected\n"ID","Kernel Name","dram__bytes_read.sum","other"\n'
        '"","","byte",""\n"0","void f<float>(int)","1,024.5","7"\n'
    )
    assert ncu_counters(printed) == {
        "kernel": "void f<float>(int)", "dram__bytes_read.sum": 1024.5,
    }  # fmt: skip
    assert ncu_counters("==ERROR== The user does not have permission\n") == {}
    rows = ["Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value"]
    rows += [f"{n},f,FETCH_SIZE,{10 * n}" for n in (1, 2, 3, 4)]
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "9_counter_collection.csv").write_text("\n".join(rows))
    assert rocprof_counters(tmp_path) == {"kernel": "f", "FETCH_SIZE": 30.0}
