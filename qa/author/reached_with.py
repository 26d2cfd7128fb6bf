"""What a function's parameters are when the entry point that an entry names comes to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
    paths = [
        path for made in function.instantiations for config in view.configs
        if (path := view.path(entries[0], config, made["id"]))
    ]  # fmt: skip
    ways = [fixed_parameters([view.owner[i] for i, _at in path], ground) for path in paths]
    taken = {n for path in paths for n in arguments_of([view.owner[i] for i, _at in path])}
    found: dict[str, Value | None] = {}
    for parameter in read_function(function.text, function.span.start_line).parameters:
        name = parameter.name
        if taken and _OF_A_BATCH.fullmatch(name) and not _takes(taken, name):
            found[name] = 1 if re.match(r"batch", name, re.I) else None
    for name in set.intersection(*(set(way) for way in ways)) if ways else ():
        values = set().union(*(way[name] for way in ways))
        if len(values) == 1:
            found[name] = _value(values.pop())
    return found


def taking(view: ScopeView, entries: list[str], names: Iterable[str]) -> list[str]:
    """Those of some entry points that take a batch or a stride where values for them are given.

    All of them where none does, or where no such value is given.
    """
    wanted = {_kind(name) for name in names if _OF_A_BATCH.fullmatch(name)}
    able = [entry for entry in entries if wanted <= _kinds(view, entry)] if wanted else []
    return able or entries


def _kinds(view: ScopeView, entry: str) -> set[str]:
    names = ""
    for one in view.entry_ids(entry)[:1]:
        for target, _at, _configs in view.edges.get(one, ()):
            if one in view.owner and target in view.owner:
                names += " ".join(arguments_of([view.owner[one], view.owner[target]])).lower()
    return {kind for kind in ("batch", "stride") if kind in names}


def _kind(name: str) -> str:
    return "batch" if "batch" in name.lower() else "stride"


def arguments_of(steps: Sequence[FunctionView]) -> list[str]:
    """Parameters of an entry point, those of what it calls where a macro writes it out."""
    for function in steps[:2]:
        if function.span is not None:
            reading = read_function(function.text, function.span.start_line)
            if reading.parameters and not reading.broken:
                return [parameter.name for parameter in reading.parameters]
    return []


def _takes(arguments: set[str], name: str) -> bool:
    """The entry point has the parameter, or one of that kind under a name of its own."""
    return any(_kind(name) in argument.lower() for argument in arguments)


def _value(text: str) -> Value:
    return int(text) if text.isdigit() else {"true": 1, "false": 0}.get(text, text)
