"""Strength of ``kernels verify``: the share of wrong kernels that it finds.

``make bench BENCH=mutants``. Kernels are made wrong one fault at a time; what compiles to other
machine code and still passes counts against it, unless a reason is listed here.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

# This file is called as nothing else is, but its folder must not be searched for imports.
sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

_GOAL = 0.95
_OWN = Path(__file__).with_suffix("")
_TESTS = Path(__file__).parents[1] / "tests" / "kernels" / "hip"
# Survivors that no allowed input shows, each with the reason.
HARMLESS: dict[str, str] = {
    "gemv:10: < -> <=": "an increment of zero is not allowed, and starts at 0 either way",
    "gemv:11: < -> <=": "an increment of zero is not allowed, and starts at 0 either way",
    "gemv:24: __syncthreads(); -> ;": "lds[0] is read and written by the same thread only",
    "gemv:8: continue; -> return;": "the launch has one block a row, so it is never reached",
}


def corpus() -> dict[Path, Any]:
    """Kernels and how they are called."""
    from kernels.task.seed import SeedOptions

    sizes = tuple({"n": n} for n in (0, 1, 2, 63, 65, 257, 1000))
    shape = {"m": 5, "n": 7, "lda": 5, "incx": 1, "incy": 1, "batches": 1}
    gemv = (
        shape, {**shape, "lda": 8}, {**shape, "incx": -2}, {**shape, "incy": -1},
        {**shape, "incx": 3, "incy": 2}, {**shape, "batches": 5}, {**shape, "n": 129},
        {**shape, "m": 1, "lda": 3}, {**shape, "n": 0}, {**shape, "n": 300, "lda": 6},
    )  # fmt: skip
    return {
        _OWN / "gemv.hip": SeedOptions(
            extents={
                "A": "lda*n*max(batches, 1)", "x": "1+max(n-1, 0)*abs(incx)",
                "y": "m*abs(incy)*max(batches, 1)",
            },
            cases=gemv,
        ),
        _OWN / "dotc.hip": SeedOptions(
            extents={"x": "n", "y": "n", "out": "2"}, outputs=("out",), cases=sizes
        ),
        _TESTS / "gemm.hip": SeedOptions(
            extents={"a": "m*k", "b": "k*n", "c": "m*n"}, outputs=("c",),
            cases=({"m": 16, "n": 16, "k": 16}, {"m": 33, "n": 17, "k": 65},
                   {"m": 1, "n": 40, "k": 3}, {"m": 20, "n": 1, "k": 31}),
        ),
        _TESTS / "sum.hip": SeedOptions(
            entry="sum", extents={"x": "n", "out": "1"}, outputs=("out",), cases=sizes
        ),
        _TESTS / "saxpy.hip": SeedOptions(
            extents={"x": "n", "y": "n"}, grid=("(n + 255) / 256",), cases=sizes[1:]
        ),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=0, help="Mutants a kernel; all when 0.")
    parser.add_argument("--save", type=Path, help="Write the result as JSON.")
    parser.add_argument("--only", default="", help="Name of one kernel.")
    options = parser.parse_args()
    from kernels.backends.cpu import CpuBackend
    from kernels.mutants.strength import label, measure, share
    from kernels.task import load_task
    from kernels.task.seed import seed_task
    from kernels.verify import set_standard

    begin = time.monotonic()
    found = []
    with tempfile.TemporaryDirectory() as name:
        for source, how in corpus().items():
            if options.only not in source.stem:
                continue
            folder = Path(name) / source.stem
            seed_task(source, folder, how)
            standard = set_standard(load_task(folder), folder, CpuBackend())
            found.append(measure(standard, options.most))
            one = found[-1]
            print(
                f"{source.stem:8} caught {len(one.caught)}, survived {len(one.survived)}, "
                f"same code {len(one.same)}, do not build {len(one.unbuilt)}", flush=True,
            )  # fmt: skip
    kinds: dict[str, list[int]] = {}
    for one in found:
        for mutant in one.caught:
            kinds.setdefault(mutant.fault, [0, 0])[0] += 1
        for mutant in one.survived:
            kinds.setdefault(mutant.fault, [0, 0])[1] += 1
    for fault, (caught, left) in sorted(kinds.items()):
        print(f"  {fault:34} {caught} caught, {left} survived")
    for one in found:
        for mutant in one.survived:
            text = label(one, mutant)
            print(f"  survived {text} ({HARMLESS.get(text, 'no reason known')})")
    result = share(found, tuple(HARMLESS))
    seconds = time.monotonic() - begin
    count = sum(len(one.caught) + len(one.survived) for one in found)
    print(f"share caught {result:.3f} of {count} (goal {_GOAL}), {seconds:.0f} s")
    if options.save:
        data = {
            "share": result, "mutants": count, "kinds": kinds, "seconds": round(seconds, 1),
            "survived": [label(one, m) for one in found for m in one.survived],
            "harmless": HARMLESS,
        }  # fmt: skip
        options.save.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if result >= _GOAL else 1)


if __name__ == "__main__":
    main()
