"""Entries on kernels that calls lead to and that an entry point never launches: a constant is in the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.open_ways import Closed, OpenWays, calls_of, open_ways
from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import read_function
from qa.reading.function_text import Parameter
from qa.scope_view import FunctionView, ScopeView

_WORKING = ("kernel", "launcher")
_MOST, _MOST_INSTEAD, _LONGEST = 4, 3, 120


@dataclass(frozen=True)
class Origin:
    """Where a constant comes from: who gives it, in which words, and who hands it on."""

    words: str
    spans: tuple[Span, ...]
    through: tuple[str, ...]


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on the constants that close ways of the interface's own functions."""
    own = {function.id for function in functions}
    ways = open_ways(view, ground)
    entries = sorted(view.entry_points, key=lambda e: (e.count("_"), e.endswith("_64"), len(e), e))
    done: set[tuple[str, str, bool]] = set()
    for entry in entries:
        for closed in ways.closed(entry):
            function = view.owner[closed.instantiation]
            key = (function.id, closed.guard.condition, closed.guard.negated)
            if key in done or function.id not in own or len(done) >= _MOST:
                continue
            draft = _draft(view, ground, ways, entry, closed)
            if draft is not None:
                done.add(key)
                yield draft


def _kernels_behind(view: ScopeView, start: str) -> list[FunctionView]:
    """Kernels to which calls lead from an instantiation, the nearest first."""
    found: dict[str, FunctionView] = {}
    seen, queue = {start}, deque([start])
    while queue:
        current = queue.popleft()
        owner = view.owner.get(current)
        if owner is not None and owner.kind == "kernel":
            found.setdefault(owner.id, owner)
        for target, _at, _configs in view.edges.get(current, ()):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return list(found.values())


def _draft(
    view: ScopeView, ground: Ground, ways: OpenWays, entry: str, closed: Closed
) -> Draft | None:
    function, callee = view.owner[closed.instantiation], view.owner[closed.callee]
    guard = closed.guard
    reached = ways.reached(entry)
    kernel = next(
        (k for k in _kernels_behind(view, closed.callee)
         if not any(one["id"] in reached for one in k.instantiations)), None,
    )  # fmt: skip
    if kernel is None or len(guard.condition) > _LONGEST:
        return None
    draft = Draft(
        view, ground, "dispatch", f"never {kernel.id} by {function.id}: {guard.condition}", [entry]
    )
    origin = _origin(view, ways, draft, entry, closed)
    if origin is None:
        return None
    public, target, place = code(entry), code(kernel.name), code(function.name)
    calls = "launches" if callee.kind == "kernel" else "calls"
    draft.question = draft.choose(
        f"Calls lead from {public} to {target}. Can a call of {public} ever launch it? Name the test that decides and whence its value comes.",
        f"{place}, which {public} goes through, {calls} {code(callee.name)}. Why does no call of {public} launch {target} all the same?",
        f"Somebody looks for sizes with which {public} launches {target}. Are there any? Argue from what the functions on the way pass.",
    )
    here = [
        draft.lines(function, guard.line),
        draft.lines(function, closed.line),
        draft.head(function),
    ]
    behind = "" if callee.id == kernel.id else f", behind which {target} is launched,"
    draft.say(
        f"{place} {calls} {code(callee.name)}{behind} where {code(guard.condition)} {'fails' if guard.negated else 'holds'}.",
        *here,
    )  # fmt: skip
    draft.say(origin.words, *origin.spans)
    if origin.through:
        draft.say(
            f"{listed([code(n) for n in origin.through])} {'hands' if len(origin.through) == 1 else 'hand'} it on as it is.",
            *origin.spans,
        )  # fmt: skip
    draft.say(
        draft.choose(
            f"So {code(guard.condition)} {'holds' if guard.negated else 'fails'} in every call of {public}, and no size or pointer changes that: {target} is out of its reach.",
            f"For {public} the test is settled before the first argument is looked at: {code(guard.condition)} {'holds' if guard.negated else 'fails'}, and {target} never runs on its behalf.",
            salt="so",
        ),
        *here,
    )  # fmt: skip
    _tell_instead(draft, view, function, closed)
    others = [
        e for e in view.entry_points
        if e != entry and any(one["id"] in ways.reached(e) for one in kernel.instantiations)
    ]  # fmt: skip
    if others:
        draft.say(
            f"Other entry points come to it, {listed([code(e) for e in others[:3]])} among them.",
            draft.head(kernel),
        )
    return draft


def _origin(
    view: ScopeView, ways: OpenWays, draft: Draft, entry: str, closed: Closed
) -> Origin | None:
    """Who gives the constant; ``None`` where it cannot be followed to its source."""
    for config in view.configs:
        path = view.path(entry, config, closed.instantiation)
        if path:
            break
    else:
        return None
    steps = [(view.owner[one], at) for one, at in path if one in view.owner]
    if len(steps) != len(path) or not all(
        at is not None and ways.is_open(entry, before, one, at.start_line)
        for (before, _at), (one, at) in pairwise(path)
    ):
        return None
    name = closed.name
    through: list[str] = []
    spans: list[Span] = []
    function = steps[-1][0]
    if name not in {p.name for p in _parameters(function)}:
        return _of_template(draft, function, closed)
    for place in range(len(steps) - 1, 0, -1):
        callee, at = steps[place]
        caller = steps[place - 1][0]
        calls = calls_of(caller, callee.name, at.start_line) if at is not None else []
        names = [p.name for p in _parameters(callee)]
        if not calls or at is None or name not in names or times_set(callee.text, name):
            return None
        number = names.index(name)
        given = {c.arguments[number] for c in calls if number < len(c.arguments)}
        if len(given) != 1:
            return None
        argument = given.pop()
        spans += [draft.lines(caller, calls[0].first, calls[0].last), draft.head(caller)]
        if argument == closed.value:
            words = f"{code(caller.name)} gives {code(callee.name)} the constant {code(argument)} for {code(name)}."
            return Origin(words, (*spans, draft.head(callee)), tuple(through))
        made = [
            d for d in read_function(caller.text, _first(caller)).definitions if d.name == argument
        ]
        if (
            len(made) == 1
            and made[0].value == closed.value
            and times_set(caller.text, argument) == 1
        ):
            spans.append(draft.lines(caller, made[0].first, made[0].last))
            words = f"{code(caller.name)} sets {code(argument)} to {code(closed.value)} and gives it to {code(callee.name)} for {code(name)}."
            return Origin(words, (*spans, draft.head(callee)), tuple(through))
        through.insert(0, caller.name)
        name = argument
    return None


def _of_template(draft: Draft, function: FunctionView, closed: Closed) -> Origin | None:
    from qa.author.subjects import types_of

    for number, one in enumerate(function.instantiations):
        if (
            one["id"] == closed.instantiation
            and types_of(function, number).get(closed.name) == closed.value
        ):
            draft.claim("constant", closed.name, closed.value, "scope")
            words = f"What the call comes to is an instantiation of {code(function.name)} with {code(closed.name)} = {code(closed.value)}."
            return Origin(words, (draft.head(function),), ())
    return None


def _parameters(function: FunctionView) -> tuple[Parameter, ...]:
    return read_function(function.text, _first(function)).parameters


def _first(function: FunctionView) -> int:
    return function.span.start_line if function.span is not None else 1


def _tell_instead(draft: Draft, view: ScopeView, function: FunctionView, closed: Closed) -> None:
    """What stands in the other arm of the test."""
    guard = closed.guard
    reading = read_function(function.text, _first(function))
    names: dict[str, Span] = {}
    for site in (*view.launches, *view.calls):
        if site.caller.id != function.id or site.dead or site.callee.kind not in _WORKING:
            continue
        for call in reading.calls:
            turned = any(
                (g.line, g.condition) == (guard.line, guard.condition)
                and g.negated is not guard.negated
                for g in call.guards
            )
            if (
                turned
                and call.first <= site.at.start_line <= call.last
                and site.callee.name in call.text
            ):
                names.setdefault(site.callee.name, draft.lines(function, call.first, call.last))
    shown = [n for n in names if "operator" not in n and len(n) > 3][:_MOST_INSTEAD]
    if shown:
        among = " among others" if len(names) > len(shown) else ""
        draft.say(
            f"What stands on the other side of that test and is open to it is {listed([code(n) for n in shown])}{among}.",
            *[names[n] for n in shown], draft.head(function),
        )  # fmt: skip
