#!/usr/bin/env python3
"""Runs exported tasks on the card of this machine and packs what comes out.

Needs Python 3.9 or later, and nvcc or hipcc; nothing else. Usage, in the unpacked archive:

    python3 worker.py [--out results.tar.gz] [--jobs N] [--seconds BUDGET]

Nothing is judged here: outputs travel back as they are, with the hashes of what made them.
"""

import argparse
import concurrent.futures
import csv
import hashlib
import importlib.util
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
NVCC = ["-x", "cu", "-O3", "--expt-relaxed-constexpr", "--extended-lambda",
        "--disable-warnings", "-arch=native"]  # fmt: skip
HIPCC = ["-x", "hip", "-O3", "-w"]
# In this order: more functions of the C++ library are constexpr in the later one, which is what
# lets nvcc call them on the card.
STANDARDS = ["-std=c++17", "-std=c++20"]
NCU_COUNTERS = (
    "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active", "launch__registers_per_thread",
    "launch__waves_per_multiprocessor",
    *(f"smsp__sass_thread_inst_executed_op_{kind}{one}_pred_on.sum"
      for kind in "hfd" for one in ("add", "mul", "fma")),
)  # fmt: skip
ROCPROF_COUNTERS = ("FETCH_SIZE", "WRITE_SIZE", "SQ_WAVES", "GRBM_GUI_ACTIVE")
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
    results["lanes"] = lanes(compiler, base, work)
    # NVIDIA's cards schedule each lane by itself since Volta; a wavefront of AMD is one stream.
    results["lockstep"] = Path(compiler).name != "nvcc"
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
    # Only now: a profiler changes what is timed.
    program = counter_program()
    for name, record in results["tasks"].items():
        if record.get("milliseconds"):
            if time.monotonic() > end:
                record["counters_error"] = "no time was left"
            else:
                counters(program, name, work, record)
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


def lanes(compiler: str, base: "list[str]", work: Path) -> int:
    """Lanes of a wavefront, as the card's own properties have them; 0 where it does not say."""
    program = work / "card"
    said([compiler, *base, STANDARDS[0], str(HERE / "native" / "card.hip"), "-o", str(program)])
    text = said([str(program)]).strip() if program.exists() else ""
    return int(text) if text.isdigit() else 0


def said(command: "list[str]") -> str:
    """What a command prints; empty where it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def build(compiler: str, base: "list[str]", name: str, work: Path) -> "dict[str, Any]":
    """Builds both programs of a task, at once with those of others."""
    folder = work / name
    sources = folder / "sources"
    shutil.copytree(HERE / "tasks" / name, sources, ignore=shutil.ignore_patterns("*.in"))
    if Path(compiler).name == "nvcc":
        for path in sources.glob("*.hip"):
            path.write_text(dialect()(path.read_text(encoding="utf-8")), encoding="utf-8")
    record: dict[str, Any] = {"error": "", "build_seconds": 0.0}
    begin = time.monotonic()
    for program in ("runner", "profiler"):
        source = sources / f"{program}.hip"
        for standard in STANDARDS:
            command = [compiler, *base, standard, f"-I{sources}", str(source), "-o",
                       str(folder / program)]  # fmt: skip
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                record["error"] = f"compiling {program} took too long"
                return record
            if not done.returncode:
                record["standard"] = standard
                break
        else:
            record["error"] = f"{program} does not build: {(done.stderr + done.stdout)[:1500]}"
            break
    record["build_seconds"] = round(time.monotonic() - begin, 3)
    return record


def dialect() -> "Any":
    """What says for nvcc what it does not take; it travels beside the headers."""
    place = importlib.util.spec_from_file_location("dialect", HERE / "cuda" / "dialect.py")
    assert place
    assert place.loader
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module.for_nvcc


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


def counter_program() -> str:
    """The program of this machine that reads a card's hardware counters; empty without one."""
    wanted = "rocprofv3" if Path("/dev/kfd").exists() else "ncu"
    return shutil.which(wanted) or ""


def counters(program: str, name: str, work: Path, record: "dict[str, Any]") -> None:
    """Reads hardware counters of one launch of the chosen call."""
    if not program:
        record["counters_error"] = "no program that reads hardware counters is on PATH"
        return
    folder = work / name
    call = [str(folder / "profiler"), str(HERE / "tasks" / name / "profile.request"),
            str(folder / "counted.json"), "0", "0", str(FLUSH_BYTES)]  # fmt: skip
    amd = Path(program).name == "rocprofv3"
    if amd:
        place = ["-d", str(folder), "-o", "counters", "--output-format", "csv", "--"]
        command = [program, "--pmc", *ROCPROF_COUNTERS, *place, *call]
    else:
        command = [
            program, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
            "--launch-skip", "2", "--launch-count", "1", "--metrics", ",".join(NCU_COUNTERS), *call,
        ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        read = rocprof_counters(folder) if amd else ncu_counters(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        record["counters_error"] = str(error)[-300:]
        return
    record["counters"] = read
    if not read:
        record["counters_error"] = (done.stdout + done.stderr).strip()[-300:]


def ncu_counters(text: str) -> "dict[str, Any]":
    """The one launch in what ncu prints: names, units, values."""
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    if len(rows) < 3:
        return {}
    found: dict[str, Any] = {}
    for key, value in dict(zip(rows[0], rows[2])).items():  # noqa: B905 - Python 3.9
        if key == "Kernel Name":
            found["kernel"] = value[:200]
        elif key in NCU_COUNTERS:
            try:
                found[key] = float(value.replace(",", ""))
            except ValueError:
                continue
    return found


def rocprof_counters(folder: Path) -> "dict[str, Any]":
    """The third launch in the table that rocprofv3 writes: a row for each counter."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("**/*counter_collection.csv")):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        launches = sorted({int(row["Dispatch_Id"]) for row in rows})
        wanted = launches[min(2, len(launches) - 1)] if launches else -1
        for row in rows:
            if int(row["Dispatch_Id"]) == wanted:
                found["kernel"] = row["Kernel_Name"][:200]
                found[row["Counter_Name"]] = float(row["Counter_Value"])
    return found


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
