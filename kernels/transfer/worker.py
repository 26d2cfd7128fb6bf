#!/usr/bin/env python3
"""Runs exported tasks on the card of this machine and packs what comes out.

Needs Python 3.9 or later, and nvcc or hipcc; nothing else. Usage, in the unpacked archive:

    python3 worker.py [--out results.tar.gz] [--jobs N] [--seconds BUDGET]

Nothing is judged here: outputs travel back as they are, with the hashes of what made them.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tarfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
NVCC = ["-x", "cu", "-std=c++17", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
        "--disable-warnings", "-arch=native"]  # fmt: skip
HIPCC = ["-x", "hip", "-std=c++17", "-O3", "-w"]
WARM_MS, MEASURE_MS, FLUSH_BYTES = 25, 100, 256 << 20


def main() -> None:
    """Builds, runs, times and packs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="results.tar.gz")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=480)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    manifest = json.loads((HERE / "manifest.json").read_text())
    for name, wanted in manifest["files"].items():
        if digest(HERE / name) != wanted:
            raise SystemExit(f"{name} is not the file that was exported")
    compiler, base = find_compiler()
    results: dict[str, Any] = {
        "archive": manifest["archive"], "hardware": card(), "machine": platform.platform(),
        "compiler": said([compiler, "--version"])[-200:], "tasks": {},
    }  # fmt: skip
    work = HERE / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    names = manifest["tasks"]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        builds = {name: pool.submit(build, compiler, base, name, work) for name in names}
        for name in names:
            record = results["tasks"][name] = builds[name].result()
            if time.monotonic() > end:
                record["error"] = "no time was left"
            if not record["error"]:
                verify(name, work, record)
            if not record["error"]:
                profile(name, work, record)
    pack(results, work, Path(options.out))
    done = sum(not r["error"] for r in results["tasks"].values())
    print(f"{results['hardware']}: {done} of {len(names)} tasks ran; {options.out}")
    for name, record in results["tasks"].items():
        if record["error"]:
            print(f"  {name}: {record['error'][:300]}")


def find_compiler() -> "tuple[str, list[str]]":
    """The compiler of this machine's card, and its flags."""
    nvcc, hipcc = shutil.which("nvcc"), shutil.which("hipcc")
    if hipcc and Path("/dev/kfd").exists():
        return hipcc, [*HIPCC, f"-I{HERE / 'native'}"]
    if nvcc:
        return nvcc, [*NVCC, f"-I{HERE / 'cuda'}", f"-I{HERE / 'native'}"]
    raise SystemExit("there is neither hipcc with a card nor nvcc on PATH")


def card() -> str:
    """Name of the card as its driver has it."""
    for command in (
        ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"],
        ["rocm-smi", "--showproductname"],
    ):
        if shutil.which(command[0]):
            text = said(command).strip().splitlines()
            if text:
                return text[0].strip() if command[0].startswith("nvidia") else " ".join(text)[:200]
    return ""


def said(command: "list[str]") -> str:
    """What a command prints; empty where it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def build(compiler: str, base: "list[str]", name: str, work: Path) -> "dict[str, Any]":
    """Builds both programs of a task, at once with those of others."""
    folder = work / name
    folder.mkdir()
    record: dict[str, Any] = {"error": "", "build_seconds": 0.0}
    begin = time.monotonic()
    for program in ("runner", "profiler"):
        source = HERE / "tasks" / name / f"{program}.hip"
        command = [compiler, *base, f"-I{source.parent}", str(source), "-o", str(folder / program)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            record["error"] = f"compiling {program} took too long"
            break
        if done.returncode:
            record["error"] = f"{program} does not build: {(done.stderr + done.stdout)[:1500]}"
            break
    record["build_seconds"] = round(time.monotonic() - begin, 3)
    return record


def verify(name: str, work: Path, record: "dict[str, Any]") -> None:
    """Runs the cases; each output stays in a file."""
    folder = work / name
    inputs = sorted((HERE / "tasks" / name).glob("*.in"), key=lambda p: int(p.stem))
    for path in inputs:
        shutil.copy2(path, folder / path.name)
    last = len(inputs) - 1
    number, errors = 0, {}
    while number <= last:
        begin = number
        try:
            done = subprocess.run(
                [str(folder / "runner"), str(folder), str(number), str(last)],
                capture_output=True, text=True, timeout=60,
                env={**os.environ, "ROCQUARRY_REUSE": "1"},
            )  # fmt: skip
            why = f"exit status {done.returncode} {done.stderr.strip()[-300:]}".strip()
        except subprocess.TimeoutExpired:
            why = "killed after 60 s"
        while number <= last and (folder / f"{number}.out").exists():
            number += 1
        # A process ends with the case in which an error came up; that case has an output that
        # says so. Without one, the process died in it.
        if number == begin or (number <= last and "exit status 4" not in why):
            errors[str(number)] = why
            number += 1
    record["case_errors"] = errors


def profile(name: str, work: Path, record: "dict[str, Any]") -> None:
    """Times the chosen call."""
    folder = work / name
    request = HERE / "tasks" / name / "profile.request"
    if not request.exists():
        return
    command = [str(folder / "profiler"), str(request), str(folder / "times.json"), str(WARM_MS),
               str(MEASURE_MS), str(FLUSH_BYTES)]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            record["profile_error"] = done.stderr.strip()[-300:]
        else:
            record["milliseconds"] = json.loads((folder / "times.json").read_text())["milliseconds"]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        record["profile_error"] = str(error)[-300:]


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pack(results: "dict[str, Any]", work: Path, out: Path) -> None:
    """One archive with outputs, their hashes and the record of the run."""
    files = sorted(work.glob("*/*.out"))
    results["files"] = {str(f.relative_to(work)): digest(f) for f in files}
    (work / "results.json").write_text(json.dumps(results))
    with tarfile.open(out, "w:gz") as archive:
        archive.add(work / "results.json", "results.json")
        for path in files:
            archive.add(path, str(path.relative_to(work)))


if __name__ == "__main__":
    main()
