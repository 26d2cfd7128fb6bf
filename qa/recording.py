"""Launch traces recorded while an entry is checked."""

from __future__ import annotations

import importlib
from typing import Any

from extractor.errors import RocQuarryError
from extractor.project import Project


def record(project: Project, call: dict[str, Any]) -> dict[str, Any] | None:
    """Calls an entry point of the library's own host code and returns what it launched.

    Args:
        project: The library.
        call: ``config``, ``entry``, ``args``, ``arch``, ``pointer_mode`` and ``atomics``.

    Returns:
        A trace as in ``traces.jsonl``, or ``None`` where this machine cannot record one.
    """
    try:
        tracing = importlib.import_module("extractor.trace")
        trace = tracing.trace_call(
            project, call.get("config", "source"), call["entry"], call["args"],
            arch=(call.get("arch") or [None])[0],
            pointer_mode=call.get("pointer_mode", "host"), atomics=call.get("atomics"),
        )  # fmt: skip
    except (ImportError, AttributeError, RocQuarryError):
        return None
    found: dict[str, Any] = trace.model_dump(mode="json", by_alias=True)
    return found
