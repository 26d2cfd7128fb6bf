"""Tries a compiler once and remembers the answer until the compiler or its headers change."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from extractor import cache, settings
from extractor.errors import StoreError, ToolchainError

_SECONDS = 120
_PROGRAM = """\
#include <cstddef>
#include <type_traits>
#include <hip/hip_runtime.h>
template <typename T> __global__ void twice(T* x) { x[threadIdx.x] += x[threadIdx.x]; }
int least(int a, int b) { return min(a, b); } // only the compiler's own HIP wrapper has it
void run(float* x) { twice<float><<<1, 64>>>(x); }
"""


def clang_version(command: Sequence[str]) -> str:
    """Version that a clang states of itself, for instance ``22.1.8``.

    Raises:
        ToolchainError: It does not run.
    """
    program = Path(command[0])
    key = _fingerprint(program, *command[1:])
    known = _remembered(key)
    if known is None:
        done = _run([*command, "--version"])
        match = re.search(r"clang version (\S+)", done.stdout)
        if done.returncode or not match:
            said = (done.stderr or done.stdout).strip().splitlines()[:1]
            raise ToolchainError(
                f"{program} does not run as clang ({' '.join(said) or done.returncode}); repair "
                "it, or choose the other toolchain with ROCQUARRY_TOOLCHAIN"
            )
        known = match[1]
        _remember(key, known)
    return known


def standard_library() -> str:
    """Fingerprint of the system's C and C++ headers; empty where there are none."""
    digest = hashlib.sha256()
    triple = settings.host_triple()
    found = False
    for pattern in (f"c++/*/{triple}/bits/c++config.h", f"{triple}/c++/*/bits/c++config.h"):
        for file in sorted(Path("/usr/include").glob(pattern)):
            digest.update(file.read_bytes())
            found = True
    for name in ("features.h", f"{triple}/bits/libc-header-start.h"):
        file = Path("/usr/include") / name
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16] if found else ""


def check_parses(command: Sequence[str], flags: Sequence[str], identity: str) -> None:
    """Parses a tiny HIP program for host and device, once for each toolchain.

    Raises:
        ToolchainError: It does not parse; the message says what is missing.
    """
    key = hashlib.sha256("\n".join([_PROGRAM, identity, *flags]).encode()).hexdigest()[:32]
    if _remembered(key) is not None:
        return
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "probe.hip"
        program.write_text(_PROGRAM, encoding="utf-8")
        for side in (
            ["--cuda-host-only", "-nogpulib"],
            ["--cuda-device-only", "-nogpulib"],
        ):
            arch = settings.DEFAULT_ARCHITECTURE
            lanes = settings.wavefront_size(arch)
            done = _run(
                [
                    *command, *flags, "-x", "hip", "-std=c++17", "-w", "-fsyntax-only", *side,
                    f"--offload-arch={arch}", f"-D__AMDGCN_WAVEFRONT_SIZE={lanes}", str(program),
                ]
            )  # fmt: skip
            if done.returncode:
                raise ToolchainError(_explained(done.stderr))
    _remember(key, "yes")


def _explained(stderr: str) -> str:
    error = next((line for line in stderr.splitlines() if "error:" in line), stderr.strip())
    missing = re.search(r"'([^']+)' file not found", error)
    if missing and missing[1].startswith("hip/"):
        return f"the HIP headers are not found ({missing[1]}); run: extract --doctor"
    if missing:
        return (
            f"the C++ standard library's headers are not found ({missing[1]}); install them with: "
            "apt-get install libstdc++-12-dev (or the g++ of this system)"
        )
    return f"a tiny HIP program does not parse: {error.strip()}; run: extract --doctor"


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolchainError(
            f"{command[0]} cannot be run ({error}); repair it, or choose the other toolchain with "
            "ROCQUARRY_TOOLCHAIN"
        ) from error


def _fingerprint(program: Path, *more: str) -> str:
    try:
        status = program.stat()
    except OSError as error:
        raise ToolchainError(f"{program}: {error.strerror}; repair the compiler") from error
    parts = [str(program), str(status.st_size), str(status.st_mtime_ns), *more]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _remembered(key: str) -> str | None:
    try:
        return str(json.loads(cache.entry("probes", f"{key}.json").read_bytes()))
    except (OSError, ValueError):
        return None


def _remember(key: str, value: str) -> None:
    try:
        cache.write_file(cache.entry("probes", f"{key}.json"), json.dumps(value).encode())
    except StoreError:
        # Only a shortcut: the next run probes again.
        return
