"""Tests that a call passes on its way to the one that decides, each of them told."""

from __future__ import annotations

from qa.author.arguments import Arguments
from qa.author.draft import Draft, code, counted, listed
from qa.reading.outcome import Outcome, Step

_MOST_PASSED = 2


def tell_passed_over(draft: Draft, made: Arguments, outcome: Outcome, until: Step) -> None:
    """Says which tests above the one that decides were asked and failed."""
    above = [
        s for s in outcome.steps if s.kind == "branch" and s.first < until.first and not s.value
    ]
    assumed = [s for s in outcome.steps if s.kind == "assumed" and s.first < until.first]
    shown = [s for s in above if len(s.text) < 160]
    if len(shown) > _MOST_PASSED:
        tests = [code(s.text) for s in shown]
        draft.say(
            draft.choose(
                f"The call first gets past {counted(len(tests), 'other test')} that it does not meet, {listed(tests)}.",
                f"Of the tests above that one none is met: neither {tests[0]} nor, below it, {listed(tests[1:], 'or')}.",
                f"{listed(tests)} stand above and are all false for these arguments.",
                salt="passed",
            ),
            *[draft.lines(made.function, s.first, s.last) for s in shown], "recompute",
        )  # fmt: skip
        draft.claim("number", str(len(tests)), len(tests), "recompute")
        shown = []
    first = min((s.first for s in outcome.steps if s.kind in ("branch", "assumed")), default=0)
    for step in shown:
        forms = [
            f"Above it stands {code(step.text)}, which these arguments do not meet.",
            f"The call passes {code(step.text)} without being stopped.",
            f"{code(step.text)} is false for these arguments.",
            f"An earlier test, {code(step.text)}, finds no fault.",
        ]
        if step.first == first:
            forms += [
                f"{code(step.text)} is asked first and is false here.",
                f"{code(made.function.name)} begins with {code(step.text)}, to no effect in this call.",
            ]
        draft.say(
            draft.choose(*forms, salt=f"above{step.first - until.first}"),
            draft.lines(made.function, step.first, step.last), "recompute",
        )  # fmt: skip
    for step in assumed[:1]:
        draft.say(
            f"{code(step.text)} is taken to be false, as in any ordinary call.",
            draft.lines(made.function, step.first, step.last), "recompute",
        )  # fmt: skip
