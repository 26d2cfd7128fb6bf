"""Entries in free prose: true ones pass, and those with one thing wrong do not."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from extractor.project import Project
from qa.gates import bound_names, one_token, order
from qa.gates.asked_calls import asked_of
from qa.judgement import Judge
from qa.records import Entry

pytestmark = pytest.mark.xdist_group("real libraries")
AXPY = "library/src/blas1/rocblas_axpy_kernels.hpp"
Row = dict[str, Any]

ORIGINS = (
    "correctness_constraints", 2, ((350, 360), (403, 425), (456, 480), (35, 70)), (),
    "Why may the general axpy kernel index with `offset + tid * inc` even when an increment is "
    "negative, while the kernel for contiguous floats gets the unshifted offset?",
    "The host has already moved the origin. BLAS walks a vector with a negative increment from its "
    "far end, so before the launch of `rocblas_axpy_kernel` the launcher adds `int64_t(incx) * "
    "(1 - n)`, which is not negative for a negative increment, to `offset_x`; thread 0 therefore "
    "starts at the highest address and walks down. `rocblas_saxpy_2_kernel` receives the plain "
    "`offset_x`, which is safe only because its branch requires `unit_inc`.",
)  # fmt: skip
BATCHES = (
    "dispatch", 2, ((408, 424), (430, 458), (125, 180)), ("gfx90a",),
    "`rocblas_saxpy_batched` is called with n = 1000, both increments 1 and batch_count = 9000 on "
    "gfx90a. Which kernel runs, with which block and grid, and how many batches does one thread "
    "serve at most?",
    "Float and unit increments alone would choose `rocblas_saxpy_2_kernel`, but its branch also "
    "asks for `batch_count <= 8192`, which 9000 fails, so the next branch, `batch_count > 8192 && "
    "using_rocblas_float`, is taken and `rocblas_axpy_kernel_batched` runs. Its block has DIM_X = "
    "128 threads along the vector and DIM_Y = 8 along the batches, 1024 threads in all. Along x "
    "the grid has (1000 - 1) / 128 + 1 = 8 blocks; along z it has (9000 - 1) / (8 * 4) + 1 = 282 "
    "blocks, because each thread works on four consecutive batches.",
)  # fmt: skip
NOTHING = (
    "computation_semantics", 1, ((35, 70),), (),
    "What does `rocblas_axpy_kernel` do with y when alpha is zero and x holds a NaN, and where in "
    "the kernel is that decided?",
    "Nothing is stored. After the scalar of the batch has been loaded by `load_scalar`, the kernel "
    "tests `if(alpha)` before it looks at `tid < n` and before it forms the pointers `tx` and "
    "`ty`. With alpha equal to zero the update `*ty = (*ty) + Tex(alpha) * (*tx)` is never "
    "reached, so a NaN in x cannot spread into y.",
)  # fmt: skip
TWICE = (
    "dispatch", 2, ((408, 424), (430, 458), (125, 180)), ("gfx90a",),
    "`rocblas_saxpy_batched` runs on gfx90a with n = 1000 and both increments 1, first with "
    "batch_count = 4 and then with batch_count = 9000. Which kernel does each call get?",
    "`unit_inc` is true in both calls and the type is float, so it is the batch count that decides "
    "at `using_rocblas_float && unit_inc && batch_count <= 8192`. With batch_count = 4 this holds "
    "and `rocblas_saxpy_2_kernel` runs. With batch_count = 9000 `batch_count <= 8192` fails, and "
    "as `batch_count > 8192 && using_rocblas_float` holds, `rocblas_axpy_kernel_batched` runs.",
)  # fmt: skip


@pytest.fixture(scope="module")
def blas() -> Project:
    return Project("rocblas")


def row(project: Project, told: Any, old: str = "", new: str = "") -> Entry:
    category, level, lines, archs, question, answer = told
    assert old in answer
    entry = "rocblas_saxpy_batched" if "batched" in question else "rocblas_saxpy"
    made: Row = {
        "id": question[:20], "schema": "rocquarry.entry/1", "project": "rocblas",
        "source": project.source.model_dump(), "interface": "axpy", "entry_points": [entry],
        "configs": ["source"], "archs": list(archs), "kind": "qa", "category": category,
        "level": level, "question": question, "answer": answer.replace(old, new), "context": [],
        "evidence": [project.text.span(AXPY, *pair).model_dump() for pair in lines], "claims": [],
        "author": {"kind": "model"}, "gates": {}, "tool_version": "0.1.0",
    }  # fmt: skip
    return Entry.model_validate_json(json.dumps(made))


@pytest.mark.parametrize("told", [ORIGINS, BATCHES, NOTHING, TWICE])
def test_what_is_true_passes_in_anybodys_words(blas: Project, told: Any) -> None:
    assert Judge(lambda _name: blas).judge_alone(row(blas, told)).reason == ""


@pytest.mark.parametrize(
    ("told", "old", "new"),
    [
        (ORIGINS, "before the launch of", "after the launch of"),
        (ORIGINS, "(1 - n)", "(n - 1)"),
        (BATCHES, "which 9000 fails", "which 9000 meets"),
        (BATCHES, "DIM_X = 128", "DIM_X = 256"),
        (BATCHES, "1024 threads", "512 threads"),
        (BATCHES, "= 282", "= 283"),
        (BATCHES, "four consecutive", "three consecutive"),
        (BATCHES, "`rocblas_axpy_kernel_batched` runs", "`rocblas_saxpy_2_kernel` runs"),
        (BATCHES, "> 8192 && using", "> 8192 || using"),
        (NOTHING, "tests `if(alpha)` before", "tests `if(alpha)` after"),
        (NOTHING, "After the scalar", "Before the scalar"),
        (NOTHING, "tid < n", "tid <= n"),
        (TWICE, "and `rocblas_saxpy_2_kernel` runs", "and `rocblas_axpy_kernel_batched` runs"),
        (TWICE, "`batch_count <= 8192` fails", "`batch_count <= 8192` holds"),
        (TWICE, "`unit_inc` is true", "`unit_inc` is false"),
    ],
)
def test_one_thing_wrong_in_free_prose_is_found(
    blas: Project, told: Any, old: str, new: str
) -> None:
    assert not Judge(lambda _name: blas).judge_alone(row(blas, told, old, new)).passed


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("with n = 5 and m = 3", [{"n": 5, "m": 3}]),
        ("with n = 5, then with n = 7, and m = 3", [{"n": 5, "m": 3}, {"n": 7, "m": 3}]),
        ("does moving `n` from 5 to 7 change it, with m = 3", [{"n": 5, "m": 3}, {"n": 7, "m": 3}]),
        ("m = n = 4", [{"m": 4, "n": 4}]),
        ("n = 1, n = 2, n = 3, m = 1 and m = 2", [{}]),
    ],
)
def test_a_question_may_be_about_several_calls(question: str, values: list[dict[str, int]]) -> None:
    assert [dict(call.values) for call in asked_of(question)] == values


@pytest.mark.parametrize("moved", [1, -2])
def test_lines_that_stand_beside_their_function_are_a_wrong_citation(
    blas: Project, moved: int
) -> None:
    judge = Judge(lambda _name: blas)
    whole = (*NOTHING[:2], ((34, 71),), *NOTHING[3:])
    assert judge.judge_alone(row(blas, whole)).passed
    beside = (*NOTHING[:2], ((34 + moved, 71 + moved),), *NOTHING[3:])
    assert "beside rocblas_axpy_kernel" in judge.judge_alone(row(blas, beside)).reason


KERNEL = """__global__ void work(int n, int m, float* x)
{
  constexpr int WIDTH = 64;
  __shared__ float part[WIDTH];
  int row = blockIdx.x * WIDTH + threadIdx.x;
  int column = blockIdx.y * HEIGHT + threadIdx.y;
  part[threadIdx.x] = x[row];
  if(row >= n)
    return;
  __syncthreads();
  for(int i = 0; i < WIDTH; ++i)
    total += part[i];
  x[row] = total;
}
"""


def case(answer: str, question: str = "") -> Any:
    span = SimpleNamespace(start_line=1)
    function = SimpleNamespace(
        text=KERNEL, span=span, name="work", instantiations=(), kind="kernel", file="a.hpp"
    )
    return SimpleNamespace(
        is_code=False, sentences=[answer], evidence_functions=[function], evidence_text=KERNEL,
        claim_text="", entry=SimpleNamespace(answer=answer, question=question),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("A thread leaves by `return` before the barrier.", True),
        ("A thread leaves by `return` after the barrier.", False),
        ("After the barrier, every thread starts the loop.", True),
        ("Before the barrier, every thread starts the loop.", False),
        ("`part[threadIdx.x]` is filled, and the barrier follows the loop.", False),
        ("Each thread runs its loop once the barrier is passed.", True),
        ("It would read `part[i]` before the barrier if that were missing.", True),
        ("`row >= n` has to fail, and before it `row` and `part` are set.", True),
    ],
)
def test_before_and_after_are_those_of_the_text(sentence: str, passes: bool) -> None:
    assert (order.kept(case(sentence)) is None) == passes


@pytest.mark.parametrize(
    ("sentence", "passes"),
    [
        ("The row is `blockIdx.x * WIDTH + threadIdx.x`.", True),
        ("The row is `blockIdx.x * HEIGHT + threadIdx.x`.", False),
        ("A thread stops where `row >= n`.", True),
        ("A thread stops where `row >= m`.", False),
        ("A reader may call it `block * width + lane`.", True),
    ],
)
def test_code_is_the_sources_to_the_last_name(sentence: str, passes: bool) -> None:
    assert (one_token.as_written(case(sentence)) is None) == passes


@pytest.mark.parametrize(
    ("sentence", "question", "passes"),
    [
        ("With WIDTH = 64 a block has one wavefront.", "", True),
        ("With WIDTH = 128 a block has two wavefronts.", "", False),
        ("With WIDTH = 128 a block has two wavefronts.", "What if `WIDTH` = 128?", True),
        ("The product is n * WIDTH = 128.", "", True),
    ],
)
def test_names_have_values_that_the_source_gives_them(
    sentence: str, question: str, passes: bool
) -> None:
    assert (bound_names.possible(case(sentence, question)) is None) == passes
