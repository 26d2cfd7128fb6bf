"""An entry while it is written: sentences with what they cite, and claims."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import JsonValue

from extractor import __version__
from extractor.records import Span
from qa.gates.case import place
from qa.gates.names import LANGUAGE
from qa.ground import Ground
from qa.levels import level_of
from qa.records import Author, Category, Claim, Entry, EntryKind
from qa.scope_view import FunctionView, ScopeView
from qa.text.prose import identifiers, sentences

_SHORT_PAIR = 150
Cite = Span | str
"""Lines of the source, or another ground: ``trace``, ``fact``, ``recompute``, ``scope``."""


class Draft:
    """One entry in the making.

    Args:
        view: Scope of its interface.
        ground: Its library.
        category: What it is about.
        subject: What tells it from other entries of the interface; part of its id.
        entry_points: Public names it is about.
        configs: Configurations in which it holds.
        archs: Architectures it depends on.
        kind: What it asks for.
    """

    def __init__(
        self,
        view: ScopeView,
        ground: Ground,
        category: Category,
        subject: str,
        entry_points: Sequence[str],
        *,
        configs: Sequence[str] = (),
        archs: Sequence[str] = (),
        kind: EntryKind = "qa",
    ) -> None:
        self.view, self.ground = view, ground
        self.category, self.subject, self.kind = category, subject, kind
        self.entry_points = tuple(entry_points)
        self.configs = tuple(configs) or view.configs
        self.archs = tuple(archs)
        self.question = ""
        self.answer = ""
        self.untold = False  # something that is asked for could not be told: it is no entry
        self._parts: list[tuple[str, tuple[Cite, ...]]] = []
        self._claims: list[Claim] = []
        self._evidence: list[Span] = []

    @property
    def id(self) -> str:
        """Stable over rebuilds."""
        key = "\0".join(
            (self.view.project, self.view.interface, self.kind, self.category, self.subject)
        )
        return hashlib.blake2b(key.encode(), digest_size=10).hexdigest()

    def choose(self, *forms: str, salt: str = "") -> str:
        """One of several ways to say the same, always the same one for this entry."""
        # Without the interface: what several interfaces share is told in the same words.
        key = "\0".join((self.view.project, self.kind, self.category, self.subject))
        digest = hashlib.blake2b(f"{key}{salt}{len(forms)}".encode(), digest_size=4).digest()
        return forms[int.from_bytes(digest, "big") % len(forms)]

    def say(self, text: str, *cites: Cite) -> None:
        """Adds one or more sentences that rest on the same grounds."""
        text = re.sub(r"\s+", " ", text).strip()
        if text:
            self._parts.append((text, cites))

    def tells(self, text: str) -> bool:
        """A sentence so far has this piece of code."""
        return any(f"`{text}`" in said for said, _cites in self._parts)

    def tells_of(self, word: str) -> bool:
        """A sentence so far has this word, be it a part of another."""
        return any(word in said for said, _cites in self._parts)

    def claim(self, kind: str, subject: str, value: Any, check: str) -> None:
        """Adds a claim that a gate checks again."""
        claim = Claim(type=kind, subject=subject, value=value, check=check, passed=True)
        if claim not in self._claims:
            self._claims.append(claim)

    def lines(self, function: FunctionView, first: int, last: int | None = None) -> Span:
        """Lines of a function's file."""
        return self.ground.span(function.file, first, last or first)

    def whole(self, function: FunctionView) -> Span:
        """All lines of a function."""
        assert function.span is not None
        return function.span

    def head(self, function: FunctionView) -> Span:
        """The lines of a function's signature."""
        assert function.span is not None
        rows = function.text.split("\n")
        count = next((i for i, row in enumerate(rows, 1) if "{" in row), len(rows))
        first = function.span.start_line
        return self.ground.span(
            function.file, first, min(first + count - 1, function.span.end_line)
        )

    def cite(self, *spans: Span) -> None:
        """Adds evidence of an answer that is code."""
        self._evidence.extend(spans)

    def _flowing(self) -> list[tuple[str, tuple[Cite, ...]]]:
        """The parts, two short neighbours joined into one sentence where that reads well."""
        flowing: list[tuple[str, tuple[Cite, ...]]] = []
        for text, cites in self._parts:
            if flowing and self._joins(flowing[-1][0], text):
                before, known = flowing[-1]
                flowing[-1] = (before.rstrip(".") + ", and " + _lowered(text), (*known, *cites))
            else:
                flowing.append((text, cites))
        return flowing

    @staticmethod
    def _joins(before: str, text: str) -> bool:
        return (
            len(before) + len(text) < _SHORT_PAIR
            and len(sentences(before)) == len(sentences(text)) == 1
            and before.endswith(".")
            and not re.search(r", |;|: ", before + text)
        )

    def _shows(self, span: Span, sentence: str) -> bool:
        """The lines have a name of the sentence; a sentence without names is shown by any."""
        named = identifiers(sentence) - LANGUAGE
        if not named:
            return True
        there = set(re.findall(r"[A-Za-z_]\w*", self.ground.text(span)))
        there.update(function.name for function in self.view.overlapping(span))
        return bool(named & there)

    def _place(self) -> None:
        """Names the architectures of recorded launches in the question: others may differ."""
        recorded = [
            {str(arch) for arch in archs} for claim in self._claims
            if claim.type == "launch" and isinstance(claim.value, dict)
            and isinstance(archs := claim.value.get("arch"), list)
        ]  # fmt: skip
        if self.archs or not recorded:
            return
        self.archs = tuple(sorted(set.intersection(*recorded)))
        if not self.archs:
            return
        words = listed(list(self.archs))
        place = re.compile(r"\((configuration `\w+`)\)")
        if place.search(self.question):
            self.question = place.sub(rf"(\1, {words})", self.question, count=1)
        else:
            self.question = f"{self.question} (On {words}.)"

    def entry(self) -> Entry:
        """The finished entry; its gates are asked later."""
        evidence: list[Span] = list(self._evidence)
        claims: list[Claim] = []
        parts = self._flowing()
        for text, cites in parts:
            for sentence in sentences(text):
                places = []
                for one in cites:
                    if isinstance(one, str):
                        places.append(one)
                    elif self._shows(one, sentence):
                        evidence.append(one)
                        places.append(place(one))
                claims.append(
                    Claim(type="statement", subject=sentence, value=list[JsonValue](places),
                          check="source", passed=True)
                )  # fmt: skip
        self._place()
        spans = _ordered(evidence)
        answer = self.answer or " ".join(text for text, _cites in parts)
        return Entry(
            id=self.id, project=self.view.project, source=self.ground.source,
            interface=self.view.interface, entry_points=self.entry_points, configs=self.configs,
            archs=self.archs, kind=self.kind, category=self.category,
            level=level_of(spans, self.ground, self.view),
            question=re.sub(r"(?<=\S)[ \t]+", " ", self.question).strip(), answer=answer, context=(),
            evidence=spans, claims=(*claims, *self._claims),
            author=Author(kind="static"), gates={}, tool_version=__version__,
        )  # fmt: skip


_KEPT = re.compile(r"(?:NaN|LDS|BLAS|[A-Z]{2,})\b")


def _lowered(text: str) -> str:
    """The text as the second half of a sentence."""
    return text if _KEPT.match(text) else text[0].lower() + text[1:]


def _ordered(spans: Iterable[Span]) -> tuple[Span, ...]:
    unique = dict.fromkeys(spans)
    return tuple(sorted(unique, key=lambda s: (s.file, s.start_line, s.end_line)))


def code(text: str) -> str:
    """Text in backticks."""
    return f"`{text}`"


def listed(items: Sequence[str], word: str = "and") -> str:
    """``a, b and c``."""
    if len(items) <= 1:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def counted(number: int, singular: str, plural: str = "") -> str:
    """``1 block``, ``2 blocks``."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
