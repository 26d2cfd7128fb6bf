"""Gate: a question that lists what it asks about is answered for every item of the list."""

from __future__ import annotations

import re

from qa.gates.case import Case

_LIST = re.compile(r"(?:`[A-Za-z_]\w*`, )+`[A-Za-z_]\w*`,? (?:and|or) `[A-Za-z_]\w*`")
_ALL = re.compile(
    r"\b(?:others?|rest|remaining|neither|none|nothing|nor|each of|every(?:thing)? of|everything|"
    r"all (?:of|these|those|others|the|\w+s are)|"
    r"(?:the|all|these) (?:last |first )?(?:two|three|four|five)|likewise|them all|both of)\b",
    re.I,
)
_FEWEST = 2


def answered(case: Case) -> str | None:
    """Whether an answer that goes through a list of the question leaves one item out.

    Only where the answer takes up at least two of the items and has no word that may stand for the
    others is it sure that one was forgotten.
    """
    entry = case.entry
    if entry.kind != "qa":
        return None
    words = set(re.findall(r"[A-Za-z_]\w*", entry.answer))
    for match in _LIST.finditer(entry.question):
        items = re.findall(r"`([A-Za-z_]\w*)`", match[0])
        missing = [item for item in items if item not in words]
        if not missing or len(items) - len(missing) < _FEWEST or _ALL.search(entry.answer):
            continue
        return f"asked about and not answered: {', '.join(missing)}"
    return None
