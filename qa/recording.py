"""Calls made while an entry is written or checked: their launches, and how their tests come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from extractor.errors import RocQuarryError
from extractor.project import Project
from extractor.settings import DEFAULT_ARCHITECTURE

if TYPE_CHECKING:
    from extractor.trace.branches import Executed


def record(project: Project, call: dict[str, Any]) -> dict[str, Any] | None:
    """Calls an entry point of the library's own host code and returns what it launched.

    Args:
        project: The library.
        call: ``config``, ``entry``, ``args``, ``arch``, ``pointer_mode`` and ``atomics``.

    Returns:
        A trace as in ``traces.jsonl``, or ``None`` where this machine cannot record one.
    """
    from extractor.trace.run import trace_call

    archs = call.get("arch") or [DEFAULT_ARCHITECTURE]
    try:
        trace = trace_call(
            project, str(call.get("config", project.configurations()[0])), call["entry"],
            call["args"], arch=archs[0], pointer_mode=call.get("pointer_mode", "host"),
            atomics=call.get("atomics"),
        )  # fmt: skip
    except RocQuarryError:
        return None
    found: dict[str, Any] = trace.model_dump(mode="json", by_alias=True)
    return found


def executed(
    project: Project, trace: dict[str, Any], arch: str, defined: Mapping[str, Sequence[str]]
) -> Executed | None:
    """What a recorded call executes of the library's host code.

    Args:
        project: The library.
        trace: As in ``traces.jsonl``.
        arch: One of its architectures.
        defined: By source file, the entry points of the interface.

    Returns:
        ``None`` where this machine cannot make the call, or where it does not launch the same.
    """
    from extractor.trace.branches import executed as look
    from extractor.trace.records import Trace

    try:
        return look(project, Trace.model_validate(trace), arch, defined)
    except RocQuarryError:
        return None
