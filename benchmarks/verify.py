"""Speed of ``kernels verify``: verified kernels per minute, ``make bench BENCH=verify``.

Cold: nothing is built, with an empty cache but a built runtime. Warm: everything is found again and
only the runs are left. Both in one run, side by side; processor time beside wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

# This file is called as a package is; the folder it lies in must not be searched for imports.
sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

_KERNEL = """\
#include <hip/hip_runtime.h>
__global__ void kernel_{n}(const float* x, float* y, int n) {{
  __shared__ float lds[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  lds[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = lds[threadIdx.x] * {n}.5f;
}}
void run(const float* x, float* y, int n) {{
  if (n) kernel_{n}<<<(n + 127) / 128, 128>>>(x, y, n);
}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernels", type=int, default=6, help="Kernels verified cold and warm.")
    parser.add_argument("--json", action="store_true", help="Print JSON.")
    parser.add_argument("--save", type=Path, help="Write the result as JSON.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["ROCQUARRY_CACHE"] = str(Path(name) / "cache")
        found = _measure(Path(name), options.kernels)
    if options.save:
        options.save.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1) if options.json else _table(found))


def _measure(work: Path, count: int) -> dict[str, float]:
    from concurrent.futures import ThreadPoolExecutor

    from kernels.backends.cpu import CpuBackend
    from kernels.task import load_task
    from kernels.task.folder import BASELINE
    from kernels.task.seed import SeedOptions, seed_task
    from kernels.verify import verify

    backend = CpuBackend()
    backend.require_usable()
    folders = []
    cases = tuple({"n": n} for n in (0, 1, 65, 257, 1000))
    for number in range(count):
        source = work / f"kernel_{number}.hip"
        source.write_text(_KERNEL.format(n=number))
        folders.append(work / f"task_{number}")
        options = SeedOptions(extents={"x": "n", "y": "n"}, outputs=("y",), cases=cases)
        seed_task(source, folders[-1], options)

    def one(folder: Path) -> None:
        verdict = verify(load_task(folder), folder, folder / BASELINE, backend, seed=1)
        assert verdict.correct, verdict.failures

    found: dict[str, float] = {"kernels": count, "processors": os.cpu_count() or 1}
    found["load_before"] = round(os.getloadavg()[0], 1)
    for state in ("cold", "warm"):
        begin, used = time.monotonic(), _processor()
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(one, folders))
        found[f"{state}_per_minute"] = 60 * count / (time.monotonic() - begin)
        found[f"{state}_cpu_seconds_each"] = (_processor() - used) / count
    return found


def _processor() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def _table(found: dict[str, float]) -> str:
    return "\n".join(f"{name:24} {value:10.2f}" for name, value in found.items())


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "verify")
