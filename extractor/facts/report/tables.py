"""Tables across a library: what every kernel needs and where to look first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from extractor.facts.records import Fact


@dataclass
class KernelRow:
    """One kernel in the tables.

    Attributes:
        function: Id of the definition.
        lds_bytes: Largest static LDS stated.
        occupancy: Waves on a SIMD by architecture, the smallest stated.
        vgprs: By architecture, the largest stated.
        classes: Global accesses by class.
        divergent: Barriers in divergent control flow.
    """

    function: str
    lds_bytes: int | None = None
    occupancy: dict[str, int] = field(default_factory=dict)
    vgprs: dict[str, int] = field(default_factory=dict)
    classes: dict[str, int] = field(default_factory=dict)
    divergent: int = 0

    def as_json(self) -> dict[str, Any]:
        """For the page and ``--json``."""
        return {
            "function": self.function,
            "lds_bytes": self.lds_bytes,
            "occupancy": dict(sorted(self.occupancy.items())),
            "vgprs": dict(sorted(self.vgprs.items())),
            "classes": dict(sorted(self.classes.items())),
            "divergent": self.divergent,
        }


def kernel_rows(facts: Iterable[Fact]) -> list[KernelRow]:
    """A row for every function that has facts of a kernel, by id."""
    rows: dict[str, KernelRow] = {}
    places: dict[str, set[tuple[str, str]]] = {}
    for fact in facts:
        if fact.fact not in _KERNEL_FACTS:
            continue
        row = rows.setdefault(fact.function, KernelRow(fact.function))
        value: Any = fact.value
        if value is None:
            continue
        seen = places.setdefault(fact.function, set())
        once = (fact.fact, fact.subject)
        if fact.fact in ("lds_bytes", "code_object_lds_bytes") and isinstance(value, int):
            row.lds_bytes = max(value, row.lds_bytes or 0)
        elif fact.fact == "occupancy" and fact.arch and isinstance(value, int):
            row.occupancy[fact.arch] = min(value, row.occupancy.get(fact.arch, value))
        elif fact.fact == "vgprs" and fact.arch and isinstance(value, int):
            row.vgprs[fact.arch] = max(value, row.vgprs.get(fact.arch, value))
        elif fact.fact == "global_access" and once not in seen:
            kind = str(value.get("class"))
            row.classes[kind] = row.classes.get(kind, 0) + 1
        elif fact.fact == "barrier" and once not in seen and value.get("divergent") is True:
            row.divergent += 1
        seen.add(once)
    return [rows[name] for name in sorted(rows)]


def unproved(facts: Iterable[Fact]) -> list[tuple[str, str, int]]:
    """Kinds of facts, why some are null, and how many: most frequent first."""
    found: Counter[tuple[str, str]] = Counter()
    for fact in facts:
        if fact.value is None:
            found[fact.fact, general(fact.reason or "no reason")] += 1
    rows = [(name, reason, count) for (name, reason), count in found.items()]
    return sorted(rows, key=lambda row: (-row[2], row[0], row[1]))


_PLACE = re.compile(r"(?:lines?|line) \d+|\b\d+ of \d+\b|@\d+")


def general(reason: str) -> str:
    """A reason without the numbers of lines and the names of what it speaks of."""
    text = _PLACE.sub(lambda match: re.sub(r"\d+", "…", match[0]), reason)
    text = re.sub(r"agree on .* was not proved", "agree on a condition was not proved", text)
    text = re.sub(
        r"^\S+ was not resolved (after|in an iteration of)", r"a variable was not resolved \1", text
    )
    return re.sub(r"^\S+ changes in the loop", "a variable changes in the loop", text)


_KERNEL_FACTS = frozenset(
    {"lds_bytes", "code_object_lds_bytes", "occupancy", "vgprs", "global_access", "barrier"}
)
