"""Host facts against launch traces: how many of the stated conditions and sizes agree.

    python benchmarks/facts_host.py TRACES.jsonl... [--project rocblas] [--config source]

Traces come from ``extract PROJECT --interface NAME --trace``. Written to
``benchmarks/results/facts_host.json``; exit code 1 below 98 % agreement.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from extractor.facts.host.traced import compared
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project

WANTED = 0.98
_RESULT = Path(__file__).with_name("results") / "facts_host.json"


def main() -> int:
    """Compares and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--project", action="append")
    parser.add_argument("--config", default="source")
    chosen = parser.parse_args()
    files = chosen.traces or sorted(Path("out").glob("*/*/traces.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    if not rows:
        print("no traces; make some: extract rocblas --interface gemv --trace", file=sys.stderr)
        return 2
    results = {}
    worst = 1.0
    for name in chosen.project or ["rocblas", "rocsolver"]:
        project = Project(name, reporter=Reporter(quiet=False))
        answer = compared(project, chosen.config, rows).as_json()
        results[name] = answer
        for fact, row in answer["facts"].items():
            decided = row["agrees"] + row["disagrees"]
            share = f"{row['agreeing']:.2%}" if decided else "-"
            print(f"{name:10} {fact:22} {share:>8} of {decided}; {row['undecidable']} undecidable")
            worst = min(worst, row["agreeing"] if decided else 1.0)
    write(_RESULT, json.dumps(results, indent=2).encode() + b"\n")
    return 0 if worst >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
