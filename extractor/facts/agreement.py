"""What a comparison of facts with a second tool counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Agreement:
    """What a comparison counted.

    Attributes:
        counts: By fact and verdict: ``agrees``, ``disagrees``, ``undecidable``.
        disagreements: One line for each.
        reasons: What could not be decided, by what was missing.
        stated: Facts of the entry points' launches that have a value, by kind.
        nulls: The others, by kind and reason.
        traces: Traces compared.
        skipped: Traces left out, by reason.
    """

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    stated: Counter[str] = field(default_factory=Counter)
    nulls: Counter[tuple[str, str]] = field(default_factory=Counter)
    traces: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, fact: str, verdict: str, note: str = "") -> None:
        """Counts one verdict."""
        self.counts[fact, verdict] += 1
        if verdict == "disagrees":
            self.disagreements.append(note)
        elif verdict == "undecidable":
            self.reasons[note] += 1

    def join(self, other: Agreement) -> None:
        """Adds what another comparison counted."""
        self.counts.update(other.counts)
        self.stated.update(other.stated)
        self.nulls.update(other.nulls)
        self.reasons.update(other.reasons)
        self.skipped.update(other.skipped)
        self.disagreements += other.disagreements
        self.traces += other.traces

    def as_json(self) -> dict[str, Any]:
        """Counts and shares, for printing."""
        table: dict[str, dict[str, Any]] = {}
        for (fact, verdict), count in sorted(self.counts.items()):
            table.setdefault(fact, {"agrees": 0, "disagrees": 0, "undecidable": 0})[verdict] = count
        for row in table.values():
            decided = row["agrees"] + row["disagrees"]
            row["agreeing"] = round(row["agrees"] / decided, 4) if decided else None
        return {
            "traces": self.traces,
            "skipped": dict(sorted(self.skipped.items())),
            "facts": table,
            "stated": dict(sorted(self.stated.items())),
            "null": {f"{fact}: {why}": n for (fact, why), n in self.nulls.most_common()},
            "undecidable": dict(self.reasons.most_common(12)),
            "disagreements": self.disagreements[:50],
        }
