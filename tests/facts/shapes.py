"""Facts whose value is not as the vocabulary says."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.facts.records import Fact
from extractor.facts.vocabulary import VOCABULARY


def wrong_shapes(facts: Iterable[Fact]) -> list[str]:
    """One line for each fact of an unknown name, or with a value of another shape."""
    found = []
    for fact in facts:
        shape = VOCABULARY.get(fact.fact)
        if shape is None:
            found.append(f"{fact.fact} is not in the vocabulary")
        elif fact.value is None:
            if not fact.reason:
                found.append(f"{fact.fact} {fact.subject} is null without a reason")
        elif problem := shape.problem(fact.value):
            found.append(f"{fact.fact} {fact.subject}: {problem}")
    return found
