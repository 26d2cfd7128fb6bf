"""Host facts of a small library with the constructs that hide launches, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.facts.host.production import facts_of
from extractor.facts.records import Fact
from extractor.project import Project

RULES = Path(__file__).parent / "fixtures" / "rules.toml"


class Stated:
    """Facts, asked for by function and kernel."""

    def __init__(self, facts: list[Fact]) -> None:
        self.facts = facts

    def of(self, function: str, fact: str, kernel: str = "") -> list[Fact]:
        return [
            one
            for one in self.facts
            if one.function.endswith(f":{function}")
            and one.fact == fact
            and (not kernel or (one.value and str(one.value["kernel"]).endswith(f":{kernel}")))
        ]

    def composed(self, entry: str, fact: str, kernel: str) -> list[Fact]:
        return [one for one in self.of(entry, fact, kernel) if "through" in one.value]


@pytest.fixture(scope="session")
def stated(product_cache: Path) -> Stated:
    project = Project(RULES, jobs=1)
    return Stated([one for i in project.families() for one in facts_of(project, i, "source")])
