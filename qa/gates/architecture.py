"""Architectures that exist and are the ones spoken of."""

from __future__ import annotations

import re

from extractor.settings import ARCHITECTURES
from qa.gates.case import Case
from qa.text.prose import architectures as named_in

_SHAPE = re.compile(r"gfx(?:9\d[0-9a-f]|1[0-2]\d\d)")


def architectures(case: Case) -> str | None:
    """Metadata and text name the same architectures, all of them real and known here."""
    entry = case.entry
    said = set(entry.archs)
    text = named_in(entry.question) | (set() if case.is_code else named_in(entry.answer))
    source = named_in(case.evidence_text)
    known = set(ARCHITECTURES) | source
    if (said | text) - known:
        known |= case.ground.architectures_with_facts(entry.interface)
    for arch in sorted(said | text):
        if not _SHAPE.fullmatch(arch):
            return f"{arch} is no architecture"
        if arch not in known:
            return f"nothing is known about {arch}; known: {', '.join(sorted(known))}"
    stray = text - said - source
    if stray:
        return f"the text speaks of {', '.join(sorted(stray))}, archs does not name it"
    silent = said - named_in(entry.question)
    if silent:
        return f"the question does not name {', '.join(sorted(silent))}, on which it depends"
    return None
