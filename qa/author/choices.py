"""Entries on what a host function decides: which launch, which block, which path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.arguments import Arguments, enumerators_of, ordinary
from qa.author.choice_prose import Contrast, points, tell_definitions, tell_ends, value_words
from qa.author.draft import Draft, code, listed
from qa.author.reached_with import out_of_reach
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.function import read_function
from qa.reading.outcome import Outcome, Step, Value
from qa.scope_view import FunctionView, ScopeView, Site

_TRIED = (1, 33, 65, 1025, 70000)
_MOST_TRIED = 10
_MOST = 3


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on launchers, and on functions whose result is a number they choose."""
    sites: dict[str, list[Site]] = {}
    for site in view.launches:
        sites.setdefault(site.caller.id, []).append(site)
    for function in functions:
        if function.kind not in ("launcher", "host") or function.span is None:
            continue
        launches = sites.get(function.id, [])
        lines = tuple(sorted({s.at.start_line for s in launches}))
        done: set[str] = set()
        for number in _varied(function):
            fixed = out_of_reach(view, ground, entries_through(view, function, number), function)
            made = ordinary(
                function, ground, types_of(function, number), lines, large=bool(lines), fixed=fixed
            )
            if made is None:
                continue
            made.number = number
            for contrast in _contrasts(view, made, done):
                draft = _draft(view, ground, made, contrast, launches)
                if draft is not None:
                    done.add(contrast.name)
                    yield draft
            if len(done) >= _MOST:
                break


def _varied(function: FunctionView) -> list[int | None]:
    """Up to nine instantiations, spread over all."""
    count = len(function.instantiations)
    if not count:
        return [None]
    return list[int | None](sorted({i * count // 8 for i in range(8)} | {count - 1}))


def _result(outcome: Outcome) -> tuple[object, ...]:
    """What counts as the end of a call: the launches, and the number returned."""
    launched = tuple(s.first for s in outcome.steps if s.kind == "launch")
    value = (
        outcome.steps[-1].value if outcome.steps and outcome.steps[-1].kind == "return" else None
    )
    return (launched, value)


def _contrasts(view: ScopeView, made: Arguments, done: set[str]) -> Iterator[Contrast]:
    spoken = " ".join(branch.condition for branch in made.reading.branches)
    names = set(re.findall(r"\b[A-Za-z_]\w*(?:->\w+)?\b", spoken + " " + " ".join(
        d.value for d in made.reading.definitions
    )))  # fmt: skip
    base = _result(made.outcome)
    count = 0
    for name, value in made.values.items():
        if (
            name in done
            or name in made.fixed
            or count >= _MOST
            or (name not in names and name.split("->")[0] not in names)
        ):
            continue
        for other in _others(made, name, value, _legal(view, value, made, name)):
            outcome = made.run(**{name: other})
            if outcome.stuck is not None or _result(outcome) == base:
                continue
            if outcome.returned != made.outcome.returned and not _numeric(outcome):
                continue
            if not _numeric(outcome) and not [s for s in outcome.steps if s.kind == "launch"]:
                continue
            near = _nearest(made, name, value, other, base)
            if near is None:
                continue
            yield near
            count += 1
            break


def _numeric(outcome: Outcome) -> bool:
    last = outcome.steps[-1] if outcome.steps else None
    return last is not None and last.kind == "return" and isinstance(last.value, int)


def _legal(view: ScopeView, value: Value, made: Arguments, name: str) -> set[str]:
    """Enumerators that the interface's checks accept where they accept a value.

    Those that the function's own text knows where nothing checks them; none where any will do.
    """
    known = view.once(
        "accepted enumerators",
        lambda: [group for function in view.functions for group in accepted(function)],
    )
    groups = [group for group in known if value in group]
    return set().union(*groups) if groups else set(enumerators_of(name, made.reading, made.ground))


def accepted(function: FunctionView) -> list[set[str]]:
    """Enumerators without which a function refuses a call, one set for each such test."""
    if function.kind == "kernel" or function.span is None or "invalid" not in function.text:
        return []
    found = []
    for branch in read_function(function.text, function.span.start_line).branches:
        parts = [part.strip("() ") for part in branch.condition.split("&&")]
        tests = [re.fullmatch(r"\w+\s*!=\s*([a-z]\w*_\w+)", part) for part in parts]
        if "invalid" in (branch.returns or "") and len(tests) > 1 and all(tests):
            found.append({test[1] for test in tests if test})
    return found


def _others(made: Arguments, name: str, value: Value, legal: set[str]) -> list[Value]:
    from qa.author.arguments import is_pointer

    if isinstance(value, str):
        prefix = value.rsplit("_", 1)[0]
        return [
            e for e in sorted(made.ground.enumerators)
            if e.startswith(f"{prefix}_") and e != value and (not legal or e in legal)
        ]  # fmt: skip
    parameter = next((p for p in made.reading.parameters if p.name == name), None)
    if (
        parameter is None
        or name == "handle"
        or is_pointer(name, parameter.type, made.reading, made.types)
    ):
        return []
    if parameter.type.split()[-1] == "bool":
        return [1 - value]
    if name.startswith("inc"):
        return [2, -1]
    return _near_thresholds(made, name, value)


def _near_thresholds(made: Arguments, name: str, value: Value) -> list[Value]:
    """Numbers on both sides of those that the text compares, and a few others."""
    found: list[Value] = []
    constants = made.ground.constants_in(made.function.text)
    for branch in made.reading.branches:
        if not re.search(rf"\b{re.escape(name)}\b", branch.condition):
            continue
        for word in re.findall(r"\b[A-Za-z_]\w*\b|\b\d+\b", branch.condition):
            number = int(word) if word.isdigit() else constants.get(word)
            if number is not None:
                found.extend((number + 1, number, number - 1))
    found = [
        n for n in dict.fromkeys((*found, *_TRIED)) if n != value and isinstance(n, int) and n > 0
    ]
    return found[:_MOST_TRIED]


def _nearest(
    made: Arguments, name: str, value: Value, other: Value, base: tuple[object, ...]
) -> Contrast | None:
    """Moves two whole numbers together until they stand on both sides of a threshold."""
    if not isinstance(value, int) or not isinstance(other, int):
        return Contrast(name, value, other, made.outcome, made.run(**{name: other}))
    low, high = value, other
    while abs(high - low) > 1:
        middle = (low + high) // 2
        outcome = made.run(**{name: middle})
        if outcome.stuck is not None:
            return None
        if _result(outcome) == base:
            low = middle
        else:
            high = middle
    first, second = made.run(**{name: low}), made.run(**{name: high})
    if first.stuck is not None or second.stuck is not None or _result(first) == _result(second):
        return None
    return Contrast(name, low, high, first, second)


def _draft(
    view: ScopeView,
    ground: Ground,
    made: Arguments,
    contrast: Contrast,
    launches: list[Site],
) -> Draft | None:
    function = made.function
    split = _parting(contrast)
    if split is None:
        return None
    before, after = split
    entries = entries_through(view, function, made.number)
    kernels = bool(launches)
    draft = Draft(
        view, ground, "dispatch" if kernels else "launch_configuration",
        f"choice by {contrast.name} in {function.id}", entries,
    )  # fmt: skip
    decided = [
        s for o in (contrast.first, contrast.second) for s in o.steps if s.kind in ("branch", "assign")
    ]  # fmt: skip
    named = set(re.findall(r"\b[A-Za-z_]\w*(?:->\w+)?\b", " ".join(s.text for s in decided)))
    shown = [
        f"{code(n)} = {code(str(v))}" if isinstance(v, str) else f"{code(n)} = {v}"
        for n, v in made.values.items()
        if n in named
        and n not in (contrast.name, "handle", *made.fixed)
        and (isinstance(v, str) or not points(made, n))
    ][:6]
    types = {n: t for n, t in made.types.items() if n in named}
    bound = [f"{code(n)} = {code(t)}" for n, t in types.items()][:4]
    given = f" (with {listed([*shown, *bound])})" if shown or bound else ""
    old, new = value_words(contrast.before), value_words(contrast.after)
    what = "launch" if kernels else "result"
    entry = code(entries[0])
    draft.question = draft.choose(
        f"In {code(function.name)}, as {entry} reaches it{given}, {code(contrast.name)} changes from {old} to {new} and nothing else does. How does the {what} change, and which test decides?",
        f"On the way of {entry}, {code(function.name)} sees {code(contrast.name)} = {old} in one call and {code(contrast.name)} = {new} in the next{given}. Compare what it does.",
        f"What turns on {code(contrast.name)} in {code(function.name)}{given}? Follow it for {old} and for {new}.",
        f"{entry} comes to {code(function.name)}{given}. Why do {code(contrast.name)} = {old} and {code(contrast.name)} = {new} part ways there, and where does each end?",
    )
    tell_definitions(draft, made, contrast, after)
    where = draft.lines(function, after.first, after.last)
    truth, other = ("holds", "fails") if before.value else ("fails", "holds")
    draft.say(
        draft.choose(
            f"The two calls part at {code(after.text)}: it {truth} for {code(contrast.name)} = {old} and {other} for {new}.",
            f"{code(after.text)} decides; with {code(contrast.name)} = {old} it {truth}, with {new} it {other}.",
            f"Up to {code(after.text)} both calls take the same way, but that test {truth} for {old} and {other} for {new}.",
            salt="part",
        ),
        where, "recompute",
    )  # fmt: skip
    if not tell_ends(draft, made, contrast, launches, before):
        return None
    for value, outcome in ((contrast.before, contrast.first), (contrast.after, contrast.second)):
        lines = [s.first for s in outcome.steps if s.kind == "launch"]
        claim: dict[str, object] = {
            "function": function.id, "given": {**made.values, contrast.name: value},
            "types": made.types, "returned": outcome.returned,
        }  # fmt: skip
        if launches:
            claim |= {"launch_lines": list(made.launches), "launched": lines}
        dims = {n: v for n, v in outcome.values.items() if n in _told_names(draft)}
        if dims:
            claim["values"] = dims
        draft.claim("walk", function.name, claim, "recompute")
    return draft


def _told_names(draft: Draft) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*(?:\.[xyz])?", " ".join(text for text, _ in draft._parts)))


def _parting(contrast: Contrast) -> tuple[Step, Step] | None:
    """The first decision on which the two calls differ."""
    seen: set[int] = set()
    for one, two in zip(contrast.first.branches(), contrast.second.branches(), strict=False):
        if one.first in seen:
            return None  # a loop's round, not a choice
        seen.add(one.first)
        if one.first != two.first:
            return None
        if bool(one.value) != bool(two.value):
            return one, two
    return None
