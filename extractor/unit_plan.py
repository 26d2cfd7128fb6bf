"""Says which units a library has under one configuration, and with which flags each is parsed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

from extractor import settings
from extractor.build_order import link_order
from extractor.errors import RuleError
from extractor.glob import match_path
from extractor.rule_schema import ExcludedUnit
from extractor.rules import Rule
from extractor.source.manifest import tree_files
from extractor.source.tree import SourceTree
from extractor.toolchain.model import Toolchain
from extractor.units import Side, Unit

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
    common = _common_arguments(rule, tree, toolchain, side, arch, siblings or {})
    files = [path for path, _, _ in tree_files(tree.root, rule.source.leave_out)]
    excluded = {path for path, _ in excluded_units(rule, tree)}
    chosen: dict[str, tuple[str, ...]] = {}
    for units in rule.units:
        if units.configurations and config not in units.configurations:
            continue
        for file in files:
            if file in excluded or not match_path(file, units.files):
                continue
            if not match_path(file, units.exclude):
                # A file that several globs match gets the flags of each of them.
                chosen[file] = chosen.get(file, ()) + units.flags
    order = {name: place for place, name in enumerate(_order(rule, tree))}
    planned = []
    for file in sorted(chosen, key=lambda name: (order.get(name, len(order)), name)):
        own = (*configuration.flags, *chosen[file])
        arguments = (*common, *(_filled(rule, flag, tree, toolchain) for flag in own))
        group = hashlib.sha256("\0".join(arguments).encode()).hexdigest()[:16]
        planned.append(Unit(file, config, side, arguments, group))
    return planned


def excluded_units(rule: Rule, tree: SourceTree) -> list[tuple[str, ExcludedUnit]]:
    """Source files of the tree that the rule does not compile, each with its line of the rule."""
    return [
        (path, line)
        for path, _, _ in sorted(tree_files(tree.root, rule.source.leave_out))
        for line in rule.excluded_units
        if match_path(path, line.files)
    ]


def _common_arguments(
    rule: Rule,
    tree: SourceTree,
    toolchain: Toolchain,
    side: Side,
    arch: str,
    siblings: Mapping[str, tuple[Rule, SourceTree]],
) -> tuple[str, ...]:
    arguments = [*toolchain.flags, "-x", "hip", f"-std={rule.compile.standard}", "-w"]
    if side == "host":
        # Without device bitcode the host pass needs none to be found.
        arguments += ["--cuda-host-only", "-nogpulib", f"--offload-arch={arch}"]
    else:
        arguments += ["--cuda-device-only", f"--offload-arch={arch}"]
    if toolchain.origin == "wheels":
        # The clang of the wheels no longer defines what the HIP headers of the packages ask for.
        arguments.append(f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(arch)}")
    arguments += [_filled(rule, flag, tree, toolchain) for flag in rule.compile.flags]
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
    return tuple(arguments)


def _folders(rule: Rule, folder: str, tree: SourceTree, toolchain: Toolchain) -> list[str]:
    """One folder, or one for each prefix where the rule writes ``{prefix}``."""
    if "{prefix}" not in folder:
        return [_filled(rule, folder, tree, toolchain)]
    return [
        _filled(rule, folder.replace("{prefix}", str(root)), tree, toolchain)
        for root in toolchain.prefixes
    ]


def _filled(rule: Rule, text: str, tree: SourceTree, toolchain: Toolchain) -> str:
    values = {
        "tree": str(tree.root),
        "generated": str(tree.generated),
        "prefix": str(toolchain.prefixes[0]),
        "version": tree.version,
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
