"""Sentences about how two calls of a host function part and end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.records import Span
from qa.author.arguments import Arguments
from qa.author.draft import Draft, code, listed
from qa.reading.outcome import Outcome, Step, Value
from qa.scope_view import Site


@dataclass(frozen=True)
class Contrast:
    """Two calls that differ in one argument, and end differently."""

    name: str
    before: Value
    after: Value
    first: Outcome
    second: Outcome


def points(made: Arguments, name: str) -> bool:
    """A parameter is a pointer."""
    from qa.author.arguments import is_pointer

    parameter = next((p for p in made.reading.parameters if p.name == name), None)
    return parameter is not None and is_pointer(name, parameter.type, made.reading, made.types)


def value_words(value: Value) -> str:
    """A value as prose shows it."""
    return code(value) if isinstance(value, str) else str(value)


def tell_definitions(draft: Draft, made: Arguments, contrast: Contrast, at: Step) -> None:
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


def tell_ends(
    draft: Draft, made: Arguments, contrast: Contrast, launches: list[Site], parting: Step
) -> bool:
    """Says how both calls end: what they launch, or what they return."""
    name = contrast.name
    ends = (
        (value_words(contrast.before), contrast.first),
        (value_words(contrast.after), contrast.second),
    )
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
    spoken = [
        (site, s)
        for row, k in zip(rows, kernels, strict=True)
        for s, site in zip(row, k, strict=True)
    ]
    if any(not _names_its_kernel(draft, made, s, site) for site, s in spoken if site is not None):
        return False  # code of another library launches it
    if set(names[0]) == set(names[1]):
        return False  # how often each is launched is not told here
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
                f"For {code(name)} = {label} {code(made.function.name)} launches nothing itself.",
                draft.lines(made.function, parting.first, parting.last), "recompute",
            )  # fmt: skip
        elif not told:
            draft.say(
                f"With {code(name)} = {label} {code(made.function.name)} launches nothing else itself.",
                draft.lines(made.function, parting.first, parting.last), "recompute",
            )  # fmt: skip
    return True


def _names_its_kernel(draft: Draft, made: Arguments, step: Step, site: Site) -> bool:
    """The lines of a launch name the kernel, or the function that they call does."""
    text = draft.ground.text(draft.lines(made.function, step.first, step.last))
    return re.search(
        rf"\b{re.escape(site.callee.name)}\b", text
    ) is not None or site.callee.name in {
        function.name
        for function in draft.view.overlapping(draft.lines(made.function, step.first, step.last))
    }


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
            f"Before that {code(step.text)} is asked, and it is false for {code(name)} = {label}.",
            draft.lines(made.function, step.first, step.last), "recompute",
        )  # fmt: skip
    ends = (
        f"{code(name)} = {label} comes to {code(source.text)}",
        f"The call with {code(name)} = {label} ends at {code(source.text)}",
    )
    # Where the text is a number already there is nothing to add.
    more = "" if re.search(rf"(?<!\w){last.value}$", source.text) else f", which is {last.value}"
    draft.say(
        draft.choose(*(f"{end}{more}." for end in ends), salt=f"end{label}"),
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
