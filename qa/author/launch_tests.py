"""Sentences about the tests under which a recorded launch stands, and the parts that settle them."""

from __future__ import annotations

import re
from typing import Any

from qa.author.above import tell_above
from qa.author.came_by import is_usual, launch_at, passed_tests, twins_of
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, tell_constants
from qa.author.passed_values import Within, not_denied, way_of, within
from qa.author.settled import (
    Settled,
    after_words,
    failing_words,
    holding_words,
    key_of,
    nearest,
    not_implied,
    settle,
    shown_code,
    tell_meanings,
)
from qa.author.several_places import tell_places
from qa.author.sites import Test, shared_tests
from qa.author.told_values import tell_passed
from qa.author.unfolded import tell_unfolded
from qa.author.ways import Asked, asked, calls_at, tell_ways
from qa.reading.function import read_function
from qa.scope_view import Site

_ANY_LENGTH = 10**6
_POINTER_MODE = re.compile(r"pointer_mode")
_SETS_THE_MODE = re.compile(r"push_pointer_mode|set_pointer_mode|saved_pointer_mode")


def tell_conditions(
    draft: Draft,
    sites: list[Site],
    told: set[str],
    trace: Trace,
    launch: dict[str, Any],
    about: re.Pattern[str] | None = None,
) -> bool:
    """Says under which tests of the launcher a launch stands, and what settles them for the call.

    Places that the call's own numbers speak against are left out. Of many tests those nearest to the
    launch are told whole, and before them those that an entry is about; of the others it is said
    what they look at.

    Args:
        draft: The entry.
        sites: Places of the launch.
        told: Tests and names that are told already; what is told here is added.
        trace: The recorded call.
        launch: Its launch.
        about: What tests have to name, if by what a name stands for, to come first.

    Returns:
        Whether a test was told.
    """
    assert sites[0].caller.span is not None
    reading = read_function(sites[0].caller.text, sites[0].caller.span.start_line)
    inside = within(draft.view, draft.ground, trace, launch["symbol"], sites[0].caller)
    runs = draft.ground.runs(draft.view, trace)
    if not runs:
        sites = _not_denied_sites(draft, sites, inside, trace, launch["symbol"])
    site = sites[0]
    place = launch_at(site) if runs and len(sites) == 1 else None
    both: set[Asked] = set()  # tests that lead to the same launch either way
    above = tell_above(draft, trace, launch, sites, told) if runs else False
    if place is not None:
        twins = twins_of(draft.view, site.caller, site.callee)
        every = shared = passed_tests(draft.view, draft.ground, runs, site.caller, place, twins)
        both = {(g.condition, g.negated) for g in place.guards} - {
            (t.condition, t.negated) for t in every
        }
    else:
        every = shared_tests(draft.ground, sites, _ANY_LENGTH)
        shared = [test for test in every if _is_the_kernels_own(draft, site, test)]
    tests, others = not_denied(shared, inside, draft.ground)
    rows = [settle(draft, test, inside, trace) for test in tests]
    rows = [row for row in rows if key_of(row.test) not in told and row.can_be_told()]
    held = nearest([row for row in rows if not row.test.negated], reading, about)
    failed = nearest([row for row in rows if row.test.negated], reading, about)
    implied: list[Settled] = []
    if place is not None:
        every_failed, failed = failed, not_implied(held, failed)
        implied = [row for row in every_failed if row not in failed]
    if not held and not failed:
        several = bool(runs) and len(sites) > 1 and tell_places(draft, runs, sites, set())
        return above or several
    for row in (*held, *failed):
        told.update((row.test.condition, key_of(row.test)))
    kernel = code(site.callee.name)
    draft.say(
        _sentence(draft, kernel, held, failed, f"tests{len(told)}", made=place is not None),
        *[row.test.span for row in (*held, *failed)], draft.head(site.callee), "trace",
    )  # fmt: skip
    known = {
        (t.condition, t.negated) for t in every
        if t not in shared or key_of(t) in told
        or (place is None and _POINTER_MODE.search(t.condition))
    }  # fmt: skip
    known |= {(row.test.condition, row.test.negated) for row in implied} | both
    calls = calls_at(site.caller, sites)
    modes = {
        one for c in calls for one in asked(c.guards)
        if (is_usual(one[0]) if place is not None else _POINTER_MODE.search(one[0]))
    }  # fmt: skip
    if not (runs and len(sites) > 1 and tell_places(draft, runs, sites, {*known, *modes})):
        tell_ways(draft, site.caller, kernel, calls, {*known, *modes}, "launched")
    shown = " ".join(shown_code(row) for row in (*held, *failed))
    for name, passed in others.items():
        key = f"{name} of {site.caller.name}"
        if re.search(rf"\b{name}\b", shown) and name in trace["args"] and key not in told:
            told.add(key)
            tell_passed(draft, name, site.caller, passed, runs)
    meanings = tell_meanings(draft, site.caller, shown, inside, told, about)
    if runs:
        tell_unfolded(draft, site.caller, " ".join((shown, *meanings)), runs, told)
    tell_constants(draft, site.caller, [shown, *meanings], told)
    return True


def _is_the_kernels_own(draft: Draft, site: Site, test: Test) -> bool:
    """Every live launch of the kernel in the function stands under the test, not this one alone."""
    twins = [
        other for other in draft.view.launches
        if not other.dead and other.caller.id == site.caller.id and other.callee.id == site.callee.id
    ]  # fmt: skip
    return all(
        (test.condition, test.negated) in asked(call.guards)
        for call in calls_at(site.caller, twins)
    )


def _not_denied_sites(
    draft: Draft, sites: list[Site], inside: Within, trace: Trace, symbol: str
) -> list[Site]:
    """Places whose tests the call's own numbers and its pointer mode do not speak against."""
    if len(sites) < 2:
        return sites
    way = way_of(draft.view, draft.ground, trace, symbol, sites[0].caller.id)
    steps = [draft.view.owner[one] for one, _at in way]
    mode = "" if any(_SETS_THE_MODE.search(f.text) for f in steps) else str(trace["pointer_mode"])

    def denied(one: Asked) -> bool:
        condition, negated = one
        told = re.search(r"pointer_mode_(host|device)\b", condition)
        if _POINTER_MODE.search(condition):
            plain = told is not None and re.search(r"==", condition) and "&&" not in condition
            return bool(mode and plain and told and (told[1] == mode) is negated)
        truth = inside.truth(condition, draft.ground)
        return truth is not None and truth is negated

    kept = [
        site for site in sites
        if not any(denied(one) for c in calls_at(site.caller, [site]) for one in asked(c.guards))
    ]  # fmt: skip
    return kept or sites


def _sentence(
    draft: Draft,
    kernel: str,
    held: list[Settled],
    failed: list[Settled],
    salt: str,
    *,
    made: bool = False,
) -> str:
    """How the call comes to the launch: what holds there, and what failed before it.

    Of a call that was made again only that is said which came out in it.
    """
    fails = failing_words(failed)
    if made:
        return _made_sentence(draft, kernel, held, fails, salt)
    if not held:
        return draft.choose(
            f"The launch of {kernel} is left to calls for which {fails}.",
            f"The call comes to {kernel} because {fails}.",
            salt=salt,
        )
    parts = [part for row in held for part in holding_words(row)]
    holds, verb = listed(parts), "hold" if len(parts) > 1 else "holds"
    if not failed:
        return draft.choose(
            f"The launch of {kernel} asks for {holds}.",
            f"What leads to {kernel} is that {holds} {verb}.",
            salt=salt,
        )
    return draft.choose(
        f"The launch of {kernel} asks for {holds}, and comes only after {after_words(failed)}.",
        f"The call gets to {kernel} because {fails}, while {holds} {verb}.",
        f"For this call {fails}; {holds} {verb} and {'lead' if len(parts) > 1 else 'leads'} to {kernel}.",
        salt=salt,
    )


def _made_sentence(draft: Draft, kernel: str, held: list[Settled], fails: str, salt: str) -> str:
    parts = [part for row in held for part in holding_words(row)]
    holds, verb = listed(parts), "hold" if len(parts) > 1 else "holds"
    if not held:
        return draft.choose(
            f"The call comes to {kernel} because {fails}.",
            f"Here {fails}, and so {kernel} is what follows.",
            salt=salt,
        )
    if not fails:
        return draft.choose(
            f"The call comes to {kernel} because {holds} {verb}.",
            f"What leads to {kernel} is that {holds} {verb}.",
            salt=salt,
        )
    return draft.choose(
        f"The call gets to {kernel} because {fails}, while {holds} {verb}.",
        f"For this call {fails}; {holds} {verb} and {'lead' if len(parts) > 1 else 'leads'} to {kernel}.",
        f"With these arguments {holds} {verb}, and as {fails}, {kernel} is launched.",
        salt=salt,
    )
