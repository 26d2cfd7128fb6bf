"""Every kernel of both libraries as a file of its own: ``make bench BENCH=slices``.

Cuts, compiles and compares every live kernel and writes ``benchmarks/results/slices.json``: how
many are cut, compile for each architecture and are the library's code, with the reason of every one
that is not. It goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

# This file is called as the package is; the folder it lies in must not be searched for imports.
sys.path[:] = [p for p in sys.path if Path(p or ".").resolve() != Path(__file__).resolve().parent]

_RESULT = Path(__file__).parent / "results" / "slices.json"


def main() -> None:
    from extractor.progress import Reporter
    from extractor.project import Project
    from kernels.slice.job import Plan
    from kernels.slice.seeding import seed_project

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", default=["rocblas", "rocsolver"])
    parser.add_argument("--out", type=Path, default=Path("out"), help="Where the slices go.")
    parser.add_argument("--jobs", type=int, default=0, help="Units at once.")
    parser.add_argument(
        "--compare", default="gfx942", help="Architectures to compare code on, with commas."
    )
    options = parser.parse_args()
    found: dict[str, Any] = {}
    whole = True
    for name in options.projects:
        project = Project(name, jobs=options.jobs, reporter=Reporter())
        plan = Plan(compared=tuple(options.compare.split(",")))
        outcome = seed_project(project, options.out, plan=plan, tasks=False, jobs=options.jobs)
        whole &= outcome.whole
        summary = outcome.summary()
        found[name] = {
            "source": project.source.model_dump(),
            **{key: value for key, value in summary.items() if not key.startswith("task")},
        }
    text = json.dumps(found, indent=1)
    print(text)
    if set(options.projects) == {"rocblas", "rocsolver"}:
        _RESULT.write_text(text + "\n", encoding="utf-8")
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "slices")
