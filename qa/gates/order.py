"""Before and after: what an answer puts in an order stands in that order in the source.

Two places that a sentence names, such as a test and a barrier, are looked up in the functions that
are cited. An answer is refused where every function that has both has them the other way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.gates.case import Case
from qa.reading.function_text import without_comments
from qa.text.comparisons import tight
from qa.text.prose import plain

_ORDER = re.compile(
    r"\b(?P<before>before|precedes?|in front of|ahead of|prior to)\b"
    r"|\b(?P<after>after|follows?|behind|once)\b",
    re.I,
)
_MARK = re.compile(
    r"`(?P<code>[^`]+)`|\b(?P<barrier>barrier)\b|\b(?P<loop>loops?)\b|\b(?P<back>returns?)\b(?! `)"
)
_UNSURE = re.compile(
    r"\b(?:not|never|no|without|would|could|might|may|if|unless|were|otherwise|instead|either|"
    r"other|another|next|earlier|previous|iteration|round)\b|n't\b",
    re.I,
)
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+")
_PRONOUN = re.compile(r"\s*(?:it|that|this|them|these|those|which)\s*[`.,;]")
_APART = re.compile(
    r"[^`;]*,\s+\w+[^`;,]{2,100}|(?!\s*(?:and|or)\b)[^`;,]*\b(?:the|it|each|every|all|thread|only)\b"
    r"[^`;,]{2,100}"
)
_FAR = 70


def kept(case: Case) -> str | None:
    """Places that a sentence names one before the other stand so."""
    if case.is_code:
        return None
    texts = [
        without_comments(f.text)
        for f in case.evidence_functions if f.span is not None
    ]  # fmt: skip
    if not texts:
        return None
    for sentence in case.sentences:
        for first, second in told(plain(sentence)):
            turns = {_turn(text, first, second) for text in texts} - {None}
            if turns == {False}:
                return f"{first} does not stand before {second}: {sentence[:90]}"
    return None


def told(sentence: str) -> list[tuple[str, str]]:
    """Pairs of places that a sentence puts in an order, the first one first."""
    return list(_told(sentence))


def _told(sentence: str) -> Iterator[tuple[str, str]]:
    """Pairs of places, the one that is said to come first first."""
    for match in _ORDER.finditer(sentence):
        if _in_code(sentence, match.start()):
            continue
        start = max(
            (m.end() for m in _CLAUSE.finditer(sentence) if m.end() <= match.start()), default=0
        )
        left = [m for m in _MARK.finditer(sentence, start) if m.end() <= match.start()]
        right = list(_MARK.finditer(sentence, match.end()))
        if _PRONOUN.match(sentence, match.end()):
            continue
        if not right or right[0].start() - match.end() > _FAR or ";" in sentence[
            match.end() : right[0].start()
        ]:  # fmt: skip
            continue
        if left and match.start() - left[-1].end() <= _FAR:
            one, other, end = left[-1], right[0], right[0].end()
        elif not left and len(right) > 1 and _APART.fullmatch(
            sentence[right[0].end() : right[1].start()]
        ):  # fmt: skip
            one, other, end = right[1], right[0], right[1].end()
        else:
            continue
        if _UNSURE.search(re.sub(r"`[^`]*`", " ", sentence[start:end])):
            continue
        pair = (_mark(one), _mark(other))
        if pair[0] != pair[1]:
            yield pair if match["before"] else pair[::-1]


def _in_code(sentence: str, place: int) -> bool:
    return sentence.count("`", 0, place) % 2 == 1


def _mark(match: re.Match[str]) -> str:
    if match["code"]:
        return match["code"]
    return "__syncthreads" if match["barrier"] else "for(" if match["loop"] else "return"


def _turn(text: str, first: str, second: str) -> bool | None:
    """Whether one stands before the other wherever both stand; ``None`` where that is not so."""
    ones, others = _places(text, first), _places(text, second)
    if not ones or not others:
        return None
    if max(ones) < min(others):
        return True
    return False if min(ones) > max(others) else None


def _places(text: str, mark: str) -> list[int]:
    """Where a piece of code stands in a text, white space left out."""
    bare, places = [], []
    for place, character in enumerate(text):
        if not character.isspace():
            bare.append(character)
            places.append(place)
    wanted = tight(re.sub(r"\(\)$", "", mark))
    found = []
    for match in re.finditer(re.escape(wanted), "".join(bare)):
        first, last = places[match.start()], places[match.end() - 1]
        begins = re.match(r"\w", wanted) and re.match(r"[\w.]", text[first - 1 : first] or " ")
        ends = re.search(r"\w$", wanted) and re.match(r"\w", text[last + 1 : last + 2] or " ")
        if not begins and not ends:
            found.append(first)
    return found
