"""Entries that follow one recorded call, as it ran, down to one of its kernels."""

from __future__ import annotations

import json
from typing import Any

from qa.author.above import tell_above
from qa.author.came_by import launch_at, passed_tests, twins_of
from qa.author.decisions import Decision
from qa.author.draft import Draft, code, listed
from qa.author.early_exits import tell_early_exits
from qa.author.given_up import give_up
from qa.author.launch_places import tell_other_side
from qa.author.launch_prose import (
    Trace,
    build_words,
    claim_launch,
    setting_words,
    size_words,
    tell_formula,
    tell_modes,
)
from qa.author.launch_tests import tell_conditions
from qa.author.passed_values import way_of
from qa.author.recorded_launches import Sites
from qa.author.usual_checks import usual_checks
from qa.ground import Ground
from qa.scope_view import ScopeView

_MOST_FUNCTIONS = 4
_SHORTEST_WAY = 3
_FEWEST_TESTS = 2


def followed(view: ScopeView, ground: Ground, trace: Trace, launch: dict[str, Any]) -> Draft | None:
    """Why a call launches a kernel: the functions on its way and the tests that it passed there.

    Args:
        view: The scope.
        ground: The library.
        trace: The call.
        launch: One of its launches.

    Returns:
        Nothing where the call was not made again, or where no test decides.
    """
    entry, config = trace["entry"], trace.get("config", "source")
    sites = Sites().of(launch, view, ground, trace)
    way = way_of(view, ground, trace, launch["symbol"], sites[0].caller.id) if sites else []
    steps = [(view.owner[one], at) for one, at in way]
    if len({function.id for function, _at in steps}) < _SHORTEST_WAY:
        return None
    kernel, launcher = steps[-1][0], sites[0].caller
    draft = Draft(
        view, ground, "dispatch",
        f"followed {entry} {config} {kernel.id} {json.dumps(trace['args'], sort_keys=True)}",
        [entry], configs=[config],
    )  # fmt: skip
    where = build_words(view, config)
    setting = setting_words(trace)
    draft.question = draft.choose(
        f"A profile of {code(entry)}{where}, called with {setting}, shows {code(kernel.name)}. Follow the decisions of the host code that lead there, from function to function.",
        f"{code(entry)}{where} is called with {setting}. By which tests does the host code come to launch {code(kernel.name)}?",
        f"Why does {code(entry)}{where} launch {code(kernel.name)} for {setting}? Name the functions on the way and what they decide.",
    )
    hosts = list({f.id: f for f, _at in steps[1:-1]}.values())
    names = list(dict.fromkeys(
        code(f.name) if f.name.isidentifier() else "a function object" for f in hosts
    ))  # fmt: skip
    calls = [at for _f, at in steps[1:] if at is not None]
    usual, checks = usual_checks(ground, steps)
    draft.say(
        f"{code(entry)} gets there by {listed(names)}{f', and the {usual} come first' if usual else ''}.",
        *[draft.head(f) for f in hosts if f.span is not None], *calls, *checks, "scope",
    )  # fmt: skip
    told: set[str] = set()
    above = tell_above(draft, trace, launch, sites, told, _MOST_FUNCTIONS)
    tested = tell_conditions(draft, sites, told, trace, launch)
    if not above and not tested:
        give_up(view, "followed call: no test on its way decides")
        return None
    decided = sum(key.startswith(("is: ", "not: ")) for key in told)
    sizes = {size_words(x) for x in trace["launches"] if x["symbol"] == launch["symbol"]}
    which = "The launch" if len(sizes) == 1 else "The largest launch"
    draft.say(
        f"{which} of {code(kernel.name)} has {size_words(launch)}.",
        sites[0].at,
        draft.head(kernel),
        "trace",
    )
    claim_launch(draft, trace, launch)
    sized = tell_formula(draft, view, ground, sites[0], launch, trace)
    tell_early_exits(draft, steps)
    place = launch_at(sites[0]) if len(sites) == 1 else None
    if place is not None:
        twins = twins_of(view, launcher, kernel)
        tests = passed_tests(view, ground, ground.runs(view, trace), launcher, place, twins)
        decisions = [
            Decision(launcher, t.condition, not t.negated, "", t.span) for t in tests
            if t.condition in told
        ]  # fmt: skip
        tell_other_side(draft, launcher, kernel, decisions)
    if decided < _FEWEST_TESTS and not sized:
        give_up(view, "followed call: too little of it can be told")
        return None
    draft.claim("path", entry, [f.name for f, _at in steps], "scope")
    tell_modes(draft, trace)
    draft.subject += f"|{sorted(key for key in told if key.startswith(('is: ', 'not: ')))}"
    return draft
