"""Workers of a pool whose owner is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

OWNER = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from extractor.parent_death import end_with_parent

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(time.sleep, 600).result()
"""


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends(process: int) -> bool:
    for _ in range(400):
        if not alive(process):
            return True
        time.sleep(0.05)
    return False


def test_workers_end_when_their_owner_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    for method in ("spawn", "fork"):
        owner = subprocess.Popen(
            [sys.executable, "-P", str(script), method], stdout=subprocess.PIPE, text=True
        )
        assert owner.stdout is not None
        worker = int(owner.stdout.readline())
        assert alive(worker)
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
        owner.stdout.close()
        assert ends(worker), method


POOL = """
import multiprocessing, os
from extractor.parent_death import end_with_parent

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Pool(2, end_with_parent, maxtasksperchild=2) as pool:
        print(sum(pool.imap(abs, range(12))), flush=True)
"""


def test_a_pool_that_replaces_its_workers_comes_to_its_end(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(POOL)
    done = subprocess.run(
        [sys.executable, "-P", str(script)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "66"


PARENT = """
import subprocess, sys
from extractor.parent_death import minded

worker = subprocess.Popen([*minded("timeit"), "-n1", "-r1", "import time; time.sleep(600)"])
print(worker.pid, flush=True)
worker.wait()
"""


def test_a_program_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    owner = subprocess.Popen([sys.executable, "-P", str(script)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    worker = int(owner.stdout.readline())
    assert alive(worker)
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    owner.stdout.close()
    assert ends(worker)
