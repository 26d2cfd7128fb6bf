"""Entries on the way from a public call to a kernel, and on what several entry points share."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from extractor.records import Span
from qa.author.configuration_pairs import configurations
from qa.author.decisions import Decision, decisions_on, tell_decisions, tell_rest
from qa.author.draft import Draft, code, listed
from qa.author.early_exits import tell_early_exits
from qa.author.entry_pairs import precisions, twins
from qa.author.followed import followed
from qa.author.launch_places import tell_place
from qa.author.launch_prose import Trace, call_words, claim_launch, size_words
from qa.author.leaving import tell_leaving
from qa.author.reached_with import arguments_of
from qa.author.read_back import decided_by_data
from qa.author.recorded_launches import has_aliases
from qa.author.sites import shared_tests
from qa.author.usual_checks import usual_checks
from qa.author.ways import calls_at
from qa.ground import Ground
from qa.reading.definitions import times_set
from qa.reading.function import Definition, FunctionReading, read_function
from qa.scope_view import FunctionView, ScopeView

_MOST_PATHS = 8
_MOST_ARGUMENTS = 12
_LARGEST = 5000
_LONGEST_VALUE = 100
_FEWEST_DECISIONS, _FEWEST_ALONE = 1, 2


def propose(view: ScopeView, ground: Ground, functions: list[FunctionView]) -> Iterator[Draft]:
    """Entries on paths, on 32 and 64 bit twins, on precisions and on configurations."""
    del functions
    yield from _paths(view, ground)
    yield from twins(view, ground)
    yield from precisions(view, ground)
    yield from configurations(view, ground)


def _paths(view: ScopeView, ground: Ground) -> Iterator[Draft]:
    config = view.configs[0]
    seen: set[str] = set()
    recorded = _recorded(view, ground, config)
    for entry in sorted(view.per_entry, key=lambda e: (e.endswith("_64"), e.count("_"), e)):
        for kernel_id in view.per_entry[entry].get(config, ()):
            kernel = view.owner.get(kernel_id)
            if (
                kernel is None
                or kernel.infrastructure
                or kernel.name in seen
                or len(seen) >= 2 * _MOST_PATHS
                or (recorded and (entry, kernel_id.split("@")[0]) not in recorded)
            ):
                continue
            path = view.path(entry, config, kernel_id)
            if len({view.owner[i].id for i, _at in path}) < 3:
                continue
            trace = recorded.get((entry, kernel_id.split("@")[0]))
            if trace is not None and ground.runs(view, trace):
                draft = followed(view, ground, trace, _largest(trace, kernel_id))
            else:
                draft = _path_draft(view, ground, entry, config, path, trace)
            decisions = draft.subject.split("|")[-1] if draft is not None else ""
            if draft is not None and decisions not in seen:
                seen.update((kernel.name, decisions))
                yield draft


def _recorded(view: ScopeView, ground: Ground, config: str) -> dict[tuple[str, str], Trace]:
    """For each entry point and symbol the recorded call with the fewest and smallest arguments."""
    found: dict[tuple[str, str], Trace] = {}
    open_to_data = decided_by_data(view)
    for trace in ground.traces(view.interface):
        sizes = [v for v in trace["args"].values() if isinstance(v, int)]
        if trace.get("config", "source") != config or len(trace["args"]) > _MOST_ARGUMENTS:
            continue
        if has_aliases(trace):
            continue
        if sizes and not 2 <= max(sizes) <= _LARGEST:
            continue
        for launch in trace["launches"]:
            if launch["kernel"] in open_to_data:
                continue  # a recording does not say how often and in which grid
            key = (trace["entry"], launch["symbol"])
            known = found.get(key)
            if known is None or _rank(trace) < _rank(known):
                found[key] = trace
    return found


def _largest(trace: Trace, kernel: str) -> dict[str, Any]:
    """The largest launch of an instantiation in a call."""
    made = [x for x in trace["launches"] if x["symbol"] == kernel.split("@")[0]]
    return max(made, key=lambda x: (x["grid"], x["block"]))


def _rank(trace: Trace) -> tuple[object, ...]:
    several = any(max(launch["grid"][:2]) > 1 for launch in trace["launches"])
    arguments = str(sorted(trace["args"].items()))
    return (trace["pointer_mode"] != "host", not several, len(trace["launches"]), arguments)


def _path_draft(
    view: ScopeView,
    ground: Ground,
    entry: str,
    config: str,
    path: list[tuple[str, Span | None]],
    trace: Trace | None,
) -> Draft | None:
    """The decisions on a way; nothing where there are none but the usual checks."""
    steps = [(view.owner[i], at) for i, at in path]
    kernel, launcher = steps[-1][0], steps[-2][0]
    hosts = [f for f, _at in steps[:-1]]
    found = decisions_on(view, ground, path, trace)
    decisions = found.decisions
    if len(decisions) < _FEWEST_DECISIONS or _needs_a_batch(view, ground, steps):
        return None
    told = sorted(f"{d.function.id} {d.condition} {d.holds}" for d in decisions)
    draft = Draft(
        view, ground, "dispatch", f"path {entry} {config} {kernel.id}|{told}", [entry],
        configs=[config],
    )  # fmt: skip
    where = f" in configuration `{config}`" if len(view.configs) > 1 else ""
    only = _is_the_only_way(view, entry, config, steps)
    if found.unsure and not only:
        return None  # the recorded call may have gone another way
    if found.open or _leaves_early(steps, decisions):
        draft.question = draft.choose(
            f"In which branches of the host code does {code(entry)}{where} launch {code(kernel.name)}, and through which functions does it get there?",
            f"Through which functions and under which tests of theirs does {code(entry)}{where} come to launch {code(kernel.name)}?",
        )
    elif only:
        draft.question = draft.choose(
            f"Which tests of the host code does a call of {code(entry)}{where} have to pass before {code(kernel.name)} is launched, apart from the checks of its arguments?",
            f"A call of {code(entry)}{where} shows no {code(kernel.name)} in its profile. Which decisions on the way could have kept it away?",
            f"For which arguments does {code(entry)}{where} end in {code(kernel.name)}? Follow the decisions from function to function.",
        )
    else:
        draft.question = draft.choose(
            f"{code(entry)}{where} can get to {code(kernel.name)} in several ways. Which is the shortest, and which tests keep a call on it?",
            f"Take the shortest way on which {code(entry)}{where} comes to launch {code(kernel.name)}. At which tests could a call turn off it?",
        )
    usual, spans = usual_checks(ground, steps)
    names = list(dict.fromkeys(
        code(f.name) if f.name.isidentifier() else "a function object" for f in hosts[1:]
    ))  # fmt: skip
    lead = f"{code(entry)} gets there by {listed(names)}{'' if only else ', the shortest way'}"
    heads = [draft.head(f) for f in hosts[1:] if f.span is not None]
    calls = [at for _f, at in steps[1:] if at is not None]
    draft.say(
        f"{lead}{f', and the {usual} come first' if usual else ''}.",
        *heads, *calls, *spans, "scope",
    )  # fmt: skip
    for host in dict.fromkeys(f.id for f in hosts):
        own = [d for d in decisions if d.function.id == host]
        if own:
            tell_decisions(draft, own, steps, found)
        elif host in found.open:
            tell_rest(draft, next(f for f in hosts if f.id == host), steps)
    _tell_exits(draft, steps, decisions, tell_early_exits(draft, steps))
    placed = tell_place(draft, launcher, kernel, decisions, path[-1][0])
    if trace is None and not placed and len(decisions) < _FEWEST_ALONE:
        return None  # one test is all there is to say
    _tell_origin(draft, launcher, steps[-1][1])
    if trace is not None:
        launch = _largest(trace, path[-1][0])
        draft.say(
            f"A recorded call with {call_words(trace)} launches {code(kernel.name)} with {size_words(launch)}.",
            draft.head(kernel), "trace",
        )  # fmt: skip
        claim_launch(draft, trace, launch)
    draft.claim("path", entry, [f.name for f, _at in steps], "scope")
    return draft


def _tell_exits(
    draft: Draft,
    steps: list[tuple[FunctionView, Span | None]],
    decisions: list[Decision],
    known: set[str],
) -> None:
    """Where the launcher returns, in branches around the launch or ahead of it, before it launches."""
    (launcher, _a), (kernel, at) = steps[-2], steps[-1]
    if at is None or launcher.span is None or at.file != launcher.file:
        return
    sites = [
        s for s in draft.view.launches
        if not s.dead and s.caller.id == launcher.id and s.callee.id == kernel.id
    ]  # fmt: skip
    told = known | {decision.condition for decision in decisions}
    tell_leaving(draft, launcher, calls_at(launcher, sites), told)


def _leaves_early(steps: list[tuple[FunctionView, Span | None]], decisions: list[Decision]) -> bool:
    """A function on the way may return, in a branch of its own, before it comes to the call."""
    told = {decision.condition for decision in decisions}
    for (function, _a), (_following, at) in pairwise(steps):
        if function.span is None or at is None or at.file != function.file:
            continue
        reading = read_function(function.text, function.span.start_line)
        for statement in reading.returns:
            if statement.first >= at.start_line or not statement.guards:
                continue
            guard = statement.guards[0]
            branch = next((b for b in reading.branches if b.first == guard.line), None)
            plain = branch is not None and branch.returns is not None
            if not plain and guard.condition not in told:
                return True
    return False


def _is_the_only_way(
    view: ScopeView, entry: str, config: str, steps: list[tuple[FunctionView, Span | None]]
) -> bool:
    """Each function on the way is called by the one before it and by nobody else there."""
    queue = deque(view.entry_ids(entry))
    seen = set(queue)
    callers: dict[str, set[str]] = {}
    while queue:
        current = queue.popleft()
        for target, _at, configs in view.edges.get(current, ()):
            if config not in configs or target not in view.owner or current not in view.owner:
                continue
            callers.setdefault(view.owner[target].id, set()).add(view.owner[current].id)
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return all(
        callers.get(following.id, set()) <= {function.id, following.id}
        for (function, _a), (following, _b) in pairwise(steps)
    )


def _tell_origin(draft: Draft, launcher: FunctionView, at: Span | None) -> None:
    """Says what the launcher works out for the launch, where a branch of its own decides it."""
    if at is None or launcher.span is None:
        return
    reading = read_function(launcher.text, launcher.span.start_line)
    for definition in reading.definitions:
        early = definition.first < at.start_line and not definition.guards
        chosen = early and "?" in definition.value and len(definition.value) < _LONGEST_VALUE
        if chosen and _goes_into(draft, launcher, reading, definition, at):
            draft.say(
                    f"The launch itself takes {code(definition.name)}, which {code(launcher.name)} sets to {code(definition.value)}.",
                    draft.lines(launcher, definition.first, definition.last), at, draft.head(launcher),
            )  # fmt: skip
            return


def _needs_a_batch(
    view: ScopeView, ground: Ground, steps: list[tuple[FunctionView, Span | None]]
) -> bool:
    """Whether the launch at the end asks for several problems, and the entry point has but one."""
    launcher, kernel = steps[-2][0], steps[-1][0]
    sites = [
        site for site in view.launches
        if not site.dead and site.caller.id == launcher.id and site.callee.id == kernel.id
    ]  # fmt: skip
    return "batch_count" not in arguments_of([f for f, _at in steps]) and any(
        asks_for_a_batch(test.condition)
        for test in shared_tests(ground, sites) if not test.negated
    )  # fmt: skip


def asks_for_a_batch(condition: str) -> bool:
    """The condition is false for a single problem."""
    asked = re.search(r"\bbatch_count\s*(>=?)\s*(\d+)", condition)
    return asked is not None and "||" not in condition and int(asked[2]) + (asked[1] == ">") > 1


def _goes_into(
    draft: Draft, function: FunctionView, reading: FunctionReading, definition: Definition, at: Span
) -> bool:
    """The value is still that of its definition, and the call takes it, if by another name."""
    if times_set(function.text, definition.name) > 1:
        return False
    call = next((c for c in reading.calls if c.first <= at.start_line <= c.last), None)
    words = set(re.findall(r"\w+", draft.ground.text(at) + (call.text if call else "")))
    for other in reading.definitions:
        if other.name in words and other.first < at.start_line:
            words |= set(re.findall(r"\w+", other.value))
    made_of = re.findall(r"\bdim3\s+(\w+)\s*[({]([^;]*)[)}]\s*;", function.text)
    for name, value in made_of:
        if name in words:
            words |= set(re.findall(r"\w+", value))
    return definition.name in words
