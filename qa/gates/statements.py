"""Sentences and the claims that vouch for them."""

from __future__ import annotations

import re

from qa.gates.case import Case, place
from qa.text.prose import checkable

OTHER_GROUNDS = frozenset(("trace", "fact", "recompute", "scope", "question"))
"""What a sentence may rest on besides lines of the source."""


def covered(case: Case) -> str | None:
    """Every sentence that can be checked is claimed word for word, and cites what is evidence.

    Entries whose author claims no sentences are judged by the other gates.
    """
    if case.is_code or not case.statements:
        return None
    cited: set[str] = set()
    evidence = {place(span) for span in case.entry.evidence}
    said = {re.sub(r"\s+", " ", sentence).strip() for sentence in case.sentences}
    for sentence in said:
        if sentence not in case.statements:
            if checkable(sentence) or len(sentence.split()) > 3:
                return f"no claim stands for the sentence: {sentence[:90]}"
            continue
        for one in case.statements[sentence]:
            if one in OTHER_GROUNDS:
                continue
            if one not in evidence:
                return f"a sentence cites {one}, which is not among the evidence"
            cited.add(one)
    unsaid = [text for text in case.statements if text not in said]
    if unsaid:
        return f"a claimed sentence is not in the answer: {unsaid[0][:90]}"
    unused = evidence - cited
    if unused:
        return f"no sentence cites the evidence {sorted(unused)[0]}"
    return None
