"""What clang takes in HIP sources and nvcc does not is said in another way, and compiles."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kernels.backends.cuda import CudaBackend
from kernels.cuda.dialect import for_nvcc

VECTORS = (
    "typedef half half4 __attribute__((ext_vector_type(4)));",
    "typedef half __attribute__((ext_vector_type(4))) half4;",
    "typedef __attribute__((__ext_vector_type__(4))) half half4;",
    "using half4 = half __attribute__((ext_vector_type(4)));",
    "using half4 = __attribute__((ext_vector_type(4))) half;",
)


@pytest.mark.parametrize("line", VECTORS)
def test_vectors_become_a_class(line: str) -> None:
    assert for_nvcc(f"int a;\n{line}\nint b;\n") == (
        "int a;\ntypedef hipcuda::vector<half, 4> half4;\nint b;\n"
    )


def test_types_of_several_words_and_lines_stay_where_they_are() -> None:
    text = "typedef unsigned short\n  many __attribute__((ext_vector_type(8)));\nint b;\n"
    changed = for_nvcc(text)
    assert "vector<unsigned short, 8> many;" in changed
    assert changed.splitlines()[2] == "int b;"


def test_a_specialization_loses_its_storage_class_and_nothing_else_does() -> None:
    text = (
        "#define QUIET static\n"
        "template <class T> QUIET constexpr bool good = false;\n"
        "template <>\nQUIET constexpr bool good<int> = true;\n"
        "template<> static inline int f<int>() { return 1; }\n"
        "static int kept;\n"
    )
    changed = for_nvcc(text)
    assert "template <>\n constexpr bool good<int> = true;" in changed
    assert "template<>  inline int f<int>()" in changed
    assert "template <class T> QUIET constexpr" in changed
    assert "static int kept;" in changed
    assert len(changed.splitlines()) == len(text.splitlines())


def test_what_needs_no_change_gets_none() -> None:
    for name in ("saxpy", "gemm", "sum", "warp_sum"):
        text = (Path(__file__).parent / "hip" / f"{name}.hip").read_text()
        assert for_nvcc(text) == text


SOURCE = """
#include <hip/hip_runtime.h>
#include <complex>
typedef _Float16 half1;
typedef half1 half4 __attribute__((ext_vector_type(4)));
#define QUIET static
template <class T> QUIET constexpr bool good = false;
template <>
QUIET constexpr bool good<float> = true;
__global__ void f(int n, half1 alpha, half4* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || alpha == 1) return;
  half4 v = x[i];
  v[0] = alpha * v[0] + v[1] / 2;
  v += v;
  v[2] *= 2;
  x[i] = alpha * v;
  if (good<float>) y[i] = std::norm(y[i]) + v[3];
}
"""


def test_nvcc_compiles_it(tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("there is no nvcc")
    source = tmp_path / "f.hip"
    source.write_text(SOURCE)
    made = CudaBackend().compile(source)
    assert made.built, made.diagnostics
