"""Libraries built for this machine, and called through their real C interface."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from extractor.project import Project
from kernels.cpu.build import build_runtime, compile_unit, link
from kernels.isolation import Limits, run
from kernels.library.make import build_library, link_with_boundaries
from kernels.library.overlay import changed_text
from kernels.library.plan import own_arguments

np = pytest.importorskip("numpy")


def test_a_units_own_flags_are_kept_and_those_of_the_gpus_toolchain_are_not() -> None:
    arguments = [
        "--target=x86_64-linux-gnu", "-resource-dir=/r", "--rocm-path=/p", "-D__HIP_PLATFORM_AMD__",
        "-x", "hip", "-std=c++17", "-w", "--cuda-host-only", "-nogpulib", "--offload-arch=gfx942",
        "-D__AMDGCN_WAVEFRONT_SIZE=64", "-DROCBLAS_INTERNAL_API", "-UNAME", "-I/tree/library",
        "-idirafter", "/prefix/include", "--gpu-max-threads-per-block=1024",
    ]  # fmt: skip
    assert own_arguments(arguments) == (
        "-D__HIP_PLATFORM_AMD__", "-std=c++17", "-DROCBLAS_INTERNAL_API", "-UNAME",
        "-I/tree/library", "-idirafter", "/prefix/include",
    )  # fmt: skip


def test_lds_that_is_declared_again_without_the_word_gets_it_back() -> None:
    text = (
        "extern __shared__ double lmem[];\n  extern double lmem[];\n"
        "extern double other[];\nextern __shared__ float more[];\n"
    )
    assert changed_text(text) == text.replace("  extern double", "  extern __shared__ double")
    assert changed_text("extern double lmem[];\n") == "extern double lmem[];\n"


def test_a_boundary_is_listed_and_ends_the_program_only_when_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "unit.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\nnamespace far { int away(int, float); }\n"
        'extern "C" int near_by(int x) { return x > 5 ? far::away(x, 1.0f) : x; }\n'
        "__global__ void k() {}\nvoid run() { k<<<1, 1>>>(); }\n"
    )
    library = tmp_path / "libunit.so"
    names = link_with_boundaries(compile_unit(source).objects, Path(library.name))
    assert names == ["_ZN3far4awayEif"]
    call = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).near_by(int(sys.argv[2])))"
    outcomes = [
        run([sys.executable, "-c", call, str(library), x], Limits(wall_seconds=30), folder=tmp_path)
        for x in ("4", "9")
    ]
    assert (outcomes[0].stdout, outcomes[0].exit_code) == ("4\n", 0)
    assert outcomes[1].exit_code == 87
    assert "_ZN3far4awayEif was called" in outcomes[1].stderr


_TWO_COPIES = """
import ctypes, sys
first = ctypes.CDLL(sys.argv[1]).launch_first()
ctypes.CDLL(sys.argv[2], mode=ctypes.RTLD_GLOBAL)
print(first, ctypes.CDLL(sys.argv[3]).launch_second())
"""


def test_two_copies_of_the_runtime_in_one_process_keep_their_kernels_apart(tmp_path: Path) -> None:
    libraries = {}
    for name in ("first", "second"):
        source = tmp_path / f"{name}.hip"
        source.write_text(
            "#include <hip/hip_runtime.h>\n"
            f"__global__ void {name}(int* seen) {{ *seen = 5; }}\n"
            f'extern "C" int launch_{name}() {{\n'
            "  int *seen, host = 0;\n"
            "  hipMalloc(&seen, sizeof(int));\n"
            f"  {name}<<<1, 1>>>(seen);\n"
            "  hipMemcpy(&host, seen, sizeof(int), hipMemcpyDeviceToHost);\n"
            "  return host;\n"
            "}\n"
        )
        libraries[name] = tmp_path / f"lib{name}.so"
        link(compile_unit(source).objects, libraries[name])
    runtime = build_runtime().library
    copy = tmp_path / "copy" / runtime.name
    copy.parent.mkdir()
    copy.write_bytes(runtime.read_bytes())
    # What is global is found first, so the second library registers with the copy.
    names = [str(path) for path in (libraries["first"], copy, libraries["second"])]
    done = run(
        [sys.executable, "-c", _TWO_COPIES, *names], Limits(wall_seconds=30), folder=tmp_path
    )
    assert done.stdout == "5 5\n", done.stderr


@pytest.fixture(scope="module")
def axpy(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    project = Project("rocblas")
    out = tmp_path_factory.mktemp("library")
    made = build_library(project, "rocblas_saxpy", out)
    assert not made.failures
    assert not made.boundaries
    assert made.entry_points == ["rocblas_saxpy"]
    assert made.kernels > 50
    (path,) = out.glob("*.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("n", "incx", "incy"), [(1000, 1, 1), (1000, 2, 1), (5, -1, 3), (0, 1, 1)])
def test_host_dispatch_and_kernels_of_the_real_library_run_together(
    axpy: ModuleType, n: int, incx: int, incy: int
) -> None:
    random = np.random.default_rng(7)
    x = random.random(1 + max(n - 1, 0) * abs(incx), dtype=np.float32)
    y = random.random(1 + max(n - 1, 0) * abs(incy), dtype=np.float32)
    handle, alpha = ctypes.c_void_p(), ctypes.c_float(2.5)
    assert axpy.library.rocblas_create_handle(ctypes.byref(handle)) == 0
    on_device = [axpy.DeviceArray(x), axpy.DeviceArray(y)]
    status = axpy.library.rocblas_saxpy(
        handle, n, ctypes.byref(alpha), on_device[0].pointer, incx, on_device[1].pointer, incy
    )
    axpy.synchronize()
    assert status == 0
    expected = y.copy()
    chosen = x[:: abs(incx)][:n]
    expected[:: abs(incy)][:n] += np.float32(2.5) * (chosen[::-1] if incx < 0 else chosen)
    assert np.allclose(on_device[1].numpy(), expected, rtol=1e-6)
    assert axpy.library.rocblas_destroy_handle(handle) == 0
