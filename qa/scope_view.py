"""A scope in the shape that questions about it need."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from extractor.records import Span

Made = TypeVar("Made")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class FunctionView:
    """One definition; attributes as in ``extractor.records.Function``."""

    id: str
    name: str
    qualified_name: str
    signature: str
    kind: str
    span: Span | None
    text: str
    launch_bounds: str | None
    infrastructure: str | None
    instantiations: tuple[dict[str, Any], ...]

    @property
    def file(self) -> str:
        """File of the definition; empty where nothing defines it."""
        return self.span.file if self.span else ""


@dataclass(frozen=True)
class Site:
    """A call or a launch between two definitions, all instantiations together."""

    caller: FunctionView
    callee: FunctionView
    at: Span
    dead: bool
    dead_reason: str | None
    configs: tuple[str, ...]
    kind: str
    grid: str = ""
    block: str = ""
    shared_bytes: str = ""


class ScopeView:
    """Functions, calls and launches of one interface.

    Args:
        scope: ``scope.json`` as read.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.interface: str = scope["interface"]
        self.project: str = scope["project"]
        self.configs: tuple[str, ...] = tuple(scope["configs"])
        self.entry_points: tuple[str, ...] = tuple(scope["entry_points"])
        self.per_entry: dict[str, dict[str, list[str]]] = scope["per_entry"]
        self.boundaries: list[dict[str, Any]] = scope["boundaries"]
        self.functions: list[FunctionView] = [_function(row) for row in scope["functions"]]
        self.by_id = {function.id: function for function in self.functions}
        self.by_name: defaultdict[str, list[FunctionView]] = defaultdict(list)
        self.by_file: defaultdict[str, list[FunctionView]] = defaultdict(list)
        self.owner: dict[str, FunctionView] = {}
        self.symbols: dict[str, dict[str, Any]] = {}
        for function in self.functions:
            self.by_name[function.name].append(function)
            if function.span:
                self.by_file[function.file].append(function)
            for one in function.instantiations:
                self.owner[one["id"]] = function
                self.symbols.setdefault(one["symbol"], one)
        self._calls = scope["calls"]
        self._made: dict[str, Any] = {}
        self.runs: dict[bytes, Any] = {}  # recorded calls as they ran, ``qa.executed.Run``
        self._paths: dict[tuple[str, str, str, str | None], list[tuple[str, Span | None]]] = {}
        self.launch_rows: list[dict[str, Any]] = scope["launches"]

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What several authors need of a scope: made by the first that asks, kept for the others.

        Args:
            name: What it is; one name stands for one thing.
            make: Makes it.
        """
        if name not in self._made:
            self._made[name] = make()
        made: Made = self._made[name]
        return made

    @functools.cached_property
    def launches(self) -> list[Site]:
        """Launches, one for each place, kernel and deadness, in the order of the source."""
        return self._sites(self.launch_rows, launch=True)

    @functools.cached_property
    def calls(self) -> list[Site]:
        """Calls, one for each place, callee and deadness, in the order of the source."""
        return self._sites(self._calls, launch=False)

    def _sites(self, rows: Iterable[dict[str, Any]], *, launch: bool) -> list[Site]:
        found: dict[tuple[Any, ...], tuple[dict[str, Any], set[str]]] = {}
        for row in rows:
            caller = self.owner.get(row["caller"])
            callee = self.owner.get(row["kernel" if launch else "callee"])
            if caller is None or callee is None:
                continue
            at = row["at"]
            key = (at["file"], at["start_line"], caller.id, callee.id, row["dead"])
            if key not in found:
                found[key] = (row, set())
            found[key][1].update(row["configs"])
        sites = []
        for key, (row, configs) in sorted(found.items(), key=lambda item: item[0]):
            parts = {}
            if launch:
                parts = {name: row[name]["expanded"] for name in ("grid", "block", "shared_bytes")}
            sites.append(
                Site(
                    caller=self.by_id[key[2]], callee=self.by_id[key[3]], at=Span(**row["at"]),
                    dead=row["dead"], dead_reason=row["dead_reason"],
                    configs=tuple(c for c in self.configs if c in configs),
                    kind="launch" if launch else row["kind"], **parts,
                )
            )  # fmt: skip
        return sites

    @functools.cached_property
    def edges(self) -> dict[str, list[tuple[str, Span, tuple[str, ...]]]]:
        """Live edges between instantiations: calls and launches."""
        found: defaultdict[str, list[tuple[str, Span, tuple[str, ...]]]] = defaultdict(list)
        for rows, key in ((self._calls, "callee"), (self.launch_rows, "kernel")):
            for row in rows:
                if not row["dead"]:
                    found[row["caller"]].append(
                        (row[key], Span(**row["at"]), tuple(row["configs"]))
                    )
        return dict(found)

    @functools.cached_property
    def callers(self) -> dict[str, list[str]]:
        """Instantiations that call or launch one, by its id, dead code apart."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for caller, targets in self.edges.items():
            for target, _at, _configs in targets:
                found[target].append(caller)
        return dict(found)

    @functools.cached_property
    def callees(self) -> dict[str, list[FunctionView]]:
        """Definitions that a definition calls, by its id, in the order of the text."""
        found: dict[str, list[FunctionView]] = {}
        for site in self.calls:
            if not site.dead:
                row = found.setdefault(site.caller.id, [])
                if site.callee not in row:
                    row.append(site.callee)
        return found

    def entry_ids(self, entry: str) -> list[str]:
        """Instantiations of an entry point."""
        return [
            one["id"]
            for function in self.by_name.get(entry, [])
            if function.kind == "entry_point"
            for one in function.instantiations
        ]

    def path(
        self, entry: str, config: str, symbol: str, through: str | None = None
    ) -> list[tuple[str, Span | None]]:
        """A shortest way from an entry point to an instantiation: ids with the place of the call.

        Args:
            entry: Entry point.
            config: Configuration.
            symbol: Mangled symbol, or the id, of where it ends.
            through: Id of a definition the last step must come from.

        Returns:
            The entry first; empty where there is none.
        """
        key = (entry, config, symbol, through)
        if key not in self._paths:
            self._paths[key] = self._path(*key)
        return list(self._paths[key])

    def _path(
        self, entry: str, config: str, symbol: str, through: str | None
    ) -> list[tuple[str, Span | None]]:
        starts = self.entry_ids(entry)
        seen: dict[str, tuple[str, Span] | None] = dict.fromkeys(starts)
        queue = deque(starts)
        while queue:
            current = queue.popleft()
            for target, at, configs in self.edges.get(current, ()):
                if config not in configs:
                    continue
                if target == symbol or target.split("@")[0] == symbol:
                    if through is None or self.owner[current].id == through:
                        seen[target] = (current, at)
                        return self._trail(target, seen)
                    continue
                if target not in seen:
                    seen[target] = (current, at)
                    queue.append(target)
        return []

    @staticmethod
    def _trail(end: str, seen: dict[str, tuple[str, Span] | None]) -> list[tuple[str, Span | None]]:
        trail: list[tuple[str, Span | None]] = []
        current: str | None = end
        while current is not None:
            step = seen[current]
            trail.append((current, step[1] if step else None))
            current = step[0] if step else None
        return trail[::-1]

    def overlapping(self, span: Span) -> list[FunctionView]:
        """Definitions that share a line with a span."""
        return [
            function
            for function in self.by_file.get(span.file, [])
            if function.span is not None
            and function.span.start_line <= span.end_line
            and span.start_line <= function.span.end_line
        ]

    def kernels(self, entry: str, config: str) -> set[str]:
        """Names of the kernels an entry point can launch."""
        ids = self.per_entry.get(entry, {}).get(config, ())
        return {self.owner[one].name for one in ids if one in self.owner}

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """Every name in the scope's functions, template arguments and boundaries."""
        found: set[str] = set(self.entry_points) | {self.interface, self.project}
        for function in self.functions:
            found.update(_WORD.findall(function.text))
            found.update(_WORD.findall(function.qualified_name))
            for one in function.instantiations:
                for argument in one["template_arguments"]:
                    found.update(_WORD.findall(argument))
        for boundary in self.boundaries:
            found.update(_WORD.findall(boundary["name"]))
            found.update(_WORD.findall(boundary["library"]))
        return frozenset(found)

    @functools.cached_property
    def common_names(self) -> frozenset[str]:
        """Names that a good part of the scope's functions have, such as ``handle``."""
        counts: Counter[str] = Counter()
        for function in self.functions:
            counts.update(set(_WORD.findall(function.text)))
        limit = max(8, len(self.functions) // 7)
        return frozenset(name for name, count in counts.items() if count > limit)

    def of_kind(self, *kinds: str) -> Iterator[FunctionView]:
        """Definitions of some kinds, in the order of files and lines."""
        return (function for function in self.functions if function.kind in kinds)


def _function(row: dict[str, Any]) -> FunctionView:
    span = Span(**row["span"]) if row["span"] else None
    values = {**row, "span": span, "instantiations": tuple(row["instantiations"])}
    return FunctionView(**values)
