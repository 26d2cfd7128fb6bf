"""Launch traces of concrete calls against known ones: ``python benchmarks/traces.py FILE``.

FILE has one JSON object a line: ``entry``, ``args``, ``arch``, ``pointer_mode``, ``atomics`` (off
when absent), ``status`` and ``launches`` with ``kernel``, ``demangled``, ``grid``, ``block``,
``shared_bytes`` and ``repeat``. Each call is made again and must give exactly that.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from extractor.project import Project
from extractor.rules import list_rules
from extractor.trace.records import Trace
from extractor.trace.tracer import Tracer

_KEYS = ("kernel", "demangled", "grid", "block", "shared_bytes", "repeat")


def difference(known: dict[str, Any], found: Iterable[Trace]) -> str | None:
    """How a call differs from what is known of it; ``None`` where it does not."""
    traces = list(found)
    if len(traces) != 1:
        return f"launches depend on the architecture: {[trace.arch for trace in traces]}"
    if traces[0].status != known["status"]:
        return f"status {traces[0].status}, not {known['status']}"
    ours = [x.model_dump(mode="json", include=set(_KEYS)) for x in traces[0].launches]
    theirs = [{key: launch[key] for key in _KEYS} for launch in known["launches"]]
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        wrong = [key for key in _KEYS if one[key] != other[key]]
        if wrong:
            return f"launch {number}: {wrong[0]} {one[wrong[0]]}, not {other[wrong[0]]}"
    if len(ours) != len(theirs):
        return f"{len(ours)} launches, not {len(theirs)}"
    return None


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python benchmarks/traces.py FILE", file=sys.stderr)
        return 2
    known = [json.loads(line) for line in Path(arguments[0]).read_text().splitlines()]
    equal, total, seconds = 0, 0, 0.0
    for name in list_rules():
        project = Project(name)
        if project.rule.trace is None:
            continue
        with Tracer(project, project.configurations()[0]) as tracer:
            for item in known:
                if item["entry"] not in tracer.prototypes.functions:
                    continue
                if not item["entry"].startswith(name):
                    continue
                tracer.home(item["entry"])
                begin = time.monotonic()
                found = tracer.call(
                    item["entry"],
                    item["args"],
                    archs=tuple(item["arch"]),
                    pointer_mode=item["pointer_mode"],
                    atomics=item.get("atomics"),
                )
                seconds += time.monotonic() - begin
                total += 1
                wrong = difference(item, found)
                equal += wrong is None
                if wrong:
                    print(f"{item['entry']} {json.dumps(item['args'])}: {wrong}")
    print(f"{equal} of {total} calls launch what is known ({len(known)} known), {seconds:.1f} s")
    return 0 if equal == len(known) else 1


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(lambda: main(sys.argv[1:]), "traces")
