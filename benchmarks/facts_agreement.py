"""Agreement of facts with a second tool, over whole libraries: one table.

    python -P benchmarks/facts_agreement.py rocblas rocsolver
    python -P benchmarks/facts_agreement.py rocblas --interface gemv --shapes 4

*Index maps* against addresses: each kernel is cut out of its library, built for the CPU runtime and
launched with arguments of all kinds; its accesses are recorded and compared with the facts of their
lines. *LDS* against code objects, of every ``OUT/PROJECT/**/facts.jsonl`` made with ``--arch``.
*Conditions, grids, blocks and dynamic LDS* against launch traces, of every
``OUT/PROJECT/**/traces.jsonl``.

Prints how many facts the other tool confirms, how many it contradicts, and how many were not
judged, each with the reason, and keeps that in ``benchmarks/results/facts_agreement.json``. What
was observed is kept under ``--out``, so that a run goes on where it was stopped. Exit code 1 where
less than 98 % agree.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from extractor.facts.device import facts_of
from extractor.facts.device.representatives import shape
from extractor.facts.host.traced import compared
from extractor.facts.records import Fact
from extractor.facts.report.faults import launched_blocks
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project
from kernels.facts_check.alone import Blocks, Run, instantiations, kernel_of, observed
from kernels.facts_check.comparison import Comparison
from kernels.facts_check.observation import Observation
from kernels.facts_check.recording import build_recorder
from kernels.slice.choice import launchable_kernels

_RESULTS = Path(__file__).with_name("results") / "facts_agreement.json"
_OPEN = {
    "loaded": "it depends on what is loaded",
    "loop-carried": "it depends on a variable that a loop carries along",
    "condition": "it depends on a condition that was not resolved",
    "result": "it depends on what a function returns",
}
_EXAMPLES = 12
_WANTED = 0.98


def main() -> int:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="*", default=["rocblas", "rocsolver"])
    parser.add_argument("--interface", default="", help="Only kernels of a family or entry point.")
    parser.add_argument("--shapes", type=int, default=1, help="Instantiations of each kernel.")
    parser.add_argument("--seconds", type=float, default=0, help="Begin no kernel after so many.")
    parser.add_argument("--most", type=int, default=0, help="Traces of each entry point; 0: all.")
    parser.add_argument("--jobs", type=int, default=2, help="Units at once.")
    parser.add_argument("--observe", action="store_true", help="Run kernels, compare nothing.")
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    worst = 1.0
    for name in options.projects:
        project = Project(name, jobs=options.jobs, reporter=Reporter())
        folder = (options.out / project.rule.name).absolute()
        row = compare(project, options, folder)
        if row is None:
            continue
        row["lds"] = lds(folder)
        row["host"] = host(project, folder, options.interface, options.most)
        for share in print_row(name, row):
            worst = min(worst, share)
        if not options.interface:
            known = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
            known[name] = row
            write(_RESULTS, json.dumps(known, indent=1, sort_keys=True).encode() + b"\n")
    return 0 if worst >= _WANTED else 1


def lds(folder: Path) -> dict[str, Any]:
    """Static LDS as the syntax tree has it against that of code objects, by instantiation."""
    stated: dict[tuple[str, str | None], int] = {}
    compiled: dict[tuple[str, str, str], int] = {}
    for file in sorted(folder.glob("**/facts.jsonl")):
        for row in _rows(file, b'lds_bytes"'):
            if row["value"] is None:
                continue
            if row["fact"] == "lds_bytes":
                stated[row["function"], row["instantiation"]] = row["value"]
            elif row["fact"] == "code_object_lds_bytes":
                compiled[row["function"], row["instantiation"], row["arch"]] = row["value"]
    found: dict[str, Any] = {"confirmed": 0, "contradicted": 0, "contradictions": []}
    open_ends: Counter[str] = Counter()
    for (function, symbol, arch), size in sorted(compiled.items()):
        known = stated.get((function, symbol), stated.get((function, None)))
        if known is None:
            read = [s for f, s in stated if f == function and s and shape(s) == shape(symbol)]
            if not read:
                open_ends["no fact of this instantiation"] += 1
                continue
            known = stated[function, read[0]]
        found["confirmed" if known == size else "contradicted"] += 1
        if known != size:
            found["contradictions"].append(f"{symbol} {arch}: {known} instead of {size}")
    return {**found, "not_judged": dict(open_ends)}


def host(project: Project, folder: Path, interface: str, most: int) -> dict[str, Any]:
    """Host facts against traces."""
    config = project.configurations()[0]
    rows = []
    for file in sorted(folder.glob(f"{interface or '*'}/traces.jsonl")):
        by_entry: dict[str, list[dict[str, Any]]] = {}
        for row in _rows(file, b""):
            if row["config"] == config:
                by_entry.setdefault(row["entry"], []).append(row)
        for traces in by_entry.values():
            step = max(1, len(traces) // most) if most else 1
            rows += traces[::step][: most or None]
    if not rows:
        return {"traces": 0, "facts": {}}
    return {"traces": len(rows), **compared(project, config, rows).as_json()}


def _rows(file: Path, mark: bytes) -> Iterator[dict[str, Any]]:
    with file.open("rb") as lines:
        for line in lines:
            if mark in line:
                yield orjson.loads(line)


def compare(project: Project, options: argparse.Namespace, out: Path) -> dict[str, Any] | None:
    """Runs a library's kernels and holds their facts against what was seen."""
    interface = options.interface or None
    entries = project.resolve(interface) if interface else None
    kernels = launchable_kernels(project, project.configurations("all"), entries)
    chosen = instantiations(kernels, options.shapes)
    folder = out / "observations"
    folder.mkdir(parents=True, exist_ok=True)
    bounds = {one.function: _bounds(project, one.function) for one in kernels}
    run = Run(
        str(project.rule.path), project.override, folder, build_recorder(folder), bounds,
        _blocks(out.glob("**/facts.jsonl")),
    )  # fmt: skip
    seen: list[Observation] = []
    begin = time.monotonic()
    with project.reporter.work(f"{project.rule.name} kernels alone") as advance:
        for rows in observed(run, chosen, options.jobs):
            seen += rows
            advance(len(seen), len(chosen), rows[-1].function)
            if options.seconds and time.monotonic() - begin > options.seconds:
                break
    if options.observe:
        return None
    facts = list(facts_of(project, interface))
    return {"source": project.source.model_dump(), **judged(project, facts, seen, len(kernels))}


def _bounds(project: Project, function: str) -> str | None:
    """What stands in a kernel's launch bounds first, as it is written."""
    file, line, _ = function.removeprefix("EXT:").split(":", 2)
    head = project.text.text(file, int(line), int(line) + 12).partition("{")[0]
    match = re.search(r"__launch_bounds__\s*\(([^,()]*(?:\([^()]*\)[^,()]*)*)", head)
    return match[1].strip() if match else None


def _blocks(files: Iterable[Path]) -> Blocks:
    facts = []
    for file in files:
        with file.open("rb") as lines:
            facts += [Fact.model_validate_json(line) for line in lines if b'"launch_block"' in line]
    found: Blocks = {}
    for kernel, rows in launched_blocks(facts).items():
        known = {(b[0], b[1], b[2]) for _, b in rows if b is not None}
        if known:
            found[kernel] = sorted(known)
    return found


def judged(
    project: Project, facts: list[Fact], seen: list[Observation], kernels: int
) -> dict[str, Any]:
    """What became of every stated index map."""
    rows = [json.loads(fact.model_dump_json(by_alias=True)) for fact in facts]
    comparison = Comparison(rows, [], str(project.tree.root))
    for one in seen:
        comparison.know(one.symbol, kernel_of(one))
        for launch in one.launches:
            comparison.add(launch, one.lines)
    verdicts: dict[str, tuple[int, str, int]] = {}
    by_function: dict[str, list[Observation]] = {}
    for one in seen:
        by_function.setdefault(one.function, []).append(one)
    for number, fact in enumerate(comparison.facts):
        value = {key: item for key, item in fact["value"].items() if key != "symbols"}
        key = json.dumps([fact["function"], fact["subject"], value], sort_keys=True)
        verdict = (*_verdict(comparison, number, by_function.get(fact["function"], [])), number)
        verdicts[key] = min(verdicts.get(key, (9, "", 0)), verdict)
    counts = Counter(rank for rank, _, _ in verdicts.values())
    reasons = Counter(why for rank, why, _ in verdicts.values() if rank == 2)
    result = comparison.result
    wrong = [
        f"{comparison.facts[n]['function']} {comparison.facts[n]['subject']} "
        f"{comparison.facts[n]['value']['index']}: {result.contradicted[n]}"
        for rank, _, n in verdicts.values()
        if rank == 0
    ]
    stated = {fact["function"] for fact in comparison.facts}
    right = {comparison.facts[n]["function"] for rank, _, n in verdicts.values() if rank == 1}
    looked_at = counts[0] + counts[1]
    return {
        "kernels": {
            "all": kernels,
            "run": len({one.function for one in seen if not one.reason}),
            "with_a_confirmed_index_map": len(right),
            "with_stated_index_maps": len(stated),
            "not_run": dict(Counter(one.reason for one in seen if one.reason).most_common()),
            "not_begun": kernels - len(by_function),
        },
        "index_maps": {
            "stated": len(verdicts),
            "confirmed": counts[1],
            "contradicted": counts[0],
            "agreement": round(counts[1] / looked_at, 4) if looked_at else None,
            "not_judged": dict(reasons.most_common()),
        },
        "accesses": {
            "compared": result.accesses,
            "without_a_fact": {
                reason: {
                    "accesses": sum(lines.values()),
                    "lines": [f"{file}:{line}" for file, line in sorted(lines)][:_EXAMPLES],
                }
                for reason, lines in sorted(result.unexplained.items())
            },
        },
        "contradictions": sorted(wrong),
    }


def _verdict(comparison: Comparison, number: int, seen: list[Observation]) -> tuple[int, str]:
    """Rank (0 contradicted, 1 confirmed, 2 not judged) and why."""
    result, fact = comparison.result, comparison.facts[number]
    if number in result.contradicted:
        return 0, ""
    if number in result.agreed:
        return 1, ""
    if number in result.incomparable:
        kinds = {symbol["kind"] for symbol in fact["value"]["symbols"].values()}
        for kind, why in _OPEN.items():
            if kind in kinds:
                return 2, why
        return 2, re.sub(r"^\S+ has no value", "a symbol has no value", result.incomparable[number])
    ran = [one for one in seen if not one.reason]
    if not ran:
        return 2, "the kernel was not run"
    limited = fact["instantiation"]
    if limited and all(shape(one.symbol) != shape(limited) for one in ran):
        return 2, "it holds for instantiations that were not run"
    return 2, "no run came to it"


def print_row(name: str, row: dict[str, Any]) -> list[float]:
    """The table of one library; the shares that agree."""
    kernels, maps = row["kernels"], row["index_maps"]
    print(f"{name}: {kernels['run']} of {kernels['all']} kernels run")
    for reason, count in kernels["not_run"].items():
        print(f"  {count:7} kernels not run: {reason}")
    print(f"  {'':24} {'agree':>8} {'differ':>7} {'share':>8}  not judged")
    shares: list[float] = []
    traced = row["host"].get("facts", {})
    for what, agree, differ, left in (
        ("index maps", maps["confirmed"], maps["contradicted"], sum(maps["not_judged"].values())),
        ("LDS bytes", row["lds"]["confirmed"], row["lds"]["contradicted"],
         sum(row["lds"]["not_judged"].values())),
        *((f, one["agrees"], one["disagrees"], one["undecidable"]) for f, one in traced.items()),
    ):  # fmt: skip
        looked_at = agree + differ
        shares += [agree / looked_at] if looked_at else []
        share = f"{agree / looked_at:.2%}" if looked_at else "-"
        print(f"  {what:24} {agree:8} {differ:7} {share:>8}  {left}")
    for reason, count in maps["not_judged"].items():
        print(f"  {count:7} index maps not judged: {reason}")
    for text in (*row["contradictions"], *row["lds"]["contradictions"]):
        print(f"  contradicted: {text}")
    return shares


if __name__ == "__main__":
    sys.exit(main())
