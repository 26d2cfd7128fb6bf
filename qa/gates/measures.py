"""Words that compare: below and above, smaller and larger, how many elements, what a type gives."""

from __future__ import annotations

import re

from qa.author.arguments import run
from qa.author.subjects import types_of
from qa.gates.asked_calls import asked_of
from qa.gates.case import Case
from qa.gates.reached import readable, readings_of
from qa.reading.template_parameters import template_parameters
from qa.text.comparisons import tight
from qa.text.prose import plain

_N = r"(?<![\w.])`?(?P<{}>\d[\d,']*)`?(?!\w|\.\d|%|\s*[-+*/<>=(])"
_NAMED = r"`?(?P<name>[A-Za-z_]\w*)`?(?!\w|\.\w|\(|\s*[-+*/<>=])|"
_COMPARED = re.compile(
    _N.format("left") + r"(?: \w+)?,?(?: which)? (?:is|are|lies|stays|falls|remains|stay|lie)"
    r"(?: still| already| well| just| far)* (?P<how>(?:not )?(?:below|under|less than|smaller than|"
    r"fewer than|above|greater than|larger than|more than|beyond|at least|at most|no more than|"
    r"no less than))"
    r" (?:the |its |that )?(?:limit |threshold |bound )?(?:of )?"
    r"(?:(?P<it>it|that limit|that threshold)\b|" + _NAMED + _N.format("right") + ")"
)
_EXCEEDS = re.compile(
    _N.format("left")
    + r" (?P<how>exceeds|does not exceed|stays below|passes) (?:(?P<it>it)\b|"
    + _NAMED
    + _N.format("right")
    + ")"
)
_LESS = ("below", "under", "less than", "smaller than", "fewer than", "stays below")
_MORE = ("above", "greater than", "larger than", "more than", "beyond", "exceeds", "passes")
_UNSURE = re.compile(
    r"\b(?:if|unless|were|would|could|whether|until|when|might|may|should)\b", re.I
)
_SMALL = r"smaller|lesser|minimum|smallest|least|lower"
_LARGE = r"larger|greater|maximum|largest|bigger|higher"
_OF_TWO = re.compile(
    rf"`(?P<name>[A-Za-z_]\w*)`,? (?:is|as|being|which is|takes|becomes|comes to) the "
    rf"(?P<how>{_SMALL}|{_LARGE}) (?:one )?(?:of|between|among)\b"
)
_SHOWN = re.compile(
    rf"`(?P<code>[^`]*\b(?P<call>min|max)\s*\([^`]*)`,? (?:that is |which is |i\.e\. )?the "
    rf"(?P<how>{_SMALL}|{_LARGE})\b"
)
_ELEMENTS = re.compile(
    r"`(?P<name>[A-Za-z_]\w*)` (?:has|holds|takes|with|contains) `?(?P<count>[A-Za-z_]\w*|\d+)`? "
    r"(?:elements|entries|values)\b"
)
_WORKED = re.compile(r"(?<![\w.])`?(?P<name>[A-Za-z_]\w*)`? (?:=|is) \d+ (?P<sign>[-+*/%]) \d+ =")
_PLAIN = re.compile(r"[\w.>]+ ?([-+*/%]) ?[\w.>]+")
_FOR_TYPE = re.compile(
    r"\b[Ff]or `?(?P<type>float|double)`?,? `?(?P<name>[A-Za-z_]\w+)(?:<[^`]*>)?(?:\(\))?`? "
    r"(?:gives|returns|is|yields|comes to) `?(?P<value>\d[\d,']*)`?(?![\w.])"
)

PATTERNS = (_COMPARED, _EXCEEDS, _OF_TWO, _SHOWN, _ELEMENTS, _FOR_TYPE, _WORKED)
"""What this gate understands."""


def as_compared(case: Case) -> str | None:
    """Words that compare numbers, sizes and values agree with them."""
    if case.is_code:
        return None
    for sentence in case.sentences:
        text = plain(sentence)
        why = (
            _numbers(case, text) or _of_two(case, text) or _elements(case, text)
            or _for_type(case, text) or _operator(case, text)
        )  # fmt: skip
        if why:
            return f"{why}: {sentence[:90]}"
    return None


def _whole(text: str) -> int:
    return int(re.sub(r"[,']", "", text))


def _numbers(case: Case, sentence: str) -> str | None:
    calls = asked_of(case.entry.question)
    given = {
        name: value for name, value in calls[0].values.items()
        if all(call.values.get(name) == value for call in calls)
    }  # fmt: skip
    for pattern in (_COMPARED, _EXCEEDS):
        for match in pattern.finditer(sentence):
            before_it = sentence[: match.start()]
            if _UNSURE.search(re.sub(r"`[^`]*`", " ", before_it)):
                continue
            left = _whole(match["left"])
            if match["it"]:
                before = [
                    _whole(n)
                    for n in re.findall(r"(?<![\w.])\d[\d,']*\d(?!\w)", before_it)
                    if _whole(n) != left
                ]
                if len(set(before)) != 1:
                    continue
                right = before[0]
            elif match["name"]:
                if match["name"] not in given:
                    continue
                right = given[match["name"]]
            else:
                right = _whole(match["right"])
            if not _true(left, match["how"], right):
                return f"{left} is not {match['how']} {right}"
    return None


def _true(left: int, how: str, right: int) -> bool:
    if how == "does not exceed":
        return left <= right
    bare = how.removeprefix("not ")
    if bare in ("at least", "no less than"):
        truth = left >= right
    elif bare in ("at most", "no more than"):
        truth = left <= right
    else:
        truth = left < right if bare in _LESS else left > right
    return truth is not how.startswith("not ")


def _of_two(case: Case, sentence: str) -> str | None:
    for match in _SHOWN.finditer(sentence):
        if (match["call"] == "min") is not bool(re.fullmatch(_SMALL, match["how"])):
            return f"{match['code'][:50]} is not the {match['how']}"
    for match in _OF_TWO.finditer(sentence):
        values = [
            d.value for reading in readings_of(case) for d in reading.definitions
            if d.name == match["name"]
        ]  # fmt: skip
        calls = {
            m[1] for value in values
            if (m := re.match(r"(?:std::)?(?:\w+\()?(min|max)\b", value.strip()))
        }  # fmt: skip
        if len(calls) == 1 and len(values) == 1:
            small = bool(re.fullmatch(_SMALL, match["how"]))
            if (calls == {"min"}) is not small:
                return f"{match['name']} is {values[0][:50]} in the source"
    return None


def _elements(case: Case, sentence: str) -> str | None:
    for match in _ELEMENTS.finditer(sentence):
        for function, reading in zip(readable(case), readings_of(case), strict=True):
            for array in reading.shared:
                if array.name != match["name"] or len(array.extents) != 1:
                    continue
                extent = tight(array.extents[0])
                if extent == match["count"] or not re.fullmatch(r"\w+", extent):
                    continue
                made = [types_of(function, n) for n in range(len(function.instantiations))]
                pairs = {
                    (types.get(extent, extent), types.get(match["count"], match["count"]))
                    for types in made
                }
                parameters = set(template_parameters(function))
                if {extent, match["count"]} <= parameters or (
                    pairs and all(a.isdigit() and b.isdigit() and a != b for a, b in pairs)
                ):
                    return f"{match['name']} has {extent} elements in the source"
    return None


def _for_type(case: Case, sentence: str) -> str | None:
    """A function of types alone, of which a sentence says what it gives for one."""
    for match in _FOR_TYPE.finditer(sentence):
        values: set[object] = set()
        for function in case.view.by_name.get(match["name"], ()):
            names = template_parameters(function)
            if function.span is None or len(names) != 1 or function.signature.count("(") > 2:
                continue
            outcome = run(function, case.ground, {}, {names[0]: match["type"]})
            last = outcome.steps[-1] if outcome.steps else None
            if outcome.stuck is not None or last is None or last.kind != "return":
                return None
            values.add(last.value)
        if len(values) == 1 and _whole(match["value"]) not in values:
            return f"{match['name']} gives {values.pop()} for {match['type']}"
    return None


def _operator(case: Case, sentence: str) -> str | None:
    """Numbers are put together by the operator of the definition that they are put into."""
    for match in _WORKED.finditer(sentence):
        signs = {
            plain_one[1] if (plain_one := _PLAIN.fullmatch(d.value.strip())) else ""
            for reading in readings_of(case) for d in reading.definitions
            if d.name == match["name"]
        }  # fmt: skip
        if signs and "" not in signs and match["sign"] not in signs:
            return f"{match['name']} is made by {sorted(signs)[0]} in the source"
    return None
