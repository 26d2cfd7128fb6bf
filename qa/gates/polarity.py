"""Whether tests hold or fail where a sentence says so.

A launch or a call stands under tests of its function, some of which hold and some of which have
failed; a function that was followed comes to a status by a test. A sentence that turns one of them
round is wrong though every word of it stands in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from qa.author.arguments import run
from qa.gates.case import Case
from qa.reading.execution import follow
from qa.reading.function import read_function
from qa.reading.outcome import Outcome
from qa.text.comparisons import tight

_SITE = re.compile(
    r"^`(\w+)` is (?:only )?(?:launched|called) in `(\w+)` where (.*?)(?:, among other tests)?\.$"
)
_LAUNCH = re.compile(r"^This launch of `(\w+)` stands (.*?)(?:, among other tests)?\.$")
_AROUND = re.compile(
    r"^(.*?) (holds?|fails?) around this launch of `(\w+)`, and before it (.*?)"
    r"(?:, among other tests)?\.$"
)
_COMES = re.compile(
    r"^(?:The launch of (?P<one>`\w+`) (?:is left to calls for which|asks for)"
    r"|The call (?:comes|gets) to (?P<two>`\w+`) because|What leads to (?P<three>`\w+`) is that"
    r"|For this call .*? leads? to (?P<four>`\w+`))"
)
_CODE = re.compile(r"`([^`]+)`")
_FAILS = re.compile(r" (?:fails?|ha(?:s|ve) failed)\b")
_AT = re.compile(r"\bfail(?:s|ed)?(?:, on gfx\w+)? at $|\b(?:neither|none of) $")
_LISTED = re.compile(r"(?:, | and |, and )(?:on gfx\w+ at )?| nor ")
_GROUP = re.compile(r"((?:`[^`]+`(?:, | and )?)+) (holds?|fails?|ha(?:s|ve) failed)")
_STATUS = re.compile(r"`(\w*status_\w+)`")
_VALUE = re.compile(r"`?([A-Za-z_]\w*)`?\s*=\s*`?(-?\w+)`?")
_IS = re.compile(
    r"(?P<test>`[^`]+`) (?:is asked first and )?(?:is (?P<false>false|true)\b"
    r"|(?P<verb>holds|fails)\b|is (?P<met>not met|met)\b)"
)


_SAID = r"(?:holds|fails)"
_PARTED = re.compile(
    rf"it (?P<one>{_SAID}) for `?\w+`? = `?(?P<v>-?\w+)`? and (?P<two>{_SAID}) for"
    rf"|with `?\w+`? = `?(?P<w>-?\w+)`? it (?P<a>{_SAID}), with `?-?\w+`? it (?P<b>{_SAID})"
)


def right_way_round(case: Case) -> str | None:
    """Tests around launches and calls, and on the way of a walk, come out as the answer says."""
    if case.is_code:
        return None
    for sentence in case.sentences:
        for caller, callee, tests in _told(sentence):
            why = _stands(case, caller, callee, tests, sentence, parts=bool(caller))
            if why:
                return why
        callee, tests = _comes(sentence)
        why = _stands(case, "", callee, tests, sentence, parts=True) if callee else None
        if why:
            return why
    return _walked(case)


def _told(sentence: str) -> Iterator[tuple[str, str, list[tuple[str, bool]]]]:
    """Caller, callee and tests with whether each has to fail."""
    site = _SITE.match(sentence)
    if site is not None:
        yield site[2], site[1], _groups(site[3])
    launch = _LAUNCH.match(sentence)
    if launch is not None:
        held, _, failed = launch[2].partition("where ")
        fails = "failed" in failed  # else it is said that they have held
        tests = [(c, False) for c in _CODE.findall(held)]
        yield "", launch[1], tests + [(c, fails) for c in _CODE.findall(failed)]
    around = _AROUND.match(sentence)
    if around is not None:
        tests = [(c, "fail" in around[2]) for c in _CODE.findall(around[1])]
        fails = "failed" in around[4]
        yield "", around[3], tests + [(c, fails) for c in _CODE.findall(around[4])]


def _comes(sentence: str) -> tuple[str, list[tuple[str, bool]]]:
    """A kernel and the tests on the way to it, or parts of them; whether each has to fail."""
    match = _COMES.match(sentence)
    if match is None:
        return "", []
    kernel = next(name for name in match.groups() if name)
    tests: list[tuple[str, bool]] = []
    at = False  # behind "fails at": parts of what has failed
    pieces = sentence.replace(kernel, "", 1).split("`")
    for before, text, after in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
        at = _AT.search(before) is not None or (at and _LISTED.fullmatch(before) is not None)
        fails = _FAILS.match(after) is not None
        tests.append((text, fails or at))
        at = at and not fails
    return kernel.strip("`"), tests


def _groups(text: str) -> list[tuple[str, bool]]:
    return [
        (condition, "fail" in verb)
        for names, verb in _GROUP.findall(text)
        for condition in _CODE.findall(names)
    ]


def _stands(
    case: Case,
    caller: str,
    callee: str,
    tests: list[tuple[str, bool]],
    sentence: str,
    *,
    parts: bool = False,
) -> str | None:
    """Some place of the launch or call stands under all of the tests, or none is known.

    Args:
        case: The entry.
        caller: The function with the launch or call; any where it is empty.
        callee: What it launches or calls.
        tests: Conditions, each with whether it has to fail.
        sentence: Where they are told.
        parts: A condition may be part of one around the launch.
    """
    rows = [
        site for site in (*case.view.launches, *case.view.calls)
        if site.callee.name == callee and not site.dead and site.caller.span is not None
        and (not caller or site.caller.name == caller)
    ]  # fmt: skip
    wanted = {(tight(condition), fails) for condition, fails in tests}
    seen: set[tuple[str, bool]] = set()
    for site in rows:
        assert site.caller.span is not None
        reading = read_function(site.caller.text, site.caller.span.start_line)
        for call in reading.calls:
            if not call.first <= site.at.start_line <= call.last:
                continue
            found = {(tight(g.condition), g.negated) for g in call.guards}
            if all(one in found or (parts and _is_part(one, found)) for one in wanted):
                return None
            seen |= found
    if parts:
        wanted = {(c, f) for c, f in wanted if not _is_part((c, f), seen)}
        seen |= {(c, not f) for c, f in wanted if _is_part((c, not f), seen)}
    for condition, fails in sorted(wanted):
        if (condition, fails) in seen:
            continue
        if (condition, not fails) in seen:
            verb = "hold" if fails else "fail"
            return f"negated condition: {condition[:70]} has to {verb} there: {sentence[:70]}"
        if any(condition == other.lstrip("!") or f"!{condition}" in other for other, _f in seen):
            return f"negated condition: the test there is not {condition[:70]}"
    return None


def _is_part(one: tuple[str, bool], tests: set[tuple[str, bool]]) -> bool:
    return any(one[0] in condition and one[1] is fails for condition, fails in tests)


def _walked(case: Case) -> str | None:
    walks: list[tuple[dict[str, str], Outcome]] = []
    for claim in case.entry.claims:
        if claim.type != "walk" or not isinstance(claim.value, dict):
            continue
        value: dict[str, Any] = claim.value
        function = case.view.by_id.get(str(value.get("function")))
        if function is None or not isinstance(value.get("given"), dict):
            continue
        given = {str(k): v for k, v in value["given"].items() if isinstance(v, int | str)}
        types = {str(k): str(v) for k, v in (value.get("types") or {}).items()}
        lines = tuple(n for n in value.get("launch_lines") or () if isinstance(n, int))
        outcome = run(function, case.ground, given, types, lines)
        walks.append(({k: str(v) for k, v in given.items()}, outcome))
    if not walks:
        return None
    for sentence in case.sentences:
        why = (
            _test_of_walk(walks, sentence) or _parted(walks, sentence)
            or _met(case, walks, sentence) or _status_of_walk(walks, sentence)
        )  # fmt: skip
        if why:
            return why
    return None


def _test_of_walk(walks: list[tuple[dict[str, str], Outcome]], sentence: str) -> str | None:
    """A test that comes out alike on every walk comes out so in the sentence."""
    for match in _IS.finditer(sentence):
        said = match["false"] == "true" or match["verb"] == "holds" or match["met"] == "met"
        wanted = tight(match["test"].strip("`"))
        found = {
            bool(step.value)
            for _given, outcome in walks for step in outcome.steps
            if step.kind == "branch" and tight(step.text) == wanted
        }  # fmt: skip
        if found == {not said}:
            return f"negated condition: {wanted[:70]} comes out otherwise: {sentence[:70]}"
    return None


def _parted(walks: list[tuple[dict[str, str], Outcome]], sentence: str) -> str | None:
    """Where two walks part, the test holds on the one that it is said to hold on."""
    match = _PARTED.search(sentence)
    tests = [c for c in _CODE.findall(sentence) if re.search(r"[<>=!&|]|^\w+$", c)]
    if match is None or not tests:
        return None
    first, value, second = (
        match["one"] or match["a"],
        match["v"] or match["w"],
        match["two"] or match["b"],
    )
    if first == second:
        return f"negated condition: the walks part at a test that {first} on both: {sentence[:70]}"
    wanted = {tight(c) for c in tests}
    truths = {
        bool(step.value)
        for given, outcome in walks if value in given.values() for step in outcome.steps
        if step.kind == "branch" and tight(step.text) in wanted
    }  # fmt: skip
    others = {
        bool(step.value)
        for given, outcome in walks if value not in given.values() for step in outcome.steps
        if step.kind == "branch" and tight(step.text) in wanted
    }  # fmt: skip
    if truths == {first != "holds"} and others == {first == "holds"}:
        return (
            f"negated condition: with {value} the test {'fails' if first == 'holds' else 'holds'}"
        )
    return None


def _met(case: Case, walks: list[tuple[dict[str, str], Outcome]], sentence: str) -> str | None:
    """A test that a value is said to meet is true for it."""
    if not re.search(r"\bmeets\b|\btrips\b|\bsatisfies\b|\bmakes `[^`]*` true\b", sentence):
        return None
    tests = [c for c in _CODE.findall(sentence) if re.search(r"[<>=!&|]", c)]
    values = _VALUE.findall(sentence)
    for name, value in values:
        rows = [given for given, _outcome in walks if given.get(name) == value]
        for test in tests[:1]:
            found = [_truth(case, test, given) for given in rows]
            if found and all(truth is False for truth in found):
                return f"{name} = {value} does not meet {test[:70]}"
    return None


def _truth(case: Case, test: str, given: dict[str, str]) -> bool | None:
    values = {n: int(v) if v.lstrip("-").isdigit() else v for n, v in given.items()}
    outcome = follow(
        f"void f() {{ if({test}) return 1; }}", 1, values, {}, enumerators=case.ground.enumerators
    )
    decided = outcome.branches()
    return bool(decided[0].value) if decided and outcome.stuck is None else None


def _status_of_walk(walks: list[tuple[dict[str, str], Outcome]], sentence: str) -> str | None:
    """A status that a sentence gives for a test or a value is that of a walk with them."""
    said = set(_STATUS.findall(sentence))
    known = {outcome.returned for _given, outcome in walks}
    if len(said) != 1 or len(known) < 2 or not said <= known:
        return None
    codes = [tight(one) for one in _CODE.findall(sentence)]
    fits = []
    for given, outcome in walks:
        held = [s for s in outcome.steps if s.kind == "branch" and s.value]
        last = tight(held[-1].text) if held else ""
        by_test = any(len(c) > 2 and re.search(r"[<>=!&|]", c) and c in last for c in codes)
        values = [(n, v) for n, v in _VALUE.findall(sentence) if n in given]
        by_value = bool(values) and all(given[n] == v for n, v in values)
        if by_test and (not values or by_value):
            fits.append(outcome.returned)
    if fits and not said & set(fits):
        return f"a call that meets this test returns {fits[0]}: {sentence[:80]}"
    return None
