"""Facts of all kernels of an interface or of a library, unit by unit and in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import JsonValue

from extractor import settings
from extractor.configuration_graph import ConfigurationGraph
from extractor.facts.device.architectures import DependentLines
from extractor.facts.device.representatives import Definition, chosen, shape, shapes_of
from extractor.facts.device.unit_findings import Finding, read_units
from extractor.facts.records import Fact
from extractor.function_head import head_of
from extractor.graph.linked import Node
from extractor.launch_text import LaunchText
from extractor.project import Project
from extractor.source.manifest import tree_files
from extractor.units import Unit


@dataclass
class Survey:
    """What was read of a library's device side.

    Attributes:
        definitions: Kernels and device functions by id.
        chosen: For each kernel the ``(symbol, unit)`` pairs that were read.
        findings: By symbol and unit.
        lost: Reason by unit that could not be read.
        read: Units parsed now; the others were in the store.
        seconds: Their CPU time.
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    chosen: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    findings: dict[tuple[str, str], list[Finding]] = field(default_factory=dict)
    lost: dict[str, str] = field(default_factory=dict)
    read: int = 0
    seconds: float = 0.0


def facts_of(project: Project, interface: str | None = None, config: str = "all") -> Iterator[Fact]:
    """Facts that the syntax trees of live kernels and of the device functions they call prove.

    Args:
        project: The opened library.
        interface: Family or entry point; the whole library when ``None``.
        config: One configuration, or ``all``.

    Yields:
        Facts by definition (file, line, name), then by kind and place; always in the same order.

    Raises:
        UserError: Something the user must fix.
    """
    configs = project.configurations(config)
    survey = surveyed(project, interface, configs)
    for identity in sorted(survey.definitions, key=_order(survey)):
        yield from _stated(project, survey, survey.definitions[identity], configs)


def planned_survey(
    project: Project, interface: str | None, configs: Sequence[str]
) -> tuple[Survey, dict[str, Unit]]:
    """Which kernels there are and which of their instantiations stand for them; reads nothing.

    Args:
        project: The opened library.
        interface: Family or entry point; the whole library when ``None``.
        configs: Configurations.

    Returns:
        The survey without findings, and device units by path.
    """
    entries = None if interface is None else project.resolve(interface)
    builder = project.builder(configs, entries)
    survey = Survey()
    units: dict[str, Unit] = {}
    launches = LaunchText(project.toolchain, project.indexer.closures, project.store)
    for graph in builder.graphs:
        names = entries if entries is not None else project.defined([graph])
        _collect(project, graph, names, survey, units, launches)
    survey.chosen = chosen(one for one in survey.definitions.values() if one.kernel)
    return survey, units


def surveyed(project: Project, interface: str | None, configs: Sequence[str]) -> Survey:
    """Reads every live kernel of an interface, or of the library."""
    survey, units = planned_survey(project, interface, configs)
    devices = {
        symbol: one.id
        for one in survey.definitions.values()
        if not one.kernel
        for symbol, _ in one.instantiations
    }
    _read(project, survey, units, sorted(devices))
    for symbol, identity in sorted(devices.items()):
        if (symbol, "") in survey.findings:
            survey.chosen.setdefault(identity, []).append((symbol, ""))
    return survey


def _collect(
    project: Project,
    graph: ConfigurationGraph,
    names: Sequence[str],
    survey: Survey,
    units: dict[str, Unit],
    launches: LaunchText,
) -> None:
    host = graph.host
    starts = [index for index in map(host.find, names) if index is not None]
    assert graph.device is not None
    assert graph.device_walker is not None
    assert graph.join is not None
    by_path = {unit.path: unit for unit in project.units(graph.name, "device")}
    begun: list[int] = []
    for index in graph.host_walker.reach(starts, dead=False):
        node = host.nodes[index]
        found = graph.join.find(index) if node.kernel else None
        if found is None:
            continue
        begun.append(found)
        path = host.units[node.unit].path
        units.setdefault(path, by_path[path])
        definition = _defined(project, survey, node, kernel=True)
        definition.instantiations.setdefault((node.symbol, path), set()).add(graph.name)
        if definition.bounds is None:
            site = node.site
            head = project.text.slice(site.file, site.begin, int(node.record["b"]) or site.end)
            definition.bounds = launches.bounds(by_path[path], head_of(head)) or ""
    for index in graph.device_walker.reach(begun, dead=False):
        node = graph.device.nodes[index]
        if not node.project or not node.defined:
            continue
        definition = _defined(project, survey, node, kernel=node.kernel)
        if not node.kernel:
            definition.instantiations.setdefault((node.symbol, ""), set()).add(graph.name)
        for step in graph.device_walker.steps(index):
            called = graph.device.nodes[step.target]
            if called.project and called.defined and not called.kernel and not step.dead:
                definition.calls.add(_defined(project, survey, called, kernel=False).id)


def _defined(project: Project, survey: Survey, node: Node, *, kernel: bool) -> Definition:
    site = node.site
    identity = f"{project.text.portable(site.file)}:{site.line}:{node.qualified_name}"
    known = survey.definitions.get(identity)
    if known is None:
        known = Definition(identity, node.name, kernel, site.file, site.line, site.end_line)
        survey.definitions[identity] = known
    return known


def _read(project: Project, survey: Survey, units: dict[str, Unit], functions: list[str]) -> None:
    by_unit: dict[str, list[str]] = {}
    for pairs in survey.chosen.values():
        for symbol, path in pairs:
            by_unit.setdefault(path, []).append(symbol)
    wanted = set(functions)
    found = read_units(project, by_unit, units, _dependent(project, survey))
    survey.lost, survey.read, survey.seconds = found.lost, found.read, found.seconds
    for path, findings in sorted(found.findings.items()):
        _keep(survey, path, findings, wanted)


def _dependent(project: Project, survey: Survey) -> set[str]:
    """Kernels that are not written the same for all architectures, or call what is not."""
    names = [path for path, _, _ in tree_files(project.tree.root, project.rule.source.leave_out)]
    lines = DependentLines(project.tree.root, names, settings.ARCHITECTURES)
    found = {
        one.id
        for one in survey.definitions.values()
        if lines.touch(project.text.portable(one.file), one.line, one.end_line)
    }
    count = -1
    while count != len(found):
        count = len(found)
        found |= {one.id for one in survey.definitions.values() if one.calls & found}
    return {
        symbol
        for one in survey.definitions.values()
        if one.kernel and one.id in found
        for symbol, _ in one.instantiations
    }


def _keep(survey: Survey, path: str, found: dict[str, list[Finding]], wanted: set[str]) -> None:
    for symbol, findings in found.items():
        if symbol in wanted:
            # The same function of another unit says the same.
            survey.findings.setdefault((symbol, ""), findings)
        survey.findings[symbol, path] = findings


def _order(survey: Survey) -> Any:
    def key(identity: str) -> tuple[str, int, str]:
        definition = survey.definitions[identity]
        return definition.file, definition.line, identity

    return key


def _stated(
    project: Project, survey: Survey, definition: Definition, configs: Sequence[str]
) -> Iterator[Fact]:
    whole = project.text.span(definition.file, definition.line, definition.end_line)
    known = {one for one in definition.configs if one in configs}
    limited = next(iter(known)) if len(known) == 1 and len(project.configurations()) > 1 else None
    common: dict[str, Any] = {
        "project": project.rule.name,
        "function": definition.id,
        "config": limited,
    }
    if definition.kernel:
        yield Fact(
            **common,
            subject=definition.name,
            fact="launch_bounds",
            value=_bounds(definition.bounds),
            unit="threads",
            span=whole,
            proved_by="ast",
        )
        shapes, here = shapes_of(definition), survey.chosen.get(definition.id, [])
        covered = {shape(symbol) for symbol, _ in here}
        left = len(shapes) - len(covered)
        yield Fact(
            **common,
            subject=definition.name,
            fact="instantiations_read",
            value=None if left else {"shapes": len(shapes), "instantiations": len(here)},
            span=whole,
            proved_by="ast",
            reason=f"{left} of {len(shapes)} shapes of its template arguments were not read: what "
            "is said of all holds for those that were"
            if left
            else None,
        )
    yield Fact(
        **common,
        subject=definition.name,
        fact="device_calls",
        value=list[JsonValue](sorted(definition.calls)),
        span=whole,
        proved_by="ast",
    )
    pairs = survey.chosen.get(definition.id, [])
    merged: dict[bytes, tuple[Finding, list[str]]] = {}
    read = 0
    for pair in pairs:
        findings = survey.findings.get(pair)
        if findings is None:
            if definition.kernel:
                reason = survey.lost.get(pair[1], "its unit has no tree for it")
                yield Fact(
                    **common,
                    subject=definition.name,
                    fact="global_access",
                    value=None,
                    instantiation=pair[0],
                    span=whole,
                    proved_by="ast",
                    reason=reason,
                )
            continue
        read += 1
        for finding in findings:
            row = merged.setdefault(
                orjson.dumps(finding, option=orjson.OPT_SORT_KEYS), (finding, [])
            )
            if pair[0] not in row[1]:
                row[1].append(pair[0])
    rows = sorted(merged.values(), key=lambda row: _place(row[0]))
    whole_of_it = {symbol for symbol, _ in pairs} == {s for s, _ in definition.instantiations}
    for finding, symbols in rows:
        file, first, last = finding["span"]
        span = whole if finding.get("own") else project.text.span(file, first, last)
        general = len(symbols) == read and (whole_of_it or not finding.get("limited"))
        for symbol in [None] if general else symbols:
            yield Fact(
                **common,
                subject=finding["subject"],
                fact=finding["fact"],
                value=finding["value"],
                unit=finding["unit"],
                arch=finding["arch"],
                instantiation=symbol,
                span=span,
                proved_by="ast",
                reason=finding["reason"],
            )


def _place(finding: Finding) -> tuple[Any, ...]:
    file, first, _ = finding["span"]
    column = finding["subject"].rpartition(":")[2]
    return (
        finding["fact"],
        file,
        first,
        int(column) if column.isdigit() else 0,
        finding["subject"],
        finding["arch"] or "",
        orjson.dumps(finding["value"], option=orjson.OPT_SORT_KEYS),
        finding["reason"] or "",
    )


def _bounds(text: str | None) -> dict[str, Any]:
    if not text:
        return {"max_threads": None, "min_waves": None}
    depth, parts, current = 0, [], ""
    for character in text:
        depth += {"(": 1, "<": 1, ")": -1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += character
    parts.append(current.strip())
    numbers = [int(part) if part.isdigit() else part for part in parts]
    return {"max_threads": numbers[0], "min_waves": numbers[1] if len(numbers) > 1 else None}
