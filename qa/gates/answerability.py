"""Questions that ask something, and need the code for their answer."""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.text.prose import identifiers, numbers, words

_TRIVIAL = re.compile(
    r"^(?:on which line|in which line|which line|what is the name of|what is the type of|"
    r"in which file|which file|how many lines|what does `?\w+`? stand for)\b", re.I
)  # fmt: skip
_SHORTEST_ANSWER = 25
STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "not",
        "no",
        "is",
        "are",
        "be",
        "was",
        "were",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "so",
        "as",
        "if",
        "then",
        "than",
        "each",
        "every",
        "all",
        "one",
        "two",
        "does",
        "do",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "must",
        "only",
        "also",
        "both",
        "into",
        "over",
        "under",
        "per",
        "there",
        "their",
        "they",
        "them",
        "while",
        "because",
        "since",
        "before",
        "after",
        "between",
    ]
)
_PRAISE = re.compile(
    r"\b(?:optimal(?:ly)?|optimum|best[- ]possible|highly efficient|efficient(?:ly)?|"
    r"maximi[sz]\w+ (?:throughput|performance|occupancy|bandwidth|parallelism)|"
    r"(?:improv|boost|enhanc)\w* (?:performance|throughput|efficiency)|best performance|"
    r"faster\b|good performance|high performance|balances? occupancy|cache[- ]friendly|"
    r"hides? (?:memory )?latency|elegant|cleverly|state[- ]of[- ]the[- ]art)\b",
    re.I,
)
_NEEDS_PROOF = {
    r"\boccupancy\b": ("occupancy",),
    r"\bbank conflicts?\b": ("lds_access", "conflict"),
    r"\bspill(?:s|ed|ing)?\b": ("spills", "scratch_bytes", "spill"),
    r"\bregister pressure\b": ("vgprs", "sgprs"),
}


def question(case: Case) -> str | None:
    """The question is one, and does not hold its own answer."""
    entry = case.entry
    if len(words(entry.question)) < 6:
        return "the question is too short to ask anything"
    if _TRIVIAL.search(entry.question.strip()):
        return "trivia: a name, a line or a type is no question"
    if case.is_code:
        asked = re.sub(r"\s+", "", entry.question)
        bare = re.sub(r"\s+", "", entry.answer)
        windows = (bare[i : i + 160] for i in range(0, max(1, len(bare) - 160), 80))
        # A signature may be given; statements may not.
        if any(part.count(";") >= 2 and part in asked for part in windows):
            return "the instruction contains the code it asks for"
        return None
    told = set(words(entry.question)) - STOP
    given = [w for w in words(entry.answer) if w not in STOP]
    if not given:
        return "the answer says nothing"
    new = [w for w in dict.fromkeys(given) if w not in told]
    if len(new) < max(5, 0.3 * len(set(given))):
        return f"the answer is in the question: only {len(new)} of its words are new"
    return None


def needs_code(case: Case) -> str | None:
    """The answer says what only the code can tell, and enough of it."""
    entry = case.entry
    if case.is_code:
        body = re.sub(r"/\*.*?\*/|//[^\n]*", " ", entry.answer, flags=re.S)
        if body.count(";") < 2 or "{" not in body:
            return "the code is too small to be an implementation"
        return None
    if len(words(entry.answer)) < _SHORTEST_ANSWER:
        return f"shallow: the answer has fewer than {_SHORTEST_ANSWER} words"
    asked = {number.value for number in numbers(entry.question)}
    new_names = (identifiers(entry.answer) - case.question_names) & case.evidence_names
    new_numbers = {n.value for n in numbers(entry.answer)} - asked
    if len(new_names) + len(new_numbers) < 2:
        return "answerable without the code: no name or number of the source is new in the answer"
    return None


def plain_speech(case: Case) -> str | None:
    """No praise, and no reason that nothing in the code or the resource report shows."""
    if case.is_code:
        return None
    cited = case.evidence_text.lower()
    for match in _PRAISE.finditer(case.entry.answer):
        if match[0].lower() not in cited:
            return f"unproved praise: '{match[0]}'"
    claimed = case.claim_text.lower()
    for pattern, proofs in _NEEDS_PROOF.items():
        spoken = re.search(pattern, case.entry.answer, re.I)
        if spoken and not any(proof in claimed or proof in cited for proof in proofs):
            return f"invented reason: nothing cited shows '{spoken[0]}'"
    return None
