"""A pool of worker processes that survives the loss of any of them."""

from __future__ import annotations

import contextlib
import json
import pickle
import queue
import subprocess
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extractor.parent_death import minded

RESTART_ABOVE_MB = 500
"""A worker larger than this is replaced: what libclang frees, the allocator keeps in pieces."""

TIMEOUT_SECONDS = 600.0
"""A unit that takes longer is given up and reported."""


@dataclass(frozen=True)
class Task:
    """One request to a worker; ``name`` comes back with the answer."""

    name: int
    request: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a worker said.

    Attributes:
        name: Of the task.
        records: ``(hash, compressed record)`` of each function, in the unit's order.
        errors: The compiler's errors, or the reason why there is no answer.
        seconds: CPU time of the unit.
        memory_mb: Largest resident memory of the worker so far.
        crashed: The worker died or hung on this unit.
    """

    name: int
    records: list[tuple[bytes, bytes]]
    errors: tuple[str, ...]
    seconds: float
    memory_mb: int
    crashed: bool = False


class Pool:
    """Runs tasks on ``jobs`` processes. Use as a context manager.

    Args:
        library: The compiled part of the index.
        libclang: The libclang that it calls.
        jobs: Number of processes.
        module: The worker's program.
    """

    def __init__(
        self, library: Path, libclang: Path, jobs: int, module: str = "extractor.index.worker"
    ) -> None:
        self._command = [*minded(module), str(library), str(libclang)]
        self._jobs = max(1, jobs)
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._kept: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        with self._lock:
            for process in self._processes:
                process.kill()

    def run(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Yields answers as they come; each task is answered exactly once."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in tasks:
            waiting.put(task)
        answers: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        threads = [
            threading.Thread(target=self._serve, args=(waiting, answers), daemon=True)
            for _ in range(min(self._jobs, len(tasks)))
        ]
        for thread in threads:
            thread.start()
        for _ in tasks:
            answer = answers.get()
            if isinstance(answer, BaseException):
                raise answer
            yield answer
        for thread in threads:
            thread.join()

    def ask_one(self, task: Task) -> Answer:
        """Answers one task in this thread; the process stays for the next one."""
        if self._kept is None:
            self._kept = self._start()
        answer = self._ask(self._kept, task)
        if answer.crashed or answer.memory_mb > RESTART_ABOVE_MB:
            self._stop(self._kept)
            self._kept = None
        return answer

    def _serve(
        self,
        waiting: queue.SimpleQueue[Task],
        answers: queue.SimpleQueue[Answer | BaseException],
    ) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while not self._closed:
                try:
                    task = waiting.get_nowait()
                except queue.Empty:
                    return
                if process is None:
                    process = self._start()
                answer = self._ask(process, task)
                if answer.crashed or answer.memory_mb > RESTART_ABOVE_MB:
                    self._stop(process)
                    process = None
                answers.put(answer)
        except BaseException as error:
            answers.put(error)
        finally:
            if process is not None:
                self._stop(process)

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C goes to the parent alone, which then ends its workers.
            start_new_session=True,
        )
        with self._lock:
            self._processes.add(process)
        return process

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        with self._lock:
            self._processes.discard(process)

    def _ask(self, process: subprocess.Popen[bytes], task: Task) -> Answer:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(task.request).encode() + b"\n")
            process.stdin.flush()
            head_line = process.stdout.readline()
            if not head_line:
                return self._lost(process, task)
            head = json.loads(head_line)
            body = process.stdout.read(head["length"])
            if len(body) != head["length"]:
                return self._lost(process, task)
        except (BrokenPipeError, OSError):
            return self._lost(process, task)
        finally:
            timer.cancel()
        return Answer(
            name=task.name,
            records=pickle.loads(body) if body else [],  # from our own worker
            errors=tuple(head["errors"]),
            seconds=head["seconds"],
            memory_mb=head["memory_mb"],
        )

    def _lost(self, process: subprocess.Popen[bytes], task: Task) -> Answer:
        code = process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        text = f"the worker ended with {how} while it read this unit"
        return Answer(task.name, [], (text,), 0.0, 0, crashed=True)
