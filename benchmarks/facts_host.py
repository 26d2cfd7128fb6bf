"""Host facts against launch traces: how many of the stated conditions and sizes agree.

    python -P benchmarks/facts_host.py TRACES.jsonl... [--project rocblas] [--config source]
    python -P benchmarks/facts_host.py --most 4 out/*/*/traces.jsonl

Traces come from ``extract PROJECT --interface NAME --trace``; without any, a small interface of
each library is traced first. ``--most`` takes that many of each entry point, evenly spread. Written
to ``benchmarks/results/facts_host.json``; exit code 1 below 98 % agreement.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from extractor.commands import trace
from extractor.facts.host.traced import compared_by_entry, entries_traced, sampled
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project
from extractor.settings import TRACE_ARCHITECTURES
from extractor.trace.run import Effort

WANTED = 0.98
_SMALL = {"rocblas": "axpy", "rocsolver": "lacgv"}
_RESULT = Path(__file__).with_name("results") / "facts_host.json"


def main() -> int:
    """Compares and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--project", action="append")
    parser.add_argument("--config", default="source")
    parser.add_argument("--most", type=int, default=0, help="Traces of each entry point; 0: all.")
    chosen = parser.parse_args()
    files = chosen.traces or sorted(Path("out").glob("*/*/traces.jsonl"))
    if not files:
        for name, interface in _SMALL.items():
            project = Project(name, reporter=Reporter())
            archs = TRACE_ARCHITECTURES
            trace.run(project, [interface], [chosen.config], Path("out"), archs, Effort())
        files = sorted(Path("out").glob("*/*/traces.jsonl"))
    results = json.loads(_RESULT.read_text()) if _RESULT.exists() else {}
    worst = 1.0
    for name in chosen.project or ["rocblas", "rocsolver"]:
        project = Project(name, reporter=Reporter(quiet=False))
        names = entries_traced(files, name, chosen.config)
        traces = sampled(files, name, chosen.config, chosen.most)
        answer = {
            "interfaces": sorted({file.parent.name for file in files}),
            "most": chosen.most,
            **compared_by_entry(project, chosen.config, names, traces).as_json(),
        }
        results[name] = answer
        for fact, row in answer["facts"].items():
            decided = row["agrees"] + row["disagrees"]
            share = f"{row['agreeing']:.2%}" if decided else "-"
            print(f"{name:10} {fact:22} {share:>8} of {decided}; {row['undecidable']} undecidable")
            worst = min(worst, row["agreeing"] if decided else 1.0)
        nulls = sum(answer["null"].values())
        print(f"{name:10} {sum(answer['stated'].values())} facts stated, {nulls} null")
        write(_RESULT, json.dumps(results, indent=2).encode() + b"\n")
    return 0 if worst >= WANTED else 1


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "facts_host")
