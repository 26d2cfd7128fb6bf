"""Under which tests a launcher makes a launch, and what its own names are there."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from qa.author.draft import code, listed
from qa.author.needs import reaching_value
from qa.author.outline import declared
from qa.author.ways import calls_at
from qa.reading.function import read_function
from qa.reading.template_parameters import template_parameters
from qa.scope_view import Site

_MOST_TESTS, _MOST_WAYS, _LONGEST, _LONGEST_VALUE = 2, 3, 110, 90
_NAME = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*")
Way = tuple[tuple[str, bool], ...]
_NO_NAME = re.compile(r"dim3|min|max|std|sizeof|size_t|u?int(?:32|64)_t|int|true|false|handle|T|I")


def under(sites: Sequence[Site]) -> str:
    """The tests nearest to the launches of one launcher, for behind grid and block; or nothing."""
    caller = sites[0].caller
    if caller.span is None:
        return ""
    ways: dict[Way, None] = {}
    for site in sites:
        calls = calls_at(caller, [site])
        if not calls:
            return ""
        guards = [g for g in calls[0].guards if len(g.condition) <= _LONGEST]
        if not guards or len(guards) < len(calls[0].guards):
            return ""
        ways[tuple((g.condition, g.negated) for g in guards[-_MOST_TESTS:])] = None
    kept = without_both(list(ways))
    if len(kept) > _MOST_WAYS or not all(kept):
        return ""
    told = [
        listed([f"{code(test)} {'fails' if negated else 'holds'}" for test, negated in way])
        for way in kept
    ]
    more = any(len(calls_at(caller, [s])[0].guards) > _MOST_TESTS for s in sites)
    return f", {'among other tests ' if more else ''}where {listed(told, 'or')}"


def without_both(ways: list[Way]) -> list[Way]:
    """Ways without a test that may hold as well as fail with all others alike."""
    for one, other in itertools.combinations(ways, 2):
        apart = [n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
        if len(one) == len(other) and len(apart) == 1 and one[apart[0]][0] == other[apart[0]][0]:
            less = one[: apart[0]] + one[apart[0] + 1 :]
            return without_both([*(w for w in ways if w not in (one, other, less)), less])
    return ways


def own_names(sites: Sequence[Site], words: str) -> str | None:
    """What a launcher's names in a grid and a block are at its launches.

    Args:
        sites: Launches from one launcher.
        words: Grid and block as written.

    Returns:
        ``where`` and the values, for behind the words; nothing where there are no such names, and
        ``None`` where one of them cannot be told.
    """
    caller = sites[0].caller
    if caller.span is None:
        return None
    reading = read_function(caller.text, caller.span.start_line)
    given = {p.name for p in reading.parameters} | set(template_parameters(caller))
    local = {d.name for d in reading.definitions}
    open_names = declared(caller.text)
    ways: dict[str, None] = {}
    for site in sites:
        calls = calls_at(caller, [site])
        told: dict[str, str] = {}
        queue = list(dict.fromkeys(_NAME.findall(words)))
        while queue:
            name = queue.pop(0)
            if name in given or name in told or _NO_NAME.fullmatch(name):
                continue
            if name not in local and name not in open_names:
                continue  # a type, or a constant of the library
            value = reaching_value(caller, reading, name, calls[0]) if calls else ""
            value = re.sub(r"\s+", " ", value)
            if not value or value == name or len(value) > _LONGEST_VALUE or len(told) > 9:
                return None
            told[name] = value
            queue += _NAME.findall(value)
        if told:
            ways[listed([f"{code(n)} is {code(v)}" for n, v in told.items()])] = None
    if len(ways) > _MOST_WAYS:
        return None
    return f" (where {'; or '.join(ways)})" if ways else ""
