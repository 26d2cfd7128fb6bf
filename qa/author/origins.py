"""Entries on what the host does to an origin before a launch, and why the kernel relies on it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import kernel_facts, plain_index
from qa.author.subjects import entries_through
from qa.ground import Ground
from qa.reading.execution import follow
from qa.reading.function import Definition, read_function
from qa.scope_view import FunctionView, ScopeView, Site

_MOST = 2


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on launchers that move an origin for a negative increment."""
    for function in functions:
        if function.kind != "launcher" or function.span is None:
            continue
        reading = read_function(function.text, function.span.start_line)
        made = 0
        seen: set[str] = set()
        for definition in reading.definitions:
            match = re.search(r"\b(inc\w*)\s*<\s*0\s*\)?\s*\?", definition.value)
            if match is None or definition.name in seen or made >= _MOST:
                continue
            seen.add(definition.name)
            draft = _draft(view, ground, function, definition, match[1])
            if draft is not None:
                made += 1
                yield draft


def _draft(
    view: ScopeView, ground: Ground, function: FunctionView, definition: Definition, increment: str
) -> Draft | None:
    site = _handed_to(view, function, definition)
    if site is None or len(definition.value) > 130:
        return None
    found = dict.fromkeys(re.findall(r"[A-Za-z_]\w*", definition.value))
    names = [name for name in found if name != increment]
    values = {
        n: 0 if re.match(r"off|shift", n) else {"m": 6, "n": 5, "k": 4}.get(n, 5) for n in names
    }
    extent = next((n for n in ("n", "m", "k") if n in names), None)
    if extent is None or "==" in definition.value or len({"n", "m", "k"} & set(names)) > 1:
        return None
    worked = _value(definition.value, {**values, increment: -2}, ground)
    plain = _value(definition.value, {**values, increment: 2}, ground)
    if worked is None or plain != 0 or worked != (values[extent] - 1) * 2:
        return None
    access = next(
        (r for r in kernel_facts(view, ground, site.callee).of("global_access")
         if re.search(rf"\b{increment}\b", str(r.value.get("index"))) and plain_index(r.value["index"])), None,
    )  # fmt: skip
    entries = entries_through(view, function)
    draft = Draft(
        view,
        ground,
        "correctness_constraints",
        f"{definition.name} of {increment} in {function.id}",
        entries,
    )
    size, name, kernel = values[extent], code(definition.name), code(site.callee.name)
    draft.question = draft.choose(
        f"{code(entries[0])} is called with {code(extent)} = {size} and {code(increment)} = -2. What does {code(function.name)} hand to {kernel} as the start of that vector, and what would go wrong with the plain offset?",
        f"Why can {kernel} multiply a thread's number by a negative {code(increment)} without ever leaving the buffer? Use {code(extent)} = {size} and {code(increment)} = -2.",
        f"What does {code(function.name)} guarantee about the origin it passes to {kernel} when {code(increment)} is negative? Show it for {code(extent)} = {size} and {code(increment)} = -2.",
        f"Someone calls {kernel} directly, with {code(increment)} = -2, {code(extent)} = {size} and the unshifted offset. Which guarantee of {code(function.name)} is missing then, and which access is the first to go wrong?",
    )
    last = (size - 1) * 2
    here = draft.lines(function, definition.first, definition.last)
    draft.say(
        draft.choose(
            f"Before the launch the host sets {name} to {code(definition.value)}.",
            f"{code(function.name)} computes {name} as {code(definition.value)} and passes that on.",
            f"The start of the vector is {name}, made from {code(definition.value)}.",
            salt="set",
        ),
        here, draft.head(function),
    )  # fmt: skip
    zero = [code(n) for n, v in values.items() if v == 0]
    draft.say(
        draft.choose(
            f"For {code(increment)} = -2 and {code(extent)} = {size} that is {worked}{f' with {listed(zero)} at 0' if zero else ''}, the far end of the vector, while a positive increment leaves it at 0.",
            f"With {code(extent)} = {size} and {code(increment)} = -2 it comes to {worked} elements{f' beyond {listed(zero)}' if zero else ''}; for {code(increment)} = 2 it stays 0.",
            salt="worked",
        ),
        here, "recompute",
    )  # fmt: skip
    spans = [draft.lines(site.callee, access.line)] if access is not None else []
    if access is not None and str(access.value.get("index")):
        draft.say(
            f"{kernel} then adds the product of position and increment, as its offset {code(str(access.value['index']))} shows.",
            *spans, draft.head(site.callee), "fact",
        )  # fmt: skip
    draft.say(
        draft.choose(
            f"The element numbered {size} - 1 = {size - 1} is the last, at {worked} - {last} = {worked - last}, so the walk ends exactly at the vector's first element.",
            f"Position {size - 1} is the last one and lands at {worked} - {last} = {worked - last}; nothing below the buffer is touched.",
            salt="last",
        ),
        "recompute",
    )  # fmt: skip
    draft.say(
        draft.choose(
            "From the plain offset the second element would already be at 0 - 2 = -2, in front of the buffer.",
            "Without the shift position 1 would give 0 - 2 = -2, an address the caller does not own.",
            salt="plain",
        ),
        "recompute",
    )  # fmt: skip
    asks = re.search(rf"\b{re.escape(increment)}\w* *< *0", site.callee.text)
    settled = (
        f"The launch hands {name} over in place of the plain offset." if asks
        else draft.choose(
            f"The kernel never asks for the sign of {code(increment)}: {name}, which the launch hands over as the offset, has settled it.",
            f"So {name} takes the offset's place in the launch, and no thread of {kernel} has to look at the sign of {code(increment)}.",
            salt="settled",
        )
    )  # fmt: skip
    draft.say(
        settled, site.at,
        draft.lines(function, site.at.start_line, site.at.end_line), draft.head(function),
        draft.head(site.callee),
    )  # fmt: skip
    given = {**values, increment: -2}
    draft.claim(
        "expression",
        function.name,
        {"text": definition.value, "given": given, "value": worked},
        "recompute",
    )
    draft.claim("number", f"({size} - 1) * 2", last, "recompute")
    draft.claim("number", f"{worked} - {last}", worked - last, "recompute")
    draft.claim("number", f"{size} - 1", size - 1, "recompute")
    if access is not None:
        from qa.author.kernel_facts import claim_fact

        claim_fact(draft, access)
    return draft


def _value(text: str, values: dict[str, int], ground: Ground) -> int | None:
    outcome = follow(
        f"void f() {{ auto r = {text}; }}", 1, values, {}, enumerators=ground.enumerators
    )
    value = outcome.values.get("r")
    return value if isinstance(value, int) else None


def _handed_to(view: ScopeView, function: FunctionView, definition: Definition) -> Site | None:
    """The first launch whose arguments have the name."""
    rows = function.text.split("\n")
    assert function.span is not None
    for site in view.launches:
        if site.caller.id != function.id or site.dead or site.at.start_line < definition.first:
            continue
        first = site.at.start_line - function.span.start_line
        last = site.at.end_line - function.span.start_line + 1
        if re.search(
            rf"\b{re.escape(definition.name)}\b", "\n".join(rows[first : max(last, first + 8)])
        ):
            return site
    return None
