"""Facts of host functions: several processes, the store, and the shapes of what is stated."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.facts.host import production
from extractor.facts.host.closures import Closures
from extractor.facts.host.program import HostProgram
from extractor.project import Project

from ..shapes import wrong_shapes
from .conftest import RULES, Stated


def _lines(project: Project) -> list[str]:
    program = HostProgram(project, project.resolve("scale"), "source")
    return [
        fact.model_dump_json() for fact in production.Production(program, composed=True).facts()
    ]


def test_every_value_is_as_the_vocabulary_says(stated: Stated) -> None:
    assert wrong_shapes(stated.facts) == []
    assert {fact.fact for fact in stated.facts} >= {"launch_condition", "argument_check"}


def test_several_processes_state_what_one_does_and_the_store_keeps_it(
    stated: Stated, monkeypatch: pytest.MonkeyPatch, product_cache: Path
) -> None:
    alone = _lines(Project(RULES, jobs=1))
    # Nothing is known any more: all is made again, in as many processes as are allowed.
    monkeypatch.setattr(production, "_identity", lambda: "another program")
    monkeypatch.setattr(production, "_FEWEST", 1)
    assert _lines(Project(RULES, jobs=2)) == alone
    monkeypatch.setattr(production, "_made", None)
    assert _lines(Project(RULES, jobs=2)) == alone


def test_a_digest_changes_with_a_callee_and_with_nothing_else(product_cache: Path) -> None:
    project = Project(RULES, jobs=1)
    program = HostProgram(project, project.resolve("scale"), "source")
    effects = program.trees.effects
    symbols = {program.graph.host.nodes[i].symbol: i for i in program.functions}
    caller = next(s for s in sorted(symbols) if effects.callees.get(s))
    callee = min(effects.callees[caller])
    other = next(
        s for s in sorted(symbols) if callee != s and callee not in effects.callees.get(s, ())
        and not effects.callees.get(s)
    )  # fmt: skip
    before = {s: Closures(program).digest(symbols[s]) for s in (caller, other)}
    program.bodies.digests[callee] = b"changed"
    after = {s: Closures(program).digest(symbols[s]) for s in (caller, other)}
    assert before[caller] != after[caller]
    assert before[other] == after[other]
