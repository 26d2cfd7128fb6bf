"""Rows and columns, sides, axes, memory, both and either, once and twice: held against the code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from qa.gates import directions, quantities
from qa.gates.quantities import _alternatives
from qa.reading.matrix_places import places_in

KERNEL = """template <int WIN>
__global__ void update(int m, int n, const float* x, float* A, int lda, int incx, int incy)
{
  __shared__ float tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  int j = blockIdx.y * 8 + threadIdx.y;
  if(threadIdx.y == 0)
  {
    tile[threadIdx.x] = x[i];
  }
  __syncthreads();
  if(i < m && j < n)
    A[i + size_t(lda) * j] += tile[threadIdx.x];
  __syncthreads();
  finish(A);
}
"""
LAUNCHER = """template <typename T> int launcher(int side, int m, int n, int incx, int incy)
{
  bool unit_inc = incx == 1 && incy == 1;
  dim3 grid((m - 1) / 64 + 1, (n - 1) / 8 + 1);
  dim3 threads(64, 8);
  if((is_float && m % 128 == 0) || (is_double && m % 64 == 0))
    launch_one(update, grid, threads);
  prepare(m);
  prepare(n);
  return 0;
}
"""


ELEMENTS = {"other_complex_float": "ff", "other_float": "f"}
"""Names of a library that no gate knows beforehand."""


def function(name: str, kind: str, text: str) -> Any:
    return SimpleNamespace(
        text=text, span=SimpleNamespace(start_line=1), name=name, id=name, kind=kind,
        instantiations=(), signature=text.split("\n")[1],
    )  # fmt: skip


def case(sentence: str, question: str = "") -> Any:
    return SimpleNamespace(
        is_code=False, sentences=[sentence], evidence_text="",
        evidence_functions=[
            function("update", "kernel", KERNEL), function("launcher", "host", LAUNCHER)
        ],
        entry=SimpleNamespace(answer=sentence, question=question),
        ground=SimpleNamespace(
            enumerators={},
            project=SimpleNamespace(rule=SimpleNamespace(trace=SimpleNamespace(elements=ELEMENTS))),
        ),
        view=SimpleNamespace(by_name={}, once=lambda _name, make: make()),
    )  # fmt: skip


def test_the_leading_dimension_tells_columns_from_rows() -> None:
    found = places_in([KERNEL])
    assert found.rows == {"i", "m"}
    assert found.columns == {"j", "n"}
    both = places_in(["void f(){ A[i + j * lda] = B[j + i * ldb]; }"])
    assert not both.rows | both.columns, "of two matrices, one the other's transpose"


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("A thread owns row `i` and column `j`.", True),
        ("A thread owns column `i` and row `j`.", False),
        ("There are m rows.", True),
        ("The matrix has `m` columns.", False),
        ("`n` is the number of rows, so it stops there.", False),
        ("Row `tile` is read.", True),
        ("Column `i` of the transposed matrix is read.", True),
        ("With `rocblas_side_left` it multiplies from the left.", True),
        ("With `rocblas_side_left` it multiplies from the right.", False),
        ("Unlike `rocblas_side_left` this one multiplies from the right.", True),
        ("With `rocblas_fill_upper` it reads the lower triangle.", False),
        ("`rocblas_fill_upper` leaves the lower triangle alone.", True),
        ("The two right-hand sides of `trsm_left` are solved.", True),
        ("Along x a thread takes `blockIdx.x * 64 + threadIdx.x`.", True),
        ("Along y a thread takes `blockIdx.x * 64 + threadIdx.x`.", False),
        ("Along x there is `threadIdx.x`, and along y `threadIdx.y`.", True),
        ("`tile` lies in LDS.", True),
        ("`tile` lies in global memory.", False),
        ("`A` lies in global memory.", True),
        ("`x` is kept in LDS.", False),
        ("The grid is `(m - 1) / 64 + 1`, rounded up.", True),
        ("The grid is `(m - 1) / 64 + 1`, rounded down.", False),
        ("`m / 64` rounds up.", False),
        ("`for(int k = n - 1; k >= 0; --k)` counts upwards.", False),
        ("`for(int k = n - 1; k >= 0; --k)` counts down.", True),
    ],
)
def test_words_of_direction_are_those_of_the_code(sentence: str, passes: bool) -> None:
    assert (directions.as_laid_out(case(sentence)) is None) is passes


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("`unit_inc` asks for both increments equal to 1.", True),
        ("`unit_inc` asks for either increment equal to 1.", False),
        ("`unit_inc` asks for both increments equal to 2.", False),
        ("It needs both `incx == 1` and `incy == 1`.", True),
        ("It needs either `incx == 1` or `incy == 1`.", False),
        ("It needs either `incx == 1` or `incz == 1`.", True),
        ("There are two barriers in `update`.", True),
        ("There are three barriers in `update`.", False),
        ("`update` has exactly one barrier.", False),
        ("`prepare` is called twice.", True),
        ("`prepare` is called once.", False),
        ("`finish` is called twice.", False),
        ("It asks `m % 128 == 0` for float.", True),
        ("It asks `m % 128 == 0` for double.", False),
        ("4096 is a multiple of 64, as double requires.", True),
        ("4096 is a multiple of 64, as float requires.", False),
        ("Only those with `threadIdx.y == 0` load x.", True),
        ("Only those with `threadIdx.y == 0` load A.", False),
        ("The grid has two dimensions.", True),
        ("The grid has one dimension.", False),
        ("The block is two-dimensional.", True),
        ("The block is three-dimensional.", False),
    ],
)
def test_words_of_quantity_are_those_of_the_code(sentence: str, passes: bool) -> None:
    assert (quantities.as_counted(case(sentence)) is None) is passes


def test_increments_of_the_call_itself_are_not_those_of_the_branch() -> None:
    asked = "`lib_saxpy` is called with both increments 2. Which branch is taken?"
    assert quantities.as_counted(case("Both increments are 2 here.", asked)) is None


def test_the_alternatives_of_a_condition_are_conjunctions() -> None:
    assert list(_alternatives("a && ((is_float && m > 1) || (is_double && n > 1))")) == [
        "a && is_float && m > 1", "a && is_double && n > 1",
    ]  # fmt: skip


def test_types_have_the_names_that_the_rule_file_gives_them() -> None:
    told = case("")
    assert quantities._types(told, "float complex") == ["other_complex_float"]
    assert quantities._types(told, "single precision") == ["float", "other_float"]
    assert quantities._types(told, "half") == []
    assert quantities._short("other_complex_float") == {"complex_float", "float_complex"}
    assert quantities._short("int8_t") == {"int8_t", "t_int8"}
