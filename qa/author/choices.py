"""Entries on what a host function decides: which launch, which block, which path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from extractor.records import Span
from qa.author.arguments import Arguments, ordinary
from qa.author.draft import Draft, code, listed
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.execution import Outcome, Step, Value
from qa.scope_view import FunctionView, ScopeView, Site

_TRIED = (1, 33, 65, 1025, 70000)
_MOST_TRIED = 10
_MOST = 3


@dataclass(frozen=True)
class Contrast:
    """Two calls that differ in one argument, and end differently."""

    name: str
    before: Value
    after: Value
    first: Outcome
    second: Outcome


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
            made = ordinary(function, ground, types_of(function, number), lines, large=bool(lines))
            if made is None:
                continue
            made.number = number
            for contrast in _contrasts(made, done):
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


def _contrasts(made: Arguments, done: set[str]) -> Iterator[Contrast]:
    spoken = " ".join(branch.condition for branch in made.reading.branches)
    names = set(re.findall(r"\b[A-Za-z_]\w*(?:->\w+)?\b", spoken + " " + " ".join(
        d.value for d in made.reading.definitions
    )))  # fmt: skip
    base = _result(made.outcome)
    count = 0
    for name, value in made.values.items():
        if (
            name in done
            or count >= _MOST
            or (name not in names and name.split("->")[0] not in names)
        ):
            continue
        for other in _others(made, name, value):
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


def _others(made: Arguments, name: str, value: Value) -> list[Value]:
    from qa.author.arguments import is_pointer

    if isinstance(value, str):
        prefix = value.rsplit("_", 1)[0]
        return [
            e for e in sorted(made.ground.enumerators) if e.startswith(f"{prefix}_") and e != value
        ]
    parameter = next((p for p in made.reading.parameters if p.name == name), None)
    if parameter is None or name == "handle" or is_pointer(name, parameter.type, made.reading):
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
        and n not in (contrast.name, "handle")
        and (isinstance(v, str) or not _pointer(made, n))
    ][:6]
    types = {n: t for n, t in made.types.items() if n in named}
    bound = [f"{code(n)} = {code(t)}" for n, t in types.items()][:4]
    given = f" (with {listed([*shown, *bound])})" if shown or bound else ""
    old, new = _value(contrast.before), _value(contrast.after)
    what = "launch" if kernels else "result"
    entry = code(entries[0])
    draft.question = draft.choose(
        f"In {code(function.name)}, as {entry} reaches it{given}, {code(contrast.name)} changes from {old} to {new} and nothing else does. How does the {what} change, and which test decides?",
        f"On the way of {entry}, {code(function.name)} sees {code(contrast.name)} = {old} in one call and {code(contrast.name)} = {new} in the next{given}. Compare what it does.",
        f"What turns on {code(contrast.name)} in {code(function.name)}{given}? Follow it for {old} and for {new}.",
        f"{entry} comes to {code(function.name)}{given}. Why do {code(contrast.name)} = {old} and {code(contrast.name)} = {new} part ways there, and where does each end?",
    )
    _tell_definitions(draft, made, contrast, after)
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
    if not _tell_ends(draft, made, contrast, launches, before):
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


def _pointer(made: Arguments, name: str) -> bool:
    from qa.author.arguments import is_pointer

    parameter = next((p for p in made.reading.parameters if p.name == name), None)
    return parameter is not None and is_pointer(name, parameter.type, made.reading)


def _value(value: Value) -> str:
    return code(value) if isinstance(value, str) else str(value)


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


def _tell_definitions(draft: Draft, made: Arguments, contrast: Contrast, at: Step) -> None:
    """Says what the names of the deciding test stand for."""
    names = set(re.findall(r"\b[A-Za-z_]\w*\b", at.text)) - set(made.values)
    for name in sorted(names):
        definition = made.reading.definition(name)
        if definition is None or len(definition.value) > 140 or definition.loops:
            continue
        one, two = contrast.first.values.get(name), contrast.second.values.get(name)
        span = draft.lines(made.function, definition.first, definition.last)
        if not isinstance(one, int) or not isinstance(two, int):
            continue
        truth = {0: "false", 1: "true"} if definition.type.endswith("bool") else {}
        state, other = truth.get(one, str(one)), truth.get(two, str(two))
        if one == two:
            draft.say(
                draft.choose(
                    f"{code(name)}, which is {code(definition.value)}, is {state} in both calls.",
                    f"For both calls {code(name)}, that is {code(definition.value)}, comes to {state}.",
                    salt=name,
                ),
                span, "recompute",
            )  # fmt: skip
        else:
            draft.say(
                draft.choose(
                    f"{code(name)} stands for {code(definition.value)}; it is {state} in the first call and {other} in the second.",
                    f"From {code(definition.value)} the first call gets {code(name)} = {state}, the second {other}.",
                    salt=name,
                ),
                span, "recompute",
            )  # fmt: skip
        for value in (one, two):
            draft.claim("number", str(value), value, "recompute")


def _tell_ends(
    draft: Draft, made: Arguments, contrast: Contrast, launches: list[Site], parting: Step
) -> bool:
    """Says how both calls end: what they launch, or what they return."""
    name = contrast.name
    ends = ((_value(contrast.before), contrast.first), (_value(contrast.after), contrast.second))
    if not launches:
        return all(_tell_return(draft, made, name, label, outcome) for label, outcome in ends)
    rows = [[s for s in outcome.steps if s.kind == "launch"] for _label, outcome in ends]
    sites = {s.at.start_line: s for s in launches}

    def site_of(step: Step) -> Site | None:
        return next((sites[n] for n in range(step.first, step.last + 1) if n in sites), None)

    kernels = [[site_of(step) for step in row] for row in rows]
    if any(site is None for row in kernels for site in row):
        return False
    names = [[site.callee.name for site in row if site is not None] for row in kernels]
    if names[0] == names[1]:
        return False
    common = [
        n
        for n in dict.fromkeys(names[0])
        if n in names[1] and names[0].count(n) == names[1].count(n)
    ]
    if common:
        step, first_site = next(
            (s, k)
            for s, k in zip(rows[0], kernels[0], strict=True)
            if k and k.callee.name == common[0]
        )
        assert first_site is not None
        others = [
            s
            for s, k in zip(rows[0], kernels[0], strict=True)
            if k and k.callee.name in common[1:3]
        ]
        draft.say(
            draft.choose(
                f"{listed([code(n) for n in common[:3]])} {'runs' if len(common) == 1 else 'run'} in either case.",
                f"Both calls launch {listed([code(n) for n in common[:3]])}.",
                salt="common",
            ),
            *[draft.lines(made.function, s.first, s.last) for s in (step, *others)],
        )
    for row, kernel_row, (label, outcome) in zip(rows, kernels, ends, strict=True):
        told: set[str] = set()
        for step, site in zip(row, kernel_row, strict=True):
            if (
                site is None
                or site.callee.name in common
                or site.callee.name in told
                or len(told) >= 3
            ):
                continue
            told.add(site.callee.name)
            _tell_launch(draft, made, name, label, outcome, step, site)
        if not row:
            draft.say(
                f"For {code(name)} = {label} nothing is launched at all.",
                draft.lines(made.function, parting.first, parting.last), "recompute",
            )  # fmt: skip
        elif not told:
            draft.say(
                f"With {code(name)} = {label} nothing else is launched.",
                draft.lines(made.function, parting.first, parting.last), "recompute",
            )  # fmt: skip
    return True


def _tell_return(draft: Draft, made: Arguments, name: str, label: str, outcome: Outcome) -> bool:
    last = outcome.steps[-1]
    if last.kind != "return" or not isinstance(last.value, int):
        return False
    assigned = next(
        (
            s
            for s in reversed(outcome.steps)
            if s.kind == "assign" and s.text.split(" ")[0] == last.text
        ),
        None,
    )
    source = assigned or last
    decided = [s for s in outcome.branches() if s.first <= source.first]
    passed = [s for s in decided if not s.value and len(s.text) < 70]
    if passed and draft.choose("yes", "no", salt=f"passed{label}") == "yes":
        step = passed[-1]
        draft.say(
            f"On the way {code(name)} = {label} fails {code(step.text)}.",
            draft.lines(made.function, step.first, step.last), "recompute",
        )  # fmt: skip
    draft.say(
        draft.choose(
            f"With {code(name)} = {label} the way leads to {code(source.text)}, and {last.value} is the answer.",
            f"{code(name)} = {label} ends at {code(source.text)}; the function returns {last.value}.",
            f"The call with {code(name)} = {label} gets {last.value}, out of {code(source.text)}.",
            salt=f"end{label}",
        ),
        draft.lines(made.function, source.first, source.last), "recompute",
    )  # fmt: skip
    draft.claim("number", str(last.value), last.value, "recompute")
    return True


def _tell_launch(
    draft: Draft, made: Arguments, name: str, label: str, outcome: Outcome, step: Step, site: Site
) -> None:
    function = made.function
    grid = _extent(site.grid, outcome)
    block = _extent(site.block, outcome)
    where = draft.lines(function, step.first, step.last)
    spans: list[Span] = [where]
    sizes = []
    for extents, unit, expression in ((grid, "block", site.grid), (block, "thread", site.block)):
        if not extents:
            continue
        shape = " x ".join(map(str, extents))
        words = f"{shape} {unit}{'' if extents == (1,) else 's'}"
        formula = _formula(expression, outcome, step)
        if formula is not None:
            spans.append(draft.lines(function, formula.first, formula.last))
            words += f" (`{expression}`: {code(formula.text.partition(' = ')[2])})"
        sizes.append(words)
    tail = f", with {' of '.join(sizes)}" if sizes else ""
    draft.say(
        draft.choose(
            f"{code(name)} = {label} arrives at the launch of {code(site.callee.name)}{tail}.",
            f"So for {code(name)} = {label} it is {code(site.callee.name)} that is launched{tail}.",
            f"The call with {code(name)} = {label} launches {code(site.callee.name)}{tail}.",
            salt=f"launch{label}{step.first}",
        ),
        *spans, "recompute",
    )  # fmt: skip
    for number in (*(grid or ()), *(block or ())):
        draft.claim("number", str(number), number, "recompute")


def _extent(expression: str, outcome: Outcome) -> tuple[int, ...] | None:
    if not re.fullmatch(r"[A-Za-z_]\w*", expression):
        return None
    parts = [outcome.values.get(f"{expression}.{axis}") for axis in "xyz"]
    if any(not isinstance(part, int) for part in parts):
        return None
    found = [part for part in parts if isinstance(part, int)]
    while len(found) > 1 and found[-1] == 1:
        found.pop()
    return tuple(found)


def _formula(expression: str, outcome: Outcome, until: Step) -> Step | None:
    """The assignment behind the first extent of a grid or a block, names followed."""
    wanted = f"{expression}.x"
    found: Step | None = None
    for _ in range(3):
        steps = [
            s for s in outcome.steps
            if s.kind == "assign" and s.first <= until.first and s.text.startswith(f"{wanted} = ")
        ]  # fmt: skip
        if not steps:
            return found
        found = steps[-1]
        wanted = found.text.partition(" = ")[2]
        if not re.fullmatch(r"[A-Za-z_]\w*", wanted):
            return found if re.search(r"[A-Za-z]", wanted) else None
    return found
