"""One run of one program, and how it ended. Measured from outside, never told by the program."""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import IO

from kernels.isolation.limits import Limits
from kernels.isolation.sandbox import Sandbox

_UNDER_WAY: set[int] = set()


class Ending(Enum):
    """How a run ended."""

    EXIT = "exit"
    SIGNAL = "signal"
    TIMEOUT = "timeout"
    OUTPUT = "output"
    NOT_STARTED = "not_started"


@dataclass(frozen=True)
class Outcome:
    """The record of one run.

    Attributes:
        command: What was run, without the sandbox.
        ending: How it ended.
        exit_code: Exit status; 128 plus the signal's number when a signal ended it.
        stdout: Its standard output, as far as the limit let it be kept.
        stderr: The same of standard error.
        seconds: Wall time.
        cpu_seconds: Processor time of it and the children it waited for.
        peak_bytes: Largest resident set of any of them.
    """

    command: tuple[str, ...]
    ending: Ending
    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    cpu_seconds: float
    peak_bytes: int

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.ending is Ending.EXIT and self.exit_code == 0

    def describe(self) -> str:
        """How it ended, in a few words."""
        if self.ending is Ending.SIGNAL:
            number = self.exit_code - 128
            with contextlib.suppress(ValueError):
                return f"ended by signal {signal.Signals(number).name}"
            return f"ended by signal {number}"
        if self.ending is Ending.TIMEOUT:
            return f"killed after {self.seconds:.0f} s"
        if self.ending is Ending.OUTPUT:
            return "killed for too much output"
        if self.ending is Ending.NOT_STARTED:
            return f"could not be started: {self.stderr}"
        return f"exit status {self.exit_code}"


def run(
    command: Sequence[str],
    limits: Limits,
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    sandbox: Sandbox | None = None,
    readable: Iterable[Path] = (),
    hidden: Iterable[Path] = (),
) -> Outcome:
    """Runs a program to its end, or to the first limit it meets.

    The program gets a process group of its own, no standard input and, when its time is over, its
    whole group is killed. Under a sandbox with a process namespace nothing that it started
    survives, whatever it did to get away.

    Args:
        command: Program and arguments.
        limits: When to end it.
        folder: Where it runs; under bubblewrap the only place it can write.
        environment: All of its environment; when ``None`` that of this process, with temporary
            files in ``folder``, where what a program leaves behind as it fails does not pile up.
        sandbox: What it runs in; only limits when ``None``.
        readable: Folders it needs that the sandbox would not show, such as one below ``/tmp``.
        hidden: Folders it must not see, where the sandbox can hide them.
    """
    # The first process of a namespace ignores most signals: there the shell stays in front.
    start = '"$@"' if sandbox and sandbox.name == "unshare" else 'exec "$@"'
    inner = ["/bin/sh", "-c", f"{limits.shell()}; {start}", "sh", *command]
    outer = sandbox.wrap(inner, folder, readable, hidden) if sandbox else inner
    mark = f"ROCQUARRY_RUN={uuid.uuid4().hex}"
    given = dict(
        {**os.environ, "TMPDIR": str(folder.absolute())} if environment is None else environment
    )
    begin = time.monotonic()
    try:
        process = subprocess.Popen(
            outer, cwd=folder, env={**given, **dict([mark.split("=")])},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Outcome(tuple(command), Ending.NOT_STARTED, 127, "", str(error), 0, 0, 0)
    _UNDER_WAY.add(process.pid)
    try:
        ending, kept = _collect(process, limits, begin)
    finally:
        _UNDER_WAY.discard(process.pid)
        _kill_group(process.pid)
        if sandbox is None or sandbox.name == "none":
            _kill_marked(mark)
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()
    status, usage = _reap(process)
    if ending is Ending.EXIT and os.WIFSIGNALED(status):
        ending = Ending.SIGNAL
    code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    if ending is Ending.EXIT and code > 128 and sandbox and sandbox.name != "none":
        # The sandbox's own process passes a signal on as an exit status.
        ending = Ending.SIGNAL
    return Outcome(
        tuple(command), ending, code,
        kept[0].decode(errors="replace"), kept[1].decode(errors="replace"),
        time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024,
    )  # fmt: skip


def end_runs() -> None:
    """Ends every run that some thread of this process still waits for, as after an interrupt."""
    for number in list(_UNDER_WAY):
        _kill_group(number)


def _collect(
    process: subprocess.Popen[bytes], limits: Limits, begin: float
) -> tuple[Ending, tuple[bytes, bytes]]:
    """Reads until the program closes its output or meets a limit."""
    assert process.stdout
    assert process.stderr
    kept = {process.stdout: bytearray(), process.stderr: bytearray()}
    ending = Ending.EXIT
    with selectors.DefaultSelector() as selector:
        for stream in kept:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            left = begin + limits.wall_seconds - time.monotonic()
            if left <= 0:
                ending = Ending.TIMEOUT
                break
            # A child may hold the pipe open after the program itself is gone.
            ready = selector.select(min(left, 0.2))
            if not ready and _has_ended(process):
                break
            if any(not _read(key.fileobj, kept, selector, limits.output_bytes) for key, _ in ready):
                ending = Ending.OUTPUT
                break
    if ending is Ending.EXIT and not _wait(process, begin + limits.wall_seconds):
        ending = Ending.TIMEOUT
    return ending, (bytes(kept[process.stdout]), bytes(kept[process.stderr]))


def _read(
    stream: object,
    kept: dict[IO[bytes], bytearray],
    selector: selectors.BaseSelector,
    most: int,
) -> bool:
    """Takes what a stream has; false once it had more than is kept."""
    for candidate, buffer in kept.items():
        if candidate is stream:
            chunk = os.read(candidate.fileno(), 1 << 16)
            if not chunk:
                selector.unregister(candidate)
                return True
            buffer += chunk[: most - len(buffer)]
            return len(buffer) < most
    return True


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    # Leaves the process to be reaped later, with its resource usage.
    found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    return found is not None


def _wait(process: subprocess.Popen[bytes], until: float) -> bool:
    pause = 0.0005
    while not _has_ended(process):
        if time.monotonic() >= until:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


def _reap(process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage]:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait again
    return status, usage


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _kill_marked(mark: str) -> None:
    """Ends what left the process group, as far as it kept the environment it was given."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
