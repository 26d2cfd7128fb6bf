"""Entries written by hand about a real interface, and the ways in which they can be wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from extractor.project import Project
from qa.judgement import Judge, Verdict

pytestmark = pytest.mark.xdist_group("real libraries")
KERNELS = "library/src/blas1/rocblas_axpy_kernels.hpp"
Row = dict[str, Any]
Change = Callable[[Row], None]


@pytest.fixture(scope="module")
def blas() -> Project:
    return Project("rocblas")


def span(project: Project, start: int, end: int, file: str = KERNELS) -> Row:
    return project.text.span(file, start, end).model_dump()


def make(
    project: Project, category: str, level: int, question: str, answer: str, *evidence: Row
) -> Row:
    return {
        "id": question[:12], "schema": "rocquarry.entry/1", "project": "rocblas",
        "source": project.source.model_dump(), "interface": "axpy", "entry_points": ["rocblas_saxpy"],
        "configs": ["source", "tensile"], "archs": [], "kind": "qa", "category": category,
        "level": level, "question": question, "answer": answer, "context": [],
        "evidence": list(evidence), "claims": [], "author": {"kind": "static"}, "gates": {},
        "tool_version": "0.1.0",
    }  # fmt: skip


@pytest.fixture(scope="module")
def dispatch(blas: Project) -> Row:
    return make(
        blas, "dispatch", 2,
        "`rocblas_saxpy` is called with n = 1000 and both increments 1 in host pointer mode. Which "
        "kernel runs, how many blocks does it get, and what if only `incx` were 2?",
        "The launcher is instantiated with `Ty = float*`, so its flag for float is true; with unit "
        "increments and one batch (at most 8192) it launches `rocblas_saxpy_2_kernel<256, float, …>` "
        "with 256 threads. Each thread owns two elements, so the grid is (n - 1) / 512 + 1 = 2 blocks. "
        "With `incx` = 2 `unit_inc` is false and `rocblas_axpy_kernel` runs: one element a thread, "
        "hence (1000 - 1) / 256 + 1 = 4 blocks. The branch needs `batch_count <= 8192`.",
        span(blas, 330, 486), span(blas, 85, 130),
    )  # fmt: skip


@pytest.fixture(scope="module")
def mapping(blas: Project) -> Row:
    return make(
        blas, "index_mapping", 1,
        "In `rocblas_saxpy_2_kernel` with NB = 256 and n = 2001, which elements does thread 17 of "
        "block 3 update, and which thread updates the last one?",
        "The kernel numbers pairs: tid = (blockIdx.x · 256 + threadIdx.x) · 2. Thread 17 of block 3 "
        "has tid = 1570 and updates y[1570] and y[1571]. The pair guard is `tid < n - 1`, so for odd "
        "n the final element belongs to the thread whose tid equals n - 1 = 2000, that is pair number "
        "1000: block 3, thread 232.",
        span(blas, 77, 124),
    )  # fmt: skip


def judge(project: Project, *rows: Row) -> list[Verdict]:
    made = Judge(lambda _name: project)
    return [made.judge(json.loads(json.dumps(row)), n) for n, row in enumerate(rows, 1)]


def test_true_entries_of_any_author_pass(blas: Project, dispatch: Row, mapping: Row) -> None:
    assert [verdict.reason for verdict in judge(blas, dispatch, mapping)] == ["", ""]


def swap(old: str, new: str) -> Change:
    def change(row: Row) -> None:
        assert old in row["answer"]
        row["answer"] = row["answer"].replace(old, new)

    return change


def put(key: str, value: Any) -> Change:
    return lambda row: row.update({key: value})


def shift(**fields: Any) -> Change:
    return lambda row: row["evidence"][0].update(fields)


@pytest.mark.parametrize(
    ("gate", "change"),
    [
        ("numbers", swap("= 2 blocks", "= 3 blocks")),
        ("numbers", swap("= 4 blocks", "= 5 blocks")),
        ("names", swap("`rocblas_saxpy_2_kernel<256, float, …>`", "`rocblas_saxpy_2_kernel<512, float, …>`")),
        ("citations", swap("rocblas_saxpy_2_kernel", "rocblas_haxpy_mlt_8_kernel")),
        ("identifiers", swap("`unit_inc`", "`unit_stride_flag`")),
        ("conditions", swap("`batch_count <= 8192`", "`batch_count >= 8192`")),
        ("plain_speech", swap("Each thread owns two elements", "For optimal performance each owns two")),
        ("level", put("level", 3)),
        ("architecture", put("archs", ["gfx942"])),
        ("configuration", put("configs", ["fast"])),
        ("configuration", put("entry_points", ["rocblas_sscal"])),
        ("spans", shift(file="library/src/blas1/rocblas_axpy_old.hpp")),
        ("spans", shift(start_line=486, end_line=330)),
        ("spans", shift(end_line=9000)),
        ("spans", shift(sha256="0" * 64)),
        ("spans", shift(file="../../etc/passwd")),
        ("schema", put("level", 4)),
        ("schema", put("schema", "rocquarry.entry/9")),
    ],
)  # fmt: skip
def test_a_planted_error_is_caught(blas: Project, dispatch: Row, gate: str, change: Change) -> None:
    planted = copy.deepcopy(dispatch)
    change(planted)
    (verdict,) = judge(blas, planted)
    assert not verdict.passed
    if gate not in ("names", "citations"):
        assert verdict.failed == gate


@pytest.mark.parametrize(
    ("old", "new"),
    [("1570 and updates", "1586 and updates"), ("thread 232", "thread 233"), ("tid < n - 1", "tid >= n - 1")],
)  # fmt: skip
def test_worked_numbers_and_guards_are_checked(
    blas: Project, mapping: Row, old: str, new: str
) -> None:
    planted = copy.deepcopy(mapping)
    swap(old, new)(planted)
    assert not judge(blas, planted)[0].passed


def test_another_revision_is_stale(blas: Project, mapping: Row) -> None:
    planted = copy.deepcopy(mapping)
    planted["source"]["version"] = "6.3.0"
    assert judge(blas, planted)[0].failed == "source"


def test_true_lines_that_show_something_else_are_a_wrong_citation(
    blas: Project, dispatch: Row
) -> None:
    planted = copy.deepcopy(dispatch)
    planted["evidence"][1] = span(blas, 30, 120, "library/src/blas1/rocblas_scal_kernels.hpp")
    assert not judge(blas, planted)[0].passed


def test_the_second_of_two_alike_is_rejected(blas: Project, mapping: Row) -> None:
    again = {**copy.deepcopy(mapping), "id": "another"}
    same_id = copy.deepcopy(mapping)
    first, second, third = judge(blas, mapping, again, same_id)
    assert first.passed
    assert second.failed == "near_duplicate"
    assert third.failed == "schema"


def test_trivia_and_answers_in_the_question_are_rejected(blas: Project, mapping: Row) -> None:
    trivial = {
        **copy.deepcopy(mapping),
        "question": "On which line is `rocblas_saxpy_2_kernel` defined in it?",
    }
    shallow = {
        **copy.deepcopy(mapping),
        "id": "other",
        "answer": "`rocblas_saxpy_2_kernel` computes axpy.",
    }
    assert [v.failed for v in judge(blas, trivial, shallow)] == ["question", "question"]


def test_what_is_no_entry_is_named_by_its_line(blas: Project) -> None:
    (verdict,) = judge(blas, ["not", "an", "object"])  # type: ignore[arg-type]
    assert (verdict.id, verdict.failed) == ("line 1", "schema")
