"""The real libraries at their pinned revisions: answers that are known to be right.

Source, packages and index are in the product's own cache, and fetched by its own code where they
are not.
"""

from __future__ import annotations

import hashlib
import json

import pytest
from scope_reader import ScopeReader

from extractor.api import scope_bytes
from extractor.project import Project

# One worker of a parallel run reads each library once.
pytestmark = pytest.mark.xdist_group("real libraries")


@pytest.fixture(scope="module")
def blas() -> Project:
    return Project("rocblas")


@pytest.fixture(scope="module")
def axpy(blas: Project) -> ScopeReader:
    return ScopeReader(json.loads(scope_bytes(blas, "axpy", ("source",))))


@pytest.fixture(scope="module")
def solver() -> Project:
    return Project("rocsolver")


@pytest.fixture(scope="module")
def larfg(solver: Project) -> ScopeReader:
    return ScopeReader(json.loads(scope_bytes(solver, "larfg", ("source",))))


def plain(names: set[str]) -> set[str]:
    return {name.partition("<")[0] for name in names}


def test_provenance(axpy: ScopeReader, larfg: ScopeReader) -> None:
    blas, solver = axpy.scope["source"], larfg.scope["source"]
    assert (blas["name"], blas["version"], blas["license"]) == ("rocblas", "6.4.4", "MIT")
    assert (solver["name"], solver["version"]) == ("rocsolver", "6.4.3")
    assert solver["license"] == "BSD-2-Clause"


def test_entry_points_of_axpy(axpy: ScopeReader) -> None:
    names = axpy.scope["entry_points"]
    assert len(names) == 36
    for letter in "hsdcz":
        for layout in ("", "_batched", "_strided_batched"):
            for width in ("", "_64"):
                assert f"rocblas_{letter}axpy{layout}{width}" in names
    assert "rocblas_axpy_strided_batched_ex_64" in names


def test_kernels_of_axpy(axpy: ScopeReader) -> None:
    checked = "rocblas_check_numerics_vector_kernel"
    single = {
        "rocblas_axpy_kernel",
        "rocblas_saxpy_2_kernel",
        "rocblas_axpy_kernel_batched",
        checked,
    }
    assert plain(axpy.kernels("rocblas_saxpy")) == single
    assert plain(axpy.kernels("rocblas_saxpy_batched")) == single
    for letter in "hdcz":
        entry = f"rocblas_{letter}axpy"
        assert plain(axpy.kernels(entry)) == {"rocblas_axpy_kernel", checked}
        assert len(axpy.kernels(entry)) == 4


def test_kernels_that_no_build_can_launch(blas: Project, axpy: ScopeReader) -> None:
    live = {one for rows in axpy.scope["per_entry"].values() for one in rows["source"]}
    for name in ("rocblas_haxpy_mlt_8_kernel", "rocblas_haxpy_mod_8_kernel"):
        kernel = axpy.function(name)
        assert not live & {i["id"] for i in kernel["instantiations"]}
        reasons = {
            launch["dead_reason"]
            for launch in axpy.scope["launches"]
            if launch["kernel"] in {i["id"] for i in kernel["instantiations"]}
        }
        assert reasons == {"the condition is constant false: using_rocblas_half && unit_inc"}
    builder = blas.builder(("source",), ["rocblas_daxpy"], device=False)
    (line,) = builder.entry_lines("rocblas_daxpy")
    kernels = {kernel.name: kernel for kernel in line.kernels}
    batched = kernels["rocblas_axpy_kernel_batched"]
    assert batched.dead
    assert batched.reason is not None
    assert batched.reason.endswith(
        "the condition is constant false: batch_count > 8192 && using_rocblas_float"
    )
    assert not kernels["rocblas_axpy_kernel"].dead
    assert (line.unresolved, "hipPeekAtLastError" in line.boundaries) == (0, True)


def test_launches_behind_the_macros_of_the_library(axpy: ScopeReader) -> None:
    expanded = {
        (launch["grid"]["expanded"], launch["block"]["expanded"], launch["stream"]["expanded"])
        for launch in axpy.scope["launches"]
        if axpy.names[launch["kernel"]].startswith("rocblas_saxpy_2_kernel")
    }
    assert expanded == {("blocks", "threads", "handle->get_stream()")}
    kernel = axpy.function("rocblas_saxpy_2_kernel")
    assert kernel["launch_bounds"] is not None
    assert kernel["text"].startswith("template <")


def test_the_user_interface_stands_in_macros(axpy: ScopeReader) -> None:
    entry = axpy.function("rocblas_saxpy")
    assert entry["kind"] == "entry_point"
    assert entry["span"]["file"] == "library/src/blas1/rocblas_axpy.cpp"
    assert entry["text"] == "INST_AXPY_C_API(rocblas_int)\n"
    wide = axpy.function("rocblas_saxpy_64")
    assert wide["span"]["file"] == "library/src/src64/blas1/rocblas_axpy_64.cpp"


def test_checks_of_numbers_are_infrastructure(axpy: ScopeReader) -> None:
    kernel = axpy.function("rocblas_check_numerics_vector_kernel")
    assert kernel["infrastructure"] is not None
    assert axpy.function("rocblas_axpy_kernel")["infrastructure"] is None


def test_kernels_of_larfg(larfg: ScopeReader) -> None:
    entries = larfg.scope["entry_points"]
    assert entries == sorted(
        f"rocsolver_{letter}larfg{width}" for letter in "sdcz" for width in ("", "_64")
    )
    real = {"larfg_kernel_small", "reset_batch_info", "set_diag", "set_taubeta"}
    assert plain(larfg.kernels("rocsolver_slarfg")) == real
    assert plain(larfg.kernels("rocsolver_clarfg")) == {"larfg_kernel_small", "set_taubeta"}
    assert set(larfg.dead().values()) == {"the condition is constant false: n == 1 && !COMPLEX"}


def test_rocsolver_ends_at_rocblas(larfg: ScopeReader) -> None:
    libraries = {name: library for name, (library, _) in larfg.boundaries().items()}
    assert libraries["rocblas_internal_scal_template"] == "rocBLAS"
    assert libraries["rocblas_get_stream"] == "rocBLAS"
    assert all(
        library == "rocBLAS" for name, library in libraries.items() if name.startswith("rocblas_")
    )


@pytest.mark.parametrize("library", ["blas", "solver"])
def test_nothing_is_unresolved_and_every_text_hashes(
    library: str, blas: Project, solver: Project, axpy: ScopeReader, larfg: ScopeReader
) -> None:
    project, scope = (blas, axpy) if library == "blas" else (solver, larfg)
    assert scope.scope["unresolved"] == []
    assert scope.scope["failed_units"] == []
    for function in scope.scope["functions"]:
        span = function["span"]
        if not span["file"].startswith("EXT:"):
            lines = (project.tree.root / span["file"]).read_bytes().splitlines(keepends=True)
            raw = b"".join(lines[span["start_line"] - 1 : span["end_line"]])
            assert span["sha256"] == hashlib.sha256(raw).hexdigest()
            assert function["text"] == raw.decode()
