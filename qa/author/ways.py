"""The tests around the places of a call or a launch that a sentence has not told yet: no hole stays."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.reading.function import Call, Guard, read_function
from qa.scope_view import FunctionView, Site

LITERALS = ("true", "false", "0", "1")
_MOST_PLACES, _MOST_GUARDS, _MOST_TOLD, _MOST_NAMES = 6, 3, 3, 5
_LONGEST = 100
_MOST_OF_CHAIN, _LONGEST_OF_CHAIN = 10, 150
_MOST_LINES = 12
_WORDS = frozenset(["true", "false", "nullptr", "std", "const", "sizeof", "and", "or", "not"])
_TEMPLATE = re.compile(r"<[^<>=&|]*>(?=\s*[(:])")
_ASKED = re.compile(r"(?<![\w.>:])[A-Za-z_]\w*(?:(?:->|\.)\w+)?(?![\w(]|\s*::)")
_COUNT = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
Asked = tuple[str, bool]
"""A condition as written, and whether it must fail."""


def calls_at(function: FunctionView, sites: Sequence[Site]) -> list[Call]:
    """The calls by which a function makes some launches."""
    if function.span is None:
        return []
    reading = read_function(function.text, function.span.start_line)
    found = []
    for site in sites:
        found += [
            c for c in reading.calls
            if c.first <= site.at.start_line <= c.last and len(c.text) > 20
        ][:1]  # fmt: skip
    return list(dict.fromkeys(found))


def asked(guards: Sequence[Guard]) -> list[Asked]:
    """Conditions of guards, those left out that a macro of the build has settled."""
    return [(g.condition, g.negated) for g in guards if g.condition not in LITERALS]


def tell_ways(
    draft: Draft,
    function: FunctionView,
    what: str,
    calls: Sequence[Call],
    told: Collection[Asked],
    verb: str = "called",
    *,
    lead: bool = False,
) -> bool:
    """Says what else stands around a call: what all places share, and what tells them apart.

    Args:
        draft: The entry.
        function: Where the calls stand.
        what: What is called or launched.
        calls: Its places.
        told: Tests that are told already.
        verb: ``called`` or ``launched``.
        lead: No sentence before it has said what is called, and where.

    Returns:
        Whether there was something to say.
    """
    if not calls:
        return False
    rows = [asked(call.guards) for call in calls]
    common = [one for one in rows[0] if all(one in row for row in rows[1:])]
    left = [one for one in dict.fromkeys(common) if one not in told]
    own = list(dict.fromkeys(tuple(one for one in row if one not in common) for row in rows))
    apart = len(own) > 1
    if not left and not apart:
        return False
    lines = [_lines(draft, function, g) for call in calls for g in call.guards]
    spans = [*dict.fromkeys(lines), *[draft.lines(function, c.first, c.last) for c in calls]]
    head = draft.head(function)
    it = f"{what} is {verb} in {code(function.name)}" if lead else f"It is {verb} there"
    if left:
        short = [one for one in left if len(one[0]) <= _LONGEST]
        around = f"all places of {what}" if apart else what
        around += f" in {code(function.name)}" if lead else ""
        if len(short) == len(left) <= _MOST_TOLD:
            draft.say(f"Around {around} {_state(left)} too.", *spans, head)
        else:
            further = "A further test" if len(left) == 1 else "Further tests"
            outcome = ""
            if len(left) == 1:
                outcome = " and has to fail" if left[0][1] else " and has to hold"
            draft.say(
                f"{further} around {around} {'looks' if len(left) == 1 else 'look'} at {_names(left)}{outcome}.",
                *spans, head,
            )  # fmt: skip
    if not apart:
        return True
    plain = all(
        len(row) <= _MOST_GUARDS and all(len(one[0]) <= _LONGEST for one in row) for row in own
    )
    chain = _chain(own)
    if plain and len(own) <= _MOST_PLACES:
        ways = "; ".join(f"where {_state(row)}" if row else "without a further test" for row in own)
        if every := _all_outcomes(own):
            ways = f"one for each way in which {listed([code(one) for one in every])} can come out"
        joint = ", " if every else ": "
        draft.say(f"{it} in {_COUNT[len(own)]} branches{joint}{ways}.", *spans, head)
    elif chain:
        draft.say(
            f"{it} at {len(own)} places, and a call takes the first of them whose test holds: "
            f"{'; '.join(chain)}.", *spans, head,
        )  # fmt: skip
        draft.claim("number", str(len(own)), len(own), "recompute")
    else:
        # Which of the places a call takes stays open: an answer on just that is left out.
        draft.untold |= draft.category == "dispatch"
        return bool(left)
    return True


def _lines(draft: Draft, function: FunctionView, guard: Guard) -> Span:
    """The lines of a condition, to the brace behind it."""
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    return draft.lines(function, *reading.lines_of_test(guard.line, _MOST_LINES))


def _chain(own: Sequence[Sequence[Asked]]) -> list[str]:
    """The tests of an ``if`` with ``else if`` behind it, one for each place; else nothing."""
    failed: tuple[Asked, ...] = ()
    told = []
    for number, row in enumerate(own):
        rest = tuple(row[len(failed) :])
        last = number == len(own) - 1 and not rest
        if tuple(row[: len(failed)]) != failed or not (last or (len(rest) == 1 and not rest[0][1])):
            return []
        told.append("where all of these fail" if last else code(rest[0][0]))
        failed += tuple((condition, True) for condition, _negated in rest)
    short = all(len(condition) <= _LONGEST_OF_CHAIN for condition, _negated in failed)
    return told if short and len(told) <= _MOST_OF_CHAIN else []


def _all_outcomes(own: Sequence[Sequence[Asked]]) -> list[str]:
    """The conditions whose every outcome, together, has a place of its own; none otherwise."""
    conditions = [condition for condition, _negated in own[0]]
    alike = all([c for c, _n in row] == conditions for row in own)
    return conditions if alike and len(conditions) > 1 and len(own) == 2 ** len(conditions) else []


def _state(rows: Sequence[Asked]) -> str:
    """``a and b hold and c fails``."""
    held = [code(condition) for condition, negated in rows if not negated]
    failed = [code(condition) for condition, negated in rows if negated]
    parts = []
    if held:
        parts.append(f"{listed(held)} {'holds' if len(held) == 1 else 'hold'}")
    if failed:
        parts.append(f"{listed(failed)} {'fails' if len(failed) == 1 else 'fail'}")
    return " and ".join(parts)


def _names(rows: Sequence[Asked]) -> str:
    """What tests look at: members of the handle as they are written, no enumerators' prefixes."""
    found: dict[str, None] = {}
    for condition, _negated in rows:
        for name in _ASKED.findall(_TEMPLATE.sub("", condition)):
            if name not in _WORDS and "_status_" not in name:
                found[name] = None
    names = list(found)
    return listed([code(name) for name in names[:_MOST_NAMES]]) + (
        " and others" if len(names) > _MOST_NAMES else ""
    )
