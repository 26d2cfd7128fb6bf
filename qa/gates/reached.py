"""Always and never, inside and outside, who stores: held against where code stands in the source.

Each word is decided by the tests and loops around the code that a sentence names. Where the code
does not stand in a cited function, or stands there in several ways that differ, nothing is said.
"""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.reading.code_places import CodePlace, asks_threads, made_from, one_thread, places_of
from qa.reading.execution import follow
from qa.reading.function import FunctionReading, Guard, read_function
from qa.scope_view import FunctionView
from qa.text.comparisons import tight
from qa.text.prose import plain

_DONE = (
    r"(?:reached|executed|run|evaluated|performed|launched|called|taken|entered|made|applied|"
    r"stored|written|read|loaded|used)"
)
_REACHED = re.compile(
    rf"`(?P<code>[^`]+)` (?:is|are|gets|will be) (?P<how>never|always|unconditionally) {_DONE}\b"
)
_VALUE = re.compile(
    r"\b(?:[Ww]ith|[Ww]hen|[Ii]f|[Ff]or|[Ww]here)\s+`?(?P<name>[A-Za-z_]\w*)`?\s*"
    r"(?:equal to|equals|of|=|being|is|set to)\s*`?(?P<value>zero|one|-?\d+)`?(?![\w.])"
)
_IN_LOOP = re.compile(
    r"`(?P<code>[^`]+)` (?:is |are )?(?:stands?|lies|sits|placed|happens|runs|called|done|computed|"
    r"loaded|evaluated|declared|launched|stored|read|written)\s+"
    r"(?P<where>inside|within|outside)(?: of)? (?:the|a|its|any|every|both|that) "
    r"(?:[\w`]+ ){0,2}loops?\b"
)
_STORES = re.compile(
    r"\b(?P<who>[Tt]hread 0 alone|[Ee]very thread|[Aa]ll (?:the )?threads|[Ee]ach thread|"
    r"(?:[Oo]nly|[Jj]ust) (?:thread 0|one thread|a single thread|the first thread)|"
    r"[Aa] single thread|[Oo]ne thread alone|[Tt]he first thread alone)"
    r"(?: of (?:the|a|each|its) (?:block|row))?"
    r"(?: alone)? (?:writes?|stores?|sets?)(?: to| into)? `(?P<code>[^`]+)`"
)
_REQUIRES = re.compile(
    r"\b(?:branch|launch|test|guard|condition)(?:es|s)?(?: of \w+)? "
    r"(?:never|do(?:es)? not|doesn't|don't) (?:require|ask|need|check|test)s?(?: for)? "
    r"`(?P<code>[^`]+)`"
)
_DEPENDS = re.compile(
    r"`(?P<code>[^`]+)` depends (?:only |solely )?on `(?P<on>(?:threadIdx|blockIdx)\.[xyz])`"
    r"(?P<alone> alone| only)?"
)
_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|unless|where|were|would|could|until|with|for|whose|once|in case)\b",
    re.I,
)
_LEAVES = re.compile(
    r"\b(?:is|are|lies) (?P<no>not )?(?P<how>below|less than|smaller than|above|greater than|"
    r"larger than|more than|at least|at most) `(?P<right>\w+)`,? "
    r"(?:returns?|leaves?|exits?|stops?)\b"
)
_SIGNS = {"below": "<", "less than": "<", "smaller than": "<", "above": ">", "greater than": ">",
          "larger than": ">", "more than": ">", "at least": ">=", "at most": "<="}  # fmt: skip
_INVERSE = {"<": ">=", ">": "<=", ">=": "<", "<=": ">"}
_WORDS = {"zero": 0, "one": 1}

PATTERNS = (_REACHED, _IN_LOOP, _STORES, _REQUIRES, _DEPENDS, _LEAVES)
"""What this gate understands."""


def as_placed(case: Case) -> str | None:
    """What is said to happen always or never, inside a loop, or by one thread, stands so."""
    if case.is_code:
        return None
    readings = readings_of(case)
    for sentence in case.sentences:
        text = plain(sentence)
        why = (
            _reached(case, readings, text) or _looped(readings, text) or _stored(readings, text)
            or _required(case, text) or _depends(readings, text) or _left(readings, text)
        )  # fmt: skip
        if why:
            return f"{why}: {sentence[:90]}"
    return None


def readings_of(case: Case) -> list[FunctionReading]:
    """Readings of the cited functions, those that the grammar reads."""
    return [read_function(f.text, f.span.start_line) for f in readable(case) if f.span is not None]


def readable(case: Case) -> list[FunctionView]:
    """Cited functions that the grammar reads, other than what HIP puts before a type."""
    return [
        f for f in case.evidence_functions
        if f.span is not None and not read_function(
            f.text.replace("__shared__", "static    "), f.span.start_line
        ).broken
    ]  # fmt: skip


def _reached(case: Case, readings: list[FunctionReading], sentence: str) -> str | None:
    for match in _REACHED.finditer(sentence):
        places = places_of(match["code"], readings)
        if not places:
            continue
        before = sentence[: match.start()]
        given = {
            m["name"]: _WORDS.get(m["value"]) if m["value"] in _WORDS else int(m["value"])
            for m in _VALUE.finditer(before)
        }  # fmt: skip
        outcomes = {_comes(case, place, given) for place in places} if given else set()
        never = match["how"] == "never"
        if outcomes == {False} and not never:
            return f"{match['code'][:60]} is not reached for these values"
        if outcomes == {True} and never:
            return f"{match['code'][:60]} is reached for these values"
        if never or given or _SUPPOSED.search(re.sub(r"`[^`]*`", " ", before)):
            continue
        if all(_tests(place) for place in places):
            return f"{match['code'][:60]} stands under {_tests(places[0])[0].condition[:60]}"
    return None


def _tests(place: CodePlace) -> list[Guard]:
    return [g for g in place.guards if g.condition not in ("true", "false", "1", "0")]


def _comes(case: Case, place: CodePlace, given: dict[str, int | None]) -> bool | None:
    """Whether tests on some names let a call come to a place; ``None`` where none asks for them."""
    truths: list[bool] = []
    for guard in place.guards:
        if not set(re.findall(r"[A-Za-z_]\w*", guard.condition)) & set(given):
            continue
        values = {name: value for name, value in given.items() if value is not None}
        outcome = follow(
            f"void f() {{ if({guard.condition}) return 1; }}", 1, dict(values), {},
            enumerators=case.ground.enumerators,
        )  # fmt: skip
        decided = outcome.branches()
        if outcome.stuck is not None or not decided:
            return None
        truths.append(bool(decided[0].value) is not guard.negated)
    if not truths:
        return None
    return all(truths)


def _looped(readings: list[FunctionReading], sentence: str) -> str | None:
    for match in _IN_LOOP.finditer(sentence):
        places = places_of(match["code"], readings)
        if not places:
            continue
        if match["where"] == "outside" and all(place.loops for place in places):
            return f"{match['code'][:60]} stands in a loop"
        if match["where"] != "outside" and not any(
            place.loops or _conditional_loop(place) for place in places
        ):
            return f"{match['code'][:60]} stands in no loop"
    return None


def _conditional_loop(place: CodePlace) -> bool:
    """Some loop of the function may be one that a directive leaves open."""
    return not place.loops and any(loop.condition == "" for loop in place.reading.loops)


def _stored(readings: list[FunctionReading], sentence: str) -> str | None:
    for match in _STORES.finditer(sentence):
        wanted = tight(match["code"])
        rows = [
            (store, reading)
            for reading in readings
            for store in reading.stores
            if wanted in (tight(store.text.split("=")[0]).rstrip("+-*/"), tight(store.base))
        ]
        if not rows:
            continue
        single = [any(one_thread(g, reading) for g in store.guards) for store, reading in rows]
        told = [any(asks_threads(g, reading) for g in store.guards) for store, reading in rows]
        alone = re.search(r"alone|only|just|single", match["who"], re.I) is not None
        if not alone and all(single):
            return f"one thread alone stores to {match['code'][:50]}"
        leaves = any(
            asks_threads(g, reading)
            for _s, reading in rows
            for r in reading.returns
            for g in r.guards
        )
        if alone and not any(told) and not leaves:
            return f"no test keeps other threads from storing to {match['code'][:50]}"
    return None


def _required(case: Case, sentence: str) -> str | None:
    """A test that is said not to be asked for stands around every launch of the kernel named."""
    for match in _REQUIRES.finditer(sentence):
        wanted = tight(match["code"])
        kernels = re.findall(r"`(\w+)`", sentence[: match.start()])
        sites = [
            site for site in case.view.launches
            if site.callee.name in kernels and not site.dead and site.caller.span is not None
        ]  # fmt: skip
        asked = []
        for site in sites:
            assert site.caller.span is not None
            reading = read_function(site.caller.text, site.caller.span.start_line)
            name = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)")
            asked.append(any(
                not g.negated and name.search(tight(g.condition))
                for c in reading.calls if c.first <= site.at.start_line <= c.last for g in c.guards
            ))  # fmt: skip
        if asked and all(asked):
            return f"every launch there asks for {match['code'][:60]}"
    return None


def _depends(readings: list[FunctionReading], sentence: str) -> str | None:
    for match in _DEPENDS.finditer(sentence):
        names = set(re.findall(r"[A-Za-z_]\w*", match["code"]))
        for reading in readings:
            if not names & {d.name for d in reading.definitions}:
                continue
            made = made_from(match["code"], reading)
            if not made or "?" in made:
                continue
            kind = match["on"].split(".")[0]
            others = {one for one in made if one.startswith(kind)} - {match["on"]}
            if match["on"] not in made:
                return f"{match['code'][:50]} is made from {', '.join(sorted(made))}"
            if match["alone"] and others:
                return f"{match['code'][:50]} is made from {sorted(others)[0]} too"
    return None


def _left(readings: list[FunctionReading], sentence: str) -> str | None:
    """A comparison on which somebody is said to leave is that of a test that leaves."""
    for match in _LEAVES.finditer(sentence):
        sign = _SIGNS[match["how"]]
        sign = _INVERSE[sign] if match["no"] else sign
        wanted = re.compile(rf"(<=|>=|<|>)\s*{match['right']}\b")
        found = {
            _INVERSE[m[1]] if guard.negated else m[1]
            for reading in readings
            for back in reading.returns
            for guard in back.guards[-1:]
            for m in wanted.finditer(guard.condition)
        }
        if found and sign not in found:
            return f"those leave for which it is {sorted(found)[0]} {match['right']}"
    return None
