"""Speed of building and of the CPU runtime: ``make bench BENCH=kernels``.

Everything is measured side by side in one run and written to ``benchmarks/results/kernels.json``.
Times of the runtime are processor time. Builds are counted by the clock, one after the other, and
by processor time, which is what a machine that does nothing else would give on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

# This file is called as the package is; the folder it lies in must not be searched for imports.
sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

_RESULT = Path(__file__).parent / "results" / "kernels.json"
_BARRIER_NS, _GEMM_RATIO = 15.0, 40.0
_KERNEL = """\
#include <hip/hip_runtime.h>
__global__ void kernel_{n}(float* x, int n) {{
  __shared__ float lds[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  lds[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) x[i] = lds[255 - threadIdx.x] * {n}.0f;
}}
void run(float* x, int n) {{ kernel_{n}<<<(n + 255) / 256, 256>>>(x, n); }}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=int, default=8, help="Sources built cold and warm.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        os.environ["ROCQUARRY_CACHE"] = str(work / "cache")
        found = {**_builds(work, options.builds), **_runtime(work)}
    found = {"cores": os.cpu_count() or 0, "load": os.getloadavg()[0], **found}
    _RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1) if options.json else _table(found))


def _builds(work: Path, count: int) -> dict[str, float]:
    from kernels.cpu.build import build_runtime, compile_unit

    begin = time.monotonic()
    build_runtime()
    runtime = time.monotonic() - begin
    sources = []
    for number in range(count):
        source = work / f"kernel_{number}.hip"
        source.write_text(_KERNEL.format(n=number))
        sources.append(source)
    seconds, processor = {}, {}
    for state in ("cold", "warm"):
        begin, used = time.monotonic(), _processor_seconds()
        for source in sources:
            unit = compile_unit(source)
            assert unit.built.from_cache == (state == "warm")
        seconds[state] = time.monotonic() - begin
        processor[state] = _processor_seconds() - used
    return {
        "runtime_build_seconds": runtime,
        **{f"{state}_builds_per_minute": 60 * count / took for state, took in seconds.items()},
        **{
            f"{state}_builds_per_processor_minute": 60 * count / took
            for state, took in processor.items()
        },
    }


def _processor_seconds() -> float:
    """Of this process and of the children it has waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def _runtime(work: Path) -> dict[str, float]:
    from kernels.cpu.build import compile_unit, link
    from kernels.isolation import Limits, run

    source = work / "kernels.hip"
    shutil.copy2(Path(__file__).with_suffix(".hip"), source)
    program = work / "program"
    link(compile_unit(source).objects, program, shared=False)
    outcome = run([str(program)], Limits(wall_seconds=300), folder=work)
    assert outcome.ok, outcome.describe() + outcome.stderr
    found: dict[str, float] = json.loads(outcome.stdout)
    found["gemm_against_loops"] = found["gemm_seconds"] / found["loops_seconds"]
    found["gemm_against_vector_loops"] = found["gemm_seconds"] / found["vector_loops_seconds"]
    return found


def _table(found: dict[str, float]) -> str:
    goals = {
        "barrier_ns_256": f"at most {_BARRIER_NS:g}",
        "gemm_against_loops": f"at most {_GEMM_RATIO:g}",
    }
    return "\n".join(
        f"{name:34} {value:12.3f}  {goals.get(name, '')}".rstrip() for name, value in found.items()
    )


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "kernels")
