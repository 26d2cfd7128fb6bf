"""Entries on the order in which a host function checks its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from extractor.records import Span
from qa.author.arguments import Arguments, Fault, ordinary
from qa.author.choice_prose import points
from qa.author.draft import Draft, code, listed
from qa.author.glossary import meaning, reasons, told
from qa.author.reached_with import out_of_reach
from qa.author.subjects import entries_through, types_of
from qa.author.tests_passed import tell_passed_over
from qa.ground import Ground
from qa.reading.documentation import Documentation
from qa.reading.outcome import Outcome, Step
from qa.scope_view import FunctionView, ScopeView
from qa.text.brackets import split_at, unwrapped

_LONGEST_CITE = 14


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on functions that answer with a status."""
    for function in functions:
        if function.kind not in ("host", "entry_point") or not _answers_with_status(function):
            continue
        entries = entries_through(view, function)
        fixed = out_of_reach(view, ground, entries, function)
        made = ordinary(function, ground, types_of(function), fixed=fixed)
        if made is None:
            continue
        documentation = next(
            (ground.documentation[e] for e in entries if e in ground.documentation), None
        )
        outcomes = [(fault, made.run(fault)) for fault in made.faults]
        hits = [(f, o) for f, o in outcomes if o.stuck is None and _hit(o, made) is not None]
        yield from _two_faults(view, ground, made, hits, entries, documentation)
        yield from _empty_problem(view, ground, made, hits, entries, documentation)


def _answers_with_status(function: FunctionView) -> bool:
    return len(re.findall(r"\breturn\s+\w*status_\w+\s*;", function.text)) >= 2


def _hit(outcome: Outcome, made: Arguments) -> Step | None:
    """The condition that ended the function early."""
    if outcome.returned is None or outcome.returned == made.outcome.returned:
        return None
    decided = [step for step in outcome.steps if step.kind == "branch" and step.value]
    return decided[-1] if decided else None


def _cite(draft: Draft, function: FunctionView, outcome: Outcome, step: Step) -> Span:
    """Lines of a condition and of the return below it."""
    back = next((s for s in outcome.steps if s.kind == "return" and s.first >= step.first), None)
    last = back.last if back is not None and back.last - step.first < _LONGEST_CITE else step.last
    return draft.lines(function, step.first, last)


def _disjuncts(made: Arguments, step: Step, faults: tuple[Fault, ...]) -> list[str]:
    """Those parts of a condition joined by ``||`` that hold."""
    parts = split_at(step.text, "||")
    values = {**made.values, **{fault.name: fault.value for fault in faults}}
    return [part for part in parts if made.holds(part, values)] if len(parts) > 1 else []


def _asking(made: Arguments, step: Step, fault: Fault, zero: Fault) -> list[str]:
    """The one alternative of a test that asks for a pointer and for a size, local names followed."""
    values = {**made.values, fault.name: fault.value}
    found = []
    for part in split_at(step.text, "||"):
        text = part
        for definition in reversed(made.reading.definitions):
            text = re.sub(rf"\b{re.escape(definition.name)}\b", f"({definition.value})", text)
        named = all(re.search(rf"\b{re.escape(f.name)}\b", text) for f in (fault, zero))
        if named and made.holds(text, values):
            found.append(part)
    return found if len(found) == 1 else []


def _two_faults(
    view: ScopeView,
    ground: Ground,
    made: Arguments,
    hits: list[tuple[Fault, Outcome]],
    entries: list[str],
    documentation: Documentation | None,
) -> Iterator[Draft]:
    function = made.function
    best = None
    for (one, first), (two, second) in combinations(hits, 2):
        a, b = _hit(first, made), _hit(second, made)
        if a is None or b is None or one.name == two.name or a.first == b.first:
            continue
        if first.returned == second.returned or "success" in f"{first.returned}{second.returned}":
            continue
        if one.name == "handle" or two.name == "handle":
            continue
        pair = ((one, first, a), (two, second, b)) if a.first < b.first else (
            (two, second, b), (one, first, a))  # fmt: skip
        both = made.run(one, two)
        if both.stuck is None and both.returned == pair[0][1].returned:
            weight = (pair[0][0].kind == "small", pair[1][0].kind == "null", pair[0][0].name)
            if best is None or weight > best[0]:
                best = (weight, pair, both)
    if best is None:
        return
    (early, first, a), (late, second, b) = best[1]
    both = best[2]
    draft = Draft(
        view, ground, "correctness_constraints", f"order of checks in {function.id}", entries
    )
    values = _shown_values(made, (early, late), a.text + b.text)
    own = bool(entries) and entries[0] == function.name
    about = f" (reached from {code(entries[0])})" if entries and not own else ""
    say_a, say_b = told(early), told(late)
    draft.question = draft.choose(
        f"{code(function.name)}{about} is given {say_a} and, in the same call, {say_b}"
        f"{values}. Which status comes back, and what would come back once the first fault is mended?",
        f"A caller makes two mistakes at once: {say_a} and {say_b}{values}. Which of them does "
        f"{code(function.name)}{about} report, and why that one?",
        f"Suppose {say_b} reaches {code(function.name)}{about} together with {say_a}{values}. "
        f"Does the answer name the one or the other, and what decides?",
        f"With {say_a} as well as {say_b}{values}, how does {code(function.name)}{about} answer, and "
        f"which of its tests never runs?",
    )
    tell_passed_over(draft, made, both, a)
    parts = _disjuncts(made, a, (early, late))
    where = _cite(draft, function, both, a)
    what = meaning(early.name, documentation, made.reading)
    because = draft.choose(*reasons(early), salt="a")
    subject = (
        f"{what[0].upper()}{what[1:]}, {told(early)},"
        if what
        else f"{told(early)[0].upper()}{told(early)[1:]}"
    )
    if early.kind == "null":
        subject = f"A null {code(early.name)}"
    if parts:
        hit = listed([code(p) for p in parts])
        draft.say(
            draft.choose(
                f"{subject} makes {hit} true inside the larger test, {because}, and the function returns {code(first.returned or '')}.",
                f"{hit} is the part of the test that {say_a} meets; {because}, hence {code(first.returned or '')}.",
                f"It returns {code(first.returned or '')} because of {hit}: {because}.",
                f"{subject} trips {hit}, one of several alternatives in the same condition, and {code(first.returned or '')} is the answer, as {because}.",
                salt="hit",
            ),
            where, "recompute",
        )  # fmt: skip
    else:
        draft.say(
            f"{subject} satisfies {code(a.text)}; {because}, so the function returns "
            f"{code(first.returned or '')} there.",
            where, "recompute",
        )  # fmt: skip
    below = _cite(draft, function, second, b)
    later = _disjuncts(made, b, (late,))
    test = listed([code(p) for p in later]) if later else code(b.text)
    draft.say(
        draft.choose(
            f"The test that would see {say_b}, {test}, stands further down and is not reached.",
            f"{test} would catch {say_b}, but it comes later in the text and this call never gets there.",
            f"Nothing looks at {say_b}, since {test} is only asked afterwards.",
            salt="later",
        ),
        below, "recompute",
    )  # fmt: skip
    mended = made.values[early.name]
    right = code(str(mended)) if isinstance(mended, str) else str(mended)
    if early.kind == "null":
        right = "a valid address"
    draft.say(
        draft.choose(
            f"Once {code(early.name)} is {right}, the call gets that far and returns "
            f"{code(second.returned or '')}, because {draft.choose(*reasons(late), salt='b')}.",
            f"With {code(early.name)} put right ({right}) it is the turn of {say_b}, and {code(second.returned or '')} comes back.",
            f"Mending {code(early.name)} alone does not save the call: {code(second.returned or '')} follows, since {draft.choose(*reasons(late), salt='b')}.",
            f"The caller who then sets {code(early.name)} to {right} meets {code(second.returned or '')} next.",
            f"Give {code(early.name)} a proper value ({right}) and the same call ends with "
            f"{code(second.returned or '')} instead: {draft.choose(*reasons(late), salt='b')}.",
            salt="mended",
        ),
        below, "recompute",
    )  # fmt: skip
    _claim(draft, made, (early, late), both)
    _claim(draft, made, (late,), second)
    yield draft


def _empty_problem(
    view: ScopeView,
    ground: Ground,
    made: Arguments,
    hits: list[tuple[Fault, Outcome]],
    entries: list[str],
    documentation: Documentation | None,
) -> Iterator[Draft]:
    """A size of zero against a null pointer."""
    nulls = [
        (f, o) for f, o in hits if f.kind == "null" and f.name != "handle" and "pointer" in f"{o.returned}"
    ]  # fmt: skip
    zeros = [
        fault for fault in made.faults
        if fault.kind == "zero" and not re.match(r"ld|inc|stride", fault.name)
    ]  # fmt: skip
    for fault, outcome in nulls:
        for zero in zeros:
            both = made.run(fault, zero)
            step = _hit(outcome, made)
            if both.stuck is not None or step is None or both.returned == outcome.returned:
                continue
            if both.returned is None or "invalid" in both.returned:
                continue
            draft = _empty_draft(
                view, ground, made, (fault, outcome, step), zero, both, entries, documentation
            )
            if draft is not None:
                yield draft
                return


def _earlier(both: Outcome, step: Step) -> Step | None:
    """The condition that ends a call before it comes to a test; nothing where it comes there.

    The status it returns may be that of an ordinary call.
    """
    branches = [one for one in both.steps if one.kind == "branch"]
    if any(one.first == step.first for one in branches):
        return None
    held = [one for one in branches if one.value and one.first < step.first]
    return held[-1] if held else None


def _empty_draft(
    view: ScopeView,
    ground: Ground,
    made: Arguments,
    null: tuple[Fault, Outcome, Step],
    zero: Fault,
    both: Outcome,
    entries: list[str],
    documentation: Documentation | None,
) -> Draft | None:
    function = made.function
    fault, outcome, step = null
    hit = _earlier(both, step)
    if hit is None and not re.search(rf"\b{re.escape(zero.name)}\b", step.text):
        return None  # what makes the test false is not to be seen in it
    draft = Draft(
        view, ground, "correctness_constraints", f"empty problem in {function.id}", entries
    )
    what = meaning(zero.name, documentation, made.reading)
    called = f"{what} ({code(zero.name)})" if what else code(zero.name)
    via = f" behind {code(entries[0])}" if entries and entries[0] != function.name else ""
    given = _shown_values(made, (fault, zero), step.text + (hit.text if hit is not None else ""))
    rest_of_it = given.removeprefix(", with ")
    taken = f" (take {rest_of_it})" if rest_of_it else ""
    draft.question = draft.choose(
        f"May {code(fault.name)} be null in {code(function.name)}{via} when {called} is 0? Compare with the "
        f"same call where it is {made.values[zero.name]}{given}.",
        f"{code(function.name)}{via} receives a null {code(fault.name)}{given}. Show for {code(zero.name)} = "
        f"{made.values[zero.name]} and for {code(zero.name)} = 0 what it answers, and why the two differ.",
        f"Why is a null {code(fault.name)} an error for {code(zero.name)} = {made.values[zero.name]} but not "
        f"for {code(zero.name)} = 0 in {code(function.name)}{via}{taken}?",
    )
    low = _cite(draft, function, outcome, step)
    parts = _disjuncts(made, step, (fault,)) or _asking(made, step, fault, zero)
    test = listed([code(p) for p in parts]) if parts else code(step.text)
    pieces = split_at(unwrapped(parts[0] if len(parts) == 1 else step.text), "&&")
    sized = [p for p in pieces if re.search(rf"\b{re.escape(zero.name)}\b", p)]
    because, status = draft.choose(*reasons(fault), salt="n"), code(outcome.returned or "")
    usual = f"{code(zero.name)} = {made.values[zero.name]}"
    lead = draft.choose(
        f"With {usual} the test {test} holds, and the null {code(fault.name)} is answered with {status}: {because}.",
        f"For {usual} a null {code(fault.name)} runs into {test} and comes back as {status}, because {because}.",
        f"{test} is true as soon as {code(fault.name)} is null and {usual}; {status} follows, for {because}.",
        f"A call with {usual} needs {code(fault.name)}: {test} says so and returns {status}, since {because}.",
        f"{status} is what {usual} gets, from {test}, as {because}.",
        salt="lead",
    )
    if hit is not None:
        high = _cite(draft, function, both, hit)
        early, why = code(both.returned or ""), draft.choose(*reasons(zero), salt="z")
        draft.say(
            draft.choose(
                f"{code(zero.name)} = 0 never gets as far as the pointers, because {code(hit.text)} stands above them and returns {early}; {why}.",
                f"With {code(zero.name)} = 0 the call is over at {code(hit.text)}, which returns {early}, as {why}.",
                f"{code(zero.name)} = 0 is answered with {early} by {code(hit.text)}, which is asked earlier: {why}.",
                f"For {code(zero.name)} = 0 {why}, and {code(hit.text)} says {early} before any address is looked at.",
                salt="early",
            ),
            high, "recompute",
        )  # fmt: skip
        draft.say(lead, low, "recompute")
        draft.say(
            draft.choose(
                "The order matters: were the two tests exchanged, an empty problem without memory, which "
                "is a legal call, would be refused.",
                "So the early answer for an empty problem is also what makes a pointer without memory "
                "legal in that case.",
                "A wrapper that checks its pointers first would therefore refuse calls that this one "
                "serves.",
                salt="order",
            )
        )
    else:
        draft.say(lead, low, "recompute")
        rest = code(both.returned or "")
        draft.say(
            draft.choose(
                f"For {code(zero.name)} = 0 the same test is false, since it asks for the pointer only together with the size, and the function goes on to {rest}.",
                f"At {code(zero.name)} = 0 the pointer is not asked for, the test being one of size and pointer together, and {rest} is returned.",
                *(
                    [
                        f"{code(zero.name)} = 0 makes its part {code(sized[0])} false, so the null pointer does no harm and the call comes to {rest}.",
                        f"There {code(sized[0])} is asked together with the pointer, which is why {code(zero.name)} = 0 goes through to {rest}.",
                    ]
                    if len(sized) == 1 and len(pieces) > 1 else []
                ),
                salt="rest",
            ),
            low, draft.lines(function, both.steps[-1].first, both.steps[-1].last), "recompute",
        )  # fmt: skip
        draft.say(
            draft.choose(
                "An address that no element is read from or written to need not be one.",
                f"Tying {code(fault.name)} to {code(zero.name)} in one test is what makes the empty call legal.",
                f"A test of {code(fault.name)} alone would have refused it.",
                f"So {code(zero.name)} decides whether {code(fault.name)} matters at all.",
                f"Who has no elements, {code(zero.name)} = 0, needs no {code(fault.name)}.",
                salt="rule",
            )
        )
    _claim(draft, made, (fault,), outcome)
    _claim(draft, made, (fault, zero), both)
    return draft


def _shown_values(made: Arguments, faults: tuple[Fault, ...], tests: str) -> str:
    """The other arguments that some tests depend on, be it by a local name, for a question."""
    named = set(re.findall(r"\b[A-Za-z_]\w*\b", tests))
    for definition in reversed(made.reading.definitions):
        if definition.name in named:
            named |= set(re.findall(r"\b[A-Za-z_]\w*\b", definition.value))
    named -= {fault.name for fault in faults}
    shown = [
        f"{name} = {code(value) if isinstance(value, str) else value}"
        for name, value in made.values.items()
        if name in named - made.fixed
        and "->" not in name
        and not points(made, name)
        and name != "handle"
    ]
    return f", with {listed(shown)}" if shown else ""


def _claim(draft: Draft, made: Arguments, faults: tuple[Fault, ...], outcome: Outcome) -> None:
    given = {**made.values, **{fault.name: fault.value for fault in faults}}
    draft.claim(
        "walk", made.function.name,
        {"function": made.function.id, "given": given, "types": made.types,
         "returned": outcome.returned},
        "recompute",
    )  # fmt: skip
