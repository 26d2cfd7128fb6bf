"""Worker processes that do not outlive the program they work for.

As a program (``python -m extractor.parent_death PARENT MODULE ARGUMENT...``) it runs a module that
ends with a process of that number.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
import time

_SECONDS = 1.0


def end_with_parent(parent: int | None = None) -> None:
    """Makes this process end soon after the one that started it, however that ended.

    Args:
        parent: Number of that process, where it may have ended already; the parent when ``None``.

    For initializers of process pools: a pool whose owner is killed leaves its workers at the calls
    they have begun. A thread looks once a second; the kernel's own signal for this comes when the
    *thread* that started the process ends, and pools start some of theirs from threads that end
    before they do.
    """
    watched = os.getppid() if parent is None else parent
    threading.Thread(target=_watch, args=(watched,), daemon=True, name="parent").start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)


def minded(module: str) -> list[str]:
    """Command that runs a module which ends with this process; its arguments follow."""
    return [sys.executable, "-m", "extractor.parent_death", str(os.getpid()), module]


if __name__ == "__main__":
    _, number, name, *rest = sys.argv
    end_with_parent(int(number))
    sys.argv = [name, *rest]
    runpy.run_module(name, run_name="__main__", alter_sys=True)
