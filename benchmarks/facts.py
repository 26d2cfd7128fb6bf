"""Agreement of index maps with the addresses that kernels really access on the CPU runtime.

    python -P benchmarks/facts.py rocblas axpy dot gemv
    python -P benchmarks/facts.py --library rocblas rocsolver

An interface is built for this machine, its entry points are called with a few sizes, and every
access of a kernel to device memory is compared with the facts of its line. Prints, for each
interface, how many facts runs confirm, how many they contradict, and how many no run showed.
With ``--library`` the shares of proved index maps of whole libraries are counted instead. Both are
kept in ``benchmarks/results/facts.json``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from extractor.api import extract
from extractor.errors import UserError
from extractor.facts.device import facts_of
from extractor.output import write
from extractor.progress import Reporter
from extractor.project import Project
from kernels.facts_check import caller
from kernels.facts_check.comparison import Comparison
from kernels.facts_check.recording import build_recorder, read_launches, source_lines
from kernels.library.make import build_library

_CASES = (
    {"size": {"n": 70, "m": 65, "k": 33}, "inc": 2, "ld": 130, "stride": 40_000},
    {"size": {"n": 300, "m": 20, "k": 7}, "inc": 1, "ld": 310, "stride": 100_000},
    {"size": {"n": 3, "m": 5, "k": 2}, "inc": -1, "ld": 9, "stride": 5_000},
)
_BYTES = 4 << 20
_MOST_CALLS = 6
_OPEN_ENDED = frozenset({"loaded", "loop-carried", "condition"})
_RESULTS = Path(__file__).with_name("results") / "facts.json"


def main() -> int:
    """Runs the comparison; 1 where a run contradicts a fact."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["rocblas", "scal", "copy", "axpy"])
    parser.add_argument("--library", action="store_true", help="Count shares of whole libraries.")
    parser.add_argument("--out", type=Path, default=Path("out/facts-check"))
    options = parser.parse_args()
    if options.library:
        for name in options.names:
            keep("proved", name, shares(Project(name, reporter=Reporter())))
        return 0
    name, *interfaces = options.names
    project = Project(name, reporter=Reporter())
    totals = {"agreed": 0, "contradicted": 0, "incomparable": 0, "unobserved": 0}
    for interface in interfaces:
        try:
            row = compare(project, interface, options.out / name / interface)
        except UserError as error:
            print(f"{interface}: {error}", file=sys.stderr)
            continue
        for key in totals:
            totals[key] += row[key]
        keep("agreement", f"{name} {interface}", row)
    looked_at = totals["agreed"] + totals["contradicted"]
    share = totals["agreed"] / looked_at if looked_at else 0.0
    print(json.dumps({"total": totals, "agreement": round(share, 4)}))
    return 1 if totals["contradicted"] else 0


def keep(section: str, name: str, row: dict[str, Any]) -> None:
    """Prints a row and keeps it among the results of earlier runs."""
    print(json.dumps({section: name, **row}), flush=True)
    known = json.loads(_RESULTS.read_text(encoding="utf-8")) if _RESULTS.exists() else {}
    known.setdefault(section, {})[name] = row
    write(_RESULTS, json.dumps(known, indent=2, sort_keys=True).encode() + b"\n")


def shares(project: Project) -> dict[str, Any]:
    """How many global accesses of a library have a proved index, and how many a closed form.

    An access counts once for its place and buffer in a kernel; it has a closed form where no symbol
    of its index is loaded from memory, or what a loop leaves over.
    """
    places: dict[tuple[str, str], set[str]] = {}
    barriers: dict[tuple[str, str], set[str]] = {}
    for fact in facts_of(project):
        value: Any = fact.value
        place = (fact.function, fact.subject)
        if fact.fact == "global_access":
            open_ended = value is not None and any(
                symbol["kind"] in _OPEN_ENDED for symbol in value["symbols"].values()
            )
            kind = "null" if value is None else "open" if open_ended else "closed"
            places.setdefault(place, set()).add(kind)
        elif fact.fact == "barrier":
            state = "null" if value is None else "divergent" if value["divergent"] else "uniform"
            barriers.setdefault(place, set()).add(state)
    proved = sum("null" not in kinds for kinds in places.values())
    closed = sum(kinds == {"closed"} for kinds in places.values())
    return {
        "global_accesses": len(places),
        "proved": proved,
        "proved_share": round(proved / len(places), 4) if places else None,
        "closed_form": closed,
        "closed_form_share": round(closed / len(places), 4) if places else None,
        "barriers": {
            state: sum(state in kinds for kinds in barriers.values())
            for state in ("uniform", "divergent", "null")
        },
    }


def compare(project: Project, interface: str, out: Path) -> dict[str, Any]:
    """Builds, runs and compares one interface."""
    if project.rule.trace is None:
        raise UserError(f"the rules of {project.rule.name} do not say how its functions are called")
    create = project.rule.trace.create
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    config = project.configurations()[0]
    facts = [
        json.loads(fact.model_dump_json(by_alias=True)) for fact in facts_of(project, interface)
    ]
    scope = json.loads(extract(project.rule.name, interface).model_dump_json(by_alias=True))
    made = build_library(project, interface, out, config=config, arguments=("-gline-tables-only",))
    recorder = build_recorder(out)
    functions = [one for one in scope["functions"] if one["kind"] == "kernel"]
    comparison = Comparison(facts, functions, str(project.tree.root))
    headers = _headers(project)
    for entry in made.entry_points:
        calls = list(itertools.islice(_calls(entry, headers), _MOST_CALLS))
        if not calls:
            continue
        recording = out / f"{entry}.accesses"
        _run(out, create, made.library, recorder, recording, calls)
        launches = list(read_launches(recording)) if recording.exists() else []
        places = {(a.module, a.offset) for launch in launches for a in launch.accesses}
        lines = source_lines(recording, places)
        for launch in launches:
            comparison.add(launch, lines)
        for path in out.glob(f"{entry}.accesses*"):
            path.unlink()
    result = comparison.result
    for number, where in sorted(result.contradicted.items()):
        fact = comparison.facts[number]
        print(f"  {fact['subject']} {fact['value']['index']}: {where}", file=sys.stderr)
    touched = {*result.agreed, *result.contradicted, *result.incomparable}
    only = set(result.incomparable) - set(result.agreed) - set(result.contradicted)
    return {
        "facts": len(comparison.facts),
        "agreed": result.right,
        "contradicted": len(result.contradicted),
        "incomparable": len(only),
        "unobserved": len(comparison.facts) - len(touched),
        "accesses": result.accesses,
        "without_a_fact": {
            reason: {
                "accesses": sum(lines.values()),
                "lines": [f"{file}:{line}" for file, line in sorted(lines)][:8],
            }
            for reason, lines in sorted(result.unexplained.items())
        },
    }


def _run(
    out: Path,
    create: str,
    library: Path,
    recorder: Path,
    recording: Path,
    calls: list[dict[str, Any]],
) -> None:
    runtime = out / "libhipcpu.so"
    task = {"runtime": str(runtime), "library": str(library), "calls": calls}
    task["create"] = create
    (out / "calls.json").write_text(json.dumps(task), encoding="utf-8")
    environment = {
        **os.environ,
        "LD_PRELOAD": f"{recorder}:{runtime}",
        "ROCQUARRY_ACCESSES": str(recording),
    }
    subprocess.run(
        [sys.executable, str(Path(caller.__file__)), str(out / "calls.json")],
        env=environment,
        capture_output=True,
        timeout=300,
        check=False,
    )


def _headers(project: Project) -> str:
    texts = []
    for one in (project, *(Project(name) for name in project.rule.siblings)):
        texts += [path.read_text(errors="replace") for path in sorted(one.tree.root.rglob("*.h"))]
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", "\n".join(texts), flags=re.S)


def _calls(entry: str, headers: str) -> Iterator[dict[str, Any]]:
    match = re.search(rf"\b{re.escape(entry)}\s*\(([^()]*)\)\s*;", headers)
    if not match:
        return
    parameters = [_parameter(text) for text in match[1].split(",")]
    choices = [_constants(kind, headers) for kind, _ in parameters]
    enumerated = [n for n, values in enumerate(choices) if values]
    combinations = list(itertools.product(*(choices[n][:2] for n in enumerated)))
    # Sizes in the outer loop would spend all calls on one of them.
    for combination in combinations:
        for case in _CASES:
            given = dict(zip(enumerated, combination, strict=True))
            arguments = [
                ["int32", given[n]] if n in given else _value(kind, name, case)
                for n, (kind, name) in enumerate(parameters)
            ]
            yield {"function": entry, "arguments": arguments}


def _parameter(text: str) -> tuple[str, str]:
    words = re.findall(r"[A-Za-z_]\w*|\*", text)
    name = words[-1] if words else ""
    kind = " ".join(word for word in words[:-1] if word != "const")
    return kind, name


def _constants(kind: str, headers: str) -> list[int]:
    match = re.search(rf"typedef enum \w*\s*\{{([^}}]*)\}}\s*{re.escape(kind)}\s*;", headers)
    return [int(value) for value in re.findall(r"=\s*(\d+)", match[1])] if match else []


def _value(kind: str, name: str, case: dict[str, Any]) -> list[Any]:
    if "handle" in kind:
        return ["handle", None]
    stars = kind.count("*")
    fill = "double" if "double" in kind else "int" if "int" in kind else "float"
    if stars == 1:
        return ["buffer", [_BYTES, fill]]
    if stars > 1:
        return ["table", [2, _BYTES, fill]]
    width = "int64" if "64" in kind or "stride" in kind else "int32"
    lowered = name.lower()
    if kind in ("float", "double"):
        return [kind, 1.5]
    if lowered.startswith("stride"):
        return [width, case["stride"]]
    if "batch" in lowered:
        return [width, 2]
    if lowered.startswith("inc"):
        return [width, case["inc"]]
    if lowered.startswith("ld"):
        return [width, case["ld"]]
    return [width, case["size"].get(lowered, 4)]


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "facts")
