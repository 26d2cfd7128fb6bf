"""What became of entries between two files: appeared, vanished, changed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from qa.records import Entry

Reason = Literal[
    "answer", "question", "evidence", "source version", "gates", "claims", "level", "category",
    "scope", "author", "tool version",
]  # fmt: skip
"""Why an entry is another one now."""

_FIELDS: dict[str, Reason] = {
    "answer": "answer",
    "question": "question",
    "evidence": "evidence",
    "context": "evidence",
    "source": "source version",
    "gates": "gates",
    "claims": "claims",
    "level": "level",
    "category": "category",
    "kind": "category",
    "project": "scope",
    "interface": "scope",
    "entry_points": "scope",
    "configs": "scope",
    "archs": "scope",
    "author": "author",
    "tool_version": "tool version",
    "schema_version": "tool version",
}


@dataclass(frozen=True)
class Change:
    """One entry that is another one now.

    Attributes:
        id: The entry.
        reasons: What differs, the weightiest first.
        details: One line for each reason that has more to say.
    """

    id: str
    reasons: tuple[Reason, ...]
    details: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """Two sets of entries.

    Attributes:
        appeared: Entries that are only in the new one.
        vanished: Entries that are only in the old one.
        changed: Entries that differ.
        same: Number of entries that do not.
    """

    appeared: tuple[Entry, ...]
    vanished: tuple[Entry, ...]
    changed: tuple[Change, ...]
    same: int

    @property
    def reasons(self) -> dict[str, int]:
        """How many entries changed for each reason; one may have several."""
        found = Counter(reason for change in self.changed for reason in change.reasons)
        return {
            reason: found[reason] for reason in dict.fromkeys(_FIELDS.values()) if found[reason]
        }

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "same": self.same,
            "appeared": [_named(entry) for entry in self.appeared],
            "vanished": [_named(entry) for entry in self.vanished],
            "changed": [
                {"id": c.id, "reasons": list(c.reasons), "details": list(c.details)}
                for c in self.changed
            ],
            "reasons": self.reasons,
        }


def compare(old: Sequence[Entry], new: Sequence[Entry]) -> Difference:
    """Compares two sets of entries by id."""
    before = {entry.id: entry for entry in old}
    after = {entry.id: entry for entry in new}
    changed = [
        change
        for id_ in sorted(before.keys() & after.keys())
        if (change := _change(before[id_], after[id_])) is not None
    ]
    return Difference(
        tuple(after[id_] for id_ in sorted(after.keys() - before.keys())),
        tuple(before[id_] for id_ in sorted(before.keys() - after.keys())),
        tuple(changed),
        len(before.keys() & after.keys()) - len(changed),
    )


def _change(old: Entry, new: Entry) -> Change | None:
    fields = [name for name in _FIELDS if getattr(old, name) != getattr(new, name)]
    if not fields:
        return None
    details = [line for name in fields if (line := _detail(name, old, new))]
    return Change(new.id, tuple(dict.fromkeys(_FIELDS[name] for name in fields)), tuple(details))


def _detail(name: str, old: Entry, new: Entry) -> str:
    if name == "source":
        return f"source {_revision(old)} -> {_revision(new)}"
    if name == "evidence":
        left, right = set(old.evidence), set(new.evidence)
        places = {(s.file, s.start_line, s.end_line) for s in left}
        rewritten = sum((s.file, s.start_line, s.end_line) in places for s in right - left)
        return (
            f"evidence: {len(right - left) - rewritten} added, {len(left - right) - rewritten} "
            f"removed, {rewritten} with another text"
        )
    if name == "gates":
        names = sorted(old.gates.keys() | new.gates.keys())
        return "gates: " + ", ".join(
            f"{n} {_verdict(old.gates.get(n))} -> {_verdict(new.gates.get(n))}"
            for n in names
            if old.gates.get(n) != new.gates.get(n)
        )
    if name in ("answer", "question"):
        return f"{name}: {_short(getattr(old, name))} -> {_short(getattr(new, name))}"
    if name in ("level", "category", "kind", "tool_version", "configs", "archs", "entry_points"):
        return f"{name}: {_list(getattr(old, name))} -> {_list(getattr(new, name))}"
    return ""


def _named(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "project": entry.project,
        "interface": entry.interface,
        "category": entry.category,
        "level": entry.level,
        "question": entry.question,
    }


def _revision(entry: Entry) -> str:
    source = entry.source
    return f"{source.name} {source.version} {source.commit[:12]} {source.license}"


def _verdict(value: bool | None) -> str:
    return {True: "passed", False: "failed", None: "absent"}[value]


def _list(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"'{line[:70]}…'" if len(line) > 70 else f"'{line}'"
