"""Sentences about the tests under which a recorded launch stands, and the parts that settle them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from extractor.records import Span
from qa.author.came_by import launch_at, passed_tests, place_of
from qa.author.draft import Draft, code, listed
from qa.author.launch_prose import Trace, meaning_words, tell_constants
from qa.author.passed_values import Within, not_denied, way_of, within
from qa.author.sites import Test, shared_tests
from qa.author.told_values import tell_passed
from qa.author.ways import Asked, asked, calls_at, tell_ways
from qa.reading.deciding import Part, deciding
from qa.reading.function import FunctionReading, read_function
from qa.scope_view import FunctionView, Site

_ANY_LENGTH = 10**6
_LONGEST_QUOTED = 130
_LONGEST_MEANING = 110
_MOST_TOLD = 5
_MOST_PARTS = 7
_MOST_ABOVE, _MOST_FUNCTIONS = 3, 2
_MOST_MEANINGS = 3
_LONGER = "a longer test"
_BY_TYPE = " for this type"
_POINTER_MODE = re.compile(r"pointer_mode")
_SETS_THE_MODE = re.compile(r"push_pointer_mode|set_pointer_mode|saved_pointer_mode")
_PLAIN_FLAG = re.compile(r"^[\w.>-]+\(?\)? == [\w:]+ \? true : false$")


@dataclass(frozen=True)
class Settled:
    """A test around a launch and the parts that make it come out as it does.

    Attributes:
        test: The test.
        parts: The parts that settle it, on every architecture of the recording.
        apart: Further parts, by the architecture that comes by them.
    """

    test: Test
    parts: tuple[Part, ...]
    apart: Mapping[str, tuple[Part, ...]]

    @property
    def texts(self) -> list[str]:
        """The parts as written."""
        rows = [*self.parts, *(part for parts in self.apart.values() for part in parts)]
        return [text for text, _holds in rows]

    @property
    def quoted(self) -> bool:
        """The test is short enough to stand in a sentence."""
        return len(self.test.condition) <= _LONGEST_QUOTED

    def can_be_told(self) -> bool:
        """Its parts are few and short."""
        return len(self.texts) <= _MOST_PARTS and all(
            len(text) <= _LONGEST_QUOTED for text in self.texts
        )


def tell_conditions(
    draft: Draft,
    sites: list[Site],
    told: set[str],
    trace: Trace,
    launch: dict[str, Any],
    about: re.Pattern[str] | None = None,
) -> bool:
    """Says under which tests of the launcher a launch stands, and what settles them for the call.

    Places that the call's own numbers speak against are left out. Of many tests those nearest to the
    launch are told whole, and before them those that an entry is about; of the others it is said
    what they look at.

    Args:
        draft: The entry.
        sites: Places of the launch.
        told: Tests and names that are told already; what is told here is added.
        trace: The recorded call.
        launch: Its launch.
        about: What tests have to name, if by what a name stands for, to come first.

    Returns:
        Whether a test was told.
    """
    assert sites[0].caller.span is not None
    reading = read_function(sites[0].caller.text, sites[0].caller.span.start_line)
    inside = within(draft.view, draft.ground, trace, launch["symbol"], sites[0].caller)
    runs = draft.ground.runs(draft.view, trace)
    if not runs:
        sites = _not_denied_sites(draft, sites, inside, trace, launch["symbol"])
    site = sites[0]
    place = launch_at(site) if runs and len(sites) == 1 else None
    above = _tell_above(draft, trace, launch, sites, told) if runs else False
    if place is not None:
        every = shared = passed_tests(draft.view, draft.ground, runs, site.caller, place)
    else:
        every = shared_tests(draft.ground, sites, _ANY_LENGTH)
        shared = [test for test in every if _is_the_kernels_own(draft, site, test)]
    tests, others = not_denied(shared, inside, draft.ground)
    rows = [_settled(draft, test, inside, trace) for test in tests]
    rows = [row for row in rows if _key(row.test) not in told and row.can_be_told()]
    held = _nearest([row for row in rows if not row.test.negated], reading, about)
    failed = _nearest([row for row in rows if row.test.negated], reading, about)
    if not held and not failed:
        return above
    for row in (*held, *failed):
        told.update((row.test.condition, _key(row.test)))
    kernel = code(site.callee.name)
    draft.say(
        _sentence(draft, kernel, held, failed, f"tests{len(told)}", made=place is not None),
        *[row.test.span for row in (*held, *failed)], draft.head(site.callee), "trace",
    )  # fmt: skip
    known = {
        (t.condition, t.negated) for t in every
        if t not in shared or _key(t) in told or _POINTER_MODE.search(t.condition)
    }  # fmt: skip
    calls = calls_at(site.caller, sites)
    modes = {one for c in calls for one in asked(c.guards) if _POINTER_MODE.search(one[0])}
    tell_ways(draft, site.caller, kernel, calls, {*known, *modes}, "launched")
    shown = " ".join(_shown(row) for row in (*held, *failed))
    for name, passed in others.items():
        key = f"{name} of {site.caller.name}"
        if re.search(rf"\b{name}\b", shown) and name in trace["args"] and key not in told:
            told.add(key)
            tell_passed(draft, name, site.caller, passed)
    meanings = _tell_meanings(draft, site, reading, shown, inside, told, about)
    tell_constants(draft, site.caller, [shown, *meanings], told)
    return True


def _tell_above(
    draft: Draft, trace: Trace, launch: Mapping[str, Any], sites: Sequence[Site], told: set[str]
) -> bool:
    """Says by which tests the functions above the launcher came to call it; whether there were any.

    Only those that lead to the launcher and not to other work are told, the last two functions'.
    """
    view, ground = draft.view, draft.ground
    runs = ground.runs(view, trace)
    way = way_of(view, ground, trace, launch["symbol"], sites[0].caller.id)
    rows: list[tuple[FunctionView, FunctionView, Span, list[Settled], list[Settled]]] = []
    for (identity, _at), (below, at) in list(pairwise(way))[:-1]:
        function, following = view.owner[identity], view.owner[below]
        if function.span is None or at is None or at.file != function.file:
            continue
        place = place_of(function, following.name, at.start_line)
        if place is None or f"above: {function.id} {following.id}" in told:
            continue
        told.add(f"above: {function.id} {following.id}")
        inside = within(view, ground, trace, below, function)
        tests = passed_tests(view, ground, runs, function, place)
        settled = [_settled(draft, test, inside, trace) for test in tests]
        kept = [r for r in settled if _key(r.test) not in told and r.can_be_told() and _is_open(r)]
        reading = read_function(function.text, function.span.start_line)
        held = _nearest([r for r in kept if not r.test.negated], reading, None)[-_MOST_ABOVE:]
        failed = _nearest([r for r in kept if r.test.negated], reading, None)[-_MOST_ABOVE:]
        if held or failed:
            rows.append((function, following, at, held, failed))
    for function, following, at, held, failed in rows[-_MOST_FUNCTIONS:]:
        for row in (*held, *failed):
            told.update((row.test.condition, _key(row.test)))
        draft.say(
            _came_to(draft, code(function.name), code(following.name), held, failed),
            *[row.test.span for row in (*held, *failed)], at, draft.head(function),
            draft.head(following), "trace",
        )  # fmt: skip
        shown = " ".join(_shown(row) for row in (*held, *failed))
        tell_constants(draft, function, [shown], told)
    return bool(rows)


def _is_open(row: Settled) -> bool:
    """The test asks for something besides flags that are literals."""
    return any(text not in ("true", "false", "0", "1") for text in row.texts)


def _came_to(
    draft: Draft, function: str, following: str, held: list[Settled], failed: list[Settled]
) -> str:
    """How a function above the launcher came to call the next one."""
    holds = listed([part for row in held for part in _holding(row)])
    verb = "hold" if len(held) > 1 else "holds"
    fails = _fails(failed) if failed else ""
    why = f"{holds} {verb}" if holds else ""
    why = f"{why} and {fails}" if why and fails else why or fails
    return draft.choose(
        f"{function} comes to call {following} since {why}.",
        f"In {function} {why}, so that it goes on with {following}.",
        f"That {function} calls {following} for this call comes from its own tests: {why}.",
        salt=f"above{function}",
    )


def _is_the_kernels_own(draft: Draft, site: Site, test: Test) -> bool:
    """Every live launch of the kernel in the function stands under the test, not this one alone."""
    twins = [
        other for other in draft.view.launches
        if not other.dead and other.caller.id == site.caller.id and other.callee.id == site.callee.id
    ]  # fmt: skip
    return all(
        (test.condition, test.negated) in asked(call.guards)
        for call in calls_at(site.caller, twins)
    )


def _not_denied_sites(
    draft: Draft, sites: list[Site], inside: Within, trace: Trace, symbol: str
) -> list[Site]:
    """Places whose tests the call's own numbers and its pointer mode do not speak against."""
    if len(sites) < 2:
        return sites
    way = way_of(draft.view, draft.ground, trace, symbol, sites[0].caller.id)
    steps = [draft.view.owner[one] for one, _at in way]
    mode = "" if any(_SETS_THE_MODE.search(f.text) for f in steps) else str(trace["pointer_mode"])

    def denied(one: Asked) -> bool:
        condition, negated = one
        told = re.search(r"pointer_mode_(host|device)\b", condition)
        if _POINTER_MODE.search(condition):
            plain = told is not None and re.search(r"==", condition) and "&&" not in condition
            return bool(mode and plain and told and (told[1] == mode) is negated)
        truth = inside.truth(condition, draft.ground)
        return truth is not None and truth is negated

    kept = [
        site for site in sites
        if not any(denied(one) for c in calls_at(site.caller, [site]) for one in asked(c.guards))
    ]  # fmt: skip
    return kept or sites


def _key(test: Test) -> str:
    """A test and how it came out: the other call may come to the same one otherwise."""
    return f"{'not' if test.negated else 'is'}: {test.condition}"


def _settled(draft: Draft, test: Test, inside: Within, trace: Trace) -> Settled:
    """What settles a test: what does so on all of the recording's architectures comes first."""
    every = [str(arch) for arch in trace["arch"]]

    line = test.span.start_line

    def everywhere(text: str) -> bool | None:
        values = {inside.truth(text, draft.ground, arch, line) for arch in every}
        return values.pop() if len(values) == 1 else None

    common: list[Part] = []
    apart: dict[str, list[Part]] = {arch: [] for arch in every}
    for text, holds in deciding(test.condition, not test.negated, everywhere):
        own = {arch: _on(draft, inside, text, holds, arch, line) for arch in every}
        if len(set(own.values())) == 1:
            common += own[every[0]]
            continue
        for arch, parts in own.items():
            apart[arch] += parts
    shared = {arch: tuple(dict.fromkeys(parts)) for arch, parts in apart.items()}
    return Settled(test, tuple(common), shared if any(apart.values()) else {})


def _on(
    draft: Draft, inside: Within, text: str, holds: bool, arch: str, line: int
) -> tuple[Part, ...]:
    def truth(piece: str) -> bool | None:
        return inside.truth(piece, draft.ground, arch, line)

    return deciding(text, holds, truth)


def _nearest(
    rows: list[Settled], reading: FunctionReading, about: re.Pattern[str] | None
) -> list[Settled]:
    """Up to five tests in the order of the text: those asked for, then those next to the launch."""
    wanted = [r for r in rows if about is not None and _speaks_of(r, reading, about)][-_MOST_TOLD:]
    near = [row for row in rows if row not in wanted]
    room = _MOST_TOLD - len(wanted)
    chosen = [*wanted, *(near[-room:] if room else [])]
    return [row for row in rows if row in chosen]


def _speaks_of(row: Settled, reading: FunctionReading, about: re.Pattern[str]) -> bool:
    """The test names it, or a local name of the test stands for something that does."""
    if about.search(row.test.condition):
        return True
    definitions = (reading.definition(n) for n in re.findall(r"[A-Za-z_]\w*", row.test.condition))
    return any(one is not None and about.search(one.value) for one in definitions)


def _sentence(
    draft: Draft,
    kernel: str,
    held: list[Settled],
    failed: list[Settled],
    salt: str,
    *,
    made: bool = False,
) -> str:
    """How the call comes to the launch: what holds there, and what failed before it.

    Of a call that was made again only that is said which came out in it.
    """
    fails = _fails(failed)
    if made:
        return _made_sentence(draft, kernel, held, fails, salt)
    if not held:
        return draft.choose(
            f"The launch of {kernel} is left to calls for which {fails}.",
            f"The call comes to {kernel} because {fails}.",
            salt=salt,
        )
    parts = [part for row in held for part in _holding(row)]
    holds, verb = listed(parts), "hold" if len(parts) > 1 else "holds"
    if not failed:
        return draft.choose(
            f"The launch of {kernel} asks for {holds}.",
            f"What leads to {kernel} is that {holds} {verb}.",
            salt=salt,
        )
    return draft.choose(
        f"The launch of {kernel} asks for {holds}, and comes only after {_after(failed)}.",
        f"The call gets to {kernel} because {fails}, while {holds} {verb}.",
        f"For this call {fails}; {holds} {verb} and {'lead' if len(parts) > 1 else 'leads'} to {kernel}.",
        salt=salt,
    )


def _made_sentence(draft: Draft, kernel: str, held: list[Settled], fails: str, salt: str) -> str:
    parts = [part for row in held for part in _holding(row)]
    holds, verb = listed(parts), "hold" if len(parts) > 1 else "holds"
    if not held:
        return draft.choose(
            f"The call comes to {kernel} because {fails}.",
            f"Here {fails}, and so {kernel} is what follows.",
            salt=salt,
        )
    if not fails:
        return draft.choose(
            f"The call comes to {kernel} because {holds} {verb}.",
            f"What leads to {kernel} is that {holds} {verb}.",
            salt=salt,
        )
    return draft.choose(
        f"The call gets to {kernel} because {fails}, while {holds} {verb}.",
        f"For this call {fails}; {holds} {verb} and {'lead' if len(parts) > 1 else 'leads'} to {kernel}.",
        f"With these arguments {holds} {verb}, and as {fails}, {kernel} is launched.",
        salt=salt,
    )


def _after(rows: list[Settled]) -> str:
    """The failed tests as things that have happened."""
    return _fails(rows).replace(" fails", " has failed")


def _fails(rows: list[Settled]) -> str:
    """The failed tests; the second of those that are too long to quote is another one."""
    words = [_failing(row) for row in rows]
    long = [number for number, one in enumerate(words) if one.startswith(_LONGER)]
    for number in long[1:]:
        words[number] = words[number].replace(_LONGER, "another one", 1)
    return listed(words)


def _failing(row: Settled) -> str:
    """``X fails``, and by which of its parts."""
    parts = _unique(row.parts)
    if row.parts == ((row.test.condition, False),) and not row.apart:
        return f"{code(row.test.condition)} fails"
    name = code(row.test.condition) if row.quoted else _LONGER
    if row.apart:
        where = [
            f"on {arch} at {listed([code(text) for text in (*parts, *_unique(own))])}"
            for arch, own in row.apart.items()
        ]
        return f"{name} fails, {listed(where)}"
    if len(parts) == 1:
        return f"{name} fails at {code(parts[0])}"
    if len(parts) == 2:
        return f"{name} fails since neither {code(parts[0])} nor {code(parts[1])} holds"
    return f"{name} fails since none of {listed([code(text) for text in parts])} holds"


def _holding(row: Settled) -> list[str]:
    """The test where it is short, else the parts by which it holds."""
    if row.quoted:
        return [code(row.test.condition)]
    apart = [
        f"{listed([code(text) for text in _unique(own)])} on {arch}"
        for arch, own in row.apart.items() if own
    ]  # fmt: skip
    return [*(code(text) for text in _unique(row.parts)), *apart]


def _unique(parts: Sequence[Part]) -> list[str]:
    return list(dict.fromkeys(text for text, _holds in parts))


def _shown(row: Settled) -> str:
    """The code of a test that a sentence quotes."""
    return " ".join(
        ([row.test.condition] if row.quoted else [])
        + (row.texts if row.test.negated or not row.quoted else [])
    )


def _meant(meanings: Sequence[str]) -> str:
    """What names stand for, in a sentence; what the type settles is said to be so once."""
    bare = [one.removesuffix(_BY_TYPE) for one in meanings]
    if all(one.endswith(_BY_TYPE) for one in meanings):
        return f"For this type {listed(bare)}."
    return f"There {listed(meanings)}."


def _tell_meanings(
    draft: Draft,
    site: Site,
    reading: FunctionReading,
    shown: str,
    inside: Within,
    told: set[str],
    about: re.Pattern[str] | None,
) -> list[str]:
    """What the local names of the tests stand for; flags of the device where they are asked for."""
    rows: list[tuple[bool, str, str, Span]] = []
    for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*", shown)):
        definition = reading.definition(name)
        if definition is None or name in told or len(definition.value) > _LONGEST_MEANING:
            continue
        if definition.guards or not re.search(r"[(<&|=]", definition.value):
            continue
        words = meaning_words(definition.value, inside.truth(definition.value, draft.ground))
        flag = _PLAIN_FLAG.match(definition.value) is not None
        if words and not (flag and (about is None or not about.search(name))):
            span = draft.lines(site.caller, definition.first, definition.last)
            rows.append((flag, name, words, span))
    chosen = sorted(rows, key=lambda row: row[0])[:_MOST_MEANINGS]
    chosen = [row for row in rows if row in chosen]
    meanings = [f"{code(name)} is {words}" for _flag, name, words, _span in chosen]
    for _flag, name, words, _span in chosen:
        told.update((name, words.strip("`")))
    if meanings:
        draft.say(_meant(meanings), *[span for *_rest, span in chosen])
    return meanings
