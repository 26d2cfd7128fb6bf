"""The pool over a Ray cluster: the same workers, asked on other machines.

Each Ray worker keeps one process of the ordinary pool and hands requests on to it, so that what a
unit gives is made by the same program as on one machine, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from extractor.index.pool import Answer, Pool, Task
from extractor.spread.cluster import Cluster

_Asked = tuple[str, str, str, Task]
_kept: dict[tuple[str, str, str], Pool] = {}


class RayPool:
    """Runs tasks on the processors of a Ray cluster. Use as a context manager.

    Args:
        library: The compiled part of the index.
        libclang: The libclang that it calls.
        jobs: Processors of a cluster that is started here.
        module: The worker's program.

    Raises:
        MissingExtra: Ray is not installed.
    """

    def __init__(
        self, library: Path, libclang: Path, jobs: int, module: str = "extractor.index.worker"
    ) -> None:
        self._cluster = Cluster(jobs)
        self._asked = (str(library), str(libclang), module)

    def __enter__(self) -> RayPool:
        return self

    def __exit__(self, *_: object) -> None:
        # The cluster may be the user's; one that was started here ends with this process.
        return

    def run(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Yields answers as they come; each task is answered exactly once."""

        def lost(number: int, reason: str) -> Answer:
            return Answer(tasks[number].name, [], (reason,), 0.0, 0, crashed=True)

        items: list[_Asked] = [(*self._asked, task) for task in tasks]
        for _, answer in self._cluster.spread(answer_one, items, lost):
            yield answer


def answer_one(asked: _Asked) -> Answer:
    """Answers one request on the machine this runs on; its process stays for the next one."""
    library, libclang, module, task = asked
    key = (library, libclang, module)
    if key not in _kept:
        _kept[key] = Pool(Path(library), Path(libclang), 1, module)
    return _kept[key].ask_one(task)
