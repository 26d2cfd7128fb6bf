"""Both and either, once and twice, how many barriers, what a type gives, what a test encloses.

Words of quantity are held against the code that their sentence names: the joint of two conditions,
the places of a call, the branch of a condition, the constant that a function has for a type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qa.author.arguments import run
from qa.gates.asked_calls import asked_of
from qa.gates.case import Case
from qa.gates.halves import of_two
from qa.gates.reached import readable, readings_of
from qa.reading.function_text import without_comments
from qa.reading.template_parameters import template_parameters
from qa.scope_view import FunctionView
from qa.text.brackets import split_at, unwrapped
from qa.text.comparisons import tight
from qa.text.prose import plain

_WORDS = {"no": 0, "zero": 0, "one": 1, "once": 1, "a single": 1, "two": 2, "twice": 2, "three": 3,
          "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "thrice": 3}  # fmt: skip
_N = r"(?:no|one|a single|two|three|four|five|six|seven|eight|\d+)"
_INCREMENTS = re.compile(
    r"\b(?P<how>both|either|one|neither) increments? "
    r"(?:(?:is|are|be|being|has to be|have to be|must be) )?(?:equal to )?(?P<value>one|\d+)\b",
    re.I,
)
_JOINED = re.compile(r"\b(?P<how>either|both) `(?P<one>[^`]+)` (?:or|and) `(?P<two>[^`]+)`")
_BARRIERS = re.compile(
    rf"\b[Tt]here (?:is|are) (?:exactly |only |just )?(?P<n>{_N}) barriers? in `(?P<f>\w+)`"
    rf"|`(?P<g>\w+)` (?:has|contains|uses|needs) (?:exactly |only |just )?(?P<m>{_N}) barriers?\b"
)
_TIMES = r"(?P<{}>once|twice|thrice|(?:two|three|four|\d+) times)"
_CALLED = re.compile(
    rf"`(?P<f>\w+)(?:<[^`]*>)?(?:\(\))?` (?:is|gets) (?:called|launched) (?:only |exactly |just )?"
    rf"{_TIMES.format('n')}"
    rf"|\b(?:calls|launches) `(?P<g>\w+)(?:<[^`]*>)?(?:\(\))?` (?:only |exactly |just )?"
    rf"{_TIMES.format('m')}"
)
_STORED = {
    "float complex": "ff", "single complex": "ff", "double complex": "dd", "half": "e",
    "float": "f", "single precision": "f", "double precision": "d", "double": "d",
}  # fmt: skip
"""How an element is stored that prose calls so, in the letters of a rule file's ``elements``."""
_TYPE = "|".join(_STORED)
_GIVES = re.compile(
    rf"\b[Ff]or `?(?P<type>{_TYPE})`?(?! and| or|,? `?(?:{_TYPE}))\b(?P<between>[^.;:]{{0,60}}?)"
    r"(?<![\w.])(?P<value>\d{2,})(?![\w.])"
)
_TEST_FOR = re.compile(rf"`(?P<test>[^`]+)` for `?(?P<type>{_TYPE})`?(?! complex)\b")
_CONSTANT = re.compile(r"\b(\w+)<\w+>\(\)")
_IS_TYPE = re.compile(
    r"\bis_(float_complex|double_complex|complex_float|complex_double|float|double|half|bfloat16)\b"
    r"|is_same(?:_v)?<[^<>]*?\b(\w+)\s*(?:const)?\*?>"
)
_MULTIPLE = re.compile(
    rf"\bmultiple of `?(?P<n>\d+)`?,? (?:as|for|which) `?(?P<type>{_TYPE})`?(?! complex)\b"
)
_DIMENSIONS = re.compile(
    r"\b(?P<what>grid|block)s? (?:has|have|is|are) (?:only |exactly )?(?P<n>one|two|three)"
    r"(?: dimensions?|[- ]dimensional)\b"
)
_ENCLOSED = re.compile(
    r"`(?P<test>[^`]+)`,? (?P<verb>loads?|reads?|fetch(?:es)?|stores?|writes?|updates?) "
    r"(?:into |to |an element of |its |the )*`?(?P<name>[A-Za-z_]\w*)`?(?![\w(])"
)
_AGAINST = re.compile(r"\b(?:not|never|no|unless|except|other|instead|if|would|were)\b|n't\b", re.I)

PATTERNS = (
    _INCREMENTS, _JOINED, _BARRIERS, _CALLED, _GIVES, _TEST_FOR, _MULTIPLE, _DIMENSIONS, _ENCLOSED
)  # fmt: skip
"""What this gate understands."""


def as_counted(case: Case) -> str | None:
    """Words of quantity agree with the code."""
    if case.is_code:
        return None
    half = of_two(case.sentences)
    if half is not None:
        return half
    for sentence in case.sentences:
        text = plain(sentence)
        why = (
            _increments(case, text) or _joined(case, text) or _barriers(case, text)
            or _called(case, text) or _of_type(case, text) or _test_of_type(case, text)
            or _enclosed(case, text) or _dimensions(case, text)
        )  # fmt: skip
        if why:
            return f"{why}: {sentence[:90]}"
    return None


def _number(word: str) -> int:
    bare = word.lower().removesuffix(" times")
    return int(bare) if bare.isdigit() else _WORDS.get(bare, -1)


def _source(case: Case) -> str:
    return tight(
        " ".join(without_comments(f.text) for f in case.evidence_functions) + case.evidence_text
    )


def _increments(case: Case, sentence: str) -> str | None:
    """What a branch asks of the increments, where the source asks one thing of them."""
    for match in _INCREMENTS.finditer(sentence):
        if any(
            name.lower().startswith("inc") for call in asked_of(case.entry.question)
            for name in call.values
        ) or (re.search(r"increments?", case.entry.question) and re.search(
            r"increments? (?:are |is |of )?\d", case.entry.question
        )):  # fmt: skip
            continue  # the call's own
        found = set(re.findall(r"inc\w+==(\d+)(&&|\|\|)inc\w+==(\d+)", _source(case)))
        if len(found) != 1:
            continue
        first, joint, second = found.pop()
        value = "1" if match["value"] == "one" else match["value"]
        if first == second and value != first:
            return f"the source asks for increments of {first}"
        if match["how"].lower() in ("both", "either") and (
            (match["how"].lower() == "both") is not (joint == "&&")
        ):
            return f"the source asks for {'both' if joint == '&&' else 'either'}"
    return None


def _joined(case: Case, sentence: str) -> str | None:
    """Two conditions are joined as in the source."""
    for match in _JOINED.finditer(sentence):
        one, two = tight(match["one"]), tight(match["two"])
        source = _source(case)
        together = f"{one}&&{two}" in source or f"{two}&&{one}" in source
        apart = f"{one}||{two}" in source or f"{two}||{one}" in source
        if together is not apart and together is not (match["how"] == "both"):
            return f"the source joins {one[:40]} and {two[:40]} by {'&&' if together else '||'}"
    return None


def _barriers(case: Case, sentence: str) -> str | None:
    for match in _BARRIERS.finditer(sentence):
        name, said = match["f"] or match["g"], _number(match["n"] or match["m"])
        counts = {
            len(read.barriers) for function, read in
            zip(readable(case), readings_of(case), strict=True) if function.name == name
        }  # fmt: skip
        if counts and said not in counts and "#if" not in case.evidence_text:
            return f"{name} has {min(counts)} barriers"
    return None


def _called(case: Case, sentence: str) -> str | None:
    """How often a function is called from the one cited function that calls it."""
    for match in _CALLED.finditer(sentence):
        name, said = match["f"] or match["g"], _number(match["n"] or match["m"])
        callers = [
            calls for reading in readings_of(case)
            if (calls := [c for c in reading.calls if re.search(rf"\b{name}\b", c.text)
                          and (c.name == name or "LAUNCH" in c.name)])
        ]  # fmt: skip
        if len(callers) != 1 or said < 0 or any(call.loops for call in callers[0]):
            continue
        sites = {(c.first, c.last) for c in callers[0]}
        plain_ones = not any(call.guards for call in callers[0])
        if said > len(sites) or (plain_ones and said != len(sites)):
            return f"{name} is called at {len(sites)} place{'s'[: len(sites) != 1]}"
    return None


def _types(case: Case, word: str) -> list[str]:
    """The library's types whose elements are stored as a word of prose says."""
    trace = case.ground.project.rule.trace
    stored = trace.elements if trace else {}
    known = {"float": "f", "double": "d", **stored}
    return sorted(
        name for name, form in known.items()
        if form == _STORED[word] and name not in case.ground.enumerators
    )  # fmt: skip


def _short(name: str) -> set[str]:
    """What a library's conditions call a type: ``x_float_complex`` is ``is_complex_float``."""
    parts = name.split("_")
    own = [part for part in parts if part in ("float", "double", "half", "complex")] or parts
    return {"_".join(own), "_".join(reversed(own))}


def _constants(case: Case) -> Iterator[tuple[str, dict[str, object]]]:
    """Functions of a type alone that the cited code asks, and what they give for each type."""
    texts = " ".join(f.text for f in case.evidence_functions) + case.entry.answer
    names = set(_CONSTANT.findall(texts)) | {
        f.name for f in case.evidence_functions if len(template_parameters(f)) == 1
    }
    for name in sorted(names):
        values: dict[str, object] = {}
        for function in case.view.by_name.get(name, ()):
            for kind in sorted({name for word in _STORED for name in _types(case, word)}):
                value = _given(case, function, kind)
                if value is not None:
                    values[kind] = value
        if len(set(values.values())) > 1:
            yield name, values


def _given(case: Case, function: FunctionView, kind: str) -> object:
    """What a function of types alone gives for one; ``None`` where it is not that plain."""
    parameters = template_parameters(function)
    if function.span is None or len(parameters) != 1 or function.signature.count("(") > 2:
        return None
    outcome = run(function, case.ground, {}, {parameters[0]: kind})
    last = outcome.steps[-1] if outcome.steps else None
    if outcome.stuck is not None or last is None or last.kind != "return":
        return None
    return last.value


def _of_type(case: Case, sentence: str) -> str | None:
    """A number that is the constant of one type is not told of another."""
    found = list(_GIVES.finditer(sentence))
    if not found:
        return None
    known = case.view.once(
        f"constants of types {sorted(f.id for f in case.evidence_functions)}",
        lambda: list(_constants(case)),
    )
    for match in found:
        kinds, value = _types(case, match["type"]), int(match["value"])
        if _AGAINST.search(match["between"]):
            continue
        owners = [values for _name, values in known if value in values.values()]
        given = [{v[kind] for kind in kinds if kind in v} for v in owners]
        if owners and all(own and value not in own for own in given):
            return f"{value} belongs to another type than {match['type']}"
    return None


def _test_of_type(case: Case, sentence: str) -> str | None:
    """A condition that the source asks of one type is told of that one."""
    found = [(tight(m["test"]), m["type"]) for m in _TEST_FOR.finditer(sentence)]
    found += [(f"%{m['n']}==0", m["type"]) for m in _MULTIPLE.finditer(sentence)]
    for wanted, kind in found:
        kinds = set()
        for reading in readings_of(case):
            for branch in reading.branches:
                for group in _alternatives(branch.condition):
                    if wanted in tight(group):
                        kinds.add(frozenset(
                            next(filter(None, one)) for one in _IS_TYPE.findall(group)
                        ))  # fmt: skip
        said = {kind, *(own for name in _types(case, kind) for own in _short(name))}
        if kinds and all(kinds) and not any(said & one for one in kinds):
            return f"the source asks {wanted[:40]} for {sorted(min(kinds, key=sorted))[0]}"
    return None


def _alternatives(condition: str) -> Iterator[str]:
    """The conjunctions that a condition is an alternative of, brackets opened."""
    pieces = split_at(unwrapped(condition), "||")
    if len(pieces) > 1:
        for piece in pieces:
            yield from _alternatives(piece)
        return
    parts = split_at(pieces[0], "&&")
    nested = [part for part in parts if "||" in part]
    if not nested:
        yield pieces[0]
        return
    rest = " && ".join(part for part in parts if part not in nested)
    for part in nested:
        for inner in _alternatives(part):
            yield f"{rest} && {inner}" if rest else inner


def _enclosed(case: Case, sentence: str) -> str | None:
    """What is told to be done under a test is done in the branch of that test."""
    for match in _ENCLOSED.finditer(sentence):
        wanted, name = tight(match["test"]), match["name"]
        found = []
        for function, reading in zip(readable(case), readings_of(case), strict=True):
            assert function.span is not None
            rows = without_comments(function.text).split("\n")
            if not any(re.search(rf"\b{name}\b", row) for row in rows):
                continue
            for branch in reading.branches:
                if tight(branch.condition) != wanted:
                    continue
                first, last = (n - function.span.start_line for n in branch.consequence)
                body = "\n".join(rows[first : last + 1])
                found.append(re.search(rf"\b\w*{re.escape(name)}\w*\b", body) is not None)
        if found and not any(found):
            return f"the branch of {wanted[:50]} has no {name}"
    return None


def _dimensions(case: Case, sentence: str) -> str | None:
    """Grids and blocks have as many dimensions as the cited functions give them."""
    for match in _DIMENSIONS.finditer(sentence):
        counts = set()
        for function in case.evidence_functions:
            text = without_comments(function.text)
            for name, given in re.findall(r"\bdim3\s+(\w+)\s*[({]([^;]*)[)}]\s*;", text):
                wanted = ("grid", "blocks") if match["what"] == "grid" else ("thread", "block")
                grid = "grid" in name.lower() or "blocks" in name.lower()
                if not any(part in name.lower() for part in wanted) or (
                    grid is not (match["what"] == "grid")
                ):
                    continue
                parts = [part for part in split_at(given, ",") if part.strip() != "1"]
                counts.add(max(1, len(parts)))
        if len(counts) == 1 and _number(match["n"]) not in counts:
            return f"the {match['what']} has {counts.pop()} dimensions in the source"
    return None
