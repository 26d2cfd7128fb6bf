"""The tests that a call which was made again passed on its way, function by function."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from extractor.records import Span
from qa.author.sites import MOST_LINES, Test
from qa.author.ways import LITERALS, calls_at
from qa.executed import Run
from qa.ground import Ground
from qa.reading.function import Branch, Call, FunctionReading, Guard, read_function
from qa.scope_view import FunctionView, ScopeView, Site
from qa.text.brackets import split_at, unwrapped

USUAL = re.compile(
    r"pointer_mode|check_numerics|layer_mode|st\w*\s*!=|memory_size|^!?handle$|^size_\w+ > 0$"
    r"|is_stream_in_capture|dev_mem|^!?\(?\w*work\w*\)?$"
)
"""Pieces of tests that every function of these libraries has, on the handle and its modes."""


def is_usual(condition: str) -> bool:
    """All that a test asks for is the handle and its modes."""
    return all(
        USUAL.search(piece) is not None
        for part in split_at(unwrapped(condition), "||") for piece in split_at(part, "&&")
    )  # fmt: skip


def place_of(function: FunctionView, name: str, line: int) -> Call | None:
    """The call of a function on a line of another."""
    if function.span is None:
        return None
    reading = read_function(function.text, function.span.start_line)
    here = [c for c in reading.calls_of(name) if c.first <= line <= c.last]
    return here[0] if here else None


def passed_tests(
    view: ScopeView,
    ground: Ground,
    runs: Mapping[str, Run],
    function: FunctionView,
    call: Call,
    twins: Sequence[Call],
) -> list[Test]:
    """What a call passed in a function before it came to a place: tests around it, and returns
    ahead of it that would have led to other work.

    A test whose other outcome leads to the same is no reason and is left out.

    Args:
        view: The scope.
        ground: The library.
        runs: The call as it ran, by architecture.
        function: The function.
        call: The place.
        twins: Other places of the same call or launch in the function.

    Returns:
        The tests in the order of the text, those on the handle and its modes left out.
    """
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    found = {
        (g.line, g.condition, g.negated) for g in call.guards
        if not is_usual(g.condition) and g.condition not in LITERALS
        and not any(_has_both(call, g, twin) for twin in twins)
    }  # fmt: skip
    for branch in reading.branches:
        if (
            _is_ahead(branch, call)
            and not is_usual(branch.condition)
            and _works(view, function, branch)
            and all(run.taken(function, branch) is False for run in runs.values())
        ):
            found.add((branch.first, branch.condition, True))
    return [
        Test(condition, negated, span_of(ground, function, reading, line))
        for line, condition, negated in sorted(found)
    ]


def twins_of(view: ScopeView, function: FunctionView, following: FunctionView) -> list[Call]:
    """All places at which a function calls or launches another."""
    if function.span is None:
        return []
    if following.kind != "kernel":
        return read_function(function.text, function.span.start_line).calls_of(following.name)
    sites = [
        s for s in view.launches
        if not s.dead and s.caller.id == function.id and s.callee.name == following.name
    ]  # fmt: skip
    return calls_at(function, sites)


def _has_both(call: Call, guard: Guard, twin: Call) -> bool:
    """The twin stands in the other arm of a test around a call, under nothing more."""
    number = call.guards.index(guard)
    if len(twin.guards) != number + 1 or twin.guards[:number] != call.guards[:number]:
        return False
    other = twin.guards[number]
    return other.line == guard.line and other.negated is not guard.negated


def span_of(ground: Ground, function: FunctionView, reading: FunctionReading, line: int) -> Span:
    """The lines of a condition, to the brace behind it."""
    return ground.span(function.file, *reading.lines_of_test(line, MOST_LINES))


def launch_at(site: Site) -> Call | None:
    """The call by which a launch is made."""
    calls = calls_at(site.caller, [site])
    return calls[0] if calls else None


def _is_ahead(branch: Branch, call: Call) -> bool:
    """The branch stands on the way to the call and returns."""
    guards = tuple(branch.guards)
    return (
        branch.consequence[1] < call.first
        and branch.returns is not None
        and guards == tuple(call.guards[: len(guards)])
    )


def _works(view: ScopeView, function: FunctionView, branch: Branch) -> bool:
    """A branch launches, or calls what does."""
    first, last = branch.first, branch.consequence[1]
    if any(
        not s.dead and s.caller.id == function.id and first <= s.at.start_line <= last
        for s in view.launches
    ):
        return True
    return any(
        not s.dead and s.caller.id == function.id and first <= s.at.start_line <= last
        and s.callee.id in working(view)
        for s in view.calls
    )  # fmt: skip


def working(view: ScopeView) -> frozenset[str]:
    """Ids of the definitions that launch, or call what does."""

    def make() -> frozenset[str]:
        found = {s.caller.id for s in view.launches if not s.dead}
        callers: dict[str, set[str]] = {}
        for site in view.calls:
            if not site.dead:
                callers.setdefault(site.callee.id, set()).add(site.caller.id)
        queue = list(found)
        while queue:
            for one in callers.get(queue.pop(), ()):
                if one not in found:
                    found.add(one)
                    queue.append(one)
        return frozenset(found)

    return view.once("functions that launch", make)
