"""How the tests of the host code came out in a call: ``--trace ENTRY … --tests``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from extractor.demangle import demangle
from extractor.trace.branches import Branches, Function
from extractor.trace.records import Trace
from extractor.trace.tracer import Tracer


def came_out(tracer: Tracer, branches: Branches, trace: Trace) -> list[dict[str, Any]]:
    """The operands of tests that a call came to, function by function.

    Only functions that the entry point leads to are looked at; of those the ones that ran are told,
    in the order of their files.

    Args:
        tracer: The library.
        branches: Makes calls of it again.
        trace: The call.
    """
    found = branches.executed(trace, trace.arch[0])
    if found is None:
        return []
    _name, graph = tracer.host.graphs()[0]
    start = graph.host.find(trace.entry)
    reached = graph.host_walker.reach([] if start is None else [start], dead=False)
    names = {graph.host.nodes[index].symbol: graph.host.nodes[index].name for index in reached}
    root = Path(tracer.project.tree.root)
    rows = [
        _row(root, names[one.symbol], one) for one in found.functions if one.symbol in names
    ]  # fmt: skip
    told = [row for row in rows if row["tests"]]
    return sorted(told, key=lambda row: (row["tests"][0]["file"], row["tests"][0]["line"]))


def _row(root: Path, name: str, one: Function) -> dict[str, Any]:
    tests = [
        {
            "file": test.file, "line": test.place[0], "condition": text,
            "held": test.held, "failed": test.failed,
        }
        for test in one.tests
        if (test.held or test.failed) and not (text := _text(root, test.file, test.place)).isdigit()
        and text
    ]  # fmt: skip
    return {
        "function": name, "demangled": demangle(one.symbol), "symbol": one.symbol,
        "calls": one.count, "tests": tests,
    }  # fmt: skip


def _text(root: Path, file: str, place: tuple[int, int, int, int]) -> str:
    first, column, last, end = place
    lines = (root / file).read_text(encoding="utf-8", errors="replace").split("\n")
    rows = lines[first - 1 : last]
    if not rows:
        return ""
    rows[-1] = rows[-1][: end - 1]
    rows[0] = rows[0][column - 1 :]
    return re.sub(r"\s+", " ", " ".join(rows)).strip()


def lines(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    """What ``came_out`` found, as it is printed."""
    for row in rows:
        yield f"  {row['function']} ({row['calls']} {'call' if row['calls'] == 1 else 'calls'})"
        for test in row["tests"]:
            if test["held"] and test["failed"]:
                how = f"held {_times(test['held'])}, failed {_times(test['failed'])}"
            else:
                count = test["held"] or test["failed"]
                times = f" {_times(count)}" if count > 1 else ""
                how = f"{'held' if test['held'] else 'failed'}{times}"
            yield f"    {test['file']}:{test['line']}  {test['condition']}  {how}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
