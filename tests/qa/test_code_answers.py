"""Answers that are code: exactly the cited lines, and a claim to compile that is tried."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

import pytest

from extractor.project import Project
from qa.gates.compilation import code_digest, compiles
from qa.judgement import Judge
from qa.records import Claim

pytestmark = pytest.mark.xdist_group("real libraries")
KERNELS = "library/src/blas1/rocblas_axpy_kernels.hpp"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def blas() -> Project:
    return Project("rocblas")


@pytest.fixture(scope="module")
def kernel(blas: Project) -> Row:
    """The kernel for contiguous floats as its lines have it."""
    evidence = [blas.text.span(KERNELS, 77, 124)]
    code = "\n".join(
        blas.text.text(span.file, span.start_line, span.end_line).rstrip() for span in evidence
    )
    return {
        "id": "code", "schema": "rocquarry.entry/1", "project": "rocblas",
        "source": blas.source.model_dump(), "interface": "axpy", "entry_points": ["rocblas_saxpy"],
        "configs": ["source", "tensile"], "archs": [], "kind": "kernel_implementation",
        "category": "computation_semantics", "level": 1,
        "question": "Write the HIP kernel `rocblas_saxpy_2_kernel` that rocBLAS uses behind "
        "`rocblas_saxpy` for unit increments.",
        "answer": code, "context": [], "evidence": [span.model_dump() for span in evidence],
        "claims": [], "author": {"kind": "static"}, "gates": {}, "tool_version": "0.1.0",
    }  # fmt: skip


def verdict(project: Project, row: Row, **changes: Any) -> str:
    changed = {**copy.deepcopy(row), **changes}
    return Judge(lambda _name: project).judge(json.loads(json.dumps(changed)), 1).reason


def test_the_code_of_the_lines_passes(blas: Project, kernel: Row) -> None:
    assert verdict(blas, kernel) == ""
    framed = f"#include <hip/hip_runtime.h>\n\n{kernel['answer']}\n"
    assert verdict(blas, kernel, answer=framed) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tid < n - 1", "tid <= n - 1"),
        ("threadIdx.x) * 2", "threadIdx.x) * 1"),
        ("    uint32_t batch = blockIdx.z;\n", ""),
        ("{", "{\n    n += 2;", ),
    ],
)  # fmt: skip
def test_one_changed_row_of_many_is_noticed(blas: Project, kernel: Row, old: str, new: str) -> None:
    assert old in kernel["answer"]
    spoiled = kernel["answer"].replace(old, new, 1)
    assert verdict(blas, kernel, answer=spoiled).startswith("citations:")


def test_rows_in_another_order_are_noticed(blas: Project, kernel: Row) -> None:
    rows = kernel["answer"].split("\n")
    at = next(n for n, row in enumerate(rows) if "tid < n - 1" in row)
    rows[at - 2], rows[at] = rows[at], rows[at - 2]
    assert verdict(blas, kernel, answer="\n".join(rows)).startswith("citations:")


def claim(code: str, **changes: Any) -> Row:
    value = {"architectures": ["gfx942"], "flags": [], "sha256": code_digest(code), **changes}
    return {"type": "compiles", "subject": "k", "value": value, "check": "compiler", "passed": True}


def tried(project: Project, code: str, **changes: Any) -> str:
    """Why a claim that code compiles fails, where no slice is at hand; empty where it holds."""
    case: Any = SimpleNamespace(
        entry=SimpleNamespace(answer=code), ground=SimpleNamespace(slices={}, project=project)
    )  # fmt: skip
    return compiles(case, Claim(**claim(code, **changes))) or ""


def test_a_claim_to_compile_is_tried(blas: Project) -> None:
    fine = "#include <hip/hip_runtime.h>\n__global__ void k(float* x) { x[threadIdx.x] = N; }\n"
    assert tried(blas, fine, flags=["-DN=2"]) == ""
    assert "does not compile for gfx942" in tried(blas, fine)
    for line in ("#include </etc/passwd>", '#include "x.h"', "#include <../x.h>", "#embed <a>"):
        assert "neither HIP's nor" in tried(blas, f"{line}\n{fine}", flags=["-DN=2"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sha256": "0" * 64}, "about other code"),
        ({"architectures": ["gfx000"]}, "nothing can be compiled for gfx000"),
        ({"architectures": []}, "no architecture"),
        ({"flags": ["-fplugin=x.so"]}, "nothing is compiled with the flag"),
    ],
)
def test_claims_that_cannot_be_tried_fail(
    blas: Project, kernel: Row, changes: Row, words: str
) -> None:
    assert words in verdict(blas, kernel, claims=[claim(kernel["answer"], **changes)])
