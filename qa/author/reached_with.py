"""What a function's parameters are when the entry point that an entry names comes to it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from qa.author.passed_values import fixed_parameters
from qa.ground import Ground
from qa.reading.function import read_function
from qa.reading.outcome import Value
from qa.scope_view import FunctionView, ScopeView

_OF_A_BATCH = re.compile(r"batch_?count\w*|stride_?[A-Za-z]\w*|b?stride", re.I)


def out_of_reach(
    view: ScopeView, ground: Ground, entries: list[str], function: FunctionView
) -> dict[str, Value | None]:
    """Parameters of a function that the first of some entry points cannot choose.

    Returns:
        By name the constant that it has there; ``None`` where only that is known that no caller
        chooses it, as with the strides of a call for a single problem.
    """
    if not entries or function.span is None or entries[0] == function.name:
        return {}
    entry = next((f for f in view.by_name.get(entries[0], ()) if f.kind == "entry_point"), None)
    if entry is None:
        return {}
    reading = read_function(function.text, function.span.start_line)
    found: dict[str, Value | None] = {}
    for parameter in reading.parameters:
        name = parameter.name
        if _OF_A_BATCH.fullmatch(name) and not _takes(entry.signature, name):
            found[name] = 1 if re.match(r"batch", name, re.I) else None
    ways: list[Mapping[str, set[str]]] = []
    for made in function.instantiations:
        for config in view.configs:
            path = view.path(entries[0], config, made["id"])
            if path:
                ways.append(fixed_parameters([view.owner[i] for i, _at in path], ground))
    for name in set.intersection(*(set(way) for way in ways)) if ways else ():
        values = set().union(*(way[name] for way in ways))
        if len(values) == 1:
            found[name] = _value(values.pop())
    return found


def _takes(signature: str, name: str) -> bool:
    """The entry point has the parameter, or one of that kind under a name of its own."""
    kind = "batch" if re.match(r"batch", name, re.I) else "stride"
    return re.search(rf"\b\w*{kind}\w*", signature, re.I) is not None


def _value(text: str) -> Value:
    return int(text) if text.isdigit() else {"true": 1, "false": 0}.get(text, text)
