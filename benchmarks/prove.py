"""Whole-library proofs: ``make prove``.

For every configuration of both libraries:

1. the kernel sets of every entry point and the calls between project functions, against the symbol
   graph of the compiler's unoptimised IR;
2. the scope of every interface, made from the units it selects, against the slice of the whole
library,
   byte for byte;
3. a sample of units indexed with and without a precompiled header, record for record;
4. launch traces of every entry point: no launch outside its scope, and none at a site that was told
   to be unreachable. How many launch sites they show is reported beside it.

Writes ``benchmarks/results/prove.json`` and exits with 1 when anything differs without an
explanation.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.api import scope_bytes
from extractor.commands import check, library, trace
from extractor.index.store import Store
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project
from extractor.trace.run import Effort

RESULTS = Path(__file__).parent / "results"


def against_compiler(project: Project) -> dict[str, Any]:
    answer = check.run(project, None, project.configurations())
    check.show(answer)
    rows = {}
    for config, comparison in answer["configs"].items():
        data = comparison.to_json()
        rows[config] = {
            "entry_points": len(data["entries"]),
            "exact": data["exact"],
            "kernels": data["kernels"],
            "instantiations": data["instantiations"],
            "calls": data["calls"],
            "differences": len(data["differences"]),
            "unexplained": data["unexplained"],
            "divergent": len(data["divergent"]),
            "failed": data["failed"],
        }
    return {"passed": check.complete(answer), "configs": rows}


def slices(project: Project, every: int) -> dict[str, Any]:
    configs = project.configurations()
    builder = project.builder(configs, None)
    families = project.rule.group_entries(project.defined(builder.graphs))
    wrong = []
    chosen = sorted(families)[::every]
    for family in chosen:
        whole = builder.build(family, families[family])
        data = whole.model_dump_json(by_alias=True).encode() + b"\n"
        fresh = Project(project.rule.name, jobs=project.jobs)
        if (
            hashlib.sha256(scope_bytes(fresh, family, configs)).digest()
            != hashlib.sha256(data).digest()
        ):
            wrong.append(family)
        fresh.store.close()
        print(f"slice {family}: {'differs' if family in wrong else 'equal'}", flush=True)
    return {"passed": not wrong, "interfaces": len(chosen), "of": len(families), "differ": wrong}


def without_precompiled(project: Project, count: int, folder: Path) -> dict[str, Any]:
    units = project.units(project.configurations()[0], "host")
    sample = units[:: max(1, len(units) // count)]
    keys = [project.indexer.key_of(unit) for unit in sample]
    project.indexer.ensure(sample)
    with_header = {u.path: set(u.functions) for u in project.store.units(keys)}
    plain = Project(project.rule.name, jobs=project.jobs, precompiled=False)
    # A cached property: what stands there is not opened.
    vars(plain)["store"] = Store(folder / f"plain-{project.rule.name}.sqlite")
    plain.indexer.ensure(sample)
    records = plain.store.units(keys)
    # Without it the index also sees inline functions of headers that nothing uses; what it sees
    # with it
    # has to be there to the byte.
    wrong = [unit.path for unit in records if with_header[unit.path] - set(unit.functions)]
    return {"passed": not wrong, "units": len(sample), "differ": wrong}


def traces(project: Project, folder: Path) -> dict[str, Any]:
    chosen = (settings.TRACE_ARCHITECTURES, Effort())
    summaries = trace.run(project, None, project.configurations(), folder, *chosen)
    trace.show(summaries)
    parts = [part for one in summaries for part in one["configs"].values() if "coverage" in part]
    found = [part["coverage"] for part in parts]
    totals = {
        name: sum(one[name] for one in found)
        for name in ("sites_live", "sites_seen", "sites_alike", "launches_live", "launches_seen")
    }
    return {
        "passed": trace.complete(summaries),
        "traces": sum(part["traces"] for part in parts),
        **totals,
        "sites_unreachable": sum(len(one["sites_unreachable"]) for one in found),
        "refuted": [line for one in found for line in one["sites_refuted"]],
        "outside": [line for one in found for line in one["outside"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", default=["rocblas", "rocsolver"])
    parser.add_argument("--every", type=int, default=1, help="compare every n-th interface's slice")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--skip-check", action="store_true", help="leave the compiler out")
    parser.add_argument("--skip-traces", action="store_true", help="call nothing")
    chosen = parser.parse_args()
    target = RESULTS / "prove.json"
    results: dict[str, Any] = json.loads(target.read_bytes()) if target.exists() else {}
    for name in chosen.projects:
        start = time.monotonic()
        project = Project(name, jobs=chosen.jobs, reporter=Reporter())
        row: dict[str, Any] = {"version": project.source.version}
        if not chosen.skip_check:
            row["compiler"] = against_compiler(project)
        lines = library.kernel_lines(project, project.configurations())
        rows = [json.loads(line) for line in lines.splitlines()]
        row["unresolved"] = sum(one["unresolved"] for one in rows)
        with tempfile.TemporaryDirectory() as folder:
            row["precompiled"] = without_precompiled(project, 40, Path(folder))
        row["slices"] = slices(project, chosen.every)
        if not chosen.skip_traces:
            with tempfile.TemporaryDirectory() as folder:
                row["traces"] = traces(project, Path(folder))
        row["seconds"] = round(time.monotonic() - start, 1)
        results[name] = row
        write(target, json.dumps(results, indent=1).encode() + b"\n")
    print(target)
    ok = all(
        part["passed"]
        for name in chosen.projects
        for part in results[name].values()
        if isinstance(part, dict)
    )
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "prove")
