"""Where a host function is left early: before a launch by other calls, after it by this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, tell_constants
from qa.author.passed_values import within
from qa.author.ways import calls_at
from qa.reading.function import Branch, Call, FunctionReading, Guard, read_function
from qa.scope_view import FunctionView, Site

_LONGEST = 110
_MOST = 2


def _encloses(outer: Sequence[Guard], inner: Sequence[Guard]) -> bool:
    """Whoever comes to the inner place passes the outer one as well, or has passed it."""
    return tuple(outer) == tuple(inner[: len(outer)])


def leaving_before(reading: FunctionReading, guards: Sequence[Guard], line: int) -> list[Branch]:
    """Branches on the way to a line that return instead of going on to it."""
    return [
        branch for branch in reading.branches
        if branch.consequence[1] < line and branch.returns is not None and not branch.loops
        and _encloses(branch.guards, guards)
    ]  # fmt: skip


def tell_end(
    draft: Draft, trace: Trace, launch: Mapping[str, Any], sites: Sequence[Site], told: set[str]
) -> bool:
    """Says what ends a call after its last launch: the return that its own numbers lead to.

    Nothing is said unless the numbers settle every test up to that return.
    """
    if not sites or len({site.caller.id for site in sites}) > 1:
        return False
    function = sites[0].caller
    calls = calls_at(function, sites)
    if function.span is None or len({call.guards for call in calls}) != 1:
        return False
    reading = read_function(function.text, function.span.start_line)
    call = calls[-1]
    inside = within(draft.view, draft.ground, trace, str(launch["symbol"]), function)
    after = [b for b in reading.branches if b.first > call.last and not b.loops]
    for branch in after:
        if not _encloses(branch.guards, call.guards) or branch.returns is None:
            continue
        truth = inside.truth(branch.condition, draft.ground)
        if truth is None:
            return False
        if truth and len(branch.condition) <= _LONGEST:
            if branch.condition in told:
                return False
            told.add(branch.condition)
            gives = f" with {code(branch.returns)}" if branch.returns.isidentifier() else ""
            draft.say(
                f"With that done {code(function.name)} asks {code(branch.condition)}, which this call meets, so it returns there{gives} and launches nothing more.",
                draft.lines(function, branch.first, branch.consequence[1]),
                draft.lines(function, call.first, call.last), draft.head(function), "recompute",
            )  # fmt: skip
            return True
        if truth:
            return False
    back = next(
        (r for r in reading.returns if r.first > call.last and r.guards == call.guards and r.guards),
        None,
    )  # fmt: skip
    if back is None or "end" in told:
        return False
    told.add("end")
    guard = back.guards[-1]
    draft.say(
        f"That branch, {'the one past' if guard.negated else 'under'} {code(guard.condition)}, ends with a return, so that {code(function.name)} does no more for this call.",
        draft.lines(function, guard.line), draft.lines(function, back.first, back.last),
        draft.head(function),
    )  # fmt: skip
    return True


def tell_leaving(
    draft: Draft, function: FunctionView, calls: Sequence[Call], told: set[str]
) -> bool:
    """Says where a function returns before it comes to a call: on all ways to it, or on some.

    Args:
        draft: The entry.
        function: Where the calls stand.
        calls: The places of one call or launch.
        told: Tests that are told already; what is told here is added.
    """
    if function.span is None or not calls:
        return False
    reading = read_function(function.text, function.span.start_line)
    ways = [
        [
            b for b in leaving_before(reading, call.guards, call.first)
            if b.condition not in told and not draft.tells(b.condition)
            and len(b.condition) <= _LONGEST and b.returns is not None and "(" not in b.returns
        ]
        for call in calls
    ]  # fmt: skip
    every = {branch.first: branch for way in ways for branch in way}
    common = [b for line, b in every.items() if all(line in [o.first for o in w] for w in ways)]
    some = [branch for branch in every.values() if branch not in common]
    name = code(function.name)
    for found, lead in (
        (common[-_MOST:], f"Before it comes to that, {name} returns where"),
        (some[-_MOST:], f"On some of the ways to it, not on all, {name} returns before that where"),
    ):
        if found:
            told.update(b.condition for b in found)
            draft.say(
                f"{lead} {listed(list(dict.fromkeys(code(b.condition) for b in found)), 'or')} holds.",
                *[draft.lines(function, b.first, b.consequence[1]) for b in found],
                draft.head(function),
            )  # fmt: skip
    tell_constants(draft, function, [b.condition for b in (*common, *some)], told)
    return bool(every)
