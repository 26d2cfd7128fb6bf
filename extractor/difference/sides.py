"""Opens what the user named as a side: a revision, a configuration, or scopes on disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from extractor.api import scope_bytes
from extractor.commands import library
from extractor.errors import UnknownName, UserError
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
        lacks: Interfaces that this side does not have.
    """

    files: tuple[Path, ...]
    configs: tuple[str, ...]
    lacks: tuple[str, ...] = ()


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
    """

    rule: Rule
    interfaces: Sequence[str]
    config: str
    source: str | None
    folder: Path
    open: Callable[[str | None], Project]


def open_side(name: str, request: Request) -> Side:
    """Finds or makes the scopes of one side.

    Args:
        name: A ``scope.json``, a folder of them, a configuration, a version that the rule pins, a
            source folder, ``URL@REF``, or a tag of the rule's first repository.
        request: What is asked for.

    Raises:
        UserError: Nothing has this name.
    """
    scopes = _scopes(Path(name).expanduser())
    if scopes:
        return Side(scopes, (), ())
    configurations = [configuration.name for configuration in request.rule.configurations]
    if name in configurations:
        return _extracted(request.open(request.source), (name,), name, request)
    project = request.open(_address(name, request.rule))
    return _extracted(project, project.configurations(request.config), name, request)


def _scopes(path: Path) -> tuple[Path, ...]:
    if path.is_file() and path.suffix == ".json":
        return (path,)
    if not path.is_dir():
        return ()
    if (path / "scope.json").is_file():
        return (path / "scope.json",)
    return tuple(sorted(path.glob("*/scope.json")))


def _address(name: str, rule: Rule) -> str:
    """What ``--source`` would say; a bare tag belongs to the rule's first repository."""
    pins = (*rule.source.archives, *rule.source.revisions)
    versions = {pin.version for pin in rule.source.git} | {pin.version for pin in pins}
    if Path(name).expanduser().is_dir() or "://" in name or "@" in name or name in versions:
        return name
    if rule.source.git and _TAG.match(name):
        return f"{rule.source.git[0].url}@{name}"
    known = ", ".join(sorted(versions - {""})) or "none"
    raise UserError(
        f"'{name}' is no scope, folder, configuration, URL@REF or version (known: {known})"
    )


def _extracted(project: Project, configs: Sequence[str], name: str, request: Request) -> Side:
    folder = request.folder / re.sub(r"[^\w.+-]+", "-", name).strip("-")
    if not request.interfaces:
        library.run(project, configs, folder, None, scopes=True)
        files = sorted((folder / project.rule.name).glob("*/scope.json"))
        return Side(tuple(files), tuple(configs))
    written: list[Path] = []
    lacks: list[str] = []
    for interface in request.interfaces:
        try:
            data = scope_bytes(project, interface, configs)
        except UnknownName:
            lacks.append(interface)
            continue
        place = output_folder(folder, project.rule.name, interface)
        written.append(write(place / "scope.json", data))
    return Side(tuple(written), tuple(configs), tuple(lacks))
