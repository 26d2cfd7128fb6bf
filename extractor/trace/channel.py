"""A worker process and the lines that go to it and come back."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

_PIECE = 1 << 16


class Channel:
    """Starts a worker and talks to it. ``close`` ends it.

    Args:
        program: Module that it runs.
    """

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rocquarry-trace-")
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-m", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=_environment(),
            # Ctrl-C goes to the parent alone, which then ends its workers.
            start_new_session=True,
        )
        self._left = b""

    def send(self, lines: Sequence[str]) -> None:
        """Writes lines; that nobody reads them any more shows when the answer is awaited."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write("".join(f"{line}\n" for line in lines).encode())
            self._process.stdin.flush()

    def receive(self, seconds: float) -> list[str]:
        """Lines up to ``end``; fewer when the worker ended or was ended after some seconds."""
        assert self._process.stdout is not None
        channel = self._process.stdout.fileno()
        until = time.monotonic() + seconds
        lines: list[str] = []
        while True:
            line, found, rest = self._left.partition(b"\n")
            if found:
                self._left = rest
                lines.append(line.decode(errors="replace"))
                if lines[-1] == "end":
                    return lines
                continue
            ready, _, _ = select.select([channel], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                self._process.kill()
                return [*lines, "status timeout"]
            piece = os.read(channel, _PIECE)
            if not piece:
                return lines
            self._left += piece

    def close(self) -> None:
        """Ends the worker."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        self._folder.cleanup()


def _environment() -> dict[str, str]:
    # The library reads variables of its own; a trace must not depend on them.
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    package = str(Path(__file__).resolve().parents[2])
    return {**kept, "PYTHONPATH": os.pathsep.join([package, *filter(None, sys.path)])}
