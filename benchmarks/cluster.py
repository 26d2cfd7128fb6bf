"""What one process can hand to a Ray cluster: its own CPU time and bytes for each unit.

    python -P benchmarks/cluster.py [--units N] [--json FILE]

Units of rocBLAS's host side are indexed on a local two-worker cluster into an empty store. One
process hands units out, takes answers and writes the store; what that costs it for each unit bounds
how many workers it can keep busy, whatever their number. The bound is
``CPU seconds of a unit / CPU seconds of the driver for that unit``, for units of the index and for
the check's compilations, which bring back only a name. Units are read here without a precompiled
header; with one they take less, and the bound is lower in proportion.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import tempfile
import time
from pathlib import Path
from typing import Any

from extractor.check import unit_cache
from extractor.check.compile import compile_unit
from extractor.index import native_library
from extractor.index.pool import Task
from extractor.index.ray_pool import RayPool
from extractor.index.store import Store
from extractor.output import write
from extractor.project import Project
from extractor.spread import spread
from extractor.spread.cluster import Cluster

RESULTS = Path(__file__).parent / "results" / "cluster.json"


def indexed(project: Project, count: int) -> dict[str, Any]:
    """Driver's cost of indexing some units on the cluster."""
    units = project.units("source", "host")
    step = max(1, len(units) // count)
    chosen = units[::step][:count]
    tasks = []
    for number, unit in enumerate(chosen):
        plain = list(project.indexer.closures.relevant_arguments(unit))
        tasks.append(
            Task(
                number,
                {
                    "path": str(project.tree.root / unit.path),
                    "arguments": plain,
                    "plain": plain,
                    "root": str(project.tree.root),
                    "device": False,
                },
            )
        )
    library = native_library.build(project.toolchain)
    seconds = received = 0.0
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / "store.sqlite") as store,
        RayPool(library, project.toolchain.libclang, 2) as pool,
    ):
        before, began = time.process_time(), time.monotonic()
        for answer in pool.run(tasks):
            unit = chosen[answer.name]
            store.put(
                str(answer.name), unit.path, unit.side, answer.errors, answer.records,
                answer.seconds, answer.memory_mb,
            )  # fmt: skip
            seconds += answer.seconds
            received += len(pickle.dumps(answer))
        driver, wall = time.process_time() - before, time.monotonic() - began
    return {
        "units": len(tasks),
        "wall_seconds": round(wall, 2),
        "unit_cpu_seconds": round(seconds / len(tasks), 4),
        "driver_cpu_seconds": round(driver / len(tasks), 4),
        "request_bytes": sum(len(pickle.dumps(task)) for task in tasks) // len(tasks),
        "answer_bytes": int(received) // len(tasks),
        "workers_one_driver_keeps_busy": int(seconds / driver),
    }


def nothing(number: int) -> str:
    return str(number)


def handed_over(count: int) -> dict[str, Any]:
    """Driver's cost of a call that does nothing and returns a name."""
    list(spread(nothing, range(8), jobs=2, engine="ray"))
    before = time.process_time()
    list(spread(nothing, range(count), jobs=2, engine="ray"))
    return {"calls": count, "driver_cpu_seconds": round((time.process_time() - before) / count, 5)}


def compiled(project: Project, empty: float) -> dict[str, Any]:
    """One compilation of the check, against what handing it over costs."""
    unit = next(
        u for u in project.units("source", "host") if u.path.endswith("rocblas_axpy_kernels.cpp")
    )
    before = sum(os.times()[:4])
    made = compile_unit(unit, project.tree.root, project.toolchain)
    spent = sum(os.times()[:4]) - before
    return {
        "unit": unit.path,
        "unit_cpu_seconds": round(spent, 2),
        "record_bytes": len(unit_cache.pack(made.symbols)),
        "workers_one_driver_keeps_busy": int(spent / empty),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--units", type=int, default=24)
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    project = Project("rocblas")
    Cluster(2)
    handed = handed_over(200)
    found = {
        "index": indexed(project, options.units),
        "empty_call": handed,
        "check": compiled(project, handed["driver_cpu_seconds"]),
    }
    text = json.dumps(found, indent=1)
    write(options.json, text.encode() + b"\n")
    print(text)


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "cluster")
