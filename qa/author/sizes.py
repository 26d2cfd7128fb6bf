"""Entries on how much workspace a function asks for, worked out for concrete problems."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.arguments import Arguments, ordinary
from qa.author.draft import Draft, code, listed
from qa.author.given_up import give_up
from qa.author.numbers import equation
from qa.author.reached_with import out_of_reach
from qa.author.subjects import entries_through, types_of
from qa.ground import Ground
from qa.reading.element_types import BYTES
from qa.reading.outcome import Outcome, Step, Value
from qa.scope_view import FunctionView, ScopeView

_REAL = {
    "m": 300, "n": 200, "k": 150, "nrhs": 40, "batch_count": 10, "kl": 4, "ku": 5, "nb": 32,
    "p": 120,
}  # fmt: skip


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on functions whose results are sizes in bytes."""
    for function in functions:
        if function.kind != "host" or "sizeof" not in function.text:
            continue
        for number in _telling(function):
            fixed = out_of_reach(view, ground, entries_through(view, function, number), function)
            made = ordinary(function, ground, types_of(function, number), fixed=fixed)
            if made is None:
                continue
            values = {
                name: _REAL.get(name, value)
                if isinstance(value, int) and name not in made.fixed
                else value
                for name, value in made.values.items()
            }
            outcome = made.run(**values)
            draft = _draft(view, ground, made, values, outcome, number)
            if draft is not None:
                yield draft
                break


def _telling(function: FunctionView) -> list[int]:
    """Instantiations to try: of double precision first, then others."""
    ranked = sorted(
        range(len(function.instantiations)),
        key=lambda i: (
            "double" not in " ".join(function.instantiations[i]["template_arguments"]),
            "complex" in " ".join(function.instantiations[i]["template_arguments"]), i,
        ),
    )  # fmt: skip
    return ranked[:2]


def _sizes(outcome: Outcome) -> list[Step]:
    """Last assignment to each result, those with a size of a type in it or zero."""
    last: dict[str, Step] = {}
    for step in outcome.steps:
        name = step.text.split(" ")[0]
        if step.kind == "assign" and name.startswith("*") and isinstance(step.value, int):
            last[name] = step
    return [s for name, s in last.items() if outcome.values.get(name) == s.value]


def _draft(
    view: ScopeView,
    ground: Ground,
    made: Arguments,
    values: dict[str, Value],
    outcome: Outcome,
    number: int,
) -> Draft | None:
    function = made.function
    sizes = _sizes(outcome)
    told = [step for step in sizes if step.value and "sizeof" in step.text]
    returned = outcome.steps[-1] if outcome.steps and outcome.steps[-1].kind == "return" else None
    if outcome.stuck is not None:
        return None
    elsewhere = [
        p.name for p in made.reading.parameters
        if p.name.startswith("size_") and "*" in p.type and f"*{p.name}" not in outcome.values
    ]  # fmt: skip
    if elsewhere and len(told) < 2:  # most of the answer would be another function's
        give_up(view, "sizes: most of them are another function's")
        return None
    if not told and not (
        returned is not None
        and isinstance(returned.value, int)
        and "sizeof" in returned.text
        and returned.value > 16
    ):
        return None
    shown = {step.text.split(" ")[0] for step in sizes if not step.value or step in told}
    if any(
        p.name.startswith("size_") and "*" in p.type
        and p.name not in elsewhere and f"*{p.name}" not in shown
        for p in made.reading.parameters
    ):  # fmt: skip
        give_up(view, "sizes: a buffer that is asked for cannot be told")
        return None
    entries = entries_through(view, function, number)
    draft = Draft(view, ground, "resources", f"sizes in {function.id}", entries)
    used = _names(told, returned, outcome)
    given_to_it = [
        f"{n} = {v}"
        for n, v in values.items()
        if isinstance(v, int)
        and n in used
        and n not in made.fixed
        and n != "handle"
        and f"*{n}" not in outcome.values
    ]
    asked = set(re.findall(r"\b[A-Za-z_]\w*\b", " ".join(s.text for s in outcome.steps)))
    given_to_it += [
        f"{n} = {code(v)}"
        for n, v in values.items()
        if isinstance(v, str) and v in ground.enumerators and n in asked and n not in made.fixed
    ]  # an enumerator that a test asks for decides as much as a number does
    types = {n: t for n, t in made.types.items() if n in used and _plain(t) in BYTES}
    bound = [f"{code(n)} = {code(t)}" for n, t in types.items()]
    given = listed([*given_to_it, *bound]) or "ordinary arguments"
    behind = code(entries[0])
    batched = not any("batch_count" in name for name in made.fixed)
    and_batch = " and say which of them grows with the batch" if batched else ""
    draft.question = draft.choose(
        f"How much device workspace does {code(function.name)} ask for on behalf of {behind} with {given}, and what is each part for?",
        f"Before {behind} runs, {code(function.name)} works out its buffers. Take {given}: what does each buffer come to in bytes?",
        f"{code(function.name)} is called with {given} while {behind} plans its memory. Work the sizes out{and_batch}.",
        f"Which buffers must be there before {behind} may start, and how large are they for {given} according to {code(function.name)}?",
    )
    settled = [
        n for n, v in values.items()
        if n in used & made.fixed and isinstance(v, int) and "stride" not in n.lower()
    ]  # fmt: skip
    if settled:
        here = listed([f"{code(n)} is {values[n]}" for n in settled])
        draft.say(f"On behalf of {behind} {here} there.", draft.head(function), "recompute")
    for step in [s for s in outcome.steps if s.kind == "assumed"][:1]:
        draft.say(
            f"The answer {code(step.text)} would give is not known from the arguments, and it is taken as false here.",
            draft.lines(function, step.first, step.last), "recompute",
        )  # fmt: skip
    total = sum(int(step.value) for step in told if isinstance(step.value, int))
    nothing = [step for step in sizes if step.value == 0][:3]
    for step in outcome.steps:  # in the order in which the function comes to them
        if step.kind == "branch":
            _tell_branch(draft, made, step, [*told, *nothing])
        elif any(step is one for one in told):
            _tell_size(draft, made, step, outcome, values)
        elif any(step is one for one in nothing):
            name = code(step.text.split(" ")[0])
            draft.say(
                f"{name} is set to 0 for this call.",
                draft.lines(function, step.first, step.last), "recompute",
            )  # fmt: skip
    if elsewhere:
        draft.say(
            f"What {listed([code(f'*{n}') for n in elsewhere])} {'comes' if len(elsewhere) == 1 else 'come'} to is left to the functions that it calls.",
            draft.head(function),
        )  # fmt: skip
    if returned is not None and isinstance(returned.value, int) and "sizeof" in returned.text:
        draft.say(
            f"The result {code(returned.text)} is {returned.value} bytes.",
            draft.lines(function, returned.first, returned.last), "recompute",
        )  # fmt: skip
    elif len(told) > 1 and not elsewhere:
        draft.say(
            f"Together that is {' + '.join(str(s.value) for s in told)} = {total} bytes.",
            "recompute",
        )
        draft.claim("number", " + ".join(str(s.value) for s in told), total, "recompute")
    _growth(draft, made, told, values)
    draft.claim(
        "walk", function.name,
        {"function": function.id, "given": values, "types": made.types, "returned": outcome.returned,
         "values": {s.text.split(" ")[0]: s.value for s in sizes}},
        "recompute",
    )  # fmt: skip
    return draft


def _plain(kind: str) -> str:
    return re.sub(r"\s*\bconst\b\s*", "", kind).strip()


def _names(told: list[Step], returned: Step | None, outcome: Outcome) -> set[str]:
    steps = [*told, *outcome.branches(), *(s for s in outcome.steps if s.kind == "assign")]
    text = " ".join(s.text for s in (*steps, *([returned] if returned is not None else ())))
    return set(re.findall(r"\b[A-Za-z_]\w*\b", text))


def _tell_branch(draft: Draft, made: Arguments, step: Step, sizes: list[Step]) -> None:
    if len(step.text) > 150:
        return
    if re.fullmatch(r"[A-Z_]+", step.text):
        return
    state = "holds" if step.value else "does not hold"
    own = next((b for b in made.reading.branches if b.first == step.first), None)
    if step.value and own is not None and not any(
        own.consequence[0] <= s.first <= own.consequence[1] for s in sizes
    ):  # fmt: skip
        draft.say(
            f"{code(step.text)} holds; what stands in its branch sets none of the sizes that are worked out here.",
            draft.lines(made.function, step.first, own.consequence[1]), "recompute",
        )  # fmt: skip
        return
    draft.say(
        draft.choose(
            f"{code(step.text)} {state}" + (", so its branch is gone through." if step.value else ", so its branch is passed over."),
            f"The test {code(step.text)} {'is met' if step.value else 'is not met'} with these arguments.",
            salt=f"{step.text}",
        ),
        draft.lines(made.function, step.first, step.last), "recompute",
    )  # fmt: skip


def _parts(text: str) -> tuple[str, str, str]:
    """Name, operator of a compound assignment, and expression of a step."""
    match = re.match(r"(\S+) ([-+*/]?)= (.*)", text, re.S)
    return (match[1], match[2], match[3]) if match else (text, "", "")


def _tell_grown(
    draft: Draft, made: Arguments, step: Step, outcome: Outcome, values: dict[str, Value]
) -> int:
    """Says a size that is set first and multiplied or raised afterwards."""
    name, sign, expression = _parts(step.text)
    assert isinstance(step.value, int)
    before = outcome.steps[: outcome.steps.index(step)]
    earlier = [s for s in before if s.kind == "assign" and _parts(s.text)[0] == name]
    how = {"*": "multiplied by", "+": "raised by", "-": "lowered by", "/": "divided by"}[sign]
    start = code(name)
    if earlier:
        first = _parts(earlier[-1].text)[2]
        start += f" starts from {code(first)}"
        start += (
            f", which is {earlier[-1].value}, and" if first != str(earlier[-1].value) else " and"
        )
    lines = [draft.lines(made.function, s.first, s.last) for s in (*earlier[-1:], step)]
    given = _substituted(expression, made, values)
    if earlier and given is not None and isinstance(earlier[-1].value, int):
        worked = f"{earlier[-1].value} {sign} {f'({given})' if sign in '-/' else given}"
        told = f", which makes {equation(worked, step.value)} bytes"
        draft.claim("number", worked, step.value, "recompute")
        draft.claim("number", str(earlier[-1].value), earlier[-1].value, "recompute")
        _claim_types(draft, made, expression)
    else:
        told = f", which makes {step.value} bytes"
    draft.say(f"{start} is {how} {code(expression)} then{told}.", *lines, "recompute")
    return step.value


def _claim_types(draft: Draft, made: Arguments, expression: str) -> None:
    """Claims what the types of a formula take."""
    for kind in re.findall(r"sizeof\(([^()]*)\)", expression):
        bound = _plain(made.types.get(kind.strip(), kind.strip()))
        if bound in BYTES:
            draft.claim("size", bound, BYTES[bound], "recompute")
        elif bound.endswith("*"):
            draft.claim("number", "8", 8, "recompute")


def _tell_revised(
    draft: Draft, made: Arguments, step: Step, outcome: Outcome, values: dict[str, Value]
) -> int:
    """Says a size that is made from what it was before: ``std::max(*size, more)``."""
    name, _sign, expression = _parts(step.text)
    value = step.value
    assert isinstance(value, int)
    place = next(i for i, one in enumerate(outcome.steps) if one is step)
    earlier = [
        s for s in outcome.steps[:place]
        if s.kind == "assign" and _parts(s.text)[0] == name and isinstance(s.value, int)
    ]  # fmt: skip
    if not earlier:
        where = draft.lines(made.function, step.first, step.last)
        draft.say(f"{code(name)} becomes {value} bytes by {code(expression)}.", where, "recompute")
        return value
    before = _tell_size(draft, made, earlier[-1], outcome, values)
    cites = [draft.lines(made.function, s.first, s.last) for s in (earlier[-1], step)]
    other = _substituted(expression.replace(name, str(before)), made, values)
    how = "leaves it at" if before == value else "makes that"
    worked = equation(other, value) if other is not None else str(value)
    draft.say(f"Then {code(expression)} {how} {worked} bytes.", *cites, "recompute")
    if other is not None:
        draft.claim("number", other, value, "recompute")
        _claim_types(draft, made, expression)
    draft.claim("number", str(before), before, "recompute")
    return value


def _tell_size(
    draft: Draft, made: Arguments, step: Step, outcome: Outcome, values: dict[str, Value]
) -> int:
    """Says one size with its factors put in."""
    name, sign, expression = _parts(step.text)
    value = step.value
    assert isinstance(value, int)
    where = draft.lines(made.function, step.first, step.last)
    if sign:
        return _tell_grown(draft, made, step, outcome, values)
    if name in expression:
        return _tell_revised(draft, made, step, outcome, values)
    worked = _substituted(expression, made, values)
    if worked is not None:
        draft.say(
            draft.choose(
                f"{code(name)} is {code(expression)}, that is {equation(worked, value)} bytes.",
                f"For {code(name)} the formula {code(expression)} gives {equation(worked, value)} bytes.",
                f"{code(expression)} makes {code(name)} {equation(worked, value)} bytes.",
                salt=name,
            ),
            where, "recompute",
        )  # fmt: skip
        draft.claim("number", worked, value, "recompute")
        _claim_types(draft, made, expression)
    else:
        draft.say(f"{code(name)} becomes {value} bytes by {code(expression)}.", where, "recompute")
    return value


def _substituted(expression: str, made: Arguments, values: dict[str, Value]) -> str | None:
    """The expression with numbers for names; ``None`` where it is no plain arithmetic."""
    from qa.text.arithmetic import Unknown, evaluate

    known = {n: v for n, v in values.items() if isinstance(v, int)}

    def size(match: re.Match[str]) -> str:
        kind = made.types.get(match[1].strip(), match[1].strip())
        return "8" if kind.strip().endswith("*") else str(BYTES.get(_plain(kind), match[0]))

    text = re.sub(r"sizeof\(([^()]*)\)", size, expression)
    text = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: str(known.get(m[0], m[0])), text)
    text = re.sub(r"\s+", " ", text)
    if re.search(r"[A-Za-z_?]", re.sub(r"std::(?:min|max)", "", text)):
        return None
    try:
        evaluate(text)
    except Unknown:
        return None
    return re.sub(r"std::", "", text) if any(c in text for c in "+-*/(") else None


def _growth(draft: Draft, made: Arguments, told: list[Step], values: dict[str, Value]) -> None:
    """Says which sizes depend on the batch, from the formulas."""
    batch = next((n for n in values if "batch_count" in n), None)
    if batch is None or batch in made.fixed or len(told) < 2:
        return
    grows = [s for s in told if re.search(rf"\b{batch}\b", s.text)]
    stays = [s for s in told if s not in grows]
    if not grows or not stays:
        return
    spans = [draft.lines(made.function, s.first, s.last) for s in (*grows, *stays)]
    names = [code(s.text.split(" ")[0]) for s in grows]
    others = [code(s.text.split(" ")[0]) for s in stays]
    draft.say(
        draft.choose(
            f"Only {listed(names)} {'grows' if len(names) == 1 else 'grow'} with {code(batch)}; {listed(others)} {'is' if len(others) == 1 else 'are'} shared by the whole batch.",
            f"{listed(others)} {'does' if len(others) == 1 else 'do'} not mention {code(batch)}, so a longer batch adds only to {listed(names)}.",
            salt="growth",
        ),
        *spans,
    )
