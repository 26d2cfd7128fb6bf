"""A library's host side in a worker process that stays, asked for one call after the other."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor import settings
from extractor.check.names import base_name
from extractor.demangle import demangle, template_arguments
from extractor.errors import ToolchainError
from extractor.trace.records import RecordedLaunch
from extractor.trace_rule import Trace as TraceRule


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
class Outcome:
    """How a call ended and what it asked of the HIP runtime.

    Attributes:
        returned: What it returned; ``None`` when it did not.
        why: Why it did not: ``timeout``, ``stopped`` at a limit, ``crash SIGSEGV``.
        launches: In order.
        boundaries: Functions called that the build does not have.
        executed: Symbols of kernels whose effect was emulated.
    """

    returned: int | None
    why: str = ""
    launches: tuple[RecordedLaunch, ...] = ()
    boundaries: tuple[str, ...] = ()
    executed: tuple[str, ...] = ()


@dataclass
class Session:
    """One shared object on one architecture. Use as a context manager, or ``close`` it.

    Args:
        library: The shared object.
        rule: How it is called.
        arch: Architecture that the runtime reports.
        limits: What one call may take.
    """

    library: Path
    rule: TraceRule
    arch: str
    limits: Limits = Limits()
    restarts: int = 0
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the worker."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            self._process = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def call(
        self, entry: str, arguments: Sequence[Sequence[Any]], modes: Sequence[tuple[str, int]]
    ) -> Outcome:
        """Makes one call. A crash or a limit ends the worker; the next call starts another."""
        request = {"entry": entry, "arguments": arguments, "modes": modes}
        for _ in range(2):
            process = self._process or self._start()
            lines = self._ask(process, request)
            if lines:
                break
            # The worker was gone before it was asked.
            self.close()
        outcome = _outcome(lines)
        if outcome.returned is None:
            self.close()
            self.restarts += 1
        return outcome

    def _start(self) -> subprocess.Popen[bytes]:
        device = settings.DEVICES[self.arch]
        self._folder = tempfile.TemporaryDirectory(prefix="rocquarry-trace-")
        self._process = process = subprocess.Popen(
            [sys.executable, "-s", "-m", "extractor.trace.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=_environment(),
            start_new_session=True,
        )
        request = {
            "library": str(self.library),
            "device": {
                "architecture": f"{self.arch}:sramecc+:xnack-",
                "compute_units": device.compute_units,
                "wavefront": settings.wavefront_size(self.arch),
                "memory": device.memory,
                "shared": device.shared,
                "major": int(self.arch[3:-2], 16),
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
        lines = self._ask(process, request, patience=120.0)
        if not lines or lines[-1] != "end":
            self.close()
            raise ToolchainError(
                f"{self.library} could not be loaded; remove its folder and run again"
            )
        kernels = [line.removeprefix("kernel ") for line in lines[:-1]]
        emulated = {name: how for name in kernels if (how := self._emulation(name)) is not None}
        if emulated:
            self._send(process, {"emulated": emulated})
        return process

    def _emulation(self, symbol: str) -> dict[str, Any] | None:
        for line in self.rule.emulated:
            if base_name(symbol) == line.kernel:
                types = template_arguments(symbol)
                form = self.rule.elements.get(types[line.element]) if types else None
                if form is not None:
                    return {
                        "format": form,
                        "pointer": line.pointer,
                        "count": line.count,
                        "value": line.value,
                    }
        return None

    def _send(self, process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()

    def _ask(
        self, process: subprocess.Popen[bytes], request: dict[str, Any], patience: float = 5.0
    ) -> list[str]:
        # The worker stops itself; this one is for a worker that cannot.
        seconds = self.limits.milliseconds / 1000 + patience
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        lines: list[str] = []
        try:
            self._send(process, request)
            assert process.stdout is not None
            while not lines or lines[-1] != "end":
                line = process.stdout.readline()
                if not line:
                    break
                lines.append(line.decode().rstrip("\n"))
        except BrokenPipeError:
            return lines
        finally:
            timer.cancel()
        return lines


def _environment() -> dict[str, str]:
    # The library reads variables of its own; a trace must not depend on them.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    package = str(Path(__file__).resolve().parents[2])
    return {**kept, "PYTHONPATH": os.pathsep.join([package, *filter(None, sys.path)])}


def _outcome(lines: Sequence[str]) -> Outcome:
    returned: int | None = None
    why = "the worker was lost"
    launches: list[RecordedLaunch] = []
    boundaries: list[str] = []
    executed: list[str] = []
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
    return Outcome(returned, why, tuple(launches), tuple(boundaries), tuple(executed))


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
