"""Compiler facts of an interface's kernels, unit by unit, a few at once."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from extractor import code_object, settings
from extractor.code_object.resources import KernelResources
from extractor.code_object.selected import CompiledKernel, compile_selected
from extractor.errors import UnitError
from extractor.facts.device.library import Survey, planned_survey
from extractor.facts.device.representatives import Definition
from extractor.facts.records import Fact
from extractor.project import Project
from extractor.units import Unit

_DEFAULT_PER_KERNEL = 1

# Name of the fact, attribute of the resources, unit.
_NUMBERS = (
    ("vgprs", "vgprs", "registers"),
    ("agprs", "agprs", "registers"),
    ("sgprs", "sgprs", "registers"),
    ("vgpr_spills", "vgpr_spills", "registers"),
    ("sgpr_spills", "sgpr_spills", "registers"),
    ("scratch_bytes", "scratch_bytes", "bytes"),
    ("code_object_lds_bytes", "lds_bytes", "bytes"),
    ("occupancy", "occupancy", "waves"),
    ("code_bytes", "code_bytes", "bytes"),
)


@dataclass(frozen=True)
class _Job:
    unit: Unit
    architecture: str
    symbols: tuple[str, ...]
    key: str


def facts_of(
    project: Project,
    interface: str | None = None,
    config: str = "all",
    *,
    architectures: Sequence[str] = settings.ARCHITECTURES,
    instantiations: Collection[str] | None = None,
) -> Iterator[Fact]:
    """What the compiler says about kernels: registers, memory, occupancy, size, instructions.

    Args:
        project: The opened library.
        interface: Family or entry point; the whole library when ``None``.
        config: One configuration, or ``all``.
        architectures: What to compile for.
        instantiations: Mangled symbols, for instance those of traces; by default one of each
            kernel, of ``float`` where there is one.

    Yields:
        Facts by definition, instantiation and architecture; always in the same order.

    Raises:
        UserError: Something the user must fix.
    """
    configs = project.configurations(config)
    survey, units = planned_survey(project, interface, configs)
    chosen = _chosen(survey, instantiations)
    by_unit: dict[str, set[str]] = {}
    for pairs in chosen.values():
        for symbol, path in pairs:
            by_unit.setdefault(path, set()).add(symbol)
    jobs = [
        _job(project, units[path], architecture, tuple(sorted(symbols)))
        for path, symbols in sorted(by_unit.items())
        for architecture in architectures
    ]
    results, reasons = _compiled(project, jobs)
    for identity in sorted(chosen, key=lambda one: (survey.definitions[one].file, one)):
        definition = survey.definitions[identity]
        for symbol, path in sorted(chosen[identity]):
            for architecture in architectures:
                found = results.get((path, architecture), {}).get(symbol)
                reason = reasons.get((path, architecture), "its unit has no code for it")
                yield from _stated(project, definition, symbol, architecture, found, reason)


def _chosen(
    survey: Survey, instantiations: Collection[str] | None
) -> dict[str, list[tuple[str, str]]]:
    chosen: dict[str, list[tuple[str, str]]] = {}
    for identity, definition in survey.definitions.items():
        if not definition.kernel:
            continue
        if instantiations is None:
            pairs = sorted(survey.chosen.get(identity, []), key=_preference)
            chosen[identity] = pairs[:_DEFAULT_PER_KERNEL]
        else:
            asked = [
                pair for pair in sorted(definition.instantiations) if pair[0] in instantiations
            ]
            once = {symbol: (symbol, path) for symbol, path in reversed(asked)}
            chosen[identity] = sorted(once.values())
    return chosen


def _preference(pair: tuple[str, str]) -> tuple[bool, bool, str]:
    from extractor.demangle import demangle

    text = demangle(pair[0])
    return "float" not in text, "complex" in text, pair[0]


def _job(project: Project, unit: Unit, architecture: str, symbols: tuple[str, ...]) -> _Job:
    asked = hashlib.blake2b("\n".join(symbols).encode(), digest_size=12).hexdigest()
    content = project.indexer.closures.content_key(unit, "code object", _identity())
    return _Job(unit, architecture, symbols, f"code-object:{content}:{architecture}:{asked}")


def _compiled(
    project: Project, jobs: Sequence[_Job]
) -> tuple[dict[tuple[str, str], dict[str, CompiledKernel]], dict[tuple[str, str], str]]:
    results: dict[tuple[str, str], dict[str, CompiledKernel]] = {}
    reasons: dict[tuple[str, str], str] = {}
    pending = []
    for job in jobs:
        data = project.store.recall(job.key)
        if data is None:
            pending.append(job)
        else:
            results[job.unit.path, job.architecture] = _decoded(orjson.loads(data))

    tools, closures, root = project.toolchain, project.indexer.closures, project.tree.root

    def one(job: _Job) -> dict[str, CompiledKernel] | str:
        arguments = closures.relevant_arguments(job.unit)
        try:
            return compile_selected(
                tools, root / job.unit.path, arguments, job.architecture, job.symbols
            )
        except UnitError as error:
            return str(error)

    # Flags of units are read before threads start: the closures are not made for several.
    for job in pending:
        closures.relevant_arguments(job.unit)
    with (
        project.reporter.work(f"{project.rule.name} code objects") as advance,
        ThreadPoolExecutor(project.indexer.jobs) as pool,
    ):
        for done, (job, made) in enumerate(
            zip(pending, pool.map(one, pending), strict=True), start=1
        ):
            place = (job.unit.path, job.architecture)
            if isinstance(made, str):
                reasons[place] = made
            else:
                results[place] = made
                project.store.remember(
                    job.key, orjson.dumps({k: asdict(v) for k, v in made.items()})
                )
            advance(done, len(pending), f"{job.unit.path} {job.architecture}")
    return results, reasons


def _decoded(data: dict[str, Any]) -> dict[str, CompiledKernel]:
    return {
        symbol: CompiledKernel(KernelResources(**row["resources"]), row["mix"])
        for symbol, row in data.items()
    }


def _stated(
    project: Project,
    definition: Definition,
    symbol: str,
    architecture: str,
    found: CompiledKernel | None,
    reason: str,
) -> Iterator[Fact]:
    span = project.text.span(definition.file, definition.line, definition.end_line)
    rows: list[tuple[str, Any, str | None]] = []
    for name, attribute, measured_in in _NUMBERS:
        value = getattr(found.resources, attribute) if found is not None else None
        rows.append((name, value, measured_in))
    rows.append(("instruction_mix", found.mix if found is not None else None, "instructions"))
    for name, value, unit in rows:
        known = definition.configs
        yield Fact(
            project=project.rule.name,
            function=definition.id,
            subject=definition.name,
            fact=name,
            value=value,
            unit=unit,
            config=next(iter(known)) if len(known) < len(project.configurations()) else None,
            arch=architecture,
            instantiation=symbol,
            span=span,
            proved_by="code_object",
            reason=None if value is not None else reason,
        )


@cache
def _identity() -> str:
    digest = hashlib.blake2b(digest_size=12)
    for source in sorted(Path(code_object.__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
