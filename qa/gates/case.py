"""An entry under judgement, with what the gates need to know about it worked out once."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Any

from extractor.records import Span
from qa.ground import Ground
from qa.records import Entry
from qa.scope_view import FunctionView, ScopeView
from qa.text.comparisons import Comparison, comparisons_of_code
from qa.text.prose import identifiers, numbers, sentences

_WORD = re.compile(r"[A-Za-z_]\w*")


class Case:
    """One entry and the library it is about.

    Args:
        entry: The entry.
        ground: Its library.
    """

    def __init__(self, entry: Entry, ground: Ground) -> None:
        self.entry = entry
        self.ground = ground
        self.left_out: Counter[str] = Counter()
        """What gates did not look at, with how often."""

    @cached_property
    def view(self) -> ScopeView:
        """Scope of the entry's interface."""
        return self.ground.view(self.entry.interface)

    @property
    def is_code(self) -> bool:
        """The answer is code, not prose."""
        return self.entry.kind != "qa"

    @cached_property
    def shown(self) -> tuple[Span, ...]:
        """Spans of evidence and of context."""
        return tuple(dict.fromkeys((*self.entry.evidence, *(c.span for c in self.entry.context))))

    @cached_property
    def evidence_text(self) -> str:
        """The cited lines and the context as they stand in the tree."""
        return "\n".join(self.ground.text(span) for span in self.shown)

    @cached_property
    def evidence_names(self) -> set[str]:
        """Names in the cited lines, and those of the functions that the lines stand in."""
        found = set(_WORD.findall(self.evidence_text))
        for function in self.evidence_functions:
            found.update(_WORD.findall(function.signature))
            found.update(_WORD.findall(function.qualified_name))
        return found

    @cached_property
    def evidence_functions(self) -> list[FunctionView]:
        """Functions of the scope that the evidence shares lines with."""
        found = {f.id: f for span in self.entry.evidence for f in self.view.overlapping(span)}
        return list(found.values())

    @cached_property
    def evidence_numbers(self) -> set[int | float]:
        """Numbers in the cited lines and in what was instantiated from their functions."""
        found = {number.value for number in numbers(self.evidence_text)}
        for function in self.evidence_functions:
            for one in function.instantiations:
                for argument in one["template_arguments"]:
                    found.update(number.value for number in numbers(argument))
        return found

    @cached_property
    def source_comparisons(self) -> list[Comparison]:
        """Comparisons in the cited lines."""
        return [
            one for span in self.shown for one in comparisons_of_code(self.ground.text(span))
        ]  # fmt: skip

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences of the answer; none where it is code."""
        return [] if self.is_code else sentences(self.entry.answer)

    @cached_property
    def question_names(self) -> set[str]:
        """Names that the question speaks of."""
        return identifiers(self.entry.question)

    @cached_property
    def answer_names(self) -> set[str]:
        """Names that the answer speaks of; every name where it is code."""
        if self.is_code:
            bare = re.sub(
                r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"", " ", self.entry.answer, flags=re.S
            )
            return set(_WORD.findall(bare))
        return identifiers(self.entry.answer)

    @cached_property
    def statements(self) -> dict[str, list[str]]:
        """Sentences that claims vouch for, with the places each one cites."""
        return {
            _folded(claim.subject): [str(v) for v in _list(claim.value)]
            for claim in self.entry.claims
            if claim.type == "statement"
        }

    @cached_property
    def claim_text(self) -> str:
        """Everything that checkable claims other than statements say."""
        return " ".join(
            f"{claim.subject} {_flat(claim.value)}"
            for claim in self.entry.claims
            if claim.type != "statement"
        )


def place(span: Span) -> str:
    """A span as claims cite it: ``file:first-last``."""
    return f"{span.file}:{span.start_line}-{span.end_line}"


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _flat(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{k} {_flat(v)}" for k, v in value.items())
    if isinstance(value, list):
        return " ".join(_flat(v) for v in value)
    return str(value)
