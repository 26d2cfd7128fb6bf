"""Conditions that prose must not turn round."""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.text.arithmetic import Unknown, evaluate
from qa.text.comparisons import _TURNED as TURNED
from qa.text.comparisons import comparisons_of_prose, tight, turned
from qa.text.prose import code_fragments

_NAME = re.compile(r"[A-Za-z_]\w*(?:->\w+|\.\w+|::\w+)*|\d+")


def agree(case: Case) -> str | None:
    """Comparisons of the answer are those of the cited lines, and logic in backticks is theirs."""
    if case.is_code:
        return None
    source = case.source_comparisons
    squeezed = tight(case.evidence_text)
    written = _NAME.findall(case.evidence_text)
    for sentence in case.sentences:
        for stated, clause in comparisons_of_prose(sentence):
            against = turned(stated, clause, source)
            if against is not None:
                return (
                    f"negated condition: the source has {against.left} {against.operator} "
                    f"{against.right}, the answer {stated.left} {stated.operator} {stated.right}"
                )
            why = _false_numbers(stated.left, stated.operator, stated.right, sentence)
            if why:
                return why
        for fragment in code_fragments(sentence):
            if re.search(r"&&|\|\||!(?!=)", fragment) and tight(fragment) not in squeezed:
                spelled = _NAME.findall(fragment)
                if len(spelled) > 1 and _runs_through(spelled, written):
                    return f"the source combines these conditions in another way: {fragment[:80]}"
    return None


def _false_numbers(left: str, operator: str, right: str, sentence: str) -> str | None:
    if TURNED.search(sentence.lower()) or not re.search(r"\d", left + right):
        return None
    try:
        true = evaluate(f"({left}) {operator} ({right})")
    except Unknown:
        return None
    return None if true else f"{left} {operator} {right} is false"


def _runs_through(some: list[str], all_: list[str]) -> bool:
    """The names stand next to each other in the source, in this order."""
    first = some[0]
    return any(
        all_[i : i + len(some)] == some for i, name in enumerate(all_) if name == first
    )  # fmt: skip
