"""The calls that an entry speaks of are those that its claims are about.

A question may give a call other numbers, another architecture or another pointer mode than the call
that was recorded or followed; every figure of the answer then hangs in the air.
"""

from __future__ import annotations

import re
from typing import Any

from qa.gates.case import Case
from qa.text.prose import plain

_BINDING = re.compile(r"`?([A-Za-z_]\w*)`?\s*=\s*`?'?(-?\d+(?:\.\d+)?|[A-Za-z_]\w*)'?`?(?![\w(.])")
_PUT_RIGHT = re.compile(r"`(\w+)` (?:put right \(|a proper value \(|to |is )(-?\d+)(?=\)|,| meets)")
_MODE = re.compile(r"\b(host|device) pointer mode\b")
_RECORDED = re.compile(r"^A recorded call with (.*?) launches\b")


def agree(case: Case) -> str | None:
    """Entry points, configurations, architectures, modes and arguments are those of the claims."""
    if case.is_code:
        return None
    launches: list[dict[str, Any]] = [
        c.value for c in case.entry.claims
        if c.type == "launch" and isinstance(c.value, dict) and "entry" in c.value
    ]  # fmt: skip
    why = _entry_points(case)
    if why is None and launches:
        why = _settings(case, launches) or _arguments(case, launches)
    return why or _followed(case) or _constants(case)


def _entry_points(case: Case) -> str | None:
    """Public functions of the interface that the question names are the entry's."""
    known = set(case.view.entry_points)
    named = known & set(re.findall(r"`(\w+)`", case.entry.question))
    stray = sorted(named - set(case.entry.entry_points))
    # Next to an entry point of the entry another one is what it is compared with.
    if stray and not named & set(case.entry.entry_points):
        return f"the question is about {stray[0]}, which is not among the entry points"
    for claim in case.entry.claims:
        spoken = claim.type in ("path", "reach") and claim.subject in known
        if spoken and claim.subject not in case.entry.entry_points:
            return f"a claim is about {claim.subject}, the entry is not"
    return None


def _settings(case: Case, launches: list[dict[str, Any]]) -> str | None:
    entry = case.entry
    stray = sorted({str(one["entry"]) for one in launches} - set(entry.entry_points))
    if stray:
        return f"a launch was recorded for {stray[0]}, which is not among the entry points"
    configs = {str(one.get("config", "source")) for one in launches} - set(entry.configs)
    if configs:
        return f"a launch was recorded in configuration {sorted(configs)[0]}, not the entry's"
    recorded = {arch for one in launches for arch in one.get("arch") or ()}
    if recorded and entry.archs and not set(entry.archs) <= recorded:
        return f"no launch was recorded on {sorted(set(entry.archs) - recorded)[0]}"
    modes = set(_MODE.findall(f"{entry.question} {entry.answer}"))
    made = {str(one.get("pointer_mode", "host")) for one in launches}
    if modes and not made <= modes:
        return f"launches were recorded in {sorted(made)[0]} pointer mode, not in the text's"
    return None


def _arguments(case: Case, launches: list[dict[str, Any]]) -> str | None:
    """Arguments that the text gives a recorded call are the call's."""
    calls = [one["args"] for one in launches if isinstance(one.get("args"), dict)]
    if not calls:
        return None
    told = [case.entry.question] if all(_is_whole(case, call) for call in calls) else []
    for text in told:
        for name, value in _bindings(text):
            known = {str(call[name]) for call in calls if name in call}
            if known and value not in known:
                return f"the recorded call has {name} = {sorted(known)[0]}, the question {value}"
    for sentence in case.sentences:
        recorded = _RECORDED.match(plain(sentence))
        if recorded is None:
            continue
        given = dict(_bindings(recorded[1]))
        if not any({k: str(v) for k, v in call.items()} == given for call in calls):
            return f"no claim is about this recorded call: {sentence[:90]}"
    return None


def _is_whole(case: Case, call: dict[str, Any]) -> bool:
    """The question gives names of the call, nearly all of them."""
    named = {name for name, _value in _bindings(case.entry.question)}
    return len(set(call) - named) <= 1


def _bindings(text: str) -> list[tuple[str, str]]:
    return [*_BINDING.findall(plain(text)), *_PUT_RIGHT.findall(plain(text))]


def _followed(case: Case) -> str | None:
    """Arguments of a function that was followed are those of some walk through it."""
    walks: list[dict[str, Any]] = [
        c.value for c in case.entry.claims
        if c.type == "walk" and isinstance(c.value, dict) and isinstance(c.value.get("given"), dict)
    ]  # fmt: skip
    if not walks:
        return None
    known: dict[str, set[str]] = {}
    for walk in walks:
        rows = {**walk["given"], **(walk.get("types") or {}), **(walk.get("values") or {})}
        for name, value in rows.items():
            known.setdefault(str(name), set()).add(str(value))
    for text in (case.entry.question, *case.sentences):
        for name, value in _bindings(text):
            numbers = name in known and all(v.lstrip("-").isdigit() for v in known[name])
            if numbers and value.lstrip("-").isdigit() and value not in known[name]:
                return f"no walk has {name} = {value}: {text[:90]}"
    return None


def _constants(case: Case) -> str | None:
    """Constants that the question sets are those that a claim has."""
    known: dict[str, set[str]] = {}
    for claim in case.entry.claims:
        if claim.type == "constant":
            known.setdefault(claim.subject, set()).add(str(claim.value))
    for name, value in _BINDING.findall(plain(case.entry.question)):
        if name in known and value.isdigit() and value not in known[name]:
            return f"{name} is {sorted(known[name])[0]} by the claims, the question says {value}"
    return None
