"""How a launcher for 64 bit sizes goes on: what a round over pieces does, and what a test decides."""

from __future__ import annotations

import re

from qa.author.draft import Draft, code, listed
from qa.author.given import with_template
from qa.author.launch_prose import tell_constants
from qa.author.work import launch_lines, workers
from qa.reading.function import Branch, Call, FunctionReading, Loop
from qa.scope_view import FunctionView, ScopeView

_LONGEST_PIECE, _LONGEST_TESTS = 110, 220
_WIDE = re.compile(r"c_\w*(?:max|min|chunk)|i32_max|numeric_limits")


def tell_sides(
    draft: Draft, view: ScopeView, function: FunctionView, reading: FunctionReading, branch: Branch
) -> bool:
    """Says what a test against the limits of 32 bits sends to which function."""
    names = set(workers(view, function))
    lines = launch_lines(view, function)
    sides: dict[bool, dict[str, Call]] = {False: {}, True: {}}
    for call in reading.calls:
        guard = next((g for g in call.guards if g.line == branch.first), None)
        kernel = next((k for at, k in lines.items() if call.first <= at <= call.last), "")
        if guard is not None and kernel and kernel in call.text:
            sides[guard.negated].setdefault(f"a launch of {code(kernel)}", call)
        elif guard is not None and call.name in names:
            shown = code(with_template(call.name, call.text))
            sides[guard.negated].setdefault(shown, call)
    shared = set(sides[False]) & set(sides[True])  # preparation, whichever way it goes
    held, failed = (
        sorted((c for c in sides[negated] if c not in shared), key=lambda c: "launch" not in c)[:2]
        for negated in (False, True)
    )
    condition = code(branch.condition)
    if (not held and not failed) or held == failed:
        return False
    if held and failed:
        text = draft.choose(
            f"Where {condition} holds, {code(function.name)} goes on with {listed(held)}, and where it fails with {listed(failed)}.",
            f"The numbers decide by {condition}: {listed(held)} if it holds, {listed(failed)} if not.",
            salt="sides",
        )
    else:
        verb = "holds" if held else "fails"
        text = f"Only where {condition} {verb} does {code(function.name)} go on with {listed(held or failed)}."
    calls = [*(sides[False][c] for c in held), *(sides[True][c] for c in failed)]
    draft.say(
        text, draft.lines(function, branch.first, branch.consequence[0]),
        *[draft.lines(function, c.first, c.last) for c in calls], draft.head(function),
    )  # fmt: skip
    return True


def tell_piece(
    draft: Draft, view: ScopeView, function: FunctionView, reading: FunctionReading, loop: Loop
) -> None:
    """Says what a round of a loop over pieces works out, and whom it hands the piece to."""
    inside = [d for d in reading.definitions if loop.first in d.loops]
    pieces = [
        d
        for d in inside
        if re.search(r"min|_base|adjust", d.value) and len(d.value) < _LONGEST_PIECE
    ]
    if not pieces:
        return
    told = list({d.name: d for d in pieces}.values())[:3]
    names = {f.name for f in view.callees.get(function.id, ()) if f.kind in ("host", "launcher")}
    calls = [
        c
        for c in reading.calls
        if loop.first in c.loops and c.name in names and len(c.arguments) > 4
    ]
    text = f"In each of its rounds {listed([f'{code(d.name)} is {code(d.value)}' for d in told])}"
    spans = [draft.lines(function, d.first, d.last) for d in told]
    if calls:
        text += f", and what is cut out so goes to {code(with_template(calls[-1].name, calls[-1].text))}"
        spans.append(draft.lines(function, calls[-1].first, calls[-1].last))
    draft.say(f"{text}.", *spans, draft.head(function))


def tell_limits(
    draft: Draft, function: FunctionView, reading: FunctionReading, loop: Loop | None = None
) -> bool:
    """Says what becomes of a call before it comes to be cut: one call for it all, or a refusal.

    Args:
        draft: The entry.
        function: A launcher for wide sizes.
        reading: The same, read.
        loop: Over the pieces, if there is one.

    Returns:
        Whether there was something to say.
    """
    assert function.span is not None
    end = loop.first if loop is not None else function.span.end_line + 1
    around = loop.guards if loop is not None else ()
    name, told = code(function.name), []
    for branch in reading.branches:
        inside = branch.guards == around[: len(branch.guards)] or loop is None
        if branch.consequence[1] >= end or branch.loops or not inside or branch.returns is None:
            continue
        handed = re.match(r"(\w+)\s*(?:<[^()]*>)?\(", branch.returns)
        refused = re.search(r"_status_(?!success)", branch.returns) is not None
        if not _WIDE.search(branch.condition) or not (handed or refused):
            continue
        tests = [*(g.condition for g in branch.guards if not g.negated), branch.condition]
        if sum(map(len, tests)) > _LONGEST_TESTS:
            continue
        hold = f"{listed([code(t) for t in tests])} {'holds' if len(tests) == 1 else 'hold'}"
        then = (
            f"a single call of {code(handed[1])} serves it all" if handed
            else f"it returns {code(branch.returns)}"
        )  # fmt: skip
        draft.say(
            f"Where {hold} in {name}, {then}.",
            *[draft.lines(function, g.line) for g in branch.guards],
            draft.lines(function, branch.first, branch.consequence[1]), draft.head(function),
        )  # fmt: skip
        told += tests
    outer = [
        one for one in reading.loops
        if loop is not None and one.first in loop.loops and one.head != loop.head
    ]  # fmt: skip
    known = [g for g in around if len(g.condition) <= _LONGEST_PIECE]
    if loop is not None and known:
        verb = "fails" if known[-1].negated else "holds"
        again = [o for o in reading.loops if o.head == loop.head and o.guards != loop.guards]
        also = ", and a loop of the same head stands in the other branch" if again else ""
        draft.say(
            f"The loop {code(loop.head)} is for calls for which {code(known[-1].condition)} {verb}{also}.",
            draft.lines(function, known[-1].line), draft.lines(function, loop.first),
            *[draft.lines(function, o.first) for o in again[:1]], draft.head(function),
        )  # fmt: skip
    for one in outer[:1]:
        draft.say(
            f"Around it stands {code(one.head)}.",
            draft.lines(function, one.first), draft.lines(function, loop.first if loop else one.first),
            draft.head(function),
        )  # fmt: skip
    heads = [loop.head] if loop is not None else []
    tell_constants(draft, function, [*told, *heads])
    return bool(told)
