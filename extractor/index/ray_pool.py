"""The pool over a Ray cluster: the same workers, asked on other machines.

Each Ray worker keeps one process of the ordinary pool and hands requests on to it, so that what a
unit gives is made by the same program as on one machine, byte for byte. A Ray worker that is lost
takes its request with it; Ray gives that to another one.

Every node needs the source tree, the toolchain and the cache under the same paths, as a shared
folder or a common image gives them: requests name files and carry none.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from extractor.errors import MissingExtra
from extractor.index.pool import Answer, Pool, Task

RETRIES = 3
"""How often a request is given to another worker when the one that had it is lost."""

_WAITING_PER_CPU = 2
_kept: dict[tuple[str, str, str], Pool] = {}


class RayPool:
    """Runs tasks on the CPUs of a Ray cluster. Use as a context manager.

    A cluster that ``RAY_ADDRESS`` names is joined; without one, Ray is started on this machine.

    Args:
        library: The compiled part of the index.
        libclang: The libclang that it calls.
        jobs: CPUs of a cluster that is started here.
        module: The worker's program.

    Raises:
        MissingExtra: Ray is not installed.
    """

    def __init__(
        self, library: Path, libclang: Path, jobs: int, module: str = "extractor.index.worker"
    ) -> None:
        self._ray = load_ray()
        self._asked = (str(library), str(libclang), module)
        if not self._ray.is_initialized():
            where: dict[str, Any] = {"num_cpus": max(1, jobs), "include_dashboard": False}
            if os.environ.get("RAY_ADDRESS"):
                where = {"address": os.environ["RAY_ADDRESS"]}
            self._ray.init(log_to_driver=False, logging_level="error", **where)
        self._remote = self._ray.remote(
            num_cpus=1, max_retries=RETRIES, scheduling_strategy="SPREAD"
        )(answer)

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, *_: object) -> None:
        # The cluster may be the user's; one that was started here ends with this process.
        return

    def run(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Yields answers as they come; each task is answered exactly once."""
        ray = self._ray
        limit = _WAITING_PER_CPU * max(1, int(ray.cluster_resources().get("CPU", 1)))
        left = list(reversed(tasks))
        running: dict[Any, Task] = {}
        while left or running:
            # Only a few are handed over at a time: a cluster that shrinks loses little.
            while left and len(running) < limit:
                task = left.pop()
                running[self._remote.remote(*self._asked, task)] = task
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                task = running.pop(reference)
                try:
                    yield ray.get(reference)
                except ray.exceptions.RayError as error:
                    reason = f"lost on the cluster: {str(error).splitlines()[0]}"
                    yield Answer(task.name, [], (reason,), 0.0, 0, crashed=True)


def answer(library: str, libclang: str, module: str, task: Task) -> Answer:
    """Answers one request on the machine this runs on; its process stays for the next one."""
    key = (library, libclang, module)
    if key not in _kept:
        _kept[key] = Pool(Path(library), Path(libclang), 1, module)
    return _kept[key].ask_one(task)


def load_ray() -> Any:
    """Ray itself.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise MissingExtra("ray", "distributed") from None
