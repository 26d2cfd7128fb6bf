"""Opens what the user named as a side: a revision, a configuration, or scopes on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.api import scope_bytes
from extractor.commands import library
from extractor.difference.inventory import LAUNCH_CONDITION
from extractor.errors import SourceError, UnknownName, UserError
from extractor.output import write
from extractor.project import Project, output_folder
from extractor.rules import Rule

_TAG = re.compile(r"^[A-Za-z0-9][\w./-]*$")


@dataclass(frozen=True)
class Side:
    """Scopes of one side.

    Attributes:
        files: ``scope.json`` files.
        configs: Configurations to look at; all that the scopes have when empty.
        lacks: By interface that this side does not have, what was said of it.
        conditions: File of facts that say when each launch runs; ``None`` where facts may lie
            beside the scopes.
    """

    files: tuple[Path, ...]
    configs: tuple[str, ...]
    lacks: tuple[tuple[str, str], ...] = ()
    conditions: Path | None = None


@dataclass(frozen=True)
class Request:
    """What both sides are asked for.

    Attributes:
        rule: Rule file of the project.
        interfaces: Interfaces; the whole library when empty.
        config: ``--config``.
        source: ``--source``, for sides that are configurations.
        folder: Where the scopes of a side are kept.
        open: Opens the project at a source.
        conditions: Find the conditions of launches on sides that are extracted.
    """

    rule: Rule
    interfaces: Sequence[str]
    config: str
    source: str | None
    folder: Path
    open: Callable[[str | None], Project]
    conditions: bool = False


def open_side(name: str, request: Request) -> Side:
    """Finds or makes the scopes of one side.

    Args:
        name: A ``scope.json``, a folder of them, a configuration, a version that the rule pins, a
            source folder, ``URL@REF``, or a tag of the rule's first repository.
        request: What is asked for.

    Raises:
        UserError: Nothing has this name.
    """
    path = Path(name).expanduser()
    scopes = _scopes(path, request.rule.name)
    if scopes:
        return Side(scopes, ())
    configurations = [configuration.name for configuration in request.rule.configurations]
    if name in configurations:
        return _extracted(request.open(request.source), (name,), name, request)
    project = request.open(_address(name, request.rule))
    try:
        project.tree  # noqa: B018 - fetched here, so that a wrong name is told as one
    except SourceError as error:
        if path.is_dir() or "://" in name:
            raise
        raise UserError(f"{_not_a_side(name, request.rule)}; as a tag: {error}") from None
    return _extracted(project, project.configurations(request.config), name, request)


def _scopes(path: Path, project: str) -> tuple[Path, ...]:
    """Scopes in a file, in a folder of an interface, of a project, or of a whole output."""
    if path.is_file() and path.suffix == ".json":
        return (path,)
    if not path.is_dir():
        return ()
    if (path / "scope.json").is_file():
        return (path / "scope.json",)
    return tuple(sorted(path.glob("*/scope.json")) or sorted(path.glob(f"{project}/*/scope.json")))


def _address(name: str, rule: Rule) -> str:
    """What ``--source`` would say; a bare tag belongs to the rule's first repository."""
    folder = Path(name).expanduser().is_dir()
    if folder or "://" in name or "@" in name or name in _versions(rule):
        return name
    if rule.source.git and _TAG.match(name):
        return f"{rule.source.git[0].url}@{name}"
    raise UserError(_not_a_side(name, rule))


def _versions(rule: Rule) -> set[str]:
    archives = (*rule.source.archives, *rule.source.revisions)
    versions = {pin.version for pin in archives} | {pin.version for pin in rule.source.git}
    return versions - {""}


def _not_a_side(name: str, rule: Rule) -> str:
    versions = ", ".join(sorted(_versions(rule))) or "none"
    configurations = ", ".join(configuration.name for configuration in rule.configurations)
    place = Path(name).expanduser().absolute()
    return (
        f"'{name}' is no side: no file or folder {place}, no configuration ({configurations}), "
        f"no pinned version ({versions}) and no URL@REF"
    )


def _extracted(project: Project, configs: Sequence[str], name: str, request: Request) -> Side:
    folder = request.folder / re.sub(r"[^\w.+-]+", "-", name).strip("-")
    if not request.interfaces:
        library.run(project, configs, folder, None, scopes=True)
        files = sorted((folder / project.rule.name).glob("*/scope.json"))
        conditions = _conditions(project, None, configs, folder) if request.conditions else None
        return Side(tuple(files), tuple(configs), (), conditions)
    written: list[Path] = []
    lacks: list[tuple[str, str]] = []
    for interface in request.interfaces:
        try:
            data = scope_bytes(project, interface, configs)
        except UnknownName as error:
            lacks.append((interface, str(error)))
            continue
        place = output_folder(folder, project.rule.name, interface)
        written.append(write(place / "scope.json", data))
    known = [name for name in request.interfaces if name not in dict(lacks)]
    conditions = _conditions(project, known, configs, folder) if request.conditions else None
    return Side(tuple(written), tuple(configs), tuple(lacks), conditions)


def _conditions(
    project: Project, interfaces: Sequence[str] | None, configs: Sequence[str], folder: Path
) -> Path:
    """Writes when each launch runs, as facts."""
    from extractor.facts.collect import merged, to_lines
    from extractor.facts.host.production import Production
    from extractor.facts.host.program import HostProgram

    entries = None
    if interfaces is not None:
        entries = sorted({entry for name in interfaces for entry in project.resolve(name)})
    # A function's own conditions are the same whichever interface reaches it.
    found = [
        fact
        for config in configs
        for fact in Production(HostProgram(project, entries, config), composed=False).facts()
        if fact.fact == LAUNCH_CONDITION
    ]
    lines = to_lines(merged(found, project.configurations("all")))
    return write(folder / project.rule.name / "launch_conditions.jsonl", lines)
