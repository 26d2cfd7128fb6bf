"""Agreement of facts with a second tool, over whole libraries: one table.

    python -P benchmarks/facts_agreement.py rocblas rocsolver
    python -P benchmarks/facts_agreement.py rocblas --interface gemv --shapes 4 --calls gemv

*Index maps* against addresses: each kernel is cut out of its library, built for the CPU runtime and
launched with arguments of all kinds; its accesses are recorded and compared with the facts of their
lines. ``--telling N`` adds the N instantiations that most stated maps wait for. With ``--calls
FAMILY,FAMILY`` the library's entry points of these families are called, too, so that kernels come
to what only real inputs lead to. *LDS* against code objects, of every
``OUT/PROJECT/**/facts.jsonl`` made with ``--arch``; where a code object has less, against the same
kernel compiled without optimisation.
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
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from extractor.errors import UnknownName
from extractor.facts.device import facts_of
from extractor.facts.device.library import planned_survey
from extractor.facts.host.traced import compared_by_entry, entries_traced, sampled
from extractor.facts.records import Fact
from extractor.facts.report.faults import launched_blocks
from extractor.function_head import head_of
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project
from kernels.facts_check.alone import Blocks, Run, instantiations, observed
from kernels.facts_check.called import LINES, Calls, called
from kernels.facts_check.lds import compared as lds_compared
from kernels.facts_check.lds import unoptimised_bytes
from kernels.facts_check.observation import Observation
from kernels.facts_check.recording import build_recorder
from kernels.facts_check.telling import telling
from kernels.facts_check.verdicts import judged
from kernels.library import build_library
from kernels.slice.choice import launchable_kernels

_RESULTS = Path(__file__).with_name("results") / "facts_agreement.json"
_WANTED = 0.98
_SHOWN = 8

Rows = Sequence[dict[str, Any]]
"""Lines of ``facts.jsonl``."""


def main() -> int:
    """Runs the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="*", default=["rocblas", "rocsolver"])
    parser.add_argument("--interface", default="", help="Only kernels of a family or entry point.")
    parser.add_argument("--shapes", type=int, default=1, help="Instantiations of each kernel.")
    parser.add_argument("--telling", type=int, default=0, help="More that show most, in all.")
    parser.add_argument("--calls", default="", help="Families whose entry points are called.")
    parser.add_argument("--call-seconds", type=float, default=6, help="Of each entry point.")
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
        interface = options.interface or None
        stated = [
            json.loads(fact.model_dump_json(by_alias=True)) for fact in facts_of(project, interface)
        ]
        row = compare(project, options, folder, stated)
        if row is None:
            continue
        row["lds"] = lds(project, stated, folder)
        row["host"] = host(project, folder, options.interface, options.most)
        for share in print_row(name, row):
            worst = min(worst, share)
        if not options.interface:
            known = json.loads(_RESULTS.read_text()) if _RESULTS.exists() else {}
            known[name] = row
            write(_RESULTS, json.dumps(known, indent=1, sort_keys=True).encode() + b"\n")
    return 0 if worst >= _WANTED else 1


def lds(project: Project, stated: Rows, folder: Path) -> dict[str, Any]:
    """Static LDS as the syntax tree has it against that of code objects, by instantiation."""
    rows = [row for row in stated if row["fact"] in ("lds_array", "lds_bytes")]
    for file in sorted(folder.glob("**/facts.jsonl")):
        rows += _rows(file, b'"fact":"code_object_lds_bytes"')
    configs = project.configurations("all")
    units = {one.path: one for config in configs for one in project.units(config, "device")}
    survey, _ = planned_survey(project, None, configs)
    owners = {
        symbol: path
        for one in survey.definitions.values()
        if one.kernel
        for symbol, path in sorted(one.instantiations)
    }

    def unoptimised(symbol: str, arch: str) -> int | None:
        unit = units.get(owners.get(symbol, ""))
        if unit is None:
            return None
        path = project.tree.root / unit.path
        return unoptimised_bytes(project.toolchain, path, unit.arguments, arch, symbol)

    return lds_compared(rows, unoptimised)


def host(project: Project, folder: Path, interface: str, most: int) -> dict[str, Any]:
    """Host facts against traces."""
    config, name = project.configurations()[0], project.rule.name
    files = sorted(folder.glob(f"{interface or '*'}/traces.jsonl"))
    names = entries_traced(files, name, config)
    if not names:
        return {"traces": 0, "facts": {}}
    traces = sampled(files, name, config, most)
    return compared_by_entry(project, config, names, traces).as_json()


def _rows(file: Path, mark: bytes) -> Iterator[dict[str, Any]]:
    with file.open("rb") as lines:
        for line in lines:
            if mark in line:
                yield orjson.loads(line)


def compare(
    project: Project, options: argparse.Namespace, out: Path, stated: Rows
) -> dict[str, Any] | None:
    """Runs a library's kernels and holds their facts against what was seen."""
    entries = project.resolve(options.interface) if options.interface else None
    kernels = launchable_kernels(project, project.configurations("all"), entries)
    chosen = instantiations(kernels, options.shapes)
    more = telling(stated, kernels, chosen, options.telling)
    folder = out / "observations"
    folder.mkdir(parents=True, exist_ok=True)
    bounds = {one.function: _bounds(project, one.function) for one in kernels}
    run = Run(
        str(project.rule.path), project.override, folder, build_recorder(folder), bounds,
        _blocks(out.glob("**/facts.jsonl")),
    )  # fmt: skip
    seen: list[Observation] = list(calls(project, options, folder, run.recorder))
    begin = time.monotonic()
    with project.reporter.work(f"{project.rule.name} kernels alone") as advance:
        for rows in chain(*(observed(run, part, options.jobs) for part in (chosen, more))):
            seen += rows
            count = sum(bool(one.symbol) for one in seen)
            advance(count, len(chosen) + len(more), rows[-1].function)
            if options.seconds and time.monotonic() - begin > options.seconds:
                break
    if options.observe:
        return None
    found = judged(stated, seen, kernels, str(project.tree.root))
    return {"source": project.source.model_dump(), **found}


def calls(
    project: Project, options: argparse.Namespace, folder: Path, recorder: Path
) -> Iterator[Observation]:
    """Calls entry points of families, each built for the CPU runtime."""
    for family in filter(None, options.calls.split(",")):
        try:
            project.resolve(family)
        except UnknownName:
            continue  # of another of the libraries
        out = folder / "libraries" / family
        made = build_library(project, family, out, jobs=options.jobs, arguments=LINES)
        work = [
            Calls(
                str(project.rule.path), project.override, entry, made.library, recorder, folder,
                options.call_seconds,
            )
            for entry in made.entry_points
        ]  # fmt: skip
        with project.reporter.work(f"{project.rule.name} {family} called") as advance:
            for done, one in enumerate(called(work, options.jobs), start=1):
                advance(done, len(work), one.function)
                yield one


def _bounds(project: Project, function: str) -> str | None:
    """What stands in a kernel's launch bounds first, as it is written."""
    file, line, _ = function.removeprefix("EXT:").split(":", 2)
    head = head_of(project.text.text(file, int(line), int(line) + 40))
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


def print_row(name: str, row: dict[str, Any]) -> list[float]:
    """The table of one library; the shares that agree."""
    kernels, maps = row["kernels"], row["index_maps"]
    print(
        f"{name}: {kernels['run']} of {kernels['all']} kernels run, "
        f"in {kernels['instantiations_run']} instantiations"
    )
    for reason, count in kernels["not_run"].items():
        print(f"  {count:7} kernels not run: {reason}")
    print(f"  {'':24} {'agree':>8} {'differ':>7} {'share':>8}  not judged")
    shares: list[float] = []
    traced = row["host"]["facts"].items()
    for what, agree, differ, left in (
        ("index maps", maps["confirmed"], maps["contradicted"], sum(maps["not_judged"].values())),
        ("LDS bytes", row["lds"]["confirmed"], row["lds"]["contradicted"],
         sum(row["lds"]["not_judged"].values())),
        *((f, one["agrees"], one["disagrees"], one["undecidable"]) for f, one in traced),
    ):  # fmt: skip
        looked_at = agree + differ
        shares += [agree / looked_at] if looked_at else []
        share = f"{agree / looked_at:.2%}" if looked_at else "-"
        print(f"  {what:24} {agree:8} {differ:7} {share:>8}  {left}")
    print(
        f"  {maps['agree_for_some_open_value']:7} index maps agree for some value of what is open"
    )
    for reason, count in maps["not_judged"].items():
        print(f"  {count:7} index maps not judged: {reason}")
    for kind, why in (("padded", "padding"), ("dropped", "arrays that the optimiser dropped")):
        if row["lds"][kind]:
            print(f"  {len(row['lds'][kind]):7} of the LDS bytes agree but for {why}")
    print(f"  {row['host']['traces']:7} traces held against host facts")
    for kind, what in (
        ("skipped", "traces left out"),
        ("null", "facts of launches that are null"),
        ("undecidable", "verdicts open"),
    ):
        counts = Counter(row["host"].get(kind, {}))
        for reason, count in counts.most_common(_SHOWN):
            print(f"  {count:7} {what}: {reason}")
    for text in (
        *row["contradictions"], *row["lds"]["contradictions"], *row["host"].get("disagreements", ())
    ):  # fmt: skip
        print(f"  contradicted: {text}")
    return shares


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "facts_agreement")
