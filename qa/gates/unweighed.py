"""What of an entry no gate weighs, counted: prose that is passed is not prose that was checked."""

from __future__ import annotations

import re
from collections import Counter

from qa.gates import directions, measures, order, quantities, reached
from qa.gates.case import Case
from qa.text.prose import checkable, plain

_DECISIVE = re.compile(
    r"\b(?P<quantity>all|every|each|some|none|never|always|only|alone|both|either|once|twice|half|"
    r"double|at least|at most|minimum|maximum|smallest|largest)\b"
    r"|\b(?P<place>rows?|columns?|left|right|upper|lower|above|below|first|last|inside|outside|"
    r"highest|lowest)\b"
    r"|\b(?P<order>before|after|precedes?|follows?|behind|in front of)\b",
    re.I,
)
_PATTERNS = (*reached.PATTERNS, *measures.PATTERNS, *directions.PATTERNS, *quantities.PATTERNS)
NOTHING = "sentences without code, number or name"
WORDS_OF = "words of {} in prose that no gate weighs"


def unweighed(case: Case) -> Counter[str]:
    """Counts of what nobody has checked in prose that the static author did not write."""
    found: Counter[str] = Counter()
    if case.is_code or case.entry.author.kind == "static":
        return found
    for sentence in case.sentences:
        text = plain(sentence)
        if not checkable(sentence):
            found[NOTHING] += 1
            continue
        spans = [match.span() for pattern in _PATTERNS for match in pattern.finditer(text)]
        ordered = order.told(text)
        bare = re.sub(r"`[^`]*`", lambda m: " " * len(m[0]), text)
        for match in _DECISIVE.finditer(bare):
            kind = str(match.lastgroup)
            if kind == "order" and ordered:
                continue
            if not any(first <= match.start() < last for first, last in spans):
                found[WORDS_OF.format(kind)] += 1
    return found
