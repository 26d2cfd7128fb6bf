"""All facts of an interface or a library: device, host and compiler, in one fixed order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from extractor.facts.records import Fact
from extractor.output import write
from extractor.project import Project


def collect(
    project: Project,
    interface: str | None,
    configs: Sequence[str],
    architectures: Sequence[str],
) -> list[Fact]:
    """Every fact, each once: what holds in all configurations names none.

    Args:
        project: The opened library.
        interface: Family or entry point; ``None`` for the whole library.
        configs: Configurations.
        architectures: Architectures to compile for; none leaves the compiler's facts out.
    """
    key = f"facts:{project.state}:{interface}:{','.join(configs)}:{','.join(architectures)}"
    data = project.store.recall(key)
    if data is None:
        facts = _made(project, interface, configs, architectures)
        project.store.remember(key, to_lines(facts))
        return facts
    return [Fact.model_validate_json(line) for line in data.splitlines()]


def _made(
    project: Project,
    interface: str | None,
    configs: Sequence[str],
    architectures: Sequence[str],
) -> list[Fact]:
    from extractor.facts.code_object.library import facts_of as compiled
    from extractor.facts.device.library import facts_of as device
    from extractor.facts.host.production import facts_of as host

    chosen = configs[0] if len(configs) == 1 else "all"
    facts = list(device(project, interface, chosen))
    for config in configs:
        facts += host(project, interface, config)
    if architectures:
        facts += compiled(project, interface, chosen, architectures=architectures)
    return merged(facts, project.configurations("all"))


def merged(facts: Iterable[Fact], configs: Sequence[str]) -> list[Fact]:
    """Facts in order of function and place; equal ones of all configurations are one."""
    found: dict[str, tuple[Fact, set[str | None]]] = {}
    for fact in map(_lean, facts):
        rest = fact.model_copy(update={"config": None})
        key = rest.model_dump_json(by_alias=True)
        row = found.setdefault(key, (rest, set()))
        row[1].add(fact.config)
    result: list[Fact] = []
    for fact, named in found.values():
        if None in named or set(configs) <= named:
            result.append(fact)
        else:
            result += [fact.model_copy(update={"config": c}) for c in configs if c in named]
    return sorted(result, key=_order)


def _lean(fact: Fact) -> Fact:
    """A condition without the text that its parts say already: a family has thousands of them."""
    if fact.fact != "launch_condition" or not isinstance(fact.value, dict):
        return fact
    value = {key: part for key, part in fact.value.items() if key != "text"}
    return fact.model_copy(update={"value": value})


def _order(fact: Fact) -> tuple[str, int, str, str, int, str, str, str]:
    file, line, name = fact.function.split(":", 2)
    number = int(line) if line.isdigit() else 0
    start = fact.span.start_line if fact.span else 0
    return (
        file,
        number,
        name,
        fact.fact,
        start,
        fact.subject,
        fact.instantiation or "",
        json.dumps([fact.arch, fact.config, fact.value], sort_keys=True),
    )


def to_lines(facts: Iterable[Fact]) -> bytes:
    """``facts.jsonl``."""
    return b"".join(fact.model_dump_json(by_alias=True).encode() + b"\n" for fact in facts)


def write_facts(folder: Path, facts: Iterable[Fact]) -> Path:
    """Writes ``facts.jsonl`` into a folder."""
    return write(folder / "facts.jsonl", to_lines(facts))


def counts(facts: Iterable[Fact]) -> dict[str, dict[str, int]]:
    """How many facts of each kind are stated, and how many are null, by reason."""
    table: dict[str, Counter[str]] = {}
    for fact in facts:
        row = table.setdefault(fact.fact, Counter())
        row["stated" if fact.value is not None else f"null: {fact.reason}"] += 1
    return {name: dict(sorted(row.items())) for name, row in sorted(table.items())}
