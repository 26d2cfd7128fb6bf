"""One entry by a model: question, answer, gates, a second answer, and a try without the code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from extractor.records import Span
from qa.author.draft import Cite, Draft
from qa.author.subjects import entries_through
from qa.ground import Ground
from qa.model import replies
from qa.model.budget import Usage, cost
from qa.model.client import OUTCOMES
from qa.model.context import Shown, pieces_of, shown
from qa.model.plan import Wanted
from qa.model.prompts import render, version
from qa.model.replies import ReplyType
from qa.model.settings import ModelSettings, Role
from qa.records import Author, Entry
from qa.scope_view import ScopeView

_PROMPT_SHARE = 0.7

AskGates = Callable[[Entry], tuple[dict[str, bool], str]]
"""Gates of an entry, asked for it alone, and the reason of the first that failed."""


class Asks(Protocol):
    """What an author needs of a client."""

    @property
    def settings(self) -> ModelSettings:
        """Model and limits."""

    async def ask(self, role: Role, prompt: str, kind: type[ReplyType]) -> tuple[ReplyType, Usage]:
        """One reply of a given shape, and what it took."""


@dataclass
class Written:
    """What came of one wanted entry.

    Attributes:
        wanted: What was asked for.
        entry: The entry, passed or not; ``None`` where no answer came.
        stage: Where it ended: ``accepted``, or what stopped it.
        reason: Why; empty for an accepted one.
        usage: What its requests took now; nothing for those that were known.
        rounds: How often the answer was written.
    """

    wanted: Wanted
    entry: Entry | None = None
    stage: str = "accepted"
    reason: str = ""
    usage: Usage = field(default_factory=Usage)
    rounds: int = 0


class ModelAuthor:
    """Writes entries about one library.

    Args:
        client: Asks the model.
        ground: The library.
        judge: The gates.
    """

    def __init__(self, client: Asks, ground: Ground, judge: AskGates) -> None:
        self._client, self._ground, self._judge = client, ground, judge

    def context(self, view: ScopeView, one: Wanted) -> Shown:
        """What the model is shown for an entry."""
        settings = self._client.settings
        room = int((settings.context_tokens - settings.answer_tokens) * _PROMPT_SHARE)
        return shown(view, self._ground, view.by_id[one.subject], one.level, room)

    def question_prompt(self, view: ScopeView, one: Wanted, asked: Sequence[str] = ()) -> str:
        """The first prompt of an entry."""
        look = self.context(view, one)
        return render(
            f"writer/{one.category}_{one.level}", pieces=look.pieces, facts=look.facts,
            traces=look.traces, asked=list(asked), **self._common(view, one),
        )  # fmt: skip

    def _common(self, view: ScopeView, one: Wanted) -> dict[str, Any]:
        return {
            "project": view.project, "version": self._ground.source.version,
            "interface": one.interface, "configs": list(view.configs), "category": one.category,
            "level": one.level, "subject": view.by_id[one.subject].name,
        }  # fmt: skip

    async def write(self, view: ScopeView, one: Wanted, asked: Sequence[str] = ()) -> Written:
        """Writes one entry; what the model does not manage is in the result, with its reason."""
        made = Written(one)
        try:
            await self._write(view, one, asked, made)
        except tuple(OUTCOMES) as error:
            made.stage, made.reason = OUTCOMES[type(error)], str(error.args[0])
            if len(error.args) > 1 and isinstance(error.args[1], Usage):
                made.usage += error.args[1]
        if made.entry is not None:
            made.entry = self._priced(made.entry, made)
        return made

    async def _write(
        self, view: ScopeView, one: Wanted, asked: Sequence[str], made: Written
    ) -> None:
        look = self.context(view, one)
        prompt = self.question_prompt(view, one, asked)
        question, used = await self._client.ask("writer", prompt, replies.Question)
        made.usage += used
        if question.declined or not question.question.strip():
            made.stage, made.reason = "declined", question.declined or "an empty question"
            return
        failures: list[str] = []
        for _ in range(1 + self._client.settings.tries):
            made.rounds += 1
            prompt = render(
                "answerer", pieces=look.pieces, facts=look.facts, traces=look.traces,
                question=question.question, failures=failures, **self._common(view, one),
            )  # fmt: skip
            answer, used = await self._client.ask("answerer", prompt, replies.Answer)
            made.usage += used
            if answer.declined or not answer.sentences:
                made.stage, made.reason = "declined", answer.declined or "an empty answer"
                return
            made.entry, why = self._entry(view, one, look, question, answer, prompt)
            if not why:
                gates, why = self._judge(made.entry)
                made.entry = made.entry.model_copy(update={"gates": gates})
            if not why:
                break
            made.stage, made.reason = "gates", why
            failures.append(why)
        else:
            return
        made.stage, made.reason = "accepted", ""
        await self._again(view, one, look, made)

    async def _again(self, view: ScopeView, one: Wanted, look: Shown, made: Written) -> None:
        """From the evidence alone the same answer has to come; without any code it must not."""
        entry = made.entry
        assert entry is not None
        pieces = pieces_of(entry.evidence, self._ground, view)
        prompt = render(
            "second", pieces=pieces, facts=look.facts, traces=look.traces, question=entry.question
        )
        second, used = await self._client.ask("second", prompt, replies.SecondAnswer)
        made.usage += used
        if second.declined:
            self._refuse(made, "round_trip", "its evidence alone does not decide the answer")
            return
        agreed = await self._compare(entry, second.answer, made)
        if not agreed.agree:
            self._refuse(made, "round_trip", f"answered again: {agreed.difference}")
            return
        prompt = render(
            "closed_book", question=entry.question, project=view.project, interface=one.interface
        )
        guess, used = await self._client.ask("second", prompt, replies.SecondAnswer)
        made.usage += used
        if not guess.declined and (await self._compare(entry, guess.answer, made)).agree:
            self._refuse(made, "closed_book", "the same answer came without any code")
            return
        gates = {**entry.gates, "round_trip": True, "closed_book": True}
        made.entry = entry.model_copy(update={"gates": gates})

    async def _compare(self, entry: Entry, other: str, made: Written) -> replies.Comparison:
        prompt = render("critic", question=entry.question, first=entry.answer, second=other)
        agreed, used = await self._client.ask("critic", prompt, replies.Comparison)
        made.usage += used
        return agreed

    @staticmethod
    def _refuse(made: Written, gate: str, why: str) -> None:
        assert made.entry is not None
        made.stage, made.reason = gate, why
        gates = {**made.entry.gates, gate: False}
        made.entry = made.entry.model_copy(update={"gates": gates})

    def _entry(
        self, view: ScopeView, one: Wanted, look: Shown, question: replies.Question,
        answer: replies.Answer, prompt: str,
    ) -> tuple[Entry, str]:  # fmt: skip
        subject = view.by_id[one.subject]
        draft = Draft(
            view, self._ground, one.category, f"model\0{one.level}\0{one.subject}",
            entries_through(view, subject), archs=tuple(question.architectures),
        )  # fmt: skip
        draft.question = question.question
        why = ""
        for sentence in answer.sentences:
            cites: list[Cite] = []
            for citation in sentence.citations:
                place, wrong = self._cite(citation, look)
                why = why or wrong
                if place is not None:
                    cites.append(place)
            draft.say(sentence.text, *cites)
        for claim in answer.claims:
            draft.claim(claim.type, claim.subject, _value(claim), _CHECKS[claim.type])
        entry = draft.entry()
        if not why and entry.level != one.level:
            why = f"level: the cited lines make it level {entry.level}, not {one.level}"
        author = Author(
            kind="model", model=self._client.settings.of("answerer"), prompt_sha256=_hash(prompt)
        )
        return entry.model_copy(update={"author": author}), why

    def _cite(self, citation: replies.Citation, look: Shown) -> tuple[Cite | None, str]:
        if citation.ground != "source":
            return citation.ground, ""
        first, last = citation.first_line, citation.last_line
        for start, end in look.spans().get(citation.file, ()):
            if start <= first <= last <= end:
                return self._span(citation.file, first, last), ""
        file = citation.file or "no file"
        return None, f"spans: lines {first}-{last} of {file} were not among those given"

    def _span(self, file: str, first: int, last: int) -> Span:
        return self._ground.span(file, first, last)

    def _priced(self, entry: Entry, made: Written) -> Entry:
        tokens = made.usage.tokens
        author = entry.author.model_copy(
            update={"tokens": tokens, "cost": cost(self._client.settings, made.usage)}
        )
        return entry.model_copy(update={"author": author})


_CHECKS = {"number": "recompute", "constant": "source", "condition": "source", "path": "scope"}


def _value(claim: replies.CheckedClaim) -> Any:
    if claim.type == "path":
        return [part.strip() for part in claim.value.split(",") if part.strip()]
    if claim.type == "condition":
        return claim.value
    try:
        number = float(claim.value)
    except ValueError:
        return claim.value
    return int(number) if number.is_integer() else number


def _hash(prompt: str) -> str:
    return hashlib.sha256(f"{version()}\0{prompt}".encode()).hexdigest()
