"""What a card is not held to is said: cases that are not sent, kernels that count on 64 lanes."""

from __future__ import annotations

import hashlib
import json
import struct
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

import kernels
from extractor.errors import UserError
from kernels.backends.cpu import CpuBackend
from kernels.commands.transfer import profile
from kernels.task.seed import SeedOptions, seed_task
from kernels.transfer.archive import Exported, export_tasks, packed
from kernels.transfer.results import TaskResult, import_results
from kernels.transfer.worker import lanes

pytest.importorskip("numpy")
NATIVE = Path(kernels.__file__).parent / "native"
SOURCE = """
#include <hip/hip_runtime.h>
__global__ void lanes(int n, const double* x, double* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double below = __shfl(i < n ? x[i] : 0, LANE);
  if (i < n) y[i] = below;
}
"""

# The second half of a wavefront reads what the first has just written, with nothing in between.
LOCKSTEP = """
#include <hip/hip_runtime.h>
__global__ void lanes(int n, const double* x, double* y) {
  __shared__ double lds[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
  volatile double* v = lds;
  v[t] = i < n ? x[i] : 0;
  double other = v[t ^ 1];
  if (i < n) y[i] = other;
}
"""


def _exported(folder: Path, lane: str, largest: int, text: str = SOURCE) -> Exported:
    source = folder / "lanes.hip"
    source.write_text(text.replace("LANE", lane))
    options = SeedOptions(
        extents={"x": "n", "y": "n"}, outputs=("y",), grid=("(n + 255) / 256",),
        cases=({"n": 60}, {"n": 5000}),
    )  # fmt: skip
    seed_task(source, folder / "task", options)
    return export_tasks([folder / "task"], folder / "out.tar.gz", largest=largest)


def _judged(
    exported: Exported,
    folder: Path,
    hardware: str,
    *,
    wrong: bool = False,
    status: int = 0,
    **said: Any,
) -> TaskResult:
    """What is said of a card that gives what the cpu backend does, or something else."""
    kept = {}
    with tarfile.open(exported.stays) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file:
                kept[member.name] = file.read()
    label = json.loads(kept["archive.json"])["archive"]
    files = {}
    for name, data in kept.items():
        if name.endswith(".expected"):
            half = len(data) // 2
            out = struct.pack("<Qq", 0x31305455 ^ 0x5152000000000000, status)
            for part in (data[:half], bytes(half) if wrong else data[half:]):
                out += struct.pack("<Q", len(part)) + part
            files[name.replace(".expected", ".out")] = out
    record = {
        "archive": label, "hardware": hardware, "machine": "Linux", "compiler": "",
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "tasks": {"task": {"error": "", "counters": {"kernel": "k"}}}, **said,
    }  # fmt: skip
    path = folder / "results.tar.gz"
    path.write_bytes(packed({**files, "results.json": json.dumps(record).encode()}))
    (task,) = import_results(path, exported.archive).tasks
    return task


def test_a_kernel_that_counts_on_64_lanes_is_not_judged_on_a_card_with_32(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "40", 1 << 20)
    narrow = _judged(exported, tmp_path, "NVIDIA H200")
    assert (narrow.correct, narrow.inputs_passed, len(narrow.inputs_skipped)) == (None, 0, 2)
    assert all("64 lanes" in text for text in narrow.inputs_skipped)
    assert _judged(exported, tmp_path, "AMD Instinct MI300X").inputs_passed == 2


def test_lanes_are_those_that_the_card_told_not_those_of_its_maker(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "40", 1 << 20)
    radeon = _judged(exported, tmp_path, "AMD Radeon RX 7900 XTX", lanes=32, lockstep=True)
    assert (radeon.correct, radeon.inputs_passed) == (None, 0)
    assert all("those of this card have 32" in text for text in radeon.inputs_skipped)
    assert _judged(exported, tmp_path, "NVIDIA of some day", lanes=64).inputs_passed == 2


def test_a_card_is_asked_for_its_lanes(tmp_path: Path) -> None:
    def compiler(text: str) -> str:
        """One whose program says this."""
        path = tmp_path / "compiler"
        path.write_text(f'#!/bin/sh\nprintf "#!/bin/sh\\n{text}\\n" > "$4"; chmod +x "$4"\n')
        path.chmod(0o755)
        (tmp_path / "card").unlink(missing_ok=True)
        return str(path)

    assert lanes(compiler("echo 32"), [], tmp_path) == 32
    assert lanes(compiler("exit 1"), [], tmp_path) == 0
    assert lanes(str(tmp_path / "none"), [], tmp_path / "nowhere") == 0
    program = tmp_path / "here"
    CpuBackend().build_program(NATIVE / "card.hip", program)
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "64\n"


def test_one_that_does_not_is_judged_on_both(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "threadIdx.x % warpSize", 1 << 20)
    for hardware in ("NVIDIA H200", "AMD Instinct MI300X"):
        assert _judged(exported, tmp_path, hardware).inputs_passed == 2


def test_cases_too_large_are_listed_and_the_smallest_is_sent(tmp_path: Path) -> None:
    found = _judged(_exported(tmp_path, "0", 8000), tmp_path, "AMD Instinct MI300X")
    assert found.inputs_passed == 1
    assert [text.partition(":")[0] for text in found.inputs_skipped] == ["n=5000"]
    assert found.moved > 0
    assert found.counters == {"kernel": "k"}
    (tmp_path / "few").mkdir()
    assert _judged(_exported(tmp_path / "few", "0", 1), tmp_path, "x").inputs_passed == 1


def test_lockstep_is_not_asked_of_a_card_that_does_not_promise_it(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "", 1 << 20, LOCKSTEP)
    card, amd = "NVIDIA H200", "AMD Instinct MI300X"
    assert _judged(exported, tmp_path, card).inputs_passed == 2
    found = _judged(exported, tmp_path, card, wrong=True)
    assert (found.correct, len(found.inputs_skipped)) == (None, 2)
    assert all("lockstep" in text and "differs" in text for text in found.inputs_skipped)
    assert _judged(exported, tmp_path, amd, wrong=True).correct is False


def test_a_launch_that_the_card_refuses_is_no_matter_of_lockstep(tmp_path: Path) -> None:
    exported = _exported(tmp_path, "", 1 << 20, LOCKSTEP)
    found = _judged(exported, tmp_path, "NVIDIA H200", status=1)
    assert (found.correct, found.inputs_skipped) == (False, ())
    assert all("HIP error 1" in text for text in found.failures)


def test_what_could_not_be_packed_is_said_before_anything_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _exported(tmp_path, "0", 1 << 20)
    (tmp_path / "task" / "baseline.hip").write_text("no kernel at all")
    there = type("Card", (), {"name": "cuda", "require_usable": lambda _: None})
    monkeypatch.setattr("kernels.backends.get_backend", lambda _: there())
    with pytest.raises(UserError, match="nothing could be packed"):
        profile([tmp_path / "task"], backend="cuda", page=None, save=None, as_json=False)
    assert "left out task: " in capsys.readouterr().err
