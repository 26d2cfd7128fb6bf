"""Facts of exactly those entry points that traces call, compared with the traces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from extractor.facts.host.check import Agreement, Comparison
from extractor.facts.host.enumerators import enumerators
from extractor.facts.host.facts import HostFacts
from extractor.facts.host.program import HostProgram
from extractor.facts.records import Fact
from extractor.project import Project
from extractor.trace.prototypes import read_prototypes

_MANY = 24
"""Entry points for which the whole library is linked."""


def compared(project: Project, config: str, traces: Sequence[dict[str, Any]]) -> Agreement:
    """Compares traces of one configuration with the facts of their entry points.

    Args:
        project: The opened library.
        config: Configuration.
        traces: Lines of ``traces.jsonl``; those of other configurations or libraries are left out.
    """
    own = [
        trace
        for trace in traces
        if trace.get("config", config) == config and trace["entry"] in project.exported
    ]
    names = sorted({trace["entry"] for trace in own})
    program = HostProgram(project, names, config, linked=len(names) > _MANY)
    facts = HostFacts(program)
    stated: list[Fact] = []
    with project.reporter.work(f"{project.rule.name} {config} facts of entry points") as advance:
        for done, name in enumerate(program.entries, start=1):
            stated += facts.entry(name)
            advance(done, len(program.entries), name)
    prototypes = read_prototypes(project, config)
    known = enumerators(program.trees.trees)
    for members in prototypes.enumerations.values():
        known.update(members)
    parameters: dict[str, tuple[tuple[str, str], ...]] = {}
    pointers: set[str] = set()
    for name in program.entries:
        summary = program.trees.summary(program.entry_symbol(name))
        if summary is None:
            continue
        declared = prototypes.functions.get(name)
        own_names = [parameter.name for parameter in summary.parameters]
        given = [p.name for p in declared.parameters] if declared else own_names
        if len(given) != len(own_names):
            given = own_names
        parameters[name] = tuple(zip(given, own_names, strict=True))
        pointers.update(
            name
            for name, parameter in zip(given, summary.parameters, strict=True)
            if parameter.kind == "p"
        )
    comparison = Comparison(project.rule, stated, known, frozenset(pointers), parameters)
    for trace in own:
        comparison.compare(trace)
    return comparison.result
