"""The calls that a text is about: arguments, increments, pointer modes, architectures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from qa.text.prose import architectures, plain

_MOST_CALLS = 4
CHAIN = re.compile(
    r"(?<![-+*/%&|<>] )(?<![-+*/%])"
    r"((?:`?\b[A-Za-z_]\w*`?\s*=\s*)+|`?\b[A-Za-z_]\w*`? (?:is|of|equals|being) )"
    r"`?(-?\d[\d,']*)`?(?![\w.]|\s*[-+*/%(<>])"
)
_INCREMENTS = re.compile(
    r"\b(?:both|unit|all) increments?(?: (?:are|of|equal to|being|is))? ?(-?\d+|one|unit)?", re.I
)
_MOVED = re.compile(r"`?\b([A-Za-z_]\w*)`? from `?(-?\d[\d,']*)`? to `?(-?\d[\d,']*)")
_MODE = re.compile(
    r"\b(host|device)[- ]pointer[- ]mode\b|\bpointer mode (?:is )?`?(host|device)", re.I
)


@dataclass(frozen=True)
class Call:
    """What is known of the call that a text is about.

    Attributes:
        values: Arguments by name.
        increments: What increments are that have no value of their own; ``None`` if not told.
        modes: Pointer modes it may have.
        archs: Architectures it may run on.
    """

    values: Mapping[str, int]
    increments: int | None
    modes: tuple[str, ...]
    archs: tuple[str, ...]


def asked_of(question: str) -> list[Call]:
    """The calls that a question is about: several where it gives an argument several values."""
    once = told_of(question, Call({}, None, ("host", "device"), ()))
    values: dict[str, list[int]] = {}
    text = plain(question)
    for names, value in CHAIN.findall(text):
        for name in re.findall(r"[A-Za-z_]\w*", names):
            if name in once.values:
                values.setdefault(name, []).append(whole(value))
    for name, first, last in _MOVED.findall(text):
        values.setdefault(name, []).extend((whole(first), whole(last)))
    several = {name: list(dict.fromkeys(all_)) for name, all_ in values.items()}
    several = {name: all_ for name, all_ in several.items() if len(all_) > 1}
    if prod(map(len, several.values())) > _MOST_CALLS:
        kept = {name: value for name, value in once.values.items() if name not in several}
        return [replace(once, values=kept)]
    return [
        replace(once, values={**once.values, **dict(zip(several, chosen, strict=True))})
        for chosen in product(*several.values())
    ]


def whole(text: str) -> int:
    """A number of prose, with its separators."""
    return int(re.sub(r"[,']", "", text))


def told_of(text: str, before: Call, known: frozenset[str] | None = None) -> Call:
    """A call with what a text says of it; ``known`` are the names that count as arguments."""
    text = plain(text)
    values = dict(before.values)
    for names, value in CHAIN.findall(text):
        for name in re.findall(r"[A-Za-z_]\w*", names):
            if name not in ("is", "of", "equals", "being") and (known is None or name in known):
                values[name] = whole(value)
    both = _INCREMENTS.search(text)
    increments = before.increments
    if both is not None and (both[1] or "unit" in both[0].lower()):
        increments = 1 if (both[1] or "unit") in ("one", "unit") else int(both[1])
    modes = tuple(dict.fromkeys(one or other for one, other in _MODE.findall(text.lower())))
    return Call(
        values,
        increments,
        modes or before.modes,
        tuple(sorted(architectures(text))) or before.archs,
    )
