"""What facts of the host side and traces say about launches, by launch and by kernel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from extractor.facts.records import Fact
from extractor.project import Project

_KINDS = ("launch_grid", "launch_block", "launch_shared_bytes")
_LARGEST_GRID = 64


@dataclass
class StatedLaunch:
    """A launch as host facts state it, over the parameters of the function that launches.

    Attributes:
        grid: Blocks along x, y, z.
        block: Threads along x, y, z.
        shared_bytes: Dynamic LDS; empty where it is not stated.
    """

    grid: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    shared_bytes: str = ""


class LaunchFacts:
    """Launches of one interface, found out when the first is asked for.

    Args:
        project: The library.
        interface: Family or entry point.
        configs: Configurations.
    """

    def __init__(self, project: Project, interface: str, configs: Iterable[str]) -> None:
        self._project, self._interface, self._configs = project, interface, tuple(configs)

    def at(self, file: str, line: int, caller: str) -> list[StatedLaunch]:
        """What is launched at a place.

        Args:
            file: File of the launch.
            line: Its first line.
            caller: Mangled symbol of the function that launches.
        """
        rows = self._launches.get((file, line), {})
        own, common = rows.get(caller, {}), rows.get(None, {})
        nothing = StatedLaunch()
        # What all instantiations have alike is stated once, the rest for each of them.
        pairs = [(own.get(n, nothing), common.get(n, nothing)) for n in sorted({*own, *common})]
        return [
            StatedLaunch(
                one.grid or other.grid,
                one.block or other.block,
                one.shared_bytes or other.shared_bytes or "0",
            )
            for one, other in pairs
        ]

    @cached_property
    def _launches(self) -> dict[tuple[str, int], dict[str | None, dict[int, StatedLaunch]]]:
        from extractor.facts.host.production import facts_of

        def facts() -> Iterable[Fact]:
            for config in self._configs:
                yield from facts_of(self._project, self._interface, config)

        return by_place(facts())


def by_place(
    facts: Iterable[Fact],
) -> dict[tuple[str, int], dict[str | None, dict[int, StatedLaunch]]]:
    """Launches that facts state: by file and line, caller (``None``: all of them) and number."""
    found: dict[tuple[str, int], dict[str | None, dict[int, StatedLaunch]]] = {}
    counts: Counter[tuple[str, str | None, str, str | None]] = Counter()
    for fact in facts:
        if fact.span is None or fact.fact not in _KINDS:
            continue
        which = (fact.subject, fact.instantiation, fact.fact, fact.config)
        number, value = counts[which], fact.value
        counts[which] += 1
        # Those of an entry point are over its arguments, not the launcher's.
        if not isinstance(value, dict) or "launcher" in value:
            continue
        place = (fact.span.file, fact.span.start_line)
        rows = found.setdefault(place, {}).setdefault(fact.instantiation, {})
        launch = rows.setdefault(number, StatedLaunch())
        given = value.get("expressions")
        parts = tuple(map(str, given)) if isinstance(given, list) else ()
        if fact.fact == "launch_grid":
            launch.grid = launch.grid or parts
        elif fact.fact == "launch_block":
            launch.block = launch.block or parts
        else:
            launch.shared_bytes = str(value.get("expression", ""))
    return found


@dataclass
class TracedLaunches:
    """Grid, block and LDS of launches in traces, by symbol of the kernel, with how often."""

    seen: dict[str, Counter[tuple[tuple[int, ...], tuple[int, ...], int]]] = field(
        default_factory=dict
    )

    def add(self, launch: Mapping[str, Any]) -> None:
        """Takes a launch of a trace.

        Raises:
            KeyError: It is none.
            TypeError: It is none.
        """
        row = (tuple(launch["grid"]), tuple(launch["block"]), int(launch["shared_bytes"]))
        self.seen.setdefault(launch["symbol"], Counter())[row] += int(launch["repeat"])

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each symbol is launched."""
        return {symbol: rows.total() for symbol, rows in self.seen.items()}

    def usual(self, symbol: str) -> tuple[tuple[int, ...], tuple[int, ...], int] | None:
        """The block and LDS seen most, with the largest of their grids that is quickly run."""
        rows = self.seen.get(symbol)
        if not rows:
            return None
        blocks: Counter[tuple[tuple[int, ...], int]] = Counter()
        for (_, block, shared), count in rows.items():
            blocks[block, shared] += count
        chosen = min(blocks, key=lambda one: (-blocks[one], one))
        grids = sorted(
            (_volume(grid), grid) for grid, block, shared in rows if (block, shared) == chosen
        )
        small = [grid for volume, grid in grids if volume <= _LARGEST_GRID]
        return (small[-1] if small else grids[0][1]), chosen[0], chosen[1]


def _volume(grid: tuple[int, ...]) -> int:
    return grid[0] * grid[1] * grid[2]
