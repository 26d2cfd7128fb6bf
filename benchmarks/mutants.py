"""Strength of ``kernels verify``: the share of wrong kernels that it finds.

``make bench BENCH=mutants``. Kernels are made wrong one fault at a time; what compiles to other
machine code and still passes counts against it, unless it is shown to change nothing: on small
inputs that the verification does not know, in every order of threads (kernels/mutants/evidence.py).
What a person holds to be the reason is printed beside that and counts for nothing.
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
_FOLDER = Path(__file__).with_suffix("")
_TESTS = Path(__file__).parents[1] / "tests" / "kernels" / "hip"
# What a person holds to be the reason why a survivor changes nothing.
_SAME_AT_ZERO = "differs only for an increment of zero, where the offset is a multiple of zero"
_OWN = "what is read behind it was written by the same thread, or a barrier follows first"
_UNUSED = "the value that one more thread computes is stored nowhere and read by no other"
_EMPTY = "the extra round has nothing in range: every access in it is guarded"
REASONS: dict[str, str] = {
    "axpy:10: < -> <=": _SAME_AT_ZERO,
    "axpy:11: < -> <=": _SAME_AT_ZERO,
    "gemv:10: < -> <=": _SAME_AT_ZERO,
    "gemv:11: < -> <=": _SAME_AT_ZERO,
    "gemv:24: __syncthreads(); -> ;": "lds[0] is read by the thread that writes it next",
    "gemv:8: continue; -> return;": "never reached: the launch has one block a row",
    "ger:9: < -> <=": _SAME_AT_ZERO,
    "ger:10: < -> <=": _SAME_AT_ZERO,
    "dotc:25: for (int w = 1; w < 32; -> for (int w = 1; w < 32 - 1;":
        "256 threads have four wavefronts: entries from 4 on are zero",
    "dotc:16: warpSize -> 32": "partial sums go to other entries of the same array, all are summed",
    "batched_gemm:5: [8][9] -> [9][8]": "rows and columns used are 0 to 7: only padding moves",
    "trsv:6: < -> <=": _SAME_AT_ZERO,
    "trsv:7: < -> <=": _EMPTY,
    "trsv:9: < -> <=": _UNUSED,
    "trsv:9: < -> <= (no. 2)": _UNUSED,
    "trsv:11: < -> <=": _UNUSED,
    "trsv:11: < -> <= (no. 2)": _UNUSED,
    "trsv:14: < -> <=": _UNUSED,
    "trsv:14: < -> <= (no. 2)": _UNUSED,
    "trsv:17: < -> <=": _UNUSED,
    "trsv:17: < -> <= (no. 2)": _UNUSED,
    "trsv:13: __syncthreads(); -> ;": _OWN,
    "trsv:18: __syncthreads(); -> ;": _OWN,
    "potf2:20: < -> <=": _EMPTY,
    "potf2:9: __syncthreads(); -> ;": _OWN,
    "potf2:22: __syncthreads(); -> ;": _OWN,
    "getf2:6: < -> <=": "the smaller of two equal numbers is either",
    "getf2:46: __syncthreads(); -> ;": _OWN,
    "hemv:8: < -> <=": _SAME_AT_ZERO,
    "hemv:9: < -> <=": _SAME_AT_ZERO,
    "rot:8: < -> <=": _SAME_AT_ZERO,
    "rot:7: continue; -> return;": "whether a thread has an element is the same for every vector",
    "larf:12: 64 -> 32": "threads copy some elements twice, each the same value",
    "trmm:9: < -> <=": _EMPTY,
    "geqr2:7: < -> <=": "the smaller of two equal numbers is either",
    "geqr2:43: __syncthreads(); -> ;": _OWN,
    "getf2:11: 64 -> 32": "threads look at some elements twice: the largest stays the largest",
}  # fmt: skip


# Survivors that small inputs cannot show to be wrong, and that are: they count as missed.
WRONG: dict[str, str] = {
    "batched_gemm:12: < -> <=": "at the last k before 2^31 the step of the extra round overflows",
    "gemm:6: < -> <=": "at the last k before 2^31 the step of the extra round overflows",
}


def corpus() -> dict[Path, Any]:
    """Kernels and how they are called: few plain cases, so that what is caught is caught by the
    inputs that the verifier makes itself."""
    from kernels.task.seed import SeedOptions

    sizes = ({"n": 65}, {"n": 300}, {"n": 7})
    square = ({"m": 20, "n": 20, "lda": 20}, {"m": 70, "n": 35, "lda": 72},
              {"m": 9, "n": 30, "lda": 9})  # fmt: skip
    vector = "1 + max(n - 1, 0) * abs({})"
    plain = {"incx": 1, "incy": 1, "batches": 1}
    return {
        _FOLDER / "axpy.hip": SeedOptions(
            extents={
                "alpha": "1", "x": f"{vector.format('incx')} + stridex * max(batches - 1, 0)",
                "y": f"{vector.format('incy')} + stridey * max(batches - 1, 0)",
            },
            cases=tuple(
                {**plain, "n": n, "stridex": 3 * n, "stridey": 3 * n} for n in (7, 65, 200)
            ),
        ),
        _FOLDER / "gemv.hip": SeedOptions(
            extents={
                "A": "lda*n*max(batches, 1)", "x": "1+max(n-1, 0)*abs(incx)",
                "y": "m*abs(incy)*max(batches, 1)",
            },
            cases=tuple({**plain, **one} for one in square),
        ),
        _FOLDER / "ger.hip": SeedOptions(
            extents={"A": "lda*n", "x": "1+max(m-1, 0)*abs(incx)", "y": "1+max(n-1, 0)*abs(incy)"},
            cases=tuple({"incx": 1, "incy": 1, **one} for one in square),
        ),
        _FOLDER / "dotc.hip": SeedOptions(
            extents={"x": "n", "y": "n", "out": "2"}, outputs=("out",), cases=sizes
        ),
        _FOLDER / "batched_gemm.hip": SeedOptions(
            extents={
                "A": "lda*k+strideA*max(batches-1, 0)", "B": "ldb*k+strideB*max(batches-1, 0)",
                "C": "ldc*n+strideC*max(batches-1, 0)",
            },
            cases=tuple(
                {"m": m, "n": n, "k": k, "lda": m, "ldb": n, "ldc": m, "batches": 1,
                 "strideA": m * k, "strideB": n * k, "strideC": m * n}
                for m, n, k in ((16, 16, 16), (20, 9, 11))
            ),
        ),
        _FOLDER / "trsv.hip": SeedOptions(
            extents={"L": "lda*n", "x": "1+max(n-1, 0)*abs(incx)"},
            cases=tuple({"n": n, "lda": n, "incx": 1, "unit": 0} for n in (5, 64, 100)),
        ),
        _FOLDER / "potf2.hip": SeedOptions(
            extents={"A": "lda*n+stride*max(batches-1, 0)", "info": "batches"}, outputs=("info",),
            cases=tuple({"n": n, "lda": n, "stride": n * n, "batches": 1} for n in (5, 33, 70)),
        ),
        _FOLDER / "getf2.hip": SeedOptions(
            extents={"A": "lda*n", "ipiv": "min(m, n)", "info": "1"}, outputs=("ipiv", "info"),
            cases=square,
        ),
        _FOLDER / "hemv.hip": SeedOptions(
            extents={"A": "lda*n", "x": vector.format("incx"), "y": vector.format("incy")},
            cases=tuple(
                {"n": n, "lda": n, "incx": 1, "incy": 1, "upper": upper}
                for n, upper in ((9, 0), (70, 1), (35, 0))
            ),
        ),
        _FOLDER / "gbmv.hip": SeedOptions(
            extents={"A": "lda*n", "x": vector.format("incx"), "y": "1+max(m-1, 0)*abs(incy)"},
            cases=tuple(
                {"m": m, "n": n, "kl": kl, "ku": ku, "lda": kl + ku + 1, "incx": 1, "incy": 1}
                for m, n, kl, ku in ((20, 20, 2, 3), (70, 35, 5, 1), (9, 200, 4, 100))
            ),
        ),
        _FOLDER / "trmm.hip": SeedOptions(
            extents={"A": "lda*m", "B": "ldb*n", "C": "ldc*n"},
            cases=tuple(
                {"m": m, "n": n, "lda": m, "ldb": m, "ldc": m, "upper": upper,
                 "transposed": turned, "unit": unit}
                for m, n, upper, turned, unit in ((20, 20, 1, 0, 0), (35, 9, 0, 1, 1),
                                                  (9, 30, 0, 0, 0))
            ),
        ),
        _FOLDER / "nrm2.hip": SeedOptions(
            extents={
                "x": f"shiftx + {vector.format('incx')} + stridex*max(batch_count-1, 0)",
                "workspace": "((n-1)/512+1)*batch_count", "result": "batch_count",
            },
            outputs=("workspace", "result"),
            cases=tuple(
                {"n": n, "shiftx": 0, "incx": 1, "stridex": n, "batch_count": 1}
                for n in (7, 300, 1200)
            ),
        ),
        _FOLDER / "iamax.hip": SeedOptions(
            extents={"x": vector.format("incx"), "result": "1"}, outputs=("result",),
            cases=tuple({"n": n, "incx": 1} for n in (7, 300, 1000)),
        ),
        _FOLDER / "rot.hip": SeedOptions(
            extents={
                "x": f"{vector.format('incx')} + stridex*max(batch_count-1, 0)",
                "y": f"{vector.format('incy')} + stridey*max(batch_count-1, 0)",
                "c": "batch_count", "s": "batch_count",
            },
            cases=tuple(
                {"n": n, "incx": 1, "incy": 1, "stridex": n, "stridey": n, "batch_count": 1}
                for n in (7, 65, 200)
            ),
        ),
        _FOLDER / "larf.hip": SeedOptions(
            extents={
                "v": "1+max(m-1, 0)*abs(incv)+stridev*max(batch_count-1, 0)",
                "tau": "batch_count", "A": "lda*n+strideA*max(batch_count-1, 0)",
            },
            cases=tuple(
                {"m": m, "n": n, "lda": m, "incv": 1, "stridev": m, "strideA": m * n,
                 "batch_count": 1}
                for m, n in ((20, 20), (70, 35), (9, 30))
            ),
        ),
        _FOLDER / "geqr2.hip": SeedOptions(
            extents={"A": "lda*n", "tau": "min(m, n)"}, outputs=("tau",),
            cases=tuple({"m": m, "n": n, "lda": m} for m, n in ((20, 20), (30, 9), (9, 30))),
        ),
        _TESTS / "gemm.hip": SeedOptions(
            extents={"a": "m*k", "b": "k*n", "c": "m*n"}, outputs=("c",),
            cases=({"m": 16, "n": 16, "k": 16}, {"m": 33, "n": 17, "k": 65},
                   {"m": 1, "n": 40, "k": 3}),
        ),
        _TESTS / "sum.hip": SeedOptions(
            entry="sum", extents={"x": "n", "out": "1"}, outputs=("out",), cases=sizes
        ),
        _TESTS / "saxpy.hip": SeedOptions(
            extents={"x": "n", "y": "n"}, grid=("(n + 255) / 256",), cases=sizes
        ),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=0, help="Mutants a kernel; all when 0.")
    parser.add_argument("--save", type=Path, help="Write the result as JSON.")
    parser.add_argument("--only", default="", help="Names of kernels, with commas.")
    options = parser.parse_args()
    from kernels.backends.cpu import CpuBackend
    from kernels.mutants.evidence import Comparison, Evidence
    from kernels.mutants.strength import label, measure, share
    from kernels.task import load_task
    from kernels.task.seed import seed_task
    from kernels.verify import set_standard

    begin = time.monotonic()
    found = []
    shown: dict[str, Evidence] = {}
    with tempfile.TemporaryDirectory() as name:
        for source, how in corpus().items():
            if options.only and source.stem not in options.only.split(","):
                continue
            folder = Path(name) / source.stem
            seed_task(source, folder, how)
            standard = set_standard(load_task(folder), folder, CpuBackend())
            found.append(measure(standard, options.most))
            one = found[-1]
            comparison = Comparison(standard) if one.survived else None
            for mutant in one.survived:
                assert comparison
                text = label(one, mutant)
                candidate = Path(name) / "survivor.hip"
                candidate.write_text(mutant.text, encoding="utf-8")
                shown[text] = comparison.evidence(candidate)
                print(f"  survived {text}: {_told(text, shown[text])}", flush=True)
            print(
                f"{source.stem:8} caught {len(one.caught)}, survived {len(one.survived)}, "
                f"same code {len(one.same)}, do not build {len(one.unbuilt)}", flush=True,
            )  # fmt: skip
    harmless = tuple(n for n, seen in shown.items() if seen.harmless and n not in WRONG)
    kinds: dict[str, list[int]] = {}
    for one in found:
        for mutant in one.caught:
            kinds.setdefault(mutant.fault, [0, 0])[0] += 1
        for mutant in one.survived:
            missed = label(one, mutant) not in harmless
            kinds.setdefault(mutant.fault, [0, 0])[1] += missed
    for fault, (caught, left) in sorted(kinds.items()):
        print(f"  {fault:34} {caught} caught, {left} missed")
    result = share(found, harmless)
    seconds = time.monotonic() - begin
    caught = sum(len(one.caught) for one in found)
    survived = sum(len(one.survived) for one in found)
    print(
        f"{caught} of {caught + survived} caught, {len(harmless)} shown to change nothing, "
        f"{survived - len(harmless)} missed: share {result:.3f} (goal {_GOAL}), {seconds:.0f} s"
    )
    if options.save:
        data = {
            "share_of_those_that_change_a_result": result, "mutants": caught + survived,
            "caught": caught, "shown_to_change_nothing": len(harmless),
            "missed": [text for text in shown if text not in harmless],
            "kinds_caught_and_missed": kinds, "seconds": round(seconds, 1),
            "by_kernel": {
                one.task: {
                    "caught": len(one.caught), "survived": len(one.survived),
                    "same_code": len(one.same), "do_not_build": len(one.unbuilt),
                }
                for one in found
            },
            "survived": {
                text: {"evidence": seen.sentence(), "inputs": seen.inputs,
                       "reason": REASONS.get(text, WRONG.get(text, ""))}
                for text, seen in shown.items()
            },
        }  # fmt: skip
        options.save.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if result >= _GOAL else 1)


def _told(text: str, seen: Any) -> str:
    if text in WRONG:
        return f"missed, {WRONG[text]}"
    state = "changes nothing" if seen.harmless else "missed"
    reason = f" ({REASONS[text]})" if text in REASONS else ""
    return f"{state}, {seen.sentence()}{reason}"


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "mutants")
