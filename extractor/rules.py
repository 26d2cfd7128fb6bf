"""Loads rule files: one TOML file per library, and nothing about a library anywhere else."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import PrivateAttr, ValidationError

from extractor import families as naming
from extractor import settings
from extractor.errors import RuleError, UnknownName
from extractor.glob import match_name, match_path
from extractor.rule_schema import (
    Boundary,
    Configuration,
    Model,
    Package,
    PackagesFile,
    Pattern,
    RuleFile,
)
from extractor.toml_lines import key_lines, line_of

_PACKAGES = "packages.toml"
_M = TypeVar("_M", bound=Model)


class Rule(RuleFile):
    """A rule file, loaded, with the questions that the rest of the tool asks it."""

    _path: Path = PrivateAttr(default=Path())
    _available: tuple[Package, ...] = PrivateAttr(default=())
    _base: tuple[str, ...] = PrivateAttr(default=())

    @property
    def path(self) -> Path:
        """The rule file."""
        return self._path

    @property
    def database(self) -> Path:
        """The compilation database that ``compile.database`` names."""
        return self._path.parent / Path(self.compile.database or "").expanduser()

    @property
    def needed_packages(self) -> tuple[Package, ...]:
        """Packages to unpack: those of every rule, then those that this rule names."""
        known = {package.name: package for package in (*self._available, *self.package)}
        wanted = dict.fromkeys((*self._base, *self.packages, *(p.name for p in self.package)))
        return tuple(known[name] for name in wanted)

    def configuration(self, name: str) -> Configuration:
        """One configuration by name.

        Raises:
            UnknownName: The rule file has no such configuration.
        """
        for configuration in self.configurations:
            if configuration.name == name:
                return configuration
        raise UnknownName("configuration", name, [item.name for item in self.configurations])

    def family_of(self, entry: str) -> str:
        """Interface family of an entry point."""
        return naming.read_name(self.families, entry).family

    def is_auxiliary(self, entry: str) -> bool:
        """Whether an entry point belongs to no routine: handles, streams, logging."""
        return naming.read_name(self.families, entry).auxiliary

    def group_entries(self, entries: Iterable[str]) -> dict[str, list[str]]:
        """Groups entry points by family."""
        return naming.group(self.families, entries)

    def resolve_interface(self, name: str, entries: Iterable[str]) -> list[str]:
        """Entry points that a family, half of a twin, or one entry point's name stands for.

        Raises:
            UnknownName: Nothing has this name; the message lists the nearest names.
        """
        return naming.resolve(self.families, name, entries)

    def is_entry_point(self, name: str, header: str | None = None) -> bool:
        """Whether a function counts as public.

        Args:
            name: Its name.
            header: File that declares it, relative to the tree; not looked at when ``None``.
        """
        chosen = self.entry_points
        if not match_name(name, chosen.names) or match_name(name, chosen.exclude):
            return False
        return header is None or not chosen.headers or match_path(header, chosen.headers)

    def excluded_by(self, name: str, file: str) -> Pattern | None:
        """The line that keeps a function out of a walk, or ``None``.

        With ``allow`` lines, what none of them matches is left out; the answer is then a pattern
        whose reason says so. ``disallow`` lines count in their order.

        Args:
            name: Qualified name without template arguments.
            file: Defining file relative to the tree's root.
        """
        for line in self.disallow:
            if _matches(line, name, file):
                return line
        if self.allow and not any(_matches(line, name, file) for line in self.allow):
            return _NOT_ALLOWED
        return None

    def boundary_of(self, name: str, file: str) -> Boundary | None:
        """The boundary line that a function belongs to, or ``None``."""
        return next((line for line in self.boundaries if _matches(line, name, file)), None)

    def infrastructure_of(self, name: str, file: str) -> Pattern | None:
        """The infrastructure line that a function belongs to, or ``None``."""
        return next((line for line in self.infrastructure if _matches(line, name, file)), None)


_NOT_ALLOWED = Pattern(name="*", reason="no line of the allow list matches")


def load_rule(name: str | Path) -> Rule:
    """Loads a rule file.

    Args:
        name: Name of a shipped rule (``rocblas``), or a path to a rule file.

    Raises:
        RuleError: The file has a fault; the message names file, line and key.
        UnknownName: No shipped rule has this name and no file is there.
    """
    path = Path(name)
    if path.suffix != ".toml" and len(path.parts) == 1:
        path = settings.rules_folder() / f"{name}.toml"
        if not path.is_file() or path.name == _PACKAGES:
            raise UnknownName(
                "project", str(name), list_rules(), hint="or give the path of a rule file"
            )
    return _completed(_load(path, Rule), path, _text_of(path))


def rule_of_text(text: str, path: Path) -> Rule:
    """A rule from a text that stands, or could stand, in a file.

    Args:
        text: TOML.
        path: Where it stands; relative folders are relative to its folder.

    Raises:
        RuleError: The text has a fault; the message names path, line and key.
    """
    return _completed(_parse(text, path, Rule), path, text)


def _completed(rule: Rule, path: Path, text: str) -> Rule:
    packages = _packages_file()
    rule._path = path.absolute()
    rule._available = packages.package
    rule._base = packages.base
    _check_references(rule, path, text)
    return rule


def shared_packages() -> tuple[Package, ...]:
    """Packages that every rule gets, from ``rules/packages.toml``."""
    packages = _packages_file()
    return tuple(package for package in packages.package if package.name in packages.base)


def known_packages() -> tuple[Package, ...]:
    """Packages that any rule file may name."""
    return _packages_file().package


def list_rules() -> list[str]:
    """Names of the shipped rules, sorted."""
    return sorted(
        path.stem for path in settings.rules_folder().glob("*.toml") if path.name != _PACKAGES
    )


def _packages_file() -> PackagesFile:
    shared = settings.rules_folder() / _PACKAGES
    return _load(shared, PackagesFile) if shared.is_file() else PackagesFile()


def _load(path: Path, model: type[_M]) -> _M:
    return _parse(_text_of(path), path, model)


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RuleError(f"{path}:1: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror}; check the path of the rule file") from None


def _parse(text: str, path: Path, model: type[_M]) -> _M:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"^(.*?) \(at line (\d+), column \d+\)$", str(error))
        line, what = (match[2], match[1]) if match else ("1", str(error))
        raise RuleError(f"{path}:{line}: not valid TOML: {what[:1].lower()}{what[1:]}") from None
    try:
        # Through JSON, because strict models take a list for a tuple from nowhere else.
        return model.model_validate_json(json.dumps(data, default=str))
    except ValidationError as error:
        raise RuleError(_first_fault(path, text, error, model)) from None


def _first_fault(path: Path, text: str, error: ValidationError, model: type[Model]) -> str:
    lines = key_lines(text)
    fault: Any = error.errors(include_url=False)[0]
    # A discriminated union puts the chosen kind into the location, where the file has nothing.
    location = tuple(fault["loc"])
    if location[:1] == ("generated",) and len(location) > 2:
        location = (*location[:2], *location[3:])
    key = ".".join(str(part) for part in location) or "(document)"
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        message = f"unknown key '{location[-1]}'"
    elif fault["type"] == "missing":
        message = "this key is required"
    more = error.error_count() - 1
    rest = f" (and {more} more)" if more else ""
    return f"{path}:{line_of(lines, location)}: {key}: {message}{rest}"


def _check_references(rule: Rule, path: Path, text: str) -> None:
    """Names that one part of a rule file uses and another must define."""
    lines = key_lines(text)
    known = {package.name for package in (*rule._available, *rule.package)}
    for name in rule.packages:
        if name not in known:
            line = line_of(lines, ("packages",))
            raise RuleError(f"{path}:{line}: packages: no package is called '{name}'")
    configurations = {item.name for item in rule.configurations}
    for index, units in enumerate(rule.units):
        for name in units.configurations:
            if name not in configurations:
                line = line_of(lines, ("units", index, "configurations"))
                raise RuleError(
                    f"{path}:{line}: units.{index}.configurations: no configuration '{name}'"
                )


def _matches(line: Pattern, name: str, file: str) -> bool:
    return (line.name is None or match_name(name, (line.name,))) and (
        line.file is None or match_path(file, (line.file,))
    )
