"""What an answer says of a call, held against the host code, followed for that call.

A question often gives a call's arguments: ``rocblas_sger`` with m = n = 4096 on gfx90a. The host
functions among the evidence are followed for them, for every instantiation that the entry points
reach and for whatever the question leaves open. What a sentence says of a test, a local value or a
kernel is refused only where all of these agree on something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from math import prod

from qa.author.arguments import is_pointer, run
from qa.author.subjects import types_of
from qa.gates.asked_calls import CHAIN, Call, asked_of, told_of, whole
from qa.gates.case import Case
from qa.reading.architecture_calls import answers
from qa.reading.execution import follow
from qa.reading.function import read_function
from qa.reading.outcome import Outcome, Value
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView
from qa.text.comparisons import tight
from qa.text.prose import numbers, plain

_MOST_INSTANTIATIONS = 12
NOT_FOLLOWED = "instantiations of host functions that calls may reach and were not followed through"
_CONSTANT = re.compile(r"(\b(\w+)<([\w, ]+)>\(\))")
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+(?=but\b|while\b|whereas\b|and (?:on|with) )")
_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|unless|where|were|would|could|until|should|had|once|suppose\w*|"
    r"otherwise|requires?|required|needs?|demands?|asks?|only|whether|else|except|instead|other)\b",
    re.I,
)
_TOLD = re.compile(
    r"`([^`]+)`(?:,? which (?:it|they|this|\w+|-?[\d,]+))?\s+"
    r"(is true|is false|are true|are false|holds|hold|fails|fail|is met|is not met|does not hold|"
    r"do not hold|is not true|is satisfied|is not satisfied|meets|is violated)\b"
)
_NEITHER = re.compile(
    r"\b(?:neither|nor|none of)\s+(?:`[^`]*`(?:,| and| or| nor|, and)?\s+)*$", re.I
)
_RUNS = re.compile(
    r"`(\w+)(?:<[^`]*>)?` (?:runs|is launched|is the kernel|gets|is chosen|is taken)\b"
    r"|\b(?:launches|runs|chooses|selects|is|takes) `(\w+)(?:<[^`]*>)?`"
)
_COUNTED = re.compile(r"(?<![\w.,])(\d[\d,]*) (threads|blocks)\b(?! of)")
_ALONG_AXIS = re.compile(r"(?<![\w.,])(\d[\d,]*) (?:threads|blocks) along ([xyz])\b")
_CONCLUDED = re.compile(r",\s+(?:so|hence|thus|therefore)\b")
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|without)\b|n't\b")
_TRUE = frozenset(
    ("is true", "are true", "holds", "hold", "is met", "is satisfied", "meets")
)  # fmt: skip


@dataclass(frozen=True)
class Way:
    """One instantiation of a host function on the way of an entry point.

    Attributes:
        entry: The entry point.
        function: The function.
        types: Its template parameters.
        other: Parameters that are not the call's argument of their name.
    """

    entry: str
    function: FunctionView
    types: Mapping[str, str]
    other: frozenset[str]


@dataclass(frozen=True)
class Followed:
    """A function followed for a call: its outcome, and the kernels that it has launched."""

    way: Way
    outcome: Outcome
    given: Mapping[str, Value]
    launched: frozenset[str] | None


def agree(case: Case) -> str | None:
    """Tests, local values and kernels are those to which the call comes."""
    if case.is_code:
        return None
    asked = [
        one if one.archs else replace(one, archs=tuple(case.entry.archs))
        for one in asked_of(case.entry.question)
    ]
    ways = list(_ways(case))
    if not ways or not asked[0].values or re.search(r"\bnull(?:ptr)?\b", case.entry.question):
        return None  # pointers are followed as pointing somewhere
    known = _parameters(ways)
    current = asked
    for sentence in case.sentences:
        for clause in _clauses(plain(sentence), known):
            own = _different(told_of(clause, one, known) for one in asked)
            changed = own != asked
            current = own if changed else current
            calls = current if changed else _different([*current, *asked])
            followed = [one for c in calls for one in _follow(case, ways, c)]
            why = (
                _tests(case, clause, followed, changed=changed)
                or _values(clause, followed, current[0])
                or _kernels(case, clause, followed, changed=changed)
                or _threads(case, clause, followed)
                or _along(clause, followed)
            )
            if why:
                return f"{why}: {sentence[:90]}"
    return None


def _clauses(sentence: str, known: frozenset[str]) -> Iterator[str]:
    """Parts of a sentence that are about one call each, as far as its commas tell."""
    for clause in _CLAUSE.split(sentence):
        given = [
            name
            for names, _value in CHAIN.findall(clause)
            for name in re.findall(r"[A-Za-z_]\w*", names)
            if name in known
        ]
        yield from re.split(r",\s+and\s+", clause) if len(given) > len(set(given)) else [clause]


def _different(calls: Iterable[Call]) -> list[Call]:
    found: list[Call] = []
    for call in calls:
        if call not in found:
            found.append(call)
    return found


def _parameters(ways: list[Way]) -> frozenset[str]:
    return frozenset(
        p.name for way in ways if way.function.span is not None
        for p in read_function(way.function.text, way.function.span.start_line).parameters
    )  # fmt: skip


def _ways(case: Case) -> Iterator[Way]:
    """Host functions of the evidence, as the entry points reach them."""
    named = [e for e in case.entry.entry_points if re.search(rf"\b{e}\b", case.entry.question)]
    if not named:
        return
    functions = [
        f for f in case.evidence_functions if f.kind in ("launcher", "host") and f.span is not None
    ]  # fmt: skip
    for entry in named:
        for config in case.entry.configs:
            for function in functions:
                count = 0
                for number, one in enumerate(function.instantiations):
                    way = case.view.path(entry, config, one["id"])
                    if not way:
                        continue
                    count += 1
                    if count > _MOST_INSTANTIATIONS:
                        case.left_out[NOT_FOLLOWED] += len(function.instantiations) - number
                        break
                    steps = [case.view.owner[i] for i, _at in way]
                    yield Way(entry, function, types_of(function, number), _not_passed(steps))


def _not_passed(steps: list[FunctionView]) -> frozenset[str]:
    """Parameters of the last function that do not get there as they are given to the first."""
    changed: frozenset[str] = frozenset()
    for function, following in pairwise(steps):
        if function.span is None or following.span is None or function.id == following.id:
            continue
        caller = read_function(function.text, function.span.start_line)
        calls = caller.calls_of(following.name)
        made = {d.name for d in caller.definitions}  # a piece may have the name of the whole
        parameters = read_function(following.text, following.span.start_line).parameters
        found = set()
        for number, parameter in enumerate(parameters):
            bare = parameter.name.removesuffix("_64")
            for call in calls:
                given = call.arguments[number] if number < len(call.arguments) else ""
                name = re.sub(r"^(?:\(\w+\)|\w+\()?\s*(\w+?)(?:_64)?\s*\)?$", r"\1", given.strip())
                if name != bare or given.strip() in made or {bare, f"{bare}_64"} & changed:
                    found.add(parameter.name)
        changed = frozenset(found)
    return changed


def _follow(case: Case, ways: list[Way], call: Call) -> Iterator[Followed]:
    for way in ways:
        for mode in call.modes:
            for arch in call.archs or ("",):
                yield _followed(case, way, call, mode, arch)


def _followed(case: Case, way: Way, call: Call, mode: str, arch: str) -> Followed:
    key = f"followed {way.function.id} {way.entry} {sorted(way.types.items())} {call} {mode} {arch}"
    return case.view.once(key, lambda: _make(case, way, call, mode, arch))


def _make(case: Case, way: Way, call: Call, mode: str, arch: str) -> Followed:
    function = way.function
    assert function.span is not None
    reading = read_function(function.text, function.span.start_line)
    given: dict[str, Value] = {}
    for number, parameter in enumerate(reading.parameters):
        name = parameter.name
        bare = name.removesuffix("_64")
        value = call.values.get(name, call.values.get(bare))
        if name in way.other:
            continue
        if value is None and bare.lower().startswith("inc"):
            value = call.increments
        if value is None and bare == "batch_count" and "batched" not in way.entry:
            value = 1
        if value is None and (name == "handle" or is_pointer(name, parameter.type, reading)):
            value = 1 + number  # a pointer, and no two the same
        if value is not None:
            given[name] = value
    enumerator = next(
        (e for e in sorted(case.ground.enumerators) if e.endswith(f"pointer_mode_{mode}")), None
    )
    if enumerator is not None:
        given["handle->pointer_mode"] = enumerator
    given |= answers(function.text, arch)
    given |= dict(_constants(case, function, way.types))
    sites = [
        s for s in case.view.launches if s.caller.id == function.id and not s.dead
    ]  # fmt: skip
    outcome = run(function, case.ground, given, dict(way.types),
                  tuple(s.at.start_line for s in sites))  # fmt: skip
    steps = [step for step in outcome.steps if step.kind == "launch"]
    launched = frozenset(
        s.callee.name for step in steps for s in sites
        if step.first <= s.at.start_line <= step.last
    )  # fmt: skip
    whole = outcome.stuck is None and bool(launched)
    return Followed(way, outcome, given, launched if whole else None)


def _constants(
    case: Case, function: FunctionView, types: Mapping[str, str]
) -> Iterator[tuple[str, Value]]:
    """What functions of types alone give, by the text of their calls: ``threshold<T>()``."""
    for text, name, given in set(_CONSTANT.findall(function.text)):
        values = set()
        for callee in case.view.by_name.get(name, ()):
            if callee.span is None:
                continue
            bound = [types.get(part.strip(), part.strip()) for part in given.split(",")]
            outcome = run(
                callee, case.ground, {},
                dict(zip(template_parameters(callee), bound, strict=False)),
            )  # fmt: skip
            last = outcome.steps[-1] if outcome.steps else None
            if last is None or last.kind != "return" or outcome.stuck is not None:
                return
            values.add(last.value)
        if len(values) == 1 and (value := values.pop()) is not None:
            yield text, value


def _tests(case: Case, clause: str, followed: list[Followed], *, changed: bool) -> str | None:
    for match in _TOLD.finditer(clause):
        which = ", which" in match[0] or " which" in match[0]
        if not which and _SUPPOSED.search(clause[: match.start()]) and not changed:
            continue
        said = match[2] in _TRUE
        if _NEITHER.search(clause[: match.start()]):
            said = not said
        truths = {_truth(case, match[1], one) for one in followed}
        if truths == {not said}:
            return f"negated condition: for this call {match[1][:60]} is {str(not said).lower()}"
    return None


def _truth(case: Case, condition: str, one: Followed) -> bool | None:
    wanted = tight(condition)
    for step in one.outcome.steps:
        if step.kind == "branch" and tight(step.text) == wanted:
            return bool(step.value)
    names = set(re.findall(r"[A-Za-z_]\w*", condition))
    if not names & (set(one.outcome.values) | set(one.way.types)):
        return None
    outcome = follow(
        f"void f() {{ if({condition}) return 1; }}", 1, one.outcome.values, dict(one.way.types),
        enumerators=case.ground.enumerators,
    )  # fmt: skip
    decided = outcome.branches()
    return bool(decided[0].value) if decided and outcome.stuck is None else None


def _values(clause: str, followed: list[Followed], call: Call) -> str | None:
    """Local names have the values that they have for the call."""
    if _SUPPOSED.search(clause):
        return None
    for names, shown in CHAIN.findall(clause):
        name = (re.findall(r"[A-Za-z_]\w*", names) or [""])[0]
        if name in call.values or not re.search(r"[A-Z_`]", names):
            continue
        value = whole(shown)
        known: set[Value] = set()
        for one in followed:
            set_to = {
                step.value for step in one.outcome.steps
                if step.kind == "assign" and step.value is not None
                and re.match(rf"{re.escape(name)}(?:\.[xyz])? ", step.text)
            }  # fmt: skip
            if name in one.given:
                return None
            known |= set_to  # a branch that is not taken sets nothing
        if known and value not in known and all(isinstance(v, int) for v in known):
            return f"{name} is {sorted(map(str, known))[0]} for this call, not {value}"
    return None


def _kernels(case: Case, clause: str, followed: list[Followed], *, changed: bool) -> str | None:
    """A kernel that is said to run is one that is launched for the call."""
    launched = [one.launched for one in followed]
    if not launched or any(one is None for one in launched) or _DENIED.search(clause):
        return None
    run_ = {name for one in launched if one is not None for name in one}
    own = {
        s.callee.name for s in case.view.launches
        if any(s.caller.id == one.way.function.id for one in followed)
    }  # fmt: skip
    for match in _RUNS.finditer(clause):
        name = match[1] or match[2]
        if _SUPPOSED.search(_CONCLUDED.split(clause[: match.start()])[-1]) and not changed:
            continue
        if name in own and name not in run_:
            return f"for this call {sorted(run_)[0]} is launched, not {name}"
    return None


def _along(clause: str, followed: list[Followed]) -> str | None:
    """Blocks and threads along an axis are those that some grid or block has along it."""
    if not followed or any(one.launched is None for one in followed) or _SUPPOSED.search(clause):
        return None
    along: dict[str, set[int]] = {axis: set() for axis in "xyz"}
    for one in followed:
        for name, value in one.outcome.values.items():
            if name[-2:] in (".x", ".y", ".z") and isinstance(value, int):
                along[name[-1]].add(value)
    for match in _ALONG_AXIS.finditer(clause):
        value, axis = int(match[1].replace(",", "")), match[2]
        elsewhere = set().union(*(along[other] for other in "xyz" if other != axis))
        if along[axis] and value not in along[axis] and value in elsewhere:
            return f"no grid or block for this call has {value} along {axis}"
    return None


def _threads(case: Case, clause: str, followed: list[Followed]) -> str | None:
    """Threads and blocks are counted as some launch for the call has them."""
    if not followed or any(one.launched is None for one in followed) or _SUPPOSED.search(clause):
        return None
    known = {number.value for number in numbers(case.entry.question)} | {1, 2}
    whole = True
    for one in followed:
        known |= {v for v in one.outcome.values.values() if isinstance(v, int)}
        shapes: dict[str, list[int]] = {}
        for name, value in one.outcome.values.items():
            if name.endswith((".x", ".y", ".z")) and isinstance(value, int):
                shapes.setdefault(name[:-2], []).append(value)
        if not shapes:
            return None
        whole = whole and all(len(extents) == 3 for extents in shapes.values())
        for extents in shapes.values():
            known |= {prod(some) for n in (2, 3) for some in combinations(extents, n)}
    for match in _COUNTED.finditer(clause):
        if match[2] == "blocks" and not whole:
            continue
        value = int(match[1].replace(",", ""))
        if value not in known and value not in (32, 64):
            return f"no launch for this call has {match[0]}"
    return None
