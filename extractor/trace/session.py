"""A library's host side in a worker process that stays, asked for one call after the other."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.check.names import base_name
from extractor.demangle import demangle
from extractor.errors import ToolchainError
from extractor.trace.channel import Channel
from extractor.trace.effects import Effect
from extractor.trace.records import RecordedLaunch
from extractor.trace_rule import Trace as TraceRule

_AT_ONCE = 24
"""Calls that a worker is told of at once: with their answers they fit into two pipes."""
_PATIENCE = 20.0
"""Seconds beyond a call's limit; the worker ends itself unless it cannot."""
_LOADING = 300.0
_MOST_LOST = 3


@dataclass(frozen=True)
class Limits:
    """What one call may take.

    Attributes:
        milliseconds: Wall time.
        lines: Launches that differ from the one before.
        launches: Launches altogether.
    """

    milliseconds: int = 10_000
    lines: int = 20_000
    launches: int = 1 << 20


@dataclass(frozen=True)
class Request:
    """One call.

    Attributes:
        entry: The entry point.
        arguments: As the worker takes them.
        modes: Functions that set modes of the handle, with their values.
    """

    entry: str
    arguments: Sequence[Sequence[Any]]
    modes: Sequence[tuple[str, int]]

    def line(self) -> str:
        """As the worker reads it."""
        return json.dumps({"entry": self.entry, "arguments": self.arguments, "modes": self.modes})


@dataclass(frozen=True)
class Outcome:
    """How a call ended and what it asked of the HIP runtime.

    Attributes:
        returned: What it returned; ``None`` when it did not.
        why: Why it did not: ``timeout``, ``stopped`` at a limit, ``crash SIGSEGV``.
        launches: In order.
        boundaries: Functions called that the build does not have.
        executed: Symbols of kernels whose effect was carried out, since the host read it.
        wanted: Symbols of kernels of unknown effect that may have written what the host read.
        places: Kernels with the offsets in the shared object at which they were launched; no part
            of what tells two outcomes apart.
    """

    returned: int | None
    why: str = ""
    launches: tuple[RecordedLaunch, ...] = ()
    boundaries: tuple[str, ...] = ()
    executed: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = field(default=(), compare=False)
    wanted: tuple[str, ...] = field(default=(), compare=False)


Effects = Callable[[Iterable[str], Sequence[str]], Mapping[str, Effect | None]]
"""Gives effects of kernels, ``None`` for one that is open; told also of all kernels there are."""


def _all_open(symbols: Iterable[str], _: Sequence[str]) -> Mapping[str, Effect | None]:
    return dict.fromkeys(symbols)


@dataclass
class Session:
    """One shared object on one architecture. Use as a context manager, or ``close`` it.

    Args:
        library: The shared object.
        rule: How it is called.
        arch: Architecture that the runtime reports.
        limits: What one call may take.
        effects: Knows what kernels write.
        program: Module that the worker runs.
    """

    library: Path
    rule: TraceRule
    arch: str
    limits: Limits = Limits()
    effects: Effects = _all_open
    program: str = "extractor.trace.worker"
    restarts: int = 0
    _kernels: Sequence[str] = field(default=(), repr=False)
    _known: dict[str, Effect | None] = field(default_factory=dict, repr=False)
    _channel: Channel | None = field(default=None, repr=False)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the worker."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None

    def call(self, request: Request) -> Outcome:
        """Makes one call."""
        return self.call_all([request])[0]

    def call_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Makes calls one after the other; the worker has the next one before it has answered.

        A crash or a limit ends the worker; another one goes on with the next call. A call in which
        the host reads what a kernel of unknown effect may have written is made again with it known.
        """
        outcomes: list[Outcome] = []
        for first in range(0, len(requests), _AT_ONCE):
            part = requests[first : first + _AT_ONCE]
            made = self._made(part)
            while self.learn(symbol for outcome in made for symbol in outcome.wanted):
                again = [n for n, outcome in enumerate(made) if outcome.wanted]
                for n, outcome in zip(again, self._made([part[n] for n in again]), strict=True):
                    made[n] = outcome
            outcomes += made
        return outcomes

    def learn(self, wanted: Iterable[str]) -> bool:
        """Tells the worker of the effects of kernels; whether there were any that it did not know.

        Args:
            wanted: Symbols of the kernels.
        """
        new = {symbol for symbol in wanted if symbol not in self._known}
        if new:
            found = self.effects(sorted(new), self._kernels)
            self._known.update(found)
            if self._channel is not None:
                self._channel.send([json.dumps({"effects": found})])
        return bool(new)

    def _made(self, requests: Sequence[Request]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        lost = 0
        while len(outcomes) < len(requests):
            channel = self._channel or self._start()
            part = requests[len(outcomes) :]
            channel.send([request.line() for request in part])
            for _ in part:
                lines = channel.receive(self.limits.milliseconds / 1000 + _PATIENCE)
                if not lines and lost < _MOST_LOST:
                    # The worker was gone before it read this call.
                    lost += 1
                    self.close()
                    break
                outcomes.append(read_outcome(lines))
                if outcomes[-1].returned is None:
                    self.close()
                    self.restarts += 1
                    break
        return outcomes

    def _start(self) -> Channel:
        device = settings.DEVICES[self.arch]
        self._channel = channel = Channel(self.program)
        request = {
            "library": str(self.library),
            "device": {
                "architecture": _target(self.arch),
                "compute_units": device.compute_units,
                "wavefront": settings.wavefront_size(self.arch),
                "memory": device.memory,
                "shared": device.shared,
                "major": int(self.arch[3:-2]),
                "minor": int(self.arch[-2:-1], 16),
            },
            "handle": {"create": self.rule.create, "destroy": self.rule.destroy},
            "modes": {},
            "limits": {
                "milliseconds": self.limits.milliseconds,
                "lines": self.limits.lines,
                "launches": self.limits.launches,
            },
        }
        channel.send([json.dumps(request)])
        lines = channel.receive(_LOADING)
        if not lines or lines[-1] != "end":
            self.close()
            raise ToolchainError(
                f"{self.library} could not be loaded; remove its folder and run again"
            )
        self._kernels = [line.removeprefix("kernel ") for line in lines[:-1]]
        first = self.instructions()
        if first:
            channel.send([json.dumps(first)])
        return channel

    def instructions(self) -> dict[str, Any]:
        """What a worker is told before the first call; nothing where that is empty."""
        return {"effects": self._known} if self._known else {}


def _target(arch: str) -> str:
    """An architecture as the runtime spells it; the consumer's chips have neither feature."""
    return f"{arch}:sramecc+:xnack-" if arch.startswith("gfx9") else arch


def read_outcome(lines: Sequence[str]) -> Outcome:
    """What a worker's lines say of one call."""
    returned: int | None = None
    why = "the worker was lost"
    launches: list[RecordedLaunch] = []
    boundaries: list[str] = []
    executed: list[str] = []
    wanted: list[str] = []
    places: list[tuple[str, int]] = []
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "status" and rest.startswith("return "):
            returned, why = int(rest.removeprefix("return ")), ""
        elif kind == "status":
            why = rest
        elif kind == "launch":
            launches.append(_launch(rest))
        elif kind == "boundary":
            boundaries.append(rest)
        elif kind == "executed":
            executed.append(rest)
        elif kind == "wanted":
            wanted.append(rest)
        elif kind == "from":
            symbol, _, offset = rest.partition(" ")
            places.append((symbol, int(offset)))
    return Outcome(
        returned,
        why,
        tuple(launches),
        tuple(boundaries),
        tuple(executed),
        tuple(places),
        tuple(wanted),
    )


@functools.lru_cache(maxsize=50_000)
def _launch(text: str) -> RecordedLaunch:
    symbol, *numbers = text.split(" ")
    values = [int(number) for number in numbers]
    return RecordedLaunch(
        kernel=base_name(symbol),
        demangled=demangle(symbol),
        symbol=symbol,
        grid=(values[0], values[1], values[2]),
        block=(values[3], values[4], values[5]),
        shared_bytes=values[6],
        repeat=values[7],
    )
