"""A worker process kept alive from call to call, in the sandbox, and replaced when it dies."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor.errors import RocQuarryError
from kernels.isolation.limits import Limits
from kernels.isolation.sandbox import best_sandbox

_WORKER = Path(__file__).with_name("worker.py")
_FINDINGS_KEPT = 5
READY = b"ready\n"
"""What the worker says before it loads the library. One that ends without it was never there: no
fault of the library."""


class WorkerNotStarted(RocQuarryError):
    """The sandbox or the worker in it did not come up; says nothing about a library."""

    exit_code = 2


@dataclass(frozen=True)
class Answer:
    """What came of one call.

    Attributes:
        status: What the function returned; ``None`` where the process died or hung.
        buffers: What the buffers held afterwards.
        error: What went wrong in the runtime or the process; empty where nothing did.
        findings: Reports of the runtime.
        seconds: Time of the call.
    """

    status: int | None
    buffers: tuple[bytes, ...] = ()
    error: str = ""
    findings: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0


@dataclass
class Session:
    """Makes calls into one built library.

    Attributes:
        library: The shared object; the runtime lies beside it.
        limits: Of one call.
        recorder: A shared object that is loaded before the runtime; its recordings go, one a
            process, to ``accesses-N`` in the folder ``recordings``.
        recordings: That folder; it stays.

    Raises:
        WorkerNotStarted: On a call, where no worker can be had.
    """

    library: Path
    limits: Limits = field(default_factory=lambda: Limits(wall_seconds=60, cpu_seconds=3600))
    recorder: Path | None = None
    recordings: Path | None = None
    _process: subprocess.Popen[bytes] | None = None
    _folder: tempfile.TemporaryDirectory[str] | None = None
    _stderr: Any = None

    def __post_init__(self) -> None:
        self.library = self.library.absolute()

    def call(self, message: Mapping[str, Any], buffers: Sequence[bytes]) -> Answer:
        """Makes one call; a message is described in :mod:`kernels.call.worker`."""
        process = self._started()
        assert process.stdin
        begin = time.monotonic()
        head = json.dumps({**message, "buffers": [len(b) for b in buffers]}).encode() + b"\n"
        try:
            process.stdin.write(b"".join([head, *buffers]))
            process.stdin.flush()
            line = self._line(process, begin)
            data = self._read(process, sum(json.loads(line)["sizes"]), begin) if line else b""
        except (BrokenPipeError, ValueError, EOFError):
            line, data = b"", b""
        seconds = time.monotonic() - begin
        findings = self._findings()
        if not line:
            said = self._end(process, seconds)
            return Answer(None, error=_sentence(findings) or said, findings=findings,
                          seconds=seconds)  # fmt: skip
        answer = json.loads(line)
        parts, at = [], 0
        for size in answer["sizes"]:
            parts.append(data[at : at + size])
            at += size
        if answer["error"]:
            self.close()
        error = _sentence(findings)
        if answer["error"] and not error:
            error = f"HIP error {answer['error']}"
        return Answer(answer["status"], tuple(parts), error, findings, answer["seconds"])

    def close(self) -> None:
        """Ends the worker."""
        if self._process:
            _kill(self._process)
            self._process = None
        if self._stderr:
            self._stderr.close()
            self._stderr = None
        if self._folder:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process and self._process.poll() is None:
            return self._process
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="rocquarry-call-")
        folder = Path(self._folder.name)
        self._stderr = (folder / "stderr").open("wb+")
        runtime = self.library.parent / "libhipcpu.so"
        command = [
            sys.executable, "-I", str(_WORKER), str(self.library), str(runtime),
            str(folder / "findings"),
        ]  # fmt: skip
        shell = ["/bin/sh", "-c", f'{self.limits.shell()}; exec "$@"', "sh", *command]
        sandbox = best_sandbox()
        if sandbox.name == "unshare":
            shell[2] = shell[2].replace('exec "$@"', '"$@"')
        readable = [self.library.parent, _WORKER.parent, Path(sys.executable).parent]
        if self.recorder and self.recordings:
            # The one place that a worker can write is its folder.
            folder = self.recordings
            shell[4:4] = ["env", *self._recorded(runtime)]
            shell[-1] = str(folder / "findings")
            readable.append(self.recorder.parent)
        environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "HOME": str(folder)}
        self._process = subprocess.Popen(
            sandbox.wrap(shell, folder, readable), cwd=folder, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr,
            start_new_session=True,
        )  # fmt: skip
        begin = time.monotonic()
        if self._line(self._process, begin) != READY:
            said = self._end(self._process, time.monotonic() - begin)
            raise WorkerNotStarted(f"no worker for calls could be started: {said}")
        return self._process

    def _recorded(self, runtime: Path) -> list[str]:
        """What makes a worker record: variables of its environment, as ``env`` takes them."""
        assert self.recorder
        assert self.recordings
        number = len(list(self.recordings.glob("accesses-*[0-9]")))
        return [
            f"LD_PRELOAD={self.recorder}:{runtime}",
            f"ROCQUARRY_ACCESSES={self.recordings / f'accesses-{number}'}",
            "ROCQUARRY_THINNED=launches",
        ]

    def _line(self, process: subprocess.Popen[bytes], begin: float) -> bytes:
        assert process.stdout
        self._wait(process, begin)
        return process.stdout.readline()

    def _read(self, process: subprocess.Popen[bytes], size: int, begin: float) -> bytes:
        assert process.stdout
        data = process.stdout.read(size)
        if len(data) != size:
            raise EOFError
        return data

    def _wait(self, process: subprocess.Popen[bytes], begin: float) -> None:
        """Until an answer begins, or the time is over; then the worker is ended."""
        assert process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            left = self.limits.wall_seconds - (time.monotonic() - begin)
            if not selector.select(max(left, 0)):
                _kill(process)

    def _findings(self) -> tuple[Mapping[str, Any], ...]:
        if not self._folder:
            return ()
        path = (self.recordings or Path(self._folder.name)) / "findings"
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            path.unlink()
        except OSError:
            return ()
        found = []
        for line in lines[:_FINDINGS_KEPT]:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return tuple(found)

    def _end(self, process: subprocess.Popen[bytes], seconds: float) -> str:
        over = seconds >= self.limits.wall_seconds
        _kill(process)
        said = ""
        if self._stderr:
            self._stderr.seek(0)
            lines = self._stderr.read().decode(errors="replace").strip().splitlines()
            said = f": {lines[-1]}" if lines else ""
        self.close()
        if over:
            return f"the call did not end within {self.limits.wall_seconds:.0f} s"
        return f"the process was ended with status {process.returncode}{said}"


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout):
        if stream:
            with contextlib.suppress(OSError):
                stream.close()
    process.wait()


def _sentence(findings: Sequence[Mapping[str, Any]]) -> str:
    if not findings:
        return ""
    first = findings[0]
    where = "".join(
        f", {key} {first[key]}" for key in ("kernel", "block", "thread") if key in first
    )
    return f"{first.get('kind', 'finding')}: {first.get('message', '')}{where}"
