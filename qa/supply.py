"""Facts and traces that a build needs and the folder does not have: made first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from extractor.errors import RocQuarryError
from extractor.facts.records import Fact
from extractor.output import write
from extractor.project import Project, output_folder
from qa.ground import WHOLE_LIBRARY

_DEVICE = "device_facts.jsonl"
_HOST = "host_facts.jsonl"
_WHOLE = "facts.jsonl"


def supply(project: Project, interfaces: Sequence[str], out: Path, *, everything: bool) -> None:
    """Makes facts and launch traces where they are absent; says what cannot be had."""
    library = output_folder(out, project.rule.name, WHOLE_LIBRARY)
    for name, make in ((_DEVICE, _device), (_HOST, _host)):
        if everything and not (library / name).is_file() and not (library / _WHOLE).is_file():
            make(project, None, library / name)
        for interface in () if everything else interfaces:
            folder = output_folder(out, project.rule.name, interface)
            known = (library / name, library / _WHOLE, folder / name, folder / _WHOLE)
            if not any(file.is_file() for file in known):
                make(project, interface, folder / name)
    missing = [
        one for one in interfaces
        if not (output_folder(out, project.rule.name, one) / "traces.jsonl").is_file()
    ]  # fmt: skip
    if missing and project.rule.trace is not None:
        from extractor.commands import trace
        from extractor.settings import TRACE_ARCHITECTURES
        from extractor.trace.run import Effort

        configs = project.configurations()[:1]
        trace.run(project, missing, configs, out, TRACE_ARCHITECTURES, Effort())


def _device(project: Project, interface: str | None, file: Path) -> None:
    from extractor.facts.device.library import facts_of

    try:
        write(file, _lines(facts_of(project, interface)))
    except RocQuarryError as error:
        project.reporter.note(f"no device facts for {interface or project.rule.name}: {error}")


def _host(project: Project, interface: str | None, file: Path) -> None:
    from extractor.facts.host.production import facts_of

    try:
        write(file, _lines(facts_of(project, interface, project.configurations()[0])))
    except RocQuarryError as error:
        project.reporter.note(f"no host facts for {interface or project.rule.name}: {error}")


def _lines(facts: Iterable[Fact]) -> bytes:
    return b"".join(fact.model_dump_json(by_alias=True).encode() + b"\n" for fact in facts)
