"""Worker processes that do not outlive the program they work for."""

from __future__ import annotations

import os
import threading
import time

_SECONDS = 1.0


def end_with_parent() -> None:
    """Makes this process end soon after the one that started it, however that ended.

    For initializers of process pools: a pool whose owner is killed leaves its workers at the calls
    they have begun. A thread looks once a second; the kernel's own signal for this comes when the
    *thread* that started the process ends, and pools start some of theirs from threads that end
    before they do.
    """
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), daemon=True, name="parent").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)
