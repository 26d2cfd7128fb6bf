"""Which instantiations of a kernel are read: one of each shape of its template arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from extractor.demangle import template_arguments

MOST_SHAPES = 16
"""Shapes of one definition that are read; with more, those that differ most from each other."""

_NUMBER = re.compile(r"-?\d+[uUlL]*")
_PREFERRED = ("float", "double")


@dataclass
class Definition:
    """A kernel or device function as it stands in the source.

    Attributes:
        id: ``file:line:qualified name``, as in ``scope.json``.
        name: Plain name.
        kernel: Whether it is a kernel.
        file: As the graph names it.
        line: First line.
        end_line: Last line.
        instantiations: ``(symbol, unit)`` of each, with the configurations that have it.
        bounds: Text of its ``__launch_bounds__``.
        calls: Ids of the device functions of the library that it calls.
    """

    id: str
    name: str
    kernel: bool
    file: str
    line: int
    end_line: int
    instantiations: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    bounds: str | None = None
    calls: set[str] = field(default_factory=set)

    @property
    def configs(self) -> set[str]:
        """Configurations that have it."""
        return set().union(*self.instantiations.values())


def shape(symbol: str) -> tuple[str, ...]:
    """What of an instantiation's template arguments can change the meaning of its text.

    Numbers are left out, for they stay symbols; of a type it matters how many pointers it is and
    whether it is a class.

    Example:
        >>> shape("_Z4kernILi256EfEvPT0_")
        ('', '')
    """
    found = []
    for argument in template_arguments(symbol):
        if _NUMBER.fullmatch(argument):
            found.append("")
        elif argument in ("true", "false") or argument.startswith("("):
            found.append(argument)
        else:
            stars = argument.count("*")
            base = argument.replace("const", "").replace("*", "").strip()
            found.append("class" * ("<" in base or "complex" in base) + "*" * stars)
    return tuple(found)


def shapes_of(definition: Definition) -> dict[tuple[str, ...], list[tuple[str, str]]]:
    """The ``(symbol, unit)`` pairs of a definition by their shape."""
    groups: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for pair in sorted(definition.instantiations):
        groups.setdefault(shape(pair[0]), []).append(pair)
    return groups


def _kept(groups: dict[tuple[str, ...], list[tuple[str, str]]]) -> list[tuple[str, ...]]:
    """Shapes that are read: all, or such that any two arguments are seen together where they can
    be, those of more instantiations first."""
    order = sorted(groups, key=lambda key: (-len(groups[key]), key))
    if len(order) <= MOST_SHAPES:
        return order
    seen: set[object] = set()
    kept: list[tuple[str, ...]] = []
    while len(kept) < MOST_SHAPES:
        best = max(order, key=lambda one: len(_pairs(one) - seen))
        order.remove(best)
        kept.append(best)
        seen |= _pairs(best)
    return kept


def _pairs(one: tuple[str, ...]) -> set[object]:
    return set(combinations(enumerate(one), 2))


def chosen(definitions: Iterable[Definition]) -> dict[str, list[tuple[str, str]]]:
    """For each definition the ``(symbol, unit)`` pairs to read, in as few units as can be."""
    wanted: dict[tuple[str, tuple[str, ...]], list[tuple[str, str]]] = {}
    for definition in definitions:
        groups = shapes_of(definition)
        for one in _kept(groups):
            wanted[definition.id, one] = groups[one]
    by_unit: dict[str, set[tuple[str, tuple[str, ...]]]] = {}
    for key, pairs in wanted.items():
        for _, unit in pairs:
            by_unit.setdefault(unit, set()).add(key)
    result: dict[str, list[tuple[str, str]]] = {}
    left = set(wanted)
    while left:
        unit = max(sorted(by_unit), key=lambda name: len(by_unit[name] & left))
        for key in sorted(by_unit[unit] & left):
            pairs = [pair for pair in wanted[key] if pair[1] == unit]
            result.setdefault(key[0], []).append(_best(pairs))
        left -= by_unit.pop(unit)
    return {name: sorted(pairs) for name, pairs in result.items()}


def _best(pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    def rank(pair: tuple[str, str]) -> tuple[int, str]:
        text = " ".join(template_arguments(pair[0]))
        for position, name in enumerate(_PREFERRED):
            if name in text:
                return position, pair[0]
        return len(_PREFERRED), pair[0]

    return min(pairs, key=rank)
