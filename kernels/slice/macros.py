"""Which macros the text of a slice needs, and with which definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kernels.slice.fragment import Fragment
from kernels.slice.parsed import Macro, ParsedUnit

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_DEFINED_HERE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)", re.M)


@dataclass
class NeededMacros:
    """Macros by where they come from.

    Attributes:
        own: Definitions of the library's files, in the unit's order.
        command_line: ``-D`` flags as ``NAME=VALUE``.
        system: Files of HIP and the standard library that define some.
    """

    own: list[Macro] = field(default_factory=list)
    command_line: list[str] = field(default_factory=list)
    system: set[str] = field(default_factory=set)


def needed_macros(
    parsed: ParsedUnit, fragments: Iterable[Fragment], flags: Sequence[str]
) -> NeededMacros:
    """Follows the macros that fragments use, and those that their definitions use.

    Args:
        parsed: The unit.
        fragments: What the slice holds.
        flags: The unit's flags.
    """
    given = dict(_given(flags))
    found = NeededMacros()
    seen: set[str] = set()
    queue: list[Macro] = []
    for one in fragments:
        here = set(_DEFINED_HERE.findall(one.text))
        # As the compiler expanded them there, and in text that another architecture compiles.
        used = list(parsed.used_macros(one.file, one.begin, one.end))
        names = {macro.name for macro in used}
        used += [
            macro
            for name in sorted(set(_directive_names(one.text)) - names)
            if (macro := parsed.macro(name)) is not None
        ]
        queue += [macro for macro in used if macro.name not in here]
    while queue:
        macro = queue.pop()
        if macro.name in seen:
            continue
        seen.add(macro.name)
        if not macro.file:
            if macro.name in given:
                found.command_line.append(given[macro.name])
            continue
        if parsed.is_system(macro.file):
            found.system.add(macro.file)
            continue
        found.own.append(macro)
        body = parsed.text(macro.file)[macro.begin : macro.end].decode(errors="replace")
        for name in _IDENTIFIER.findall(body):
            other = parsed.macro(name)
            if other is not None and name not in seen:
                queue.append(other)
    found.own.sort(key=lambda macro: macro.number)
    found.command_line.sort()
    return found


def _directive_names(text: str) -> list[str]:
    names: list[str] = []
    for line in text.splitlines():
        stripped = line.lstrip()
        if stripped.startswith("#") and stripped[1:].lstrip().startswith(("if", "elif")):
            names += _IDENTIFIER.findall(stripped)
    return names


def _given(flags: Sequence[str]) -> Iterable[tuple[str, str]]:
    for flag in flags:
        if flag.startswith("-D") and len(flag) > 2:
            name = flag[2:].partition("=")[0].partition("(")[0]
            yield name, flag[2:]
