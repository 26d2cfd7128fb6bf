"""Workers that die or hang are lost, and nothing with them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from extractor.index import pool
from extractor.index.pool import Pool, Task

# Speaks the worker's protocol and does what each task says.
_WORKER = """
import json, os, pickle, sys, time
for line in sys.stdin:
    task = json.loads(line)
    if task["do"] == "die":
        os.kill(os.getpid(), 11)
    if task["do"] == "leave":
        sys.exit(7)
    if task["do"] == "hang":
        time.sleep(1000)
    body = pickle.dumps([(b"h", task["do"].encode())])
    if task["do"] == "half":
        sys.stdout.buffer.write(json.dumps({"length": len(body), "errors": [], "seconds": 0,
                                            "memory_mb": 0}).encode() + b"\\n" + body[:3])
        sys.stdout.buffer.flush()
        os._exit(3)
    head = {"length": len(body), "errors": [], "seconds": 0.5, "memory_mb": task.get("mb", 1)}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\\n" + body)
    sys.stdout.buffer.flush()
"""


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    script = tmp_path / "worker.py"
    script.write_text(_WORKER)
    made = Pool(Path("library"), Path("libclang"), 2)
    monkeypatch.setattr(made, "_command", [sys.executable, str(script)])
    return made


def tasks(*what: str) -> list[Task]:
    return [Task(number, {"do": one}) for number, one in enumerate(what)]


def test_every_task_is_answered_once(workers: Pool) -> None:
    with workers as open_pool:
        answers = list(open_pool.run(tasks(*(f"t{n}" for n in range(20)))))
    assert sorted(answer.name for answer in answers) == list(range(20))
    assert all(answer.records == [(b"h", f"t{answer.name}".encode())] for answer in answers)
    assert not any(answer.crashed for answer in answers)


@pytest.mark.parametrize(
    ("what", "why"), [("die", "signal 11"), ("leave", "exit code 7"), ("half", "exit code 3")]
)
def test_a_worker_that_ends_is_replaced(workers: Pool, what: str, why: str) -> None:
    with workers as open_pool:
        answers = {a.name: a for a in open_pool.run(tasks("a", what, "b", what, "c"))}
    assert [answers[n].crashed for n in range(5)] == [False, True, False, True, False]
    assert answers[1].errors == (f"the worker ended with {why} while it read this unit",)


def test_a_worker_that_hangs_is_given_up(workers: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "TIMEOUT_SECONDS", 0.5)
    with workers as open_pool:
        answers = {a.name: a for a in open_pool.run(tasks("hang", "a"))}
    assert answers[0].crashed
    assert "signal 9" in answers[0].errors[0]
    assert not answers[1].crashed


def test_a_worker_that_grew_is_replaced(workers: Pool) -> None:
    grown = [Task(n, {"do": "t", "mb": pool.RESTART_ABOVE_MB + 1}) for n in range(4)]
    with workers as open_pool:
        answers = list(open_pool.run(grown))
    assert len(answers) == 4
    assert not any(answer.crashed for answer in answers)


def test_a_closed_pool_leaves_no_process(workers: Pool) -> None:
    with workers as open_pool:
        run = open_pool.run(tasks("a", "hang", "hang"))
        assert not next(run).crashed
        processes = set(open_pool._processes)
        assert processes
    for process in processes:
        process.wait()


def test_no_tasks_start_no_worker(workers: Pool) -> None:
    with workers as open_pool:
        assert list(open_pool.run([])) == []
        assert not open_pool._processes
