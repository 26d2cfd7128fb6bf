"""Architectures that exist and are the ones spoken of."""

from __future__ import annotations

import re
from typing import Any

from extractor.settings import ARCHITECTURES
from qa.gates.case import Case
from qa.text.prose import architectures as named_in

_FAMILY = re.compile(r"gfx(\d+)(x{1,2})\b", re.I)
_SHAPE = re.compile(r"gfx(?:[678]\d\d|9\d[0-9a-f]|1[0-2]\d\d)")


def architectures(case: Case) -> str | None:
    """Metadata and text name the same architectures, all of them real and known here."""
    entry = case.entry
    said = set(entry.archs)
    text = named_in(entry.question) | (set() if case.is_code else named_in(entry.answer))
    source = named_in(case.evidence_text)
    known = set(ARCHITECTURES) | source
    if (said | text) - known:
        known |= case.ground.architectures_with_facts(entry.interface)
    # Launches that are claimed on one are recorded on it when the claims are checked.
    known |= {
        str(arch)
        for claim in entry.claims if claim.type == "launch" and isinstance(claim.value, dict)
        for arch in _listed(claim.value.get("arch"))
    }  # fmt: skip
    for arch in sorted(said | text):
        if not _SHAPE.fullmatch(arch):
            return f"{arch} is no architecture"
        if arch not in known and not _of_a_family(arch, case.evidence_text):
            return f"nothing is known about {arch}; known: {', '.join(sorted(known))}"
    stray = text - said - source
    if stray:
        return f"the text speaks of {', '.join(sorted(stray))}, archs does not name it"
    silent = said - named_in(entry.question)
    if silent:
        return f"the question does not name {', '.join(sorted(silent))}, on which it depends"
    return None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _of_a_family(arch: str, text: str) -> bool:
    """The lines speak of its generation: ``gfx11xx``."""
    return any(
        re.fullmatch(f"gfx{digits}[0-9a-f]{{{len(rest)}}}", arch)
        for digits, rest in _FAMILY.findall(text)
    )
