"""What one side has: its scopes reduced to entry points, kernels and launches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extractor.difference.records import Place

LAUNCH_CONDITION = "launch_condition"
"""Kind of the facts that say when a launch runs."""

_SPACE = re.compile(r"\s+")


@dataclass
class EntryPoint:
    """One public function.

    Attributes:
        place: Its definition; ``None`` where no unit that could be read defines it.
        signature: Text before the body.
        kernels: Names of the kernels it can launch, by configuration.
        interfaces: Families that list it.
    """

    place: Place | None
    signature: str
    kernels: dict[str, set[str]] = field(default_factory=dict)
    interfaces: set[str] = field(default_factory=set)


@dataclass
class Kernel:
    """One kernel definition.

    Attributes:
        name: Plain name.
        qualified_name: With namespaces.
        place: Its definition.
        bounds: Launch bounds as written.
        instantiations: Template arguments, with the configurations that have them where not all do.
        interfaces: Families that reach it.
    """

    name: str
    qualified_name: str
    place: Place | None
    bounds: str
    instantiations: set[str] = field(default_factory=set)
    interfaces: set[str] = field(default_factory=set)


@dataclass
class Launch:
    """One place that launches one kernel.

    Attributes:
        caller: Plain name of the function it stands in.
        kernel: Plain name of the kernel.
        place: The launch.
        parts: Grid, block, dynamic LDS and stream, as expanded, and whether it never runs.
        condition: Under which it runs, where a fact says so.
        interfaces: Families that reach it.
    """

    caller: str
    kernel: str
    place: Place
    parts: dict[str, str]
    condition: str
    interfaces: set[str] = field(default_factory=set)


@dataclass
class Inventory:
    """Everything one side has, whatever the number of scopes it was read from."""

    interfaces: set[str] = field(default_factory=set)
    configs: list[str] = field(default_factory=list)
    source: dict[str, Any] | None = None
    entry_points: dict[str, EntryPoint] = field(default_factory=dict)
    kernels: dict[tuple[str, str, int], Kernel] = field(default_factory=dict)
    launches: dict[tuple[str, int, str, str, str], Launch] = field(default_factory=dict)
    failed_units: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    conditions: int = 0


def take_inventory(
    files: Iterable[Path], configs: Iterable[str] = (), conditions: Path | None = None
) -> Inventory:
    """Reads scopes one after the other.

    Args:
        files: ``scope.json`` files.
        configs: Configurations to look at; all when empty.
        conditions: Facts that hold the conditions of launches; a ``facts.jsonl`` beside each scope
            when ``None``.
    """
    found = Inventory()
    wanted = set(configs)
    given = _conditions(conditions, wanted) if conditions is not None else None
    for file in files:
        scope = json.loads(file.read_bytes())
        own = given if given is not None else _conditions(file.with_name("facts.jsonl"), wanted)
        _add(found, scope, own, wanted)
    return found


def _add(
    found: Inventory, scope: Mapping[str, Any], conditions: Mapping[str, str], wanted: set[str]
) -> None:
    interface = scope["interface"]
    configs = [name for name in scope["configs"] if not wanted or name in wanted]
    found.interfaces.add(interface)
    found.configs += [name for name in configs if name not in found.configs]
    found.source = found.source or scope["source"]
    found.conditions += len(conditions)
    for unit in scope["failed_units"]:
        found.failed_units.setdefault((unit["path"], unit["config"], unit["side"]), unit)
    owners: dict[str, Mapping[str, Any]] = {}
    names: dict[str, str] = {}
    for function in scope["functions"]:
        for one in function["instantiations"]:
            owners[one["id"]] = function
            names[one["id"]] = function["name"]
    _entry_points(found, scope, owners, names, configs)
    alive = {
        kernel
        for rows in scope["per_entry"].values()
        for config, kernels in rows.items()
        if config in configs
        for kernel in kernels
    }
    for function in scope["functions"]:
        if function["kind"] == "kernel":
            _kernel(found, function, alive, configs, interface)
    lines: dict[tuple[str, int], str] = {}
    for launch in scope["launches"]:
        if not set(launch["configs"]) & set(configs):
            continue
        owner = owners.get(launch["caller"])
        at = launch["at"]
        parts = {
            part: _folded(launch[part]["expanded"])
            for part in ("grid", "block", "shared_bytes", "stream")
        }
        if launch["dead"]:
            parts["never runs"] = launch["dead_reason"] or "yes"
        caller = owner["name"] if owner else launch["caller"]
        kernel = names.get(launch["kernel"], launch["kernel"])
        key = (at["file"], at["start_line"], caller, kernel, json.dumps(parts))
        known = found.launches.get(key)
        if known is None:
            where = (at["file"], at["start_line"])
            if where not in lines:
                lines[where] = _text_of(owner, at)
            condition = conditions.get(f"{at['file']}:{at['start_line']}", "")
            place = Place(
                file=at["file"],
                start_line=at["start_line"],
                end_line=at["end_line"],
                text=lines[where],
            )
            known = found.launches[key] = Launch(caller, kernel, place, parts, condition)
        known.interfaces.add(interface)


def _entry_points(
    found: Inventory,
    scope: Mapping[str, Any],
    owners: Mapping[str, Mapping[str, Any]],
    names: Mapping[str, str],
    configs: list[str],
) -> None:
    defined = {f["name"]: f for f in scope["functions"] if f["kind"] == "entry_point"}
    for entry in scope["entry_points"]:
        rows = scope["per_entry"].get(entry, {})
        if configs and not any(config in rows for config in configs):
            continue
        function = defined.get(entry) or owners.get(entry)
        known = found.entry_points.get(entry)
        if known is None:
            signature = _folded(function["signature"]) if function else ""
            place = _place(function) if function else None
            known = found.entry_points[entry] = EntryPoint(place, signature)
        known.interfaces.add(scope["interface"])
        for config in configs:
            kernels = {names.get(kernel, kernel) for kernel in rows.get(config, ())}
            known.kernels.setdefault(config, set()).update(kernels)


def _kernel(
    found: Inventory,
    function: Mapping[str, Any],
    alive: set[str],
    configs: list[str],
    interface: str,
) -> None:
    live = [one for one in function["instantiations"] if one["id"] in alive]
    if not live:
        return
    span = function["span"] or {"file": "", "start_line": 0}
    key = (function["name"], span["file"], span["start_line"])
    known = found.kernels.get(key)
    if known is None:
        known = found.kernels[key] = Kernel(
            function["name"],
            function["qualified_name"],
            _place(function),
            _folded(function["launch_bounds"] or ""),
        )
    known.interfaces.add(interface)
    for one in live:
        have = [config for config in one["configs"] if config in configs]
        arguments = ", ".join(one["template_arguments"])
        text = f"<{arguments}>" if arguments else "(no template)"
        known.instantiations.add(
            text if len(have) == len(configs) else f"{text} [{','.join(have)}]"
        )


def _place(function: Mapping[str, Any]) -> Place | None:
    span = function["span"]
    if span is None:
        return None
    return Place(
        file=span["file"],
        start_line=span["start_line"],
        end_line=span["end_line"],
        text=function["text"],
    )


def _text_of(owner: Mapping[str, Any] | None, at: Mapping[str, Any]) -> str:
    """Text of a launch, cut out of the function it stands in."""
    span = owner["span"] if owner else None
    if owner is None or span is None or span["file"] != at["file"]:
        return ""
    lines = owner["text"].splitlines()
    first = at["start_line"] - span["start_line"]
    return "\n".join(lines[max(first, 0) : at["end_line"] - span["start_line"] + 1])


def _conditions(file: Path, configs: set[str]) -> dict[str, str]:
    """Conditions of launches by file and line, from a file of facts."""
    if not file.is_file():
        return {}
    found: dict[str, set[str]] = {}
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if f'"{LAUNCH_CONDITION}"' not in line:
                continue
            fact = json.loads(line)
            value, config = fact.get("value"), fact.get("config")
            if config is not None and configs and config not in configs:
                continue
            if fact.get("fact") == LAUNCH_CONDITION and isinstance(value, dict):
                text = value.get("text") or _joined(value.get("conditions", ()))
                found.setdefault(str(fact.get("subject", "")), set()).add(_folded(str(text)))
    return {subject: " | ".join(sorted(texts)) for subject, texts in found.items()}


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _joined(conditions: Sequence[str]) -> str:
    """A conjunction; a choice or an alternative in it keeps to itself."""
    loose = ("||", " ? ")
    parts = [f"({one})" if any(word in one for word in loose) else one for one in conditions]
    return " && ".join(parts if len(parts) > 1 else conditions)
