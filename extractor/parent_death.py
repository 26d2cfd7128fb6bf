"""Worker processes that do not outlive the program they work for."""

from __future__ import annotations

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Makes this process end when the one that started it ends, however that happens.

    For initializers of process pools: a pool whose owner is killed leaves its workers at the calls
    they have begun. See prctl(2), ``PR_SET_PDEATHSIG``.
    """
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it ended in between
        os._exit(1)
