"""Which functions an interface's entries are about, and who reaches them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from qa.ground import Ground
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView, ScopeView

_MOST_ENTRIES = 12
_RECORDED = "kernels in recorded calls"
_OPEN = "functions that entry points may come to"


def own_functions(view: ScopeView, ground: Ground) -> list[FunctionView]:
    """Functions that belong to this interface rather than to another.

    A file whose name carries another interface's name, and not this one's, is that one's, as long
    as that one reaches the function.
    """
    families = {family: _tokens(family) for family in sorted(ground.project.families())}
    tokens = _tokens(view.interface)
    found = []
    for function in view.functions:
        if function.span is None or function.infrastructure:
            continue
        stem = set(re.split(r"[_\W]+", PurePosixPath(function.file).stem.lower()))
        if not tokens & stem and any(
            words & stem and function.id in ground.reach(family)
            for family, words in families.items()
        ):
            continue
        found.append(function)
    return found


def _tokens(family: str) -> set[str]:
    return {part for part in family.lower().split("_") if len(part) > 2}


def entries_through(
    view: ScopeView, function: FunctionView, number: int | None = None
) -> list[str]:
    """Entry points that reach a function by live calls, the plain ones first.

    Args:
        view: The scope.
        function: Where they lead.
        number: Which instantiation; any when ``None``.
    """
    if function.kind == "entry_point":
        return (
            [function.name] if function.name in view.entry_points else list(view.entry_points[:1])
        )
    entries = reaching(view, function, number)
    if function.kind == "kernel":
        recorded: Mapping[str, frozenset[str]] = view.once(_RECORDED, dict)
        # A flag that the entry point fixes may keep it from a kernel that its calls lead to.
        entries = {
            name for name in entries if function.name in recorded.get(name, (function.name,))
        } or entries  # fmt: skip
    known = [name for name in view.entry_points if name in entries]
    known.sort(key=lambda name: (name.count("_"), name.endswith("_64"), len(name), name))
    return known[:_MOST_ENTRIES] or list(view.entry_points[:1])


def reaching(view: ScopeView, function: FunctionView, number: int | None = None) -> set[str]:
    """Entry points from which live calls lead to a function.

    Where it is known what constants calls hand down (``remember_open``), tests that these settle
    keep an entry point from it.
    """
    chosen = (
        function.instantiations if number is None else function.instantiations[number : number + 1]
    )
    ids = {one["id"] for one in chosen}
    found = _leading(view, ids)
    reached: Callable[[str], frozenset[str]] | None = view.once(_OPEN, lambda: None)
    return found if reached is None else {name for name in found if reached(name) & ids}


def _leading(view: ScopeView, ids: set[str]) -> set[str]:
    """Entry points from which live calls lead to some instantiations, whatever they pass."""
    callers = view.callers
    seen = set(ids)
    queue = deque(seen)
    entries: set[str] = set()
    while queue:
        for caller in callers.get(queue.popleft(), ()):
            if caller not in seen:
                seen.add(caller)
                queue.append(caller)
                owner = view.owner.get(caller)
                if owner is not None and owner.kind == "entry_point":
                    entries.add(owner.name)
    return entries


def remember_open(view: ScopeView, ground: Ground) -> None:
    """Lets ``reaching`` know what the constants close that calls hand down."""
    from qa.author.open_ways import open_ways

    view.once(_OPEN, lambda: open_ways(view, ground).reached)


def remember_launched(view: ScopeView, ground: Ground) -> Mapping[str, frozenset[str]]:
    """Kernels that the recorded calls of each entry point launched; entry points without any are
    left out, and so are those some of whose records are not read."""

    def made() -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for trace in ground.traces(view.interface):
            found.setdefault(trace["entry"], set()).update(x["kernel"] for x in trace["launches"])
        return {
            name: frozenset(kernels) for name, kernels in found.items()
            if kernels and name not in ground.untold
        }  # fmt: skip

    return view.once(_RECORDED, made)


def launched_somewhere(
    view: ScopeView, functions: list[FunctionView], recorded: Mapping[str, frozenset[str]]
) -> list[FunctionView]:
    """Functions without the kernels that the records of every entry point on the way to them lack."""

    def launched(function: FunctionView) -> bool:
        entries = reaching(view, function)
        if not entries and _leading(view, {one["id"] for one in function.instantiations}):
            return False  # constants on every way to it keep its callers away
        return not entries or any(
            function.name in recorded.get(name, (function.name,)) for name in entries
        )

    return [f for f in functions if f.kind != "kernel" or launched(f)]


def types_of(function: FunctionView, number: int | None = 0) -> dict[str, str]:
    """Template parameters of one instantiation and what they are bound to."""
    names = template_parameters(function)
    if number is None or number >= len(function.instantiations):
        return {}
    arguments = function.instantiations[number]["template_arguments"]
    return {n: a for n, a in zip(names, arguments, strict=False) if n and "..." not in n}
