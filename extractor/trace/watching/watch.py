"""Looks at calls again: what each launch was given, and on what the launches hang."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.trace.arguments import Value
from extractor.trace.records import RecordedLaunch, Trace
from extractor.trace.tracer import Tracer
from extractor.trace.watching.session import Seen, WatchSession

_PATTERNS = ("01000000", "ffffffff", "0000803f", "000000000000f03f")
"""Bytes in the place of what a real run would have written: whole numbers one and minus one, and
1.0 in single and double precision. Zero is what is read without a pattern."""
_QUICK = 2_000
"""Milliseconds of a call with a pattern: one that goes on and on differs anyway."""


@dataclass(frozen=True)
class WatchedLaunch:
    """What one line of a trace's launches was given, the first of those that repeat.

    Attributes:
        stream: ``default`` or ``0x…``, as the runtime was given it.
        scalars: Value of each argument; ``None`` for a pointer or a type of unknown form.
    """

    stream: str
    scalars: tuple[Any, ...]


class Watch:
    """Watches calls of a tracer's library. Use as a context manager, or ``close`` it.

    Args:
        tracer: The library.
    """

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._sessions: dict[tuple[str, str], WatchSession] = {}
        self._paths: dict[Path, Path] = {}

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all workers."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def look(self, trace: Trace) -> tuple[Trace, list[WatchedLaunch]]:
        """A trace with what it depends on, and what each line of its launches was given.

        What the host reads back after a launch, where it is not known what a kernel wrote there, is
        replaced by several patterns; where launches or status change, the reads are told.
        """
        seen = self._seen(trace)
        given = _joined(trace.launches, seen)
        depends = tuple(_told(seen.reads)) if self._matters(trace, seen) else ()
        return (trace.model_copy(update={"depends": depends}) if depends else trace), given

    def _matters(self, trace: Trace, seen: Seen) -> bool:
        """Whether other numbers in what was read back lead to other launches or another status."""
        return bool(seen.reads) and any(
            self._seen(trace, {"pattern": pattern, "milliseconds": _QUICK}).outcome != seen.outcome
            for pattern in _PATTERNS
        )

    def _seen(self, trace: Trace, more: dict[str, Any] | None = None) -> Seen:
        request = self._tracer.request(
            trace.entry, _values(trace), pointer_mode=trace.pointer_mode, atomics=trace.atomics
        )
        return self._session(trace.entry, trace.arch[0]).watch(request, more)

    def _session(self, entry: str, arch: str) -> WatchSession:
        tracer = self._tracer
        home = tracer.home(entry)
        if home.path not in self._paths:
            self._paths[home.path] = tracer.host.watched(home)
        path = self._paths[home.path]
        key = (str(path), arch)
        if key not in self._sessions:
            # C names an enumeration by a tag, in these libraries that of the type and a line below.
            known = tracer.prototypes.enumerations
            types = frozenset(known) | {f"{name}_" for name in known}
            self._sessions[key] = WatchSession(
                path,
                tracer.rule,
                arch,
                tracer.limits,
                tracer.effects(home).of,
                enumerations=types,
            )
        return self._sessions[key]


def _told(reads: Sequence[tuple[int, int]]) -> Iterator[str]:
    """A line for each size of what was read back."""
    places: dict[int, list[int]] = {}
    for launches, size in reads:
        places.setdefault(size, []).append(launches)
    for size, found in sorted(places.items()):
        times = f", and {len(found) - 1} times more" if len(found) > 1 else ""
        yield f"{size} bytes read back after launch {found[0]}{times}"


def _values(trace: Trace) -> dict[str, Value]:
    """Arguments of a trace, as they were given to the call."""
    return {
        name: [x for x in value if isinstance(x, int | float)] if isinstance(value, list) else value
        for name, value in trace.args.items()
        if isinstance(value, int | float | str | list)
    }


def _joined(launches: Sequence[RecordedLaunch], seen: Seen) -> list[WatchedLaunch]:
    """One row a line of launches, whose repetitions are skipped."""
    result, at = [], 0
    for launch in launches:
        if at >= len(seen.launches):
            break
        stream, scalars = seen.launches[at]
        result.append(WatchedLaunch(hex(stream) if stream else "default", tuple(scalars)))
        at += launch.repeat
    return result
