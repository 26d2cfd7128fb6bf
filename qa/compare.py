"""Two authors, or two models, on the same scopes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor.errors import UserError
from qa.judgement import blanked_text, near_text, read_entries
from qa.records import Entry
from qa.text.skeleton import NearDuplicates

REJECTS = "rejects.jsonl"


@dataclass(frozen=True)
class Side:
    """One author's output.

    Attributes:
        name: File.
        entries: Entries that passed.
        rejected: Lines of the rejects beside the file, by gate.
    """

    name: str
    entries: tuple[Entry, ...]
    rejected: Counter[str]

    def figures(self) -> dict[str, Any]:
        """Counts, depth and cost."""
        count = len(self.entries)
        costs = [e.author.cost for e in self.entries if e.author.cost is not None]
        refused = sum(self.rejected.values())

        def mean(total: float) -> float | None:
            return round(total / count, 3) if count else None

        return {
            "file": self.name,
            "accepted": count,
            "rejected": refused,
            "pass_rate": round(count / (count + refused), 4) if count + refused else None,
            "rejects_by_gate": dict(sorted(self.rejected.items())),
            "by_category": dict(sorted(Counter(e.category for e in self.entries).items())),
            "by_level": dict(sorted(Counter(str(e.level) for e in self.entries).items())),
            "files_cited": mean(sum(len({s.file for s in e.evidence}) for e in self.entries)),
            "spans_cited": mean(sum(len(e.evidence) for e in self.entries)),
            "claims": mean(sum(len(e.claims) for e in self.entries)),
            "answer_words": mean(sum(len(e.answer.split()) for e in self.entries)),
            "priced": len(costs),
            "cost_per_accepted_usd": round(sum(costs) / len(costs), 6) if costs else None,
        }


def read_side(file: Path) -> Side:
    """Entries of a file, and the rejects that lie beside it.

    Raises:
        UserError: The file cannot be read, or a line is no entry.
    """
    entries = []
    for number, row in enumerate(read_entries(file), 1):
        try:
            entries.append(Entry.model_validate_json(orjson.dumps(row)))
        except ValueError as error:
            raise UserError(
                f"{file}:{number}: no entry ({str(error).splitlines()[0]}); see: qa check {file}"
            ) from error
    beside = file.parent / REJECTS
    gates: Counter[str] = Counter()
    if beside.is_file() and beside != file:
        gates.update(str(row.get("gate", "")) for row in read_entries(beside))
    return Side(str(file), tuple(entries), gates)


def compare(first: Side, second: Side) -> dict[str, Any]:
    """Both sides' figures on the interfaces they share, and what they have in common.

    Returns:
        ``interfaces`` in common and of one side only, ``first`` and ``second`` with their figures
        over the common ones, and ``near_duplicates`` between them.
    """
    ours, theirs = ({(e.project, e.interface) for e in side.entries} for side in (first, second))
    common = ours & theirs
    sides = [
        Side(side.name, tuple(e for e in side.entries if (e.project, e.interface) in common),
             side.rejected)
        for side in (first, second)
    ]  # fmt: skip
    return {
        "interfaces": {
            "common": len(common), "first_only": len(ours - common),
            "second_only": len(theirs - common),
        },
        "first": sides[0].figures(),
        "second": sides[1].figures(),
        "near_duplicates": _between(sides[0].entries, sides[1].entries),
    }  # fmt: skip


def _between(first: Sequence[Entry], second: Sequence[Entry]) -> list[dict[str, str]]:
    texts = NearDuplicates()
    for entry in first:
        texts.seen(f"1:{entry.id}", near_text(entry), blanked_text(entry))
    found = []
    for entry in second:
        alike = texts.seen(f"2:{entry.id}", near_text(entry), blanked_text(entry))
        if alike is not None and alike[0].startswith("1:"):
            found.append({"first": alike[0][2:], "second": entry.id, "how": alike[1]})
    return found
