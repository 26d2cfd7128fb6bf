"""Calls as tasks of a Ray cluster.

A worker that is lost takes its call with it; Ray gives that to another one, a few times. Every
node needs the source tree, the toolchain and the cache under the same paths, as a shared folder or
a common image gives them: calls name files and carry none. What a call returns comes back to this
process, which alone writes the store; other results are whole files in the cache.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from extractor import settings
from extractor.errors import MissingExtra, RocQuarryError, UserError

STARTS = 3
"""How often a cluster is tried."""

RETRIES = 3
"""How often a call is given to another worker when the one that had it is lost."""

_WAITING_PER_CPU = 2
"""Calls handed over at a time for each processor: a cluster that shrinks loses little."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class LostCall(RocQuarryError):
    """A cluster lost a call more often than it is given again."""


class Cluster:
    """The cluster that ``RAY_ADDRESS`` names; without it, Ray is started on this machine.

    Args:
        jobs: Processors of a cluster that is started here.

    Raises:
        MissingExtra: Ray is not installed.
        UserError: There is no such cluster, or none can be started.
    """

    def __init__(self, jobs: int) -> None:
        self._ray = load_ray()
        if not self._ray.is_initialized():
            where: dict[str, Any] = {"num_cpus": max(1, jobs), "include_dashboard": False}
            if os.environ.get("RAY_ADDRESS"):
                where = {"address": os.environ["RAY_ADDRESS"]}
            self._join(where)

    def _join(self, where: dict[str, Any]) -> None:
        """Ray gives a node half a minute to start; on a machine that is busy it needs more."""
        for left in reversed(range(STARTS)):
            try:
                self._ray.init(log_to_driver=False, logging_level="error", **where)
                return
            # Ray has no class of its own for a start that takes too long.
            except Exception as error:
                self._ray.shutdown()
                if not left:
                    place = where.get("address", "this machine")
                    said = (str(error).splitlines() or [type(error).__name__])[0]
                    raise UserError(
                        f"no Ray cluster at {place}: {said}; start one with: ray start --head, or "
                        "run without --engine ray"
                    ) from None

    @property
    def processors(self) -> int:
        """Processors of the cluster now."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def spread(
        self,
        function: Callable[[_Item], _Result],
        items: Sequence[_Item],
        lost: Callable[[int, str], _Result] | None = None,
    ) -> Iterator[tuple[int, _Result]]:
        """Calls a function with each item on the cluster's workers.

        Args:
            function: As for :func:`extractor.spread.spread`.
            items: As there.
            lost: Makes the result of a call that was lost for good, from its number and the reason;
                the call's error is raised when ``None``.

        Raises:
            LostCall: A call was lost for good, and ``lost`` is ``None``.
        """
        ray = self._ray
        remote = ray.remote(num_cpus=1, max_retries=RETRIES, scheduling_strategy="SPREAD")(_call)
        folder = str(settings.cache_folder())
        left = list(reversed(list(enumerate(items))))
        running: dict[Any, int] = {}
        while left or running:
            limit = _WAITING_PER_CPU * self.processors
            while left and len(running) < limit:
                number, item = left.pop()
                running[remote.remote(function, item, folder)] = number
            done, _ = ray.wait(list(running), num_returns=1)
            for reference in done:
                number = running.pop(reference)
                try:
                    result = ray.get(reference)
                except ray.exceptions.RayTaskError as error:
                    # The call itself failed, as it would have here.
                    raise (error.cause or error) from None
                except ray.exceptions.RayError as error:
                    reason = f"lost on the cluster: {str(error).splitlines()[0]}"
                    if lost is None:
                        raise LostCall(reason) from None
                    result = lost(number, reason)
                yield number, result


def _call(function: Callable[[_Item], _Result], item: _Item, folder: str) -> _Result:
    """One call on a worker, whose environment is the cluster's and not that of this process."""
    os.environ["ROCQUARRY_CACHE"] = folder
    return function(item)


def load_ray() -> Any:
    """Ray itself.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise MissingExtra("ray", "distributed") from None
