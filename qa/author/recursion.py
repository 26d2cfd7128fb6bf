"""Functions on the way of a call that call themselves: the rule behind a list of launches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from qa.author.draft import Draft, code, listed
from qa.author.passed_values import way_of
from qa.reading.function import Call, FunctionReading, read_function
from qa.scope_view import FunctionView

_LONGEST = 90
_MOST_CALLS, _MOST_PARTS = 3, 4
_FEWEST_LAUNCHES = 3
_SIZES = re.compile(r"[a-z]{1,4}\d?")


def tell_recursion(draft: Draft, trace: Mapping[str, Any]) -> bool:
    """Says how a function on the way of a call cuts its problem and calls itself, if one does."""
    view = draft.view
    if len(trace["launches"]) < _FEWEST_LAUNCHES:
        return False
    functions: dict[str, FunctionView] = {}
    for launch in trace["launches"]:
        for one, _at in way_of(view, draft.ground, trace, launch["symbol"]):
            functions[view.owner[one].id] = view.owner[one]
    for function in functions.values():
        if function.span is None or function.kind in ("kernel", "entry_point"):
            continue
        reading = read_function(function.text, function.span.start_line)
        calls = [c for c in reading.calls_of(function.name) if c.arguments]
        if len(calls) > 1 and _tell(draft, function, reading, calls):
            return True
    return False


def _tell(
    draft: Draft, function: FunctionView, reading: FunctionReading, calls: list[Call]
) -> bool:
    """The sizes that the function gives itself, what they are made from, what it calls between."""
    smaller: dict[str, list[str]] = {}
    for number, parameter in enumerate(reading.parameters):
        if not _SIZES.fullmatch(parameter.name) or "*" in parameter.type:
            continue
        given = list(dict.fromkeys(c.arguments[number] for c in calls if number < len(c.arguments)))
        other = [text for text in given if text != parameter.name and len(text) <= _LONGEST]
        if other:
            smaller[parameter.name] = other[:_MOST_PARTS]
    if not smaller:
        return False
    parts = [
        f"{listed([code(t) for t in texts], 'or')} for {code(n)}" for n, texts in smaller.items()
    ]
    meanings, spans = [], []
    for name in dict.fromkeys(text for texts in smaller.values() for text in texts):
        rows = [d for d in reading.definitions if d.name == name]
        values = list({d.value: d for d in rows}.values())
        if 0 < len(values) <= 2 and all(len(d.value) <= _LONGEST for d in values):
            meanings.append(f"{code(name)} is {listed([code(d.value) for d in values], 'or')}")
            spans += [draft.lines(function, d.first, d.last) for d in values]
    wanted = dict.fromkeys(text for texts in smaller.values() for text in texts)
    shown = [next(c for c in calls if text in c.arguments) for text in wanted]
    lines = [draft.lines(function, c.first, c.last) for c in dict.fromkeys((*calls[:2], *shown))]
    draft.say(
        f"The order comes from {code(function.name)}, which calls itself at {len(calls)} places and passes {listed(parts)}.",
        *lines, draft.head(function), "scope",
    )  # fmt: skip
    draft.claim("number", str(len(calls)), len(calls), "recompute")
    if meanings:
        draft.say(f"There {listed(meanings[:_MOST_PARTS])}.", *spans)
    hosts = {
        f.name for f in draft.view.callees.get(function.id, ()) if f.kind in ("host", "launcher")
    }
    guards = {c.guards for c in calls}
    between = [
        c for c in reading.calls
        if c.guards in guards and c.name in hosts and c.name != function.name and len(c.arguments) > 4
    ]  # fmt: skip
    names = list(dict.fromkeys(c.name for c in between))[:_MOST_CALLS]
    if names:
        draft.say(
            f"Beside these it calls {listed([code(n) for n in names])} for what lies between the parts.",
            *[draft.lines(function, c.first, c.last) for c in between[:3]], draft.head(function),
        )  # fmt: skip
    return True
