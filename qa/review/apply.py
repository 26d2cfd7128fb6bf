"""Decisions applied to entries: rejects leave with the reason, changed entries are flagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qa.intake import fingerprint
from qa.records import Entry
from qa.review.decisions import Decisions, Verdict


@dataclass(frozen=True)
class Applied:
    """What decisions make of entries.

    Attributes:
        kept: Entries that stay.
        rejected: Entries that leave, with the decision.
        accepted: Ids that a person accepted as they are now.
        changed: Entries that are not what was reviewed, with the decision.
        commented: Entries with a comment and no decision.
        gone: Ids that were reviewed and are in the file no more.
        undecided: Number of entries that nobody decided.
    """

    kept: tuple[Entry, ...]
    rejected: tuple[tuple[Entry, Verdict], ...]
    accepted: tuple[str, ...]
    changed: tuple[tuple[Entry, Verdict], ...]
    commented: tuple[tuple[Entry, Verdict], ...]
    gone: tuple[str, ...]
    undecided: int

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kept": len(self.kept),
            "accepted": len(self.accepted),
            "undecided": self.undecided,
            "rejected": [{"id": e.id, "reason": v.reason} for e, v in self.rejected],
            "changed": [
                {"id": e.id, "decision": v.said, "comment": v.decision.comment}
                for e, v in self.changed
            ],
            "commented": [{"id": e.id, "comment": v.decision.comment} for e, v in self.commented],
            "gone": list(self.gone),
        }


def apply(entries: Sequence[Entry], decisions: Decisions) -> Applied:
    """Applies decisions by id."""
    verdicts = [(entry, decisions.of(entry)) for entry in entries]
    made = [(entry, verdict) for entry, verdict in verdicts if verdict is not None]
    rejected = [(entry, verdict) for entry, verdict in made if verdict.rejects]
    gone = {entry.id for entry, _ in rejected}
    known = {entry.id for entry in entries}
    return Applied(
        tuple(entry for entry in entries if entry.id not in gone),
        tuple(rejected),
        tuple(e.id for e, v in made if v.said == "accept" and not v.changed),
        tuple((e, v) for e, v in made if v.changed),
        tuple((e, v) for e, v in made if v.said == "comment"),
        tuple(sorted(decisions.by_id.keys() - known)),
        sum(verdict is None or verdict.said == "comment" for _, verdict in verdicts),
    )


def reject_record(entry: Entry, verdict: Verdict) -> dict[str, Any]:
    """A rejected entry as a line of the file of rejects."""
    return {
        "id": entry.id,
        "gate": "review",
        "reason": verdict.reason,
        "reviewer": verdict.reviewer,
        "comment": verdict.decision.comment,
        "changed_since_review": verdict.changed,
        "fingerprint": fingerprint(entry),
        "entry": entry.model_dump(mode="json", by_alias=True),
    }
