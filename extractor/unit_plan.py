"""Says which units a library has under one configuration, and with which flags each is parsed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from extractor import settings
from extractor.build_order import link_order
from extractor.compile_commands import read_database
from extractor.errors import RuleError
from extractor.glob import match_path
from extractor.rule_schema import ExcludedUnit
from extractor.rules import Rule
from extractor.source.manifest import tree_files
from extractor.source.tree import SourceTree
from extractor.toolchain import cuda
from extractor.toolchain.model import Toolchain
from extractor.units import Language, Side, Unit

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def plan_units(
    rule: Rule,
    tree: SourceTree,
    toolchain: Toolchain,
    config: str,
    side: Side,
    arch: str = settings.DEFAULT_ARCHITECTURE,
    siblings: Mapping[str, tuple[Rule, SourceTree]] | None = None,
) -> list[Unit]:
    """Lists the units of a configuration in the order in which the build links them.

    Args:
        rule: The library's rule.
        tree: Its source.
        toolchain: What parses it.
        config: Name of a configuration.
        side: Host pass or device pass.
        arch: GPU architecture; the host pass depends on it only through its wavefront size.
        siblings: Source trees of other libraries, by name, whose headers win over those of
            their packages.

    Raises:
        UnknownName: The rule has no such configuration.
        RuleError: A flag has a placeholder that nothing fills.
    """
    configuration = rule.configuration(config)
    shared = [_filled(rule, flag, tree, toolchain) for flag in rule.compile.flags]
    folders = _searched(rule, tree, toolchain, siblings or {})
    chosen = _chosen(rule, tree, config)
    planned = []
    for file, own in chosen.items():
        if side == "device" and own.language == "c++":
            continue
        arguments = [*_base_arguments(toolchain, side, arch, own), *shared, *own.given, *folders]
        flags = (*configuration.flags, *own.flags)
        stem = {"stem": PurePosixPath(file).stem}
        arguments += [_filled(rule, flag, tree, toolchain, stem) for flag in flags]
        group = hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16]
        planned.append(Unit(file, config, side, tuple(arguments), group))
    return planned


@dataclass(frozen=True)
class _Own:
    """What is a file's own: the rule's flags for it, and those of the build's command."""

    language: Language
    standard: str
    flags: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def _chosen(rule: Rule, tree: SourceTree, config: str) -> dict[str, _Own]:
    """Files of a configuration in the order in which they are linked."""
    excluded = {path for path, _ in excluded_units(rule, tree)}
    commands = None
    if rule.compile.database is not None:
        database = read_database(rule.database, tree.root)
        commands = {command.path: command for command in database.commands}
        files = [file for file in commands if not match_path(file, rule.source.leave_out)]
    else:
        files = [path for path, _, _ in tree_files(tree.root, rule.source.leave_out)]
    chosen: dict[str, _Own] = {}
    for units in rule.units:
        if units.configurations and config not in units.configurations:
            continue
        for file in files:
            if file in excluded or not match_path(file, units.files):
                continue
            if match_path(file, units.exclude):
                continue
            command = commands[file] if commands else None
            before = chosen.get(file)
            chosen[file] = _Own(
                units.language or (command.language if command else rule.compile.language),
                (command.standard if command else "") or rule.compile.standard,
                # A file that several globs match gets the flags of each of them.
                (before.flags if before else ()) + units.flags,
                command.flags if command else (),
            )
    if commands is not None and not rule.compile.order:
        return {file: chosen[file] for file in files if file in chosen}
    order = {name: place for place, name in enumerate(_order(rule, tree))}
    names = sorted(chosen, key=lambda name: (order.get(name, len(order)), name))
    return {name: chosen[name] for name in names}


def excluded_units(rule: Rule, tree: SourceTree) -> list[tuple[str, ExcludedUnit]]:
    """Source files of the tree that the rule does not compile, each with its line of the rule."""
    return [
        (path, line)
        for path, _, _ in sorted(tree_files(tree.root, rule.source.leave_out))
        for line in rule.excluded_units
        if match_path(path, line.files)
    ]


def _base_arguments(toolchain: Toolchain, side: Side, arch: str, own: _Own) -> list[str]:
    """Flags that say what is parsed, and for what."""
    if own.language == "c++":
        return [*toolchain.flags, "-x", "c++", f"-std={own.standard}", "-w"]
    if own.language == "cuda":
        return [*cuda.arguments(toolchain, side), f"-std={own.standard}", "-w"]
    arguments = [*toolchain.flags, "-x", "hip", f"-std={own.standard}", "-w"]
    if side == "host":
        # Without device bitcode the host pass needs none to be found.
        arguments += ["--cuda-host-only", "-nogpulib", f"--offload-arch={arch}"]
    else:
        arguments += ["--cuda-device-only", f"--offload-arch={arch}"]
    if toolchain.origin == "wheels":
        # The clang of the wheels no longer defines what the HIP headers of the packages ask for.
        arguments.append(f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(arch)}")
    return arguments


def _searched(
    rule: Rule,
    tree: SourceTree,
    toolchain: Toolchain,
    siblings: Mapping[str, tuple[Rule, SourceTree]],
) -> list[str]:
    """Flags of the folders that every unit searches."""
    arguments = []
    for folder in rule.compile.include:
        arguments += [f"-I{path}" for path in _folders(rule, folder, tree, toolchain)]
    for name in rule.siblings:
        if name in siblings:
            other, its_tree = siblings[name]
            for folder in other.exports.include:
                for path in _folders(other, folder, its_tree, toolchain):
                    arguments += ["-idirafter", path]
    for folder in rule.compile.include_after:
        for path in _folders(rule, folder, tree, toolchain):
            arguments += ["-idirafter", path]
    return arguments


def _folders(rule: Rule, folder: str, tree: SourceTree, toolchain: Toolchain) -> list[str]:
    """One folder, or one for each prefix where the rule writes ``{prefix}``."""
    if "{prefix}" not in folder:
        return [_filled(rule, folder, tree, toolchain)]
    return [
        _filled(rule, folder.replace("{prefix}", str(root)), tree, toolchain)
        for root in toolchain.prefixes
    ]


def _filled(
    rule: Rule,
    text: str,
    tree: SourceTree,
    toolchain: Toolchain,
    more: Mapping[str, str] = MappingProxyType({}),
) -> str:
    values = {
        "tree": str(tree.root),
        "generated": str(tree.generated),
        "prefix": str(toolchain.prefixes[0]),
        "version": tree.version,
        **more,
    }

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            known = ", ".join(f"{{{name}}}" for name in values)
            raise RuleError(
                f"{rule.path}: '{text}' has the placeholder {match[0]}; known are {known}"
            )
        return values[match[1]]

    return _PLACEHOLDER.sub(value, text)


def _order(rule: Rule, tree: SourceTree) -> list[str]:
    return link_order(Path(tree.root), rule.compile.order, rule.compile.target)
