"""Tests of host functions on the way from a public call to a kernel, and sentences about them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from extractor.records import Span
from qa.author.came_by import USUAL
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, meaning_words, tell_constants
from qa.author.passed_values import (
    Passed,
    Within,
    fixed_parameters,
    is_constant,
    not_denied,
    within,
)
from qa.author.sites import MOST_LINES, Test, count_of_tests, shared_tests
from qa.author.subjects import types_of
from qa.author.told_values import tell_passed
from qa.author.ways import LITERALS, asked, calls_at, tell_ways
from qa.ground import Ground
from qa.reading.function import Branch, FunctionReading, read_function
from qa.reading.function_text import under_directive
from qa.scope_view import FunctionView, ScopeView
from qa.text.brackets import split_at, unwrapped

_LONGEST_TEST = 140
_LONGEST_PIECE = 60
_ANY_LENGTH = 10**6
_MOST_DECISIONS = 5


@dataclass(frozen=True)
class Decision:
    """A test of a host function on the way that lets the call go on.

    Attributes:
        function: Where it stands.
        condition: As written.
        holds: Whether it has to hold.
        instead: The function that takes over in the other case, if one is named.
        span: Its lines.
    """

    function: FunctionView
    condition: str
    holds: bool
    instead: str
    span: Span


@dataclass
class Decisions:
    """What is known of the tests on a way.

    Attributes:
        decisions: Those that are told.
        open: Functions with further tests around the call, which are not told.
        unsure: Some test above the launcher is not known to let the recorded call pass.
        others: By function, its names that are not the call's, and what they are.
    """

    decisions: list[Decision] = field(default_factory=list)
    open: set[str] = field(default_factory=set)
    unsure: bool = False
    others: dict[str, dict[str, Passed]] = field(default_factory=dict)


def decisions_on(
    view: ScopeView, ground: Ground, path: list[tuple[str, Span | None]], trace: Trace | None
) -> Decisions:
    """Tests around the calls on the way, and ways out that hand the call to another function."""
    result = Decisions()
    found = result.decisions
    steps = [(view.owner[i], at) for i, at in path]
    known: dict[str, dict[str, str]] = {}
    for number, (function, _at) in enumerate(steps[:-1]):
        following, at = steps[number + 1]
        if function.span is None or at is None or at.file != function.file:
            continue
        reading = read_function(function.text, function.span.start_line)
        last = number == len(steps) - 2
        for branch in reading.branches:
            instead = re.match(r"(\w+)\s*(?:<[^()]*>)?\(", branch.returns or "")
            if branch.last >= at.start_line or branch.guards or branch.loops or instead is None:
                continue
            if not _is_built(view, path[number][0], function, branch, instead[1]):
                continue
            if re.search(r"memory_size|handle", branch.condition) or len(branch.condition) > 110:
                continue
            span = ground.span(function.file, branch.first, branch.consequence[1])
            found.append(Decision(function, branch.condition, False, instead[1], span))
        if last:
            sites = [
                s for s in view.launches
                if not s.dead and s.caller.id == function.id and s.callee.id == following.id
            ]  # fmt: skip
            tests = shared_tests(ground, sites, _ANY_LENGTH)
            every = max((count_of_tests(site) for site in sites), default=0)
        else:
            tests = tests_of_call(ground, function, reading, following.name, at)
            calls = reading.calls_of(following.name)
            every = max((len(c.guards) for c in calls), default=0)
        fixed = fixed_parameters([f for f, _place in steps[: number + 1]], ground, known)
        fixed |= bound_here(function, path[number][0])
        known[function.id] = equal_to(tests, ground)
        settled = [t for t in tests if _is_settled(t, fixed, ground)]
        tests = [t for t in tests if t not in settled]
        every -= len(settled)
        found = [
            d for d in found if d.function.id != function.id or not _is_settled(d, fixed, ground)
        ]
        result.decisions = found
        kept = tests
        if trace is not None:
            inside = within(view, ground, trace, path[number + 1][0], function)
            kept, _others = not_denied(tests, inside, ground)
            result.others[function.id] = dict(inside.other)
            result.unsure |= last and len(kept) < len(tests)
            asked = [(d.condition, d.holds) for d in found if d.function.id == function.id]
            asked += [(t.condition, not t.negated) for t in tests if not (last or _is_usual(t))]
            result.unsure |= any(inside.truth(text, ground) is not holds for text, holds in asked)
        own = [t for t in kept if not _is_usual(t)]
        told = [t for t in own if len(t.condition) <= _LONGEST_TEST]
        if every > len(told) + sum(t.condition in LITERALS for t in tests):
            result.open.add(function.id)
        for test in own:
            found += [
                Decision(function, piece, not test.negated, "", test.span)
                for piece in _pieces(test)
            ]
    if len(found) > 2 * _MOST_DECISIONS:
        return Decisions()
    # Those nearest to the launch say most about it.
    result.open |= {decision.function.id for decision in found[:-_MOST_DECISIONS]}
    del found[:-_MOST_DECISIONS]
    return result


def equal_to(tests: Sequence[Test], ground: Ground) -> dict[str, str]:
    """What names are where all the tests come out as they must: ``a == b`` holds, ``a != b`` fails."""
    found = {}
    for test in tests:
        match = re.fullmatch(r"(\w+)\s*([!=])=\s*(\w+)", unwrapped(test.condition))
        if match and is_constant(match[3], ground) and (match[2] == "!") is test.negated:
            found[match[1]] = match[3]
    return found


def _pieces(test: Test) -> list[str]:
    """A test as it is told: whole, or where that is too long the short parts that must all hold."""
    if len(test.condition) <= _LONGEST_TEST:
        return [test.condition]
    if test.negated:
        return []
    pieces = split_at(unwrapped(test.condition), "&&")
    return [piece for piece in pieces if len(piece) <= _LONGEST_PIECE] if len(pieces) > 1 else []


def _is_built(
    view: ScopeView, instantiation: str, function: FunctionView, branch: Branch, callee: str
) -> bool:
    """The branch is in this configuration's build: a directive around it did not leave it out."""
    assert function.span is not None
    if not under_directive(function.text, branch.first - function.span.start_line):
        return True
    called = {
        view.owner[target].name
        for target, _at, configs in view.edges.get(instantiation, ())
        if target in view.owner and view.configs[0] in configs
    }
    return callee in called


def _is_settled(test: Test | Decision, fixed: Mapping[str, set[str]], ground: Ground) -> bool:
    """The callers settle the test: they give constants for all that it asks for."""
    asked = {
        word
        for word in re.findall(r"[A-Za-z_]\w*", test.condition)
        if word not in ground.enumerators
    } - {"true", "false"}
    if bool(asked) and all(len(fixed.get(word, ())) == 1 for word in asked):
        return True
    one = {n: min(v) for n, v in fixed.items() if len(v) == 1}
    flags = {n: int(v in ("true", "1")) for n, v in one.items() if v in ("true", "false", "0", "1")}
    sure = [Within(flags).truth(p, ground) for p in split_at(unwrapped(test.condition), "&&")]
    return bool(asked & set(flags)) and False in sure


def bound_here(function: FunctionView, instantiation: str) -> dict[str, set[str]]:
    """Flags among the template parameters of the instantiation that a way goes through."""
    number = next(
        (i for i, one in enumerate(function.instantiations) if one["id"] == instantiation), None
    )
    return {
        name: {value} for name, value in types_of(function, number).items()
        if value in ("true", "false")
    }  # fmt: skip


def _is_usual(test: Test) -> bool:
    return USUAL.search(test.condition) is not None or test.condition in LITERALS


def tests_of_call(
    ground: Ground, function: FunctionView, reading: FunctionReading, name: str, at: Span
) -> list[Test]:
    """Tests that enclose every call of a function in another: it is known which they are."""
    calls = reading.calls_of(name)
    here = [c for c in calls if c.first <= at.start_line <= c.last]
    if not here:
        return []
    common = [g for g in here[0].guards if all(g in c.guards for c in calls)]
    tests = []
    for guard in common:
        span = ground.span(function.file, *reading.lines_of_test(guard.line, MOST_LINES))
        tests.append(Test(guard.condition, guard.negated, span))
    return tests


def tell_decisions(
    draft: Draft,
    own: list[Decision],
    steps: list[tuple[FunctionView, Span | None]],
    found: Decisions,
) -> None:
    """The decisions of one function in one or two sentences, with what their names mean."""
    function = own[0].function
    name = code(function.name)
    following = next(
        code(steps[i + 1][0].name) for i, (f, _at) in enumerate(steps) if f.id == function.id
    )
    assert function.span is not None
    away = [d for d in own if d.instead]
    for decision in away[:2]:
        draft.say(
            draft.choose(
                f"{name} hands a call with {code(decision.condition)} to {code(decision.instead)} instead.",
                f"In {name} {code(decision.condition)} would send the call to {code(decision.instead)}.",
                salt=decision.condition,
            ),
            decision.span, draft.head(function),
        )  # fmt: skip
    needed = [d for d in own if not d.instead and d.holds]
    ruled_out = [d for d in own if not d.instead and not d.holds]
    if not needed and not ruled_out:
        tell_constants(draft, function, [d.condition for d in away[:2]])
        if function.id in found.open:
            tell_rest(draft, function, steps)
        return
    last = steps[-2][0].id == function.id
    parts = []
    if needed:
        parts.append(f"{listed([code(d.condition) for d in needed])} {_verb(needed, 'hold')}")
    if ruled_out:
        parts.append(f"{listed([code(d.condition) for d in ruled_out])} {_verb(ruled_out, 'fail')}")
    verb = "launched" if last else "called"
    draft.say(
        f"{following} is {'' if function.id in found.open else 'only '}{verb} in {name} where {' and '.join(parts)}.",
        *[d.span for d in (*needed, *ruled_out)],
        draft.head(function),
        steps[_place(steps, function) + 1][1] or draft.head(function),
    )
    shown = " ".join(d.condition for d in (*needed, *ruled_out))
    if function.id in found.open:
        tell_rest(draft, function, steps, (*needed, *ruled_out))
    reading = read_function(function.text, function.span.start_line)
    meanings: list[str] = []
    spans: list[Span] = []
    for decision in (*needed, *ruled_out):
        for word in re.findall(r"[A-Za-z_]\w*", decision.condition):
            definition = reading.definition(word)
            if (
                definition is None
                or definition.guards
                or not re.search(r"[(<&|=?]", definition.value)
            ):
                continue
            if len(definition.value) > 90 or code(word) in " ".join(meanings):
                continue
            if not meaning_words(definition.value, None):
                continue  # types decide it, and which ones the entry point says
            meanings.append(f"{code(word)} is {code(definition.value)}")
            spans.append(draft.lines(function, definition.first, definition.last))
    if meanings:
        draft.say(f"There {listed(meanings[:2])}.", *spans[:2])
    # A name may stand in what a local name of the test is made from.
    for word, passed in found.others.get(function.id, {}).items():
        if re.search(rf"\b{word}\b", f"{shown} {' '.join(meanings[:2])}"):
            tell_passed(draft, word, function, passed)
    told = [d.condition for d in (*needed, *ruled_out, *away[:2])] + meanings[:2]
    tell_constants(draft, function, told)


def tell_rest(
    draft: Draft,
    function: FunctionView,
    steps: list[tuple[FunctionView, Span | None]],
    told: Sequence[Decision] = (),
) -> None:
    """What else stands around a call: shared tests that are not told, tests that differ."""
    following = steps[_place(steps, function) + 1][0]
    verb = "launched" if steps[-2][0].id == function.id else "called"
    assert function.span is not None
    if verb == "launched":
        sites = [
            s for s in draft.view.launches
            if not s.dead and s.caller.id == function.id and s.callee.id == following.id
        ]  # fmt: skip
        calls = calls_at(function, sites)
    else:
        reading = read_function(function.text, function.span.start_line)
        calls = reading.calls_of(following.name)
    known = {(d.condition, not d.holds) for d in told}
    whole = {
        one for call in calls for one in asked(call.guards)
        if one not in known and any(d.condition in one[0] for d in told if d.holds)
    }  # fmt: skip
    tell_ways(draft, function, code(following.name), calls, {*known, *whole}, verb, lead=not told)


def _verb(tests: list[Decision], verb: str) -> str:
    return f"{verb}s" if len(tests) == 1 else verb


def _place(steps: list[tuple[FunctionView, Span | None]], function: FunctionView) -> int:
    return next(i for i, (f, _at) in enumerate(steps) if f.id == function.id)
