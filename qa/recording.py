"""Calls made while an entry is written or checked: their launches, and how their tests come out."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from extractor.errors import RocQuarryError
from extractor.project import Project
from extractor.settings import DEFAULT_ARCHITECTURE
from qa.executed import Run
from qa.scope_view import ScopeView

_OPEN_RUNS = 60
"""So many calls that were made again are kept for each scope."""

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


def made_again(project: Project, view: ScopeView, trace: Mapping[str, Any]) -> dict[str, Run]:
    """A recorded call as it ran, by architecture.

    Args:
        project: The library.
        view: Scope of the entry point, which keeps what was made.
        trace: As in ``traces.jsonl``.

    Returns:
        Nothing where the call cannot be made again on every architecture of its.
    """
    names = ("entry", "config", "args", "pointer_mode", "atomics", "arch")
    parts = {name: trace.get(name) for name in names}
    key = hashlib.blake2b(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()
    if key not in view.runs:
        defined = view.once("entry points by file", lambda: _defined(view))
        runs: dict[str, Run] = {}
        found: dict[str, Executed] = {}
        archs = trace.get("arch", ())
        for arch in archs:
            one = executed(project, dict(trace), arch, defined)
            # Mostly all architectures run the same: one copy of it is enough.
            same = next((known for known in found if found[known] == one), None)
            if one is not None:
                found[arch] = one
                runs[arch] = runs[same] if same is not None else Run(view, one)
        view.runs[key] = runs if len(runs) == len(archs) else {}
        while len(view.runs) > _OPEN_RUNS:
            view.runs.pop(next(iter(view.runs)))
    known: dict[str, Run] = view.runs[key]
    return known


def _defined(view: ScopeView) -> dict[str, list[str]]:
    """By source file, the entry points that it defines."""
    found: dict[str, list[str]] = {}
    for function in view.of_kind("entry_point"):
        if function.name in view.entry_points and function.span is not None:
            found.setdefault(function.file, []).append(function.name)
    return found
