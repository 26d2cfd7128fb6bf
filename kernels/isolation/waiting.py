"""Threads that wait for runs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from kernels.isolation.process import end_runs


@contextmanager
def waiting_threads(jobs: int) -> Iterator[ThreadPoolExecutor]:
    """So many threads; when their work is left by an error or an interrupt, the runs that they
    wait for are ended, and no others are begun."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            last = threading.Thread(target=pool.shutdown, daemon=True)
            last.start()
            while last.is_alive():
                # Again and again: a thread may just be about to begin one.
                end_runs()
                last.join(0.05)
            raise
