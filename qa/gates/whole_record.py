"""Gate: nothing is the last or the only launch of a call whose record does not show all of them."""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.gates.launches import find_trace

_ALL = re.compile(
    r"^(?:Last|Finally|Lastly)\b|\b(?:a single|one|the only|exactly one|no other|the last) "
    r"(?:kernel )?launch\b|\blaunches in all\b|\bnothing (?:more|else) is launched\b|"
    r"\blaunches nothing (?:more|else)\b",
    re.I,
)
_MORE = re.compile(r"\b(?:librar(?:y|ies)|beyond|past the|not recorded|not shown|unseen)\b", re.I)


def shown(case: Case) -> str | None:
    """A call that hands work past the recorded boundary has launches that its record lacks.

    An answer that speaks of the library beyond, or of the function to which the work goes, has told
    so; where only some of the claimed calls go beyond, it may be another one that is meant.
    """
    if case.is_code:
        return None
    claimed = [
        c.value for c in case.entry.claims
        if c.type == "launch" and isinstance(c.value, dict) and "entry" in c.value
    ]  # fmt: skip
    found = next((s for s in case.sentences if _ALL.search(s)), None) if claimed else None
    if found is None:
        return None
    records = [find_trace(case, value) for value in claimed]
    if not all(record is not None and record.get("boundaries") for record in records):
        return None
    libraries = [b["library"] for b in case.view.boundaries]
    symbols = [b["name"].split("(")[0].split("::")[-1] for b in case.view.boundaries]
    text = case.entry.answer
    if _MORE.search(text) or any(name and name in text for name in (*libraries, *symbols)):
        return None
    return f"its record does not show what is launched past the boundary: {found[:90]}"
