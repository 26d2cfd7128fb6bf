"""Decisions of reviewers, by entry id, with the fingerprint of what they saw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError

from extractor.errors import UserError
from extractor.records import Record
from qa.intake import fingerprint
from qa.records import Entry

REVIEWS_SCHEMA = "rocquarry.reviews/1"
"""Version of a file of decisions."""


class Decision(Record):
    """What one person decided about one entry.

    Attributes:
        id: The entry.
        fingerprint: Of the entry as it was seen (``qa.intake.fingerprint``).
        decision: ``accept``, ``reject``, or ``None`` for a comment alone.
        comment: Why.
    """

    id: str
    fingerprint: str
    decision: Literal["accept", "reject"] | None = None
    comment: str = ""


class Reviews(Record):
    """A file that the review page exports.

    Attributes:
        schema_version: ``rocquarry.reviews/1``; the key in JSON is ``schema``.
        reviewer: Who decided, as they name themselves.
        decisions: In any order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    schema_version: Literal["rocquarry.reviews/1"] = Field(
        default="rocquarry.reviews/1", alias="schema"
    )
    reviewer: str = ""
    decisions: tuple[Decision, ...]


@dataclass(frozen=True)
class Verdict:
    """What is known about one entry.

    Attributes:
        decision: The decision that counts.
        reviewer: Who made it.
        changed: The entry is another now than the one that was seen.
    """

    decision: Decision
    reviewer: str
    changed: bool

    @property
    def rejects(self) -> bool:
        """Whether the entry leaves. It does even when it changed: nobody said that it is right."""
        return self.decision.decision == "reject"

    @property
    def said(self) -> str:
        """The decision in a word."""
        return self.decision.decision or "comment"

    @property
    def reason(self) -> str:
        """Why it was rejected, in one line."""
        by = f" by {self.reviewer}" if self.reviewer else ""
        why = " ".join(self.decision.comment.split())
        return f"rejected{by}" + (f": {why}" if why else "")


@dataclass
class Decisions:
    """Decisions of any number of files.

    Attributes:
        by_id: Decisions about each entry, with who made them.
    """

    by_id: dict[str, list[tuple[Decision, str]]] = field(default_factory=dict)

    @classmethod
    def load(cls, paths: Sequence[Path]) -> Decisions:
        """Reads files of decisions.

        Raises:
            UserError: A file cannot be read or is none.
        """
        found = cls()
        for path in paths:
            reviews = _read(path)
            for decision in reviews.decisions:
                found.by_id.setdefault(decision.id, []).append((decision, reviews.reviewer))
        return found

    def of(self, entry: Entry) -> Verdict | None:
        """What counts for an entry: a rejection before an acceptance before a comment.

        Among equals one that was made about this very text comes first.
        """
        made = self.by_id.get(entry.id)
        if not made:
            return None
        now = fingerprint(entry)
        rank = {"reject": 0, "accept": 1, None: 2}
        decision, reviewer = min(
            made, key=lambda item: (rank[item[0].decision], item[0].fingerprint != now)
        )
        return Verdict(decision, reviewer, decision.fingerprint != now)


def _read(path: Path) -> Reviews:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    try:
        return Reviews.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(
            f"{path} is no file of decisions: {where}: {first['msg']}; export one from qa view"
        ) from error
