"""Which parameters of a function deep down are arguments of the public call, by whatever name."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from functools import partial
from itertools import pairwise

from qa.author.kernel_facts import kernel_facts
from qa.author.launch_pairs import passed_arguments
from qa.ground import Ground
from qa.reading.function import FunctionReading, read_function
from qa.scope_view import FunctionView, ScopeView

_PLACES = re.compile(r"(?:offset|shift|stride|batch|bid|inc|ld|cond|handle)", re.I)


def public_names(
    view: ScopeView,
    ground: Ground,
    function: FunctionView,
    entries: Iterable[str],
    names: Iterable[str],
) -> dict[str, str]:
    """Parameters that are handed down from the public call as they are, and their names there.

    Args:
        view: The scope.
        ground: The library.
        function: Somewhere on the way of the entry points.
        entries: Public functions; the first one with a way to it counts.
        names: Parameters of the public function.
    """
    wanted = tuple(names)
    ways = _ways(view, function, entries)
    known = [_along(view, ground, steps, wanted) for steps in ways if len(steps) > 1]
    if not known:
        return {}
    return {
        name: public for name, public in known[0].items()
        if all(one.get(name) == public for one in known[1:])
    }  # fmt: skip


def _along(
    view: ScopeView, ground: Ground, steps: list[FunctionView], names: Iterable[str]
) -> dict[str, str]:
    """Parameters of the last function of a way that are arguments of its first one."""
    known: dict[str, str] = {name: name for name in names}
    for number, (caller, callee) in enumerate(pairwise(steps)):
        if caller.id == callee.id or callee.span is None:
            continue
        parameters = read_function(callee.text, callee.span.start_line).parameters
        given = _given(view, ground, caller, callee)
        if not given and number == 0:
            # A macro writes the entry point, and hands its arguments on by their names.
            known = {p.name: p.name for p in parameters if p.name in known}
            continue
        known = {
            p.name: known[first]
            for p in parameters
            if (first := given[0].get(p.name, "") if given else "") in known
            and all(row.get(p.name) == first for row in given)
        }
    return known


def _ways(
    view: ScopeView, function: FunctionView, entries: Iterable[str]
) -> list[list[FunctionView]]:
    """From the first entry point with a way down to a function: a way through each of its callers."""
    for entry in entries:
        for config in view.configs:
            before = view.once(
                f"ways from {entry} in {config}", partial(_tree, view, entry, config)
            )
            found: dict[str, list[FunctionView]] = {}
            for one in function.instantiations:
                for caller in view.callers.get(one["id"], ()):
                    through = view.owner.get(caller)
                    if through is None or caller not in before:
                        continue
                    if through.id not in (*found, function.id):
                        found[through.id] = [*_trail(view, before, caller), function]
            if found:
                return list(found.values())
    return []


def _tree(view: ScopeView, entry: str, config: str) -> dict[str, str]:
    """Instantiations that an entry point comes to, and by which one it comes to each first."""
    before = dict.fromkeys(view.entry_ids(entry), "")
    queue = deque(before)
    while queue:
        current = queue.popleft()
        for target, _at, configs in view.edges.get(current, ()):
            if config in configs and target not in before:
                before[target] = current
                queue.append(target)
    return before


def _trail(view: ScopeView, before: dict[str, str], end: str) -> list[FunctionView]:
    trail = []
    while end:
        trail.append(view.owner[end])
        end = before[end]
    return trail[::-1]


def _given(
    view: ScopeView, ground: Ground, caller: FunctionView, callee: FunctionView
) -> list[dict[str, str]]:
    """What each call or launch between two functions passes, by the parameter's name."""
    if caller.span is None or callee.span is None:
        return []
    if callee.kind == "kernel":
        facts = kernel_facts(view, ground, callee)
        return [
            passed_arguments(ground, site, facts) for site in view.launches
            if not site.dead and site.caller.id == caller.id and site.callee.id == callee.id
        ]  # fmt: skip
    parameters = read_function(callee.text, callee.span.start_line).parameters
    calls = read_function(caller.text, caller.span.start_line).calls_of(callee.name)
    return [
        {p.name: given.strip() for p, given in zip(parameters, call.arguments, strict=False)}
        for call in calls
    ]


def operand_of(name: str, reading: FunctionReading) -> str:
    """The parameter that an offset or a stride is loaded with: ``load_scalar(alpha, bid, stridea)``."""
    parameters = {p.name for p in reading.parameters}
    found: set[str] = set()
    for call in reading.calls:
        if "load_" not in call.name or name not in call.arguments:
            continue
        before = call.arguments[: call.arguments.index(name)]
        found |= {a for a in before if a in parameters and not _PLACES.match(a)}
    return found.pop() if len(found) == 1 else ""
