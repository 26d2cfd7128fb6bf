"""Launches that a trace recorded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Any

from qa.gates.case import Case
from qa.records import Claim
from qa.text.prose import numbers, plain

_SUPPOSED = re.compile(r"\b(?:if|with|when|were|would|otherwise|instead)\b", re.I)
_UNIT = re.compile(r"\s*(?:-?\s*)(blocks?|threads?|workgroups?|work-items?)\b")


def find_trace(case: Case, value: dict[str, Any]) -> dict[str, Any] | None:
    """The trace of the call that a claim names, recorded again where none is at hand."""
    mode = value.get("pointer_mode", "host")
    for trace in case.ground.traces(case.entry.interface):
        if (
            trace["entry"] == value.get("entry")
            and trace.get("config", "source") == value.get("config", "source")
            and trace["args"] == value.get("args")
            and trace["pointer_mode"] == mode
            and ("atomics" not in value or trace.get("atomics") == value["atomics"])
            and set(value.get("arch") or ()) <= set(trace["arch"])
        ):
            return trace
    return case.ground.record(value)


def launch_holds(case: Case, claim: Claim) -> str | None:
    """A launch claim equals the trace of its call."""
    value = claim.value
    if not isinstance(value, dict) or "entry" not in value:
        return None
    trace = find_trace(case, value)
    if trace is None:
        return f"no trace of {value['entry']} with the claim's arguments proves the launch"
    if "launches" in value and value["launches"] != len(trace["launches"]):
        return (
            f"the trace has {len(trace['launches'])} launches, the claim says {value['launches']}"
        )
    if "grid" not in value:
        return None
    for launch in trace["launches"]:
        if launch["kernel"] == claim.subject and all(
            launch[key] == value[key]
            for key in ("grid", "block", "shared_bytes", "repeat")
            if key in value
        ):
            return None
    return (
        f"the trace of {value['entry']} has no launch of {claim.subject} with grid "
        f"{value.get('grid')} and block {value.get('block')}"
    )


def traced(case: Case) -> str | None:
    """Prose gives kernels the grids and blocks of their traces, and names every claimed kernel."""
    claimed: dict[str, list[dict[str, Any]]] = {}
    for claim in case.entry.claims:
        if claim.type == "launch" and isinstance(claim.value, dict) and "grid" in claim.value:
            claimed.setdefault(claim.subject, []).append(claim.value)
    if not claimed or case.is_code:
        return None
    for kernel in claimed:
        if not re.search(rf"\b{re.escape(kernel)}\b", case.entry.answer):
            return f"the claimed launch of {kernel} is not in the answer"
    kernels = {f.name for f in case.view.of_kind("kernel")}
    proved = {
        value for claim in case.entry.claims if claim.type in ("number", "constant", "fact")
        for value in _numbers_of(claim.value)
    } | {number.value for number in numbers(case.entry.question)}  # fmt: skip
    for sentence in case.sentences:
        named = sorted({n for n in re.findall(r"\w+", sentence) if n in kernels})
        allowed = set(proved)
        for name in named or claimed:
            for value in claimed.get(name, ()):
                for part in ("grid", "block"):
                    allowed |= _sizes(_extents(value.get(part)))
        text = plain(sentence)
        for number in numbers(text):
            unit = _UNIT.match(text, number.end)
            if unit and number.value not in allowed | case.evidence_numbers:
                return f"{number.value} {unit[1]} is no size of a launch: {sentence[:80]}"
            if unit and named and not any(n in claimed for n in named) and (
                re.search(r"\b(?:runs|is launched|launches)\b", sentence)
                and not _SUPPOSED.search(sentence)
                and unit[1].startswith("block") and number.value not in allowed
            ):  # fmt: skip
                return f"no trace launches {named[0]}: {sentence[:80]}"
    return None


def _extents(value: Any) -> list[int]:
    """Extents as a claim gives them; none where it gives something else."""
    return [v for v in value if isinstance(v, int)] if isinstance(value, list) else []


def _sizes(extents: Sequence[int]) -> set[int | float]:
    found: set[int | float] = set(extents)
    for count in (2, 3):
        found.update(prod(some) for some in combinations(extents, count))
    return found


def _numbers_of(value: Any) -> set[int | float]:
    if isinstance(value, bool):
        return set()
    if isinstance(value, int | float):
        return {value}
    if isinstance(value, list):
        return {n for one in value for n in _numbers_of(one)}
    if isinstance(value, dict):
        return {n for one in value.values() for n in _numbers_of(one)}
    return set()
