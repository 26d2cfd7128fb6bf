"""Counts over entries: what `qa stats` prints and a dataset card shows."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_args

from qa.records import Category, Entry, EntryKind

LEVELS = ("1", "2", "3")
"""Levels as text, as counts name them."""

_LENGTHS = (100, 250, 500, 1000, 2500, 5000, 10000)


def summary(entries: Sequence[Entry]) -> dict[str, Any]:
    """All counts.

    Returns:
        ``rows``; ``by_level`` and so on: name to number; ``interfaces``: project/interface to level
        to number; ``lengths``: characters of question, answer and context.
    """
    return {
        "rows": len(entries),
        "by_project": count(entries, lambda e: [e.project]),
        "by_level": count(entries, lambda e: [str(e.level)], LEVELS),
        "by_kind": count(entries, lambda e: [e.kind], get_args(EntryKind)),
        "by_category": count(entries, lambda e: [e.category], get_args(Category)),
        "by_author": count(entries, lambda e: [author(e)]),
        "by_config": count(entries, lambda e: list(e.configs) or ["any"]),
        "by_arch": count(entries, lambda e: list(e.archs) or ["any"]),
        "by_license": count(entries, lambda e: [e.source.license]),
        "by_gate": by_gate(entries),
        "categories": by_level(entries, lambda e: e.category, get_args(Category)),
        "interfaces": by_level(entries, lambda e: f"{e.project}/{e.interface}"),
        "lengths": {
            "question": lengths(len(e.question) for e in entries),
            "answer": lengths(len(e.answer) for e in entries),
            "context": lengths(sum(len(c.text) for c in e.context) for e in entries),
        },
        "histogram": histogram(entries),
        "tokens": sum(e.author.tokens or 0 for e in entries),
        "cost": round(sum(e.author.cost or 0.0 for e in entries), 6),
    }


def author(entry: Entry) -> str:
    """Who wrote an entry, in a word or a model's name."""
    return entry.author.model or entry.author.kind


def count(
    entries: Iterable[Entry],
    names: Callable[[Entry], Sequence[str]],
    always: Sequence[str] = (),
) -> dict[str, int]:
    """Entries by name; those of ``always`` first, even with none, then the most frequent."""
    found = Counter(name for entry in entries for name in names(entry))
    rest = sorted(set(found) - set(always), key=lambda name: (-found[name], name))
    return {name: found[name] for name in (*always, *rest)}


def by_level(
    entries: Iterable[Entry], name: Callable[[Entry], str], always: Sequence[str] = ()
) -> dict[str, dict[str, int]]:
    """Entries by name and level, most frequent first."""
    found: dict[str, Counter[str]] = {key: Counter() for key in always}
    for entry in entries:
        found.setdefault(name(entry), Counter())[str(entry.level)] += 1
    order = sorted(found, key=lambda key: (-found[key].total(), key))
    return {key: {level: found[key][level] for level in LEVELS} for key in order}


def by_gate(entries: Iterable[Entry]) -> dict[str, dict[str, int]]:
    """Verdicts of each gate."""
    found: dict[str, dict[str, int]] = {}
    for entry in entries:
        for name, passed in entry.gates.items():
            verdicts = found.setdefault(name, {"passed": 0, "failed": 0})
            verdicts["passed" if passed else "failed"] += 1
    return dict(sorted(found.items()))


def lengths(values: Iterable[int]) -> dict[str, int]:
    """Smallest, median, 90th percentile and largest of some lengths in characters."""
    found = sorted(values)
    if not found:
        return {"min": 0, "median": 0, "p90": 0, "max": 0}
    return {
        "min": found[0],
        "median": int(statistics.median_low(found)),
        "p90": found[min(len(found) - 1, (len(found) * 9) // 10)],
        "max": found[-1],
    }


def histogram(entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
    """Lengths of questions and answers in classes of characters."""
    labels = [f"up to {bound:,}" for bound in _LENGTHS] + [f"over {_LENGTHS[-1]:,}"]
    found = {label: {"questions": 0, "answers": 0} for label in labels}
    for entry in entries:
        for name, text in (("questions", entry.question), ("answers", entry.answer)):
            place = sum(len(text) > bound for bound in _LENGTHS)
            found[labels[place]][name] += 1
    return found
