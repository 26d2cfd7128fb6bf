"""What is launched past a library's boundary is held against the graph of the library there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.api import scope_bytes
from extractor.demangle import demangle
from extractor.project import Project
from extractor.records import Source
from extractor.trace.coverage import cover
from extractor.trace.past_boundary import PastBoundary
from extractor.trace.records import RecordedLaunch, Trace

RULE = """
name = "{name}"
license = "Apache-2.0"
[source]
folder = "."
[compile]
include = ["{{tree}}/include"]
flags = ["-I{{tree}}/../lower/include"]
[[units]]
files = ["src/*.hip"]
[entry_points]
headers = ["include/*.h"]
names = ["{name}_*"]
marker = "EXPORT"
[families]
prefixes = ["{name}_"]
precisions = ["s"]
stems = ["solve"]
[[boundaries]]
name = "lower::*"
library = "lower"
[[boundaries]]
name = "hip*"
library = "HIP runtime"
[[boundaries]]
name = "__hip*"
library = "HIP runtime"
"""

LOWER_H = """
#define EXPORT __attribute__((visibility("default")))
namespace lower {
template <typename T> int fill(int n, T* x);
template <typename T> int scale(int n, T* x);
template <typename T> int never(int n, T* x);
}
"""

LOWER = """
#include <hip/hip_runtime.h>
#include "lower.h"
namespace lower {
template <typename T> __global__ void fill_kernel(int n, T* x) { x[0] = n; }
template <typename T> __global__ void scale_kernel(int n, T* x) { x[0] *= n; }
template <typename T> __global__ void never_kernel(int n, T* x) { x[0] -= n; }
template <typename T> int fill(int n, T* x)
{ hipLaunchKernelGGL(fill_kernel<T>, 1, 64, 0, 0, n, x); return 0; }
template <typename T> int scale(int n, T* x)
{ hipLaunchKernelGGL(scale_kernel<T>, 1, 64, 0, 0, n, x); return 0; }
template <typename T> int never(int n, T* x)
{ hipLaunchKernelGGL(never_kernel<T>, 1, 64, 0, 0, n, x); return 0; }
template int fill(int, float*);
template int fill(int, double*);
template int scale(int, float*);
template int scale(int, double*);
template int never(int, float*);
template int never(int, double*);
}
"""

UPPER_H = """
#include "lower.h"
extern "C" EXPORT int upper_ssolve(int n, float* x);
"""

UPPER = """
#include <hip/hip_runtime.h>
#include "lower.h"
#include "upper.h"
namespace upper { __global__ void own_kernel(float* x) { x[0] = 1; } }
extern "C" int upper_ssolve(int n, float* x)
{
    hipLaunchKernelGGL(upper::own_kernel, 1, 64, 0, 0, x);
    if constexpr(sizeof(float) == 8)
        return lower::never<float>(n, x);
    return lower::fill<float>(n, x) + lower::scale<float>(n, x);
}
"""


@pytest.fixture(scope="module")
def _libraries(
    shared_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Project]]:
    top = tmp_path_factory.mktemp("libraries")
    texts = {
        "upper": (UPPER_H, UPPER),
        "lower": (LOWER_H, LOWER),
    }  # fmt: skip
    for name, (header, source) in texts.items():
        for folder in ("include", "src"):
            (top / name / folder).mkdir(parents=True)
        (top / name / "rules.toml").write_text(RULE.format(name=name))
        (top / name / "include" / f"{name}.h").write_text(header)
        (top / name / "src" / f"{name}.hip").write_text(source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        projects = [Project(top / name / "rules.toml") for name in texts]
        yield projects
        for project in projects:
            project.store.close()


@pytest.fixture
def libraries(_libraries: list[Project], in_shared_cache: Path) -> list[Project]:
    return _libraries


@pytest.fixture
def past(libraries: list[Project]) -> PastBoundary:
    return PastBoundary(
        [(one.rule.name, one.graph("source", None, device=False)) for one in libraries]
    )


def test_only_what_the_called_functions_launch_lies_past_the_boundary(past: PastBoundary) -> None:
    found = past.kernels("upper_ssolve")
    assert sorted(demangle(symbol) for symbol in found) == [
        "void lower::fill_kernel<float>(int, float*)",
        "void lower::scale_kernel<float>(int, float*)",
    ]
    assert set(found.values()) == {"lower"}
    assert past.kernels("upper_dsolve") == {}


def test_a_launch_that_the_other_library_does_not_lead_to_is_outside(
    libraries: list[Project], past: PastBoundary
) -> None:
    own = "_ZN5upper10own_kernelEPf"
    trace = _trace([own, *sorted(past.kernels("upper_ssolve"))])
    scope = json.loads(scope_bytes(libraries[0], "solve", ("source",)))
    fine = cover(scope, "source", [trace], past=past)
    assert (fine.outside, fine.beyond, fine.kernels_traced) == ((), 2, 1)
    for symbol in ("_ZN5lower12never_kernelIfEEviPT_", "_ZN5lower11fill_kernelIdEEviPT_"):
        wrong = cover(scope, "source", [trace, _trace([symbol])], past=past)
        assert wrong.outside == (f"upper_ssolve: {symbol}",)
        assert wrong.beyond == 2


def test_launches_past_the_boundary_carry_their_library(past: PastBoundary) -> None:
    own = "_ZN5upper10own_kernelEPf"
    marked = past.marked(_trace([own, *sorted(past.kernels("upper_ssolve"))]))
    assert [launch.library for launch in marked.launches] == [None, "lower", "lower"]
    line = json.loads(marked.model_dump_json())
    assert [row.get("library", "own") for row in line["launches"]] == ["own", "lower", "lower"]
    assert Trace.model_validate(line) == marked


def _trace(symbols: list[str]) -> Trace:
    return Trace(
        tool_version="0", project="upper",
        source=Source(name="upper", version="1", commit="c", license="MIT"), config="source",
        entry="upper_ssolve", args={}, arch=("gfx90a",), pointer_mode="host", status="success",
        launches=tuple(
            RecordedLaunch(kernel="k", demangled=demangle(s), symbol=s, grid=(1, 1, 1),
                           block=(64, 1, 1), shared_bytes=0, repeat=1)
            for s in symbols
        ),
    )  # fmt: skip
