"""Speed of the index: ``make bench`` (``BENCH=index``).

Measures, in one run and side by side, for each library:

- one ``clang -fsyntax-only`` pass without precompiled headers over every fourth unit, and the
  index of the same units, on the host side and on the device side: the ratios;
- the whole host side, cold and warm, and what a further configuration adds: absolute figures;
- one interface cold (empty store) and again;
- a changed ``.cpp``, and a changed header that some units include;
- growth with the number of units and of workers.

Ratios are of wall time over the same number of processes. Results:
``benchmarks/results/index.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from extractor.index.indexer import Indexer
from extractor.index.store import Store
from extractor.output import write
from extractor.project import Project
from extractor.units import Unit

RESULTS = Path(__file__).parent / "results"


def timed(action: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    value = action()
    return time.perf_counter() - start, value


def syntax_only(project: Project, units: Sequence[Unit], jobs: int) -> dict[str, float]:
    def one(unit: Unit) -> None:
        command = [*project.toolchain.clang, *unit.arguments, "-fsyntax-only"]
        command.append(str(project.tree.root / unit.path))
        subprocess.run(command, check=True, capture_output=True)

    before = os.times()
    with ThreadPoolExecutor(jobs) as pool:
        seconds, _ = timed(lambda: list(pool.map(one, units)))
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return {"wall_s": seconds, "cpu_s": cpu, "units": len(units)}


def index(
    project: Project, units: Sequence[Unit], jobs: int, store: Path, *, precompiled: bool = True
) -> dict[str, Any]:
    with Store(store) as opened:
        indexer = Indexer(
            project.rule,
            project.tree,
            project.toolchain,
            opened,
            jobs=jobs,
            precompiled=precompiled,
        )
        seconds, run = timed(lambda: indexer.ensure(units))
    return {
        "wall_s": seconds,
        "cpu_s": run.seconds,
        "units": len(units),
        "indexed": run.indexed,
        "worker_mb": run.memory_mb,
        "store_mb": round(
            sum(f.stat().st_size for f in store.parent.glob(store.name + "*")) / 1e6, 1
        ),
    }


def command(arguments: list[str], cache: Path) -> tuple[float, int]:
    environment = {**os.environ, "ROCQUARRY_CACHE": str(cache)}
    script = Path(sys.executable).with_name("extract")
    start = time.perf_counter()
    done = subprocess.run(
        [str(script), *arguments], env=environment, capture_output=True, check=False
    )
    return time.perf_counter() - start, done.returncode


def one_interface(project: Project, interface: str, folder: Path) -> dict[str, Any]:
    """A fresh cache with nothing but the source and the packages in it."""
    from extractor import settings

    cache = folder / "cache"
    cache.mkdir()
    for kind in ("files", "trees", "packages", "generated", "manifests", "probes", "native"):
        source = settings.cache_folder() / kind
        if source.exists():
            shutil.copytree(source, cache / kind, symlinks=True)
    arguments = [
        project.rule.name,
        "--interface",
        interface,
        "--out",
        str(folder / "out"),
        "--quiet",
    ]
    cold, code = command(arguments, cache)
    warm, again = command(arguments, cache)
    return {"interface": interface, "cold_s": cold, "warm_s": warm, "exit_codes": [code, again]}


def changes(project: Project, folder: Path, jobs: int) -> dict[str, Any]:
    """A copy of the tree, warm; then one unit touched by an edit, then one header."""
    from extractor.source.obtain import obtain
    from extractor.unit_plan import plan_units

    copy = folder / "tree"
    shutil.copytree(project.tree.root, copy)
    config = project.configurations()[0]
    store = folder / "changes.sqlite"

    def run() -> dict[str, Any]:
        start = time.perf_counter()
        tree = obtain(project.rule, str(copy))
        units = plan_units(project.rule, tree, project.toolchain, config, "host")
        with Store(store) as opened:
            indexer = Indexer(project.rule, tree, project.toolchain, opened, jobs=jobs)
            done = indexer.ensure(units)
        return {"wall_s": time.perf_counter() - start, "indexed": done.indexed}

    results = {"first": run(), "nothing": run()}
    unit = project.units(config, "host")[len(project.units(config, "host")) // 2]
    with (copy / unit.path).open("a") as file:
        file.write("\n// changed\n")
    results["one_unit"] = {"file": unit.path, **run()}
    counts: dict[str, int] = {}
    for one in project.units(config, "host"):
        for name in project.indexer.closures.files_of(one):
            counts[name] = counts.get(name, 0) + 1
    near = min(counts, key=lambda name: (abs(counts[name] - 20), name))
    header = Path(near).relative_to(project.tree.root)
    with (copy / header).open("a") as file:
        file.write("\n// changed\n")
    results["one_header"] = {"file": str(header), "included_by": counts[near], **run()}
    return results


def growth(
    project: Project, units: Sequence[Unit], folder: Path, jobs: int
) -> list[dict[str, Any]]:
    rows = []
    for workers in sorted({1, jobs}):
        for share in (8, 4, 2) if workers == jobs else (8, 4):
            store = folder / f"growth-{workers}-{share}.sqlite"
            rows.append({"workers": workers, **index(project, units[::share], workers, store)})
    return rows


def library(name: str, jobs: int, quick: bool) -> dict[str, Any]:
    project = Project(name, jobs=jobs)
    configs = project.configurations()
    result: dict[str, Any] = {"version": project.source.version}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        host = project.units(configs[0], "host")
        share = 16 if quick else 4
        sample = host[::share]
        # The first run builds what every run shares: the compiled part and the precompiled headers.
        index(project, host[:3], jobs, folder / "prepare.sqlite")
        # Ratios: both passes over the same units, one after the other, in this run.
        result["syntax_only"] = syntax_only(project, sample, jobs)
        result["host_sample"] = index(project, sample, jobs, folder / "sample.sqlite")
        result["ratio_host"] = result["host_sample"]["wall_s"] / result["syntax_only"]["wall_s"]
        device = project.units(configs[0], "device")[::share]
        result["device_syntax_only"] = syntax_only(project, device, jobs)
        result["device_sample"] = index(project, device, jobs, folder / "sample.sqlite")
        result["ratio_device"] = (
            result["device_sample"]["wall_s"] / result["device_syntax_only"]["wall_s"]
        )
        # Absolute figures: everything, cold and warm, and what a further configuration adds.
        store = folder / "store.sqlite"
        whole = sample if quick else host
        result["host_cold"] = index(project, whole, jobs, store)
        result["host_warm"] = index(project, whole, jobs, store)
        for config in configs[1:]:
            other = project.units(config, "host")[:: share if quick else 1]
            result[f"{config}_host"] = index(project, other, jobs, store)
        result["interface"] = one_interface(
            project, "axpy" if name == "rocblas" else "getrf", folder
        )
        if not quick:
            result["changes"] = changes(project, folder, jobs)
            result["growth"] = growth(project, host, folder, jobs)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="*", default=["rocblas", "rocsolver"])
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--quick", action="store_true", help="a smaller sample, and nothing else whole"
    )
    chosen = parser.parse_args()
    target = RESULTS / "index.json"
    # A library that this run leaves out keeps its figures; each says on what it was measured.
    results: dict[str, Any] = json.loads(target.read_bytes()) if target.exists() else {}
    for name in chosen.projects:
        results[name] = {
            "machine": platform.processor() or platform.machine(),
            "jobs": chosen.jobs,
            "load_before": round(os.getloadavg()[0], 1),
            **library(name, chosen.jobs, chosen.quick),
        }
        print(json.dumps({name: results[name]}, indent=1), flush=True)
        write(target, json.dumps(results, indent=1).encode() + b"\n")


if __name__ == "__main__":
    from extractor.console import run_script

    run_script(main, "index")
