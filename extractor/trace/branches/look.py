"""Makes recorded calls again in a shared object that counts, and says what they executed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from extractor.errors import RocQuarryError
from extractor.project import Project
from extractor.trace.arguments import Value
from extractor.trace.branches.coverage_map import CoverageMap
from extractor.trace.branches.executed import Executed, Function, Region, Test, joined
from extractor.trace.branches.session import CountedSession
from extractor.trace.records import Trace
from extractor.trace.session import Outcome
from extractor.trace.shared_object import SharedObject
from extractor.trace.tracer import Tracer

_FORMAT = "1"
_MOST_SESSIONS, _MOST_MAPS = 4, 2
"""So many stay for the next call: one interface on some architectures is what is asked for."""


class Branches:
    """Counts what calls of a tracer's library execute. Use as a context manager, or ``close`` it.

    Args:
        tracer: The library.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._sessions: dict[tuple[str, str], CountedSession] = {}
        self._maps: dict[Path, CoverageMap] = {}
        self._paths: dict[Path, Path] = {}

    def __enter__(self) -> Branches:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def executed(self, trace: Trace, arch: str) -> Executed | None:
        """What a recorded call executes.

        Args:
            trace: The call.
            arch: One of its architectures.

        Returns:
            ``None`` where the call, made again, does not launch what was recorded.

        Raises:
            ToolchainError: The shared object with counters cannot be built.
        """
        tracer = self._tracer
        home = tracer.home(trace.entry)
        key = f"executed:{_FORMAT}:{home.path.parent.name}:{arch}:{_call(trace)}"
        known = tracer.project.store.recall(key)
        if known is not None:
            data = json.loads(known)
            return Executed.read(data) if data is not None else None
        found = self._executed(trace, arch)
        data = found.data() if found is not None else None
        tracer.project.store.remember(key, json.dumps(data, separators=(",", ":")).encode())
        return found

    def _executed(self, trace: Trace, arch: str) -> Executed | None:
        tracer = self._tracer
        home = tracer.home(trace.entry)
        if home.path not in self._paths:
            self._paths[home.path] = tracer.host.counted(home)
        path = self._paths[home.path]
        session = self._session(path, arch, home)
        request = tracer.request(
            trace.entry, _values(trace), pointer_mode=trace.pointer_mode, atomics=trace.atomics
        )
        try:
            outcome, counts = session.count(request)
        except RocQuarryError:
            self._sessions.pop((str(path), arch)).close()
            raise
        if not counts or not _same(outcome, trace):
            return None
        if path not in self._maps:
            while len(self._maps) >= _MOST_MAPS:
                self._maps.pop(next(iter(self._maps)))
            self._maps[path] = CoverageMap(path)
        return self._told(self._maps[path], counts)

    def _session(self, path: Path, arch: str, home: SharedObject) -> CountedSession:
        key = (str(path), arch)
        if key not in self._sessions:
            while len(self._sessions) >= _MOST_SESSIONS:
                self._sessions.pop(next(iter(self._sessions))).close()
            tracer = self._tracer
            effects = tracer.effects(home).of
            self._sessions[key] = CountedSession(path, tracer.rule, arch, tracer.limits, effects)
        return self._sessions[key]

    def _told(self, mapped: CoverageMap, counts: Mapping[int, int]) -> Executed:
        root = Path(self._tracer.project.tree.root)
        rows = []
        for one in mapped.functions(list(counts)):
            first, size = one.counters
            own = [counts.get(first + number, 0) for number in range(size)]
            files = [_below(root, name) for name in one.files]
            regions = tuple(
                Region(files[part.file], part.place, one.value(part.count, own))
                for part in one.parts if files[part.file]
            )  # fmt: skip
            tests = tuple(
                Test(
                    files[part.file], part.place, one.value(part.count, own),
                    one.value(part.failed, own),
                )
                for part in one.conditions if files[part.file] and part.failed is not None
            )  # fmt: skip
            if regions:
                rows.append(Function(one.symbol, regions, tests))
        return Executed(joined(rows))


def _below(root: Path, name: str) -> str:
    """A file's path below the library's root; empty for one of another library."""
    path = Path(name)
    return str(path.relative_to(root)) if path.is_relative_to(root) else ""


def _same(outcome: Outcome, trace: Trace) -> bool:
    ours = [(x.symbol, x.grid, x.block, x.repeat) for x in outcome.launches]
    return ours == [(x.symbol, x.grid, x.block, x.repeat) for x in trace.launches]


def _call(trace: Trace) -> str:
    """A digest of the call and of what it launched."""
    text = trace.model_dump_json(by_alias=True, exclude={"tool_version", "depends"})
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _values(trace: Trace) -> dict[str, Value]:
    """Arguments as they were given to the call."""
    return {
        name: [x for x in value if isinstance(x, int | float)] if isinstance(value, list) else value
        for name, value in trace.args.items()
        if isinstance(value, int | float | str | list)
    }


_KEPT: dict[tuple[int, str], tuple[Tracer, Branches, set[str]]] = {}


def executed(
    project: Project, trace: Trace, arch: str, defined: Mapping[str, Sequence[str]]
) -> Executed | None:
    """What a recorded call executes, by a worker that stays for the next one.

    Args:
        project: The library.
        trace: The call.
        arch: One of its architectures.
        defined: By source file, the entry points of the interface; of those that no header
            declares the definition says how they are called.

    Returns:
        ``None`` where the call, made again, does not launch what was recorded.

    Raises:
        RocQuarryError: The call cannot be made on this machine.
    """
    key = (id(project), trace.config)
    if key not in _KEPT:
        tracer = Tracer(project, trace.config)
        _KEPT[key] = (tracer, Branches(tracer), set(tracer.prototypes.functions))
    tracer, branches, asked = _KEPT[key]
    new = {file: [name for name in names if name not in asked] for file, names in defined.items()}
    if new := {file: names for file, names in new.items() if names}:
        tracer.learn(new)
        asked.update(*new.values())
    return branches.executed(trace, arch)
