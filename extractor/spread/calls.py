"""A function called with each of many items, several at once; results as they come."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from typing import Literal, TypeVar

from extractor.parent_death import end_with_parent

Engine = Literal["local", "ray"]
"""Where calls are made."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def spread(
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    jobs: int,
    engine: Engine = "local",
    threads: bool = False,
) -> Iterator[tuple[int, _Result]]:
    """Calls a function with each item.

    Each call is independent and may be made twice: a worker of a cluster that is lost takes its
    call with it. So a call leaves nothing but its result and whole files under names of its own.

    Args:
        function: A module's own function, so that another process finds it.
        items: What it is called with; other processes need it to be picklable.
        jobs: Calls at once on this machine; on a cluster its processors decide.
        engine: Where calls are made.
        threads: On this machine threads are enough, because the function waits for a program.

    Yields:
        The number of an item and its result, in the order in which they come.

    Raises:
        MissingExtra: ``engine`` is ``ray`` and Ray is not installed.
        LostCall: A cluster lost one call more often than it is given again.
    """
    if engine == "ray":
        # Only here: without a cluster nothing of Ray is needed.
        from extractor.spread.cluster import Cluster

        yield from Cluster(jobs).spread(function, items)
    elif len(items) <= 1 or (jobs <= 1 and not threads):
        for number, item in enumerate(items):
            yield number, function(item)
    else:
        others = set(multiprocessing.active_children())
        with _executor(min(max(jobs, 1), len(items)), threads=threads) as pool:
            running = {pool.submit(function, item): n for n, item in enumerate(items)}
            try:
                for future in as_completed(running):
                    yield running[future], future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                # A call under way can be minutes long, and leaves nothing but whole files.
                for worker in set(multiprocessing.active_children()) - others:
                    worker.terminate()
                raise


def _executor(jobs: int, *, threads: bool) -> Executor:
    if threads:
        return ThreadPoolExecutor(jobs)
    # A fresh interpreter a worker: the caller may have threads, which a fork does not survive.
    return ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_begin_worker
    )


def _begin_worker() -> None:
    """An interrupt is the caller's to answer, who ends its workers; they end with it anyhow."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
