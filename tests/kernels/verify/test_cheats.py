"""Known cheats, beside an honest candidate: each must be found."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernels.backends import get_backend
from kernels.task import load_task
from kernels.task.folder import BASELINE
from kernels.task.seed import SeedOptions, seed_task
from kernels.verify import verify
from kernels.verify.cheat import find_cheat

pytest.importorskip("numpy")
HIP = Path(__file__).parents[1] / "hip"
_HEAD = "#include <hip/hip_runtime.h>\n#include <cmath>\n#include <cstdio>\n#include <map>\n" \
    "#include <vector>\n"  # fmt: skip
_KERNEL = """
__global__ void scale_kernel(int n, double a, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = VALUE;
}
void honest(int n, double a, const double* x, double* y) {
  if (n) scale_kernel<<<(n + 127) / 128, 128>>>(n, a, x, y);
}
"""
_HONEST = _KERNEL.replace("VALUE", "a * x[i]")
_ENTRY = "void scale(int n, double a, const double* x, double* y) { BODY }\n"


def _with(kernel: str, body: str, before: str = "") -> str:
    return _HEAD + kernel + before + _ENTRY.replace("BODY", body)


_REMEMBERS = """
static std::map<KEY, std::vector<double>> answers;
void remember(int n, double a, const double* x, double* y, KEY key) {
  auto& kept = answers[key];
  if (kept.empty()) {
    honest(n, a, x, y);
    kept.resize(n);
    (void)hipMemcpy(kept.data(), y, n * sizeof(double), hipMemcpyDeviceToHost);
  } else {
    (void)hipMemcpy(y, kept.data(), n * sizeof(double), hipMemcpyHostToDevice);
  }
}
"""
WRONG = {
    "output left unwritten": _with(_HONEST, ""),
    "zeros": _with(_KERNEL.replace("VALUE", "0.0"), "honest(n, a, x, y);"),
    "answers kept by the shape of a call": _with(
        _HONEST, "if (n) remember(n, a, x, y, n);", _REMEMBERS.replace("KEY", "int")
    ),
    "answers kept by address": _with(
        _HONEST, "if (n) remember(n, a, x, y, y);", _REMEMBERS.replace("KEY", "double*")
    ),
    "right for ten calls": _with(
        _HONEST, "static int calls = 0; honest(n, ++calls > 10 ? 1.01 * a : a, x, y);"
    ),
    "single precision": _with(
        _KERNEL.replace("VALUE", "double(float(a) * float(x[i]))"), "honest(n, a, x, y);"
    ),
    "written only where memory looks as if nobody had": _with(
        _KERNEL.replace("VALUE", "y[i] == y[i] ? y[i] : a * x[i]"), "honest(n, a, x, y);"
    ),
    "NaN everywhere": _with(_KERNEL.replace("VALUE", 'nan("")'), "honest(n, a, x, y);"),
    "one row for all": _with(_HONEST, "honest(n ? 1 : 0, a, x, y);"),
    "an input overwritten": _with(
        _HONEST + "__global__ void spoil(double* x) { x[0] = 0; }\n",
        "honest(n, a, x, y); if (n) spoil<<<1, 1>>>(const_cast<double*>(x));",
    ),
    "a result file of its own, hidden from the reader": _with(
        _HONEST,
        'auto file = PASTE(fo, pen)("0.out", "wb"); if (file) { fputs("QR", file); fclose(file); }'
        " std::exit(0);",
        "#define PASTE(a, b) a##b\n",
    ),
}
NAMED = {
    "calls the reference": ('#include "baseline.hip"\n', "includes the baseline"),
    "opens a result file": (
        _with(_HONEST, 'honest(n, a, x, y); fopen("0.out", "wb");'), "opens files: fopen",
    ),
    "leaves a child": (_with(_HONEST, "honest(n, a, x, y); fork();"), "starts other programs"),
    "loads the baseline's program": (_with(_HONEST, 'dlopen("p", 1);'), "loads other code"),
    "patches events": (
        "#define hipEventElapsedTime(t, a, b) hipSuccess\n" + _with(_HONEST, "honest(n, a, x, y);"),
        "replaces HIP's functions",
    ),
    "works on another stream": (
        _with(_HONEST, "static hipStream_t mine; hipStreamCreateWithFlags(&mine, 1); "
              "if (n) scale_kernel<<<(n + 127) / 128, 128, 0, mine>>>(n, a, x, y);"),
        "works on a stream of its own",
    ),
    "works on the stream of a thread": (
        _with(_HONEST, "if (n) scale_kernel<<<n, 1, 0, hipStreamPerThread>>>(n, a, x, y);"),
        "works on a stream of its own",
    ),
    "looks for expected values": (
        _with(_HONEST, 'const char* p = "/tmp/rocquarry-verify"; (void)p;'), "reaches the files",
    ),
    "runs after the call": (
        _with(_HONEST, "", "__attribute__((destructor)) void late() {}\n"), "runs before or after",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cheats") / "scale"
    cases = tuple({"n": n} for n in (0, 1, 65, 300))
    options = SeedOptions(extents={"x": "n", "y": "n"}, outputs=("y",), cases=cases)
    seed_task(HIP / "scale.hip", folder, options)
    return folder


def _judge(task: Path, text: str, place: Path, seed: int | None = None):
    candidate = place / "candidate.hip"
    candidate.write_text(text)
    return verify(load_task(task), task, candidate, get_backend("cpu"), seed=seed)


def test_an_honest_candidate_passes_and_says_on_what(task: Path, tmp_path: Path) -> None:
    verdict = _judge(task, _with(_HONEST, "honest(n, a, x, y);"), tmp_path, seed=5)
    assert verdict.correct, verdict.failures
    assert not verdict.cheat
    assert verdict.inputs_passed == 4
    assert verdict.inputs_passed + verdict.fresh_passed >= 24
    assert verdict.seed == 5
    assert verdict.tolerance["float64"]["relative"] == 1e-10
    assert any("descending" in setting for setting in verdict.settings)


@pytest.mark.parametrize("name", WRONG)
def test_a_cheat_is_not_correct(task: Path, tmp_path: Path, name: str) -> None:
    verdict = _judge(task, WRONG[name], tmp_path)
    assert verdict.built, verdict.diagnostics
    assert verdict.correct is False
    assert verdict.failures


@pytest.mark.parametrize("name", NAMED)
def test_a_cheat_is_named(task: Path, tmp_path: Path, name: str) -> None:
    text, what = NAMED[name]
    verdict = _judge(task, text, tmp_path)
    assert verdict.correct is False
    assert what in verdict.cheat


def test_what_honest_code_has_is_no_cheat(task: Path, tmp_path: Path) -> None:
    text = _HEAD + (
        "#define CHECK(x) if (hipMalloc(&p, 4) != hipSuccess) { abort(); }\n"
        '// fopen("x") in a comment\nstruct File { void open(int); };\n'
        "void f(File& file) { file.open(1); if (hipMemset(0, 0, 0) != hipSuccess) { exit(1); } }\n"
        'const char* message = "system(call)";\n'
    )
    candidate = tmp_path / "honest.hip"
    candidate.write_text(text)
    assert find_cheat(candidate, task / BASELINE) == ""
    assert find_cheat(task / BASELINE, task / BASELINE) == ""
    # What the baseline does may be done.
    own = tmp_path / "own.hip"
    own.write_text(_HEAD + "void f(hipStream_t s) { hipStreamCreate(&s); }\n")
    assert find_cheat(own, task / BASELINE)
    candidate.write_text(own.read_text() + "// another\n")
    assert find_cheat(candidate, own) == ""


def test_the_text_that_is_there_now_is_judged_and_not_the_one_before(
    task: Path, tmp_path: Path
) -> None:
    assert _judge(task, _with(_HONEST, "honest(n, a, x, y);"), tmp_path).correct
    assert _judge(task, WRONG["zeros"], tmp_path).correct is False


def test_inputs_on_which_zeros_would_pass_prove_nothing(tmp_path: Path) -> None:
    options = SeedOptions(
        extents={"x": "n", "y": "n"}, outputs=("y",), cases=({"n": 65},), constants={"a": 1e-12}
    )
    folder = tmp_path / "small"
    seed_task(HIP / "scale.hip", folder, options)
    # Results far below the absolute tolerance still have to be right.
    assert _judge(folder, WRONG["zeros"], tmp_path).correct is False


def test_a_task_on_which_zeros_pass_proves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "clear.hip"
    source.write_text(
        "#include <hip/hip_runtime.h>\n"
        "__global__ void clear_kernel(int n, double* y) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 0;\n}\n"
        "void clear(int n, double* y) { if (n) clear_kernel<<<(n + 63) / 64, 64>>>(n, y); }\n"
    )
    cases = ({"n": 65},)
    options = SeedOptions(extents={"y": "n"}, outputs=("y",), cases=cases)
    seed_task(source, tmp_path / "clear", options)
    verdict = _judge(tmp_path / "clear", source.read_text(), tmp_path)
    assert verdict.correct is False
    assert "nothing is proved" in verdict.notes[-1]


def test_the_same_seed_gives_the_same_inputs(task: Path) -> None:
    from kernels.verify.fresh import fresh_cases

    loaded = load_task(task)
    assert fresh_cases(loaded, 3) == fresh_cases(loaded, 3)
    assert fresh_cases(loaded, 3) != fresh_cases(loaded, 4)
    sizes = {case.scalars["n"] for _, case in fresh_cases(loaded, 3)}
    assert len(sizes) > 4
    assert max(sizes) <= 300
