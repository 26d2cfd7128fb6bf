"""Conditions that prose must not turn round."""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.reading.function_text import without_comments
from qa.text.arithmetic import Unknown, evaluate
from qa.text.comparisons import _TURNED as TURNED
from qa.text.comparisons import comparisons_of_prose, tight, turned
from qa.text.prose import code_fragments

_NAME = re.compile(r"[A-Za-z_]\w*(?:->\w+|\.\w+|::\w+)*")
_OPERATORS = re.compile(r"[-+*/%<>=!&|?]|\s\w")


def agree(case: Case) -> str | None:
    """Comparisons of the answer are those of the cited lines, and logic in backticks is theirs."""
    if case.is_code:
        return None
    source = case.source_comparisons
    squeezed = tight(case.evidence_text)
    spelled = _NAME.findall(without_comments(case.evidence_text))
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
            why = _misquoted(case, fragment, squeezed, spelled)
            if why:
                return why
    return None


def _false_numbers(left: str, operator: str, right: str, sentence: str) -> str | None:
    if TURNED.search(sentence.lower()) or not re.search(r"\d", left + right):
        return None
    try:
        true = evaluate(f"({left}) {operator} ({right})")
    except Unknown:
        return None
    return None if true else f"{left} {operator} {right} is false"


def _misquoted(case: Case, fragment: str, squeezed: str, spelled: list[str]) -> str | None:
    """A piece of code that the cited lines have otherwise.

    An author who claims sentences quotes; anybody else may put code in his own words, but not the
    names of one expression in their order with other operators or numbers between them.
    """
    if not _OPERATORS.search(fragment) or "…" in fragment or "..." in fragment:
        return None
    bare = tight(fragment)
    if _stands_in(bare, squeezed) or bare in tight(case.claim_text):
        return None
    if bare in tight(case.entry.question):
        return None
    if case.statements and not _is_instantiation(case, fragment):
        return f"the cited lines do not have: {fragment[:90]}"
    names = _NAME.findall(fragment)
    if len(names) > 1 and _runs_through(names, spelled):
        return f"the source combines these names in another way: {fragment[:80]}"
    return None


def _stands_in(bare: str, squeezed: str) -> bool:
    """The code stands there, and no ``!`` in front of it is left out."""
    left_out = re.escape(bare)
    return bare in squeezed and re.search(rf"(?<!!){left_out}", squeezed) is not None


def _is_instantiation(case: Case, fragment: str) -> bool:
    """``name<arguments>``, or a type; whether it exists is another gate's question."""
    match = re.fullmatch(r"([\w:]+)\s*(?:<.*>)?[\s*&\w]*", fragment.strip())
    if match is None:
        return False
    arguments = {
        tight(argument)
        for function in case.view.functions
        for one in function.instantiations
        for argument in one["template_arguments"]
    }
    return match[1].split("::")[-1] in case.view.by_name or tight(fragment) in arguments


def _runs_through(some: list[str], all_: list[str]) -> bool:
    """The names stand next to each other in the source, in this order."""
    first = some[0]
    return any(all_[i : i + len(some)] == some for i, name in enumerate(all_) if name == first)
