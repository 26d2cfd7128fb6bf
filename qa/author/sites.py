"""Where a kernel's instantiation is launched, and the tests that all those places share."""

from __future__ import annotations

from dataclasses import dataclass

from extractor.records import Span
from qa.ground import Ground
from qa.reading.function import read_function
from qa.scope_view import FunctionView, ScopeView, Site

LONGEST, MOST_LINES = 130, 8


@dataclass(frozen=True)
class Test:
    """A condition around a launch, and whether it must fail."""

    condition: str
    negated: bool
    span: Span


def sites_of(view: ScopeView, symbol: str) -> list[Site]:
    """Live launch sites of one instantiation, in the order of the source."""
    places = {
        (row["at"]["file"], row["at"]["start_line"], view.owner[row["caller"]].id)
        for row in view.launch_rows
        if not row["dead"]
        and row["caller"] in view.owner
        and (row["kernel"] == symbol or row["kernel"].split("@")[0] == symbol)
    }
    owners = {
        view.owner[one].id for one in view.owner if one == symbol or one.split("@")[0] == symbol
    }  # overloads of one name may be launched on one line
    return [
        site for site in view.launches
        if not site.dead and (site.at.file, site.at.start_line, site.caller.id) in places
        and (not owners or site.callee.id in owners)
    ]  # fmt: skip


def launching(view: ScopeView, entry: str, config: str, symbol: str) -> list[Site]:
    """Sites of an instantiation within the one function that launches it for an entry point.

    Nothing where several functions on the way of the entry point launch it: a trace does not say
    which of them it was.
    """
    sites = sites_of(view, symbol)
    callers = {site.caller.id for site in sites}
    if len(callers) > 1:
        callers = {c for c in callers if view.path(entry, config, symbol, through=c)}
    if len(callers) != 1:
        return []
    return [site for site in sites if site.caller.id in callers]


def tests_around(ground: Ground, site: Site, longest: int) -> list[Test]:
    """Conditions that enclose a launch, outermost first; the pointer mode and long ones left out."""
    caller: FunctionView = site.caller
    assert caller.span is not None
    reading = read_function(caller.text, caller.span.start_line)
    call = next(
        (c for c in reading.calls if c.first <= site.at.start_line <= c.last and len(c.text) > 20),
        None,
    )
    found = []
    for guard in call.guards if call is not None else ():
        if "pointer_mode" in guard.condition or len(guard.condition) > longest:
            continue
        span = ground.span(caller.file, *reading.lines_of_test(guard.line, MOST_LINES))
        found.append(Test(guard.condition, guard.negated, span))
    return found


def count_of_tests(site: Site, *, usual: bool = True) -> int:
    """How many conditions enclose a launch, long ones too.

    Args:
        site: The launch.
        usual: Those on the pointer mode as well, which a question names.
    """
    caller: FunctionView = site.caller
    assert caller.span is not None
    reading = read_function(caller.text, caller.span.start_line)
    return max(
        (sum(usual or "pointer_mode" not in g.condition for g in c.guards) for c in reading.calls
         if c.first <= site.at.start_line <= c.last and len(c.text) > 20), default=0,
    )  # fmt: skip


def shared_tests(ground: Ground, sites: list[Site], longest: int = LONGEST) -> list[Test]:
    """Conditions that every one of the sites stands under."""
    if not sites:
        return []
    first, *others = [tests_around(ground, site, longest) for site in sites]
    known = [{(t.condition, t.negated) for t in tests} for tests in others]
    return [t for t in first if all((t.condition, t.negated) in tests for tests in known)]
