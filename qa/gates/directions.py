"""Rows and columns, left and right, upper and lower, along which axis, in which memory, up or down.

Each word is held against what the sentence itself names: an index with a leading dimension, an
enumerator, a built-in name's axis, an array that the function declares. Where a sentence sets two
things against each other, or the code is not plain, nothing is said.
"""

from __future__ import annotations

import re

from qa.gates.case import Case
from qa.gates.reached import readable, readings_of
from qa.reading.matrix_places import places_in
from qa.text.prose import plain

_AGAINST = re.compile(
    r"\b(?:not|never|no|neither|nor|instead|other|others|opposite|unlike|else|otherwise|fails?|failed|"
    r"than|while|whereas|but|except|without|rather|swap\w*|mirror\w*|transpos\w*|conjugat\w*|op|"
    r"leaves?|untouched|unreferenced|alone|ignor\w*|skip\w*|zeros?|either|both|if|unless|would|could|turn\w*|revers\w*)\b|n't\b",
    re.I,
)
_NUMBERED = re.compile(
    r"\b(?P<way>rows?|columns?) `(?P<name>[A-Za-z_]\w*)`"
    r"|`(?P<is>[A-Za-z_]\w*)` (?:is|gives|counts|numbers|indexes|means|stands for|selects|picks) "
    r"(?:the )?(?:number of )?(?P<kind>rows?|columns?)\b"
    r"|\bnumber of (?P<sum>rows|columns),? `(?P<count>[A-Za-z_]\w*)`"
    r"|(?<![\w.*/+-])`?(?P<many>[A-Za-z_]\w*)`? (?P<all>rows|columns)\b"
)
_SIDES = (
    (
        ("left", "right"),
        re.compile(
            r"\b(?:from|on|at|to) the (left|right)\b(?!-hand)"
            r"|\b(left|right)(?:-hand)? side\b(?!s)", re.I,
        ),
    ),
    (
        ("upper", "lower"),
        re.compile(r"\b(upper|lower)(?:-| )(?:triang\w*|half|part|case|matrix|factor)\b", re.I),
    ),
)  # fmt: skip
_ALONG = re.compile(r"\balong (?:the )?(?:axis )?`?([xyz])`?(?:[- ](?:axis|direction))?\b", re.I)
_AXIS = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim|hipThreadIdx|hipBlockIdx)[._]([xyz])")
_CLAUSE = re.compile(r"(?<=[;:])\s+|,\s+(?:and|but|while|so|which)\b|\s+\band\b\s+along\b")
_KEPT = re.compile(
    r"`(?P<name>[A-Za-z_]\w*)`(?:\[[^\]]*\])? (?:is|are|lies|lie|lives|live|sits|sit|"
    r"resides?|stays?)(?: (?:held|kept|placed|stored|allocated|declared))? in "
    r"(?:the )?(?P<where>LDS|shared memory|local data share|global memory|registers?)\b"
)
_ROUNDED = re.compile(r"\bround(?:ed|s|ing)? (?P<way>up|down)(?:wards?)?\b")
_UP = re.compile(r"\(\s*[\w() ]+ - 1\s*\) / [\w() *]+ \+ 1|\+ \w+ - 1\s*\)+ / \w+")
_COUNTS = re.compile(r"\bcounts? (?P<way>up|down)(?:wards?)?\b|\b(?P<word>ascending|descending)\b")
_STEP_DOWN = re.compile(r"`for\s*\([^`]*(?:--|-=)[^`]*`")
_STEP_UP = re.compile(r"`for\s*\([^`]*(?:\+\+|\+=)[^`]*`")

PATTERNS = (_NUMBERED, _SIDES[0][1], _SIDES[1][1], _ALONG, _KEPT, _ROUNDED, _COUNTS)
"""What this gate understands."""


def as_laid_out(case: Case) -> str | None:
    """Words of direction and place agree with the code that their sentence names."""
    if case.is_code:
        return None
    for sentence in case.sentences:
        text = plain(sentence)
        why = (
            _rows(case, text) or _sides(text) or _along(text) or _memory(case, text)
            or _rounded(text) or _counted(text)
        )  # fmt: skip
        if why:
            return f"{why}: {sentence[:90]}"
    return None


def _bare(text: str) -> str:
    return re.sub(r"`[^`]*`", " ", text)


def _rows(case: Case, sentence: str) -> str | None:
    """A name of a row or a column is told as what the leading dimension makes it."""
    matches = list(_NUMBERED.finditer(sentence))
    if not matches or re.search(r"\btranspos|\bop\(|conjugat", sentence, re.I):
        return None
    functions = [f for f in case.evidence_functions if f.span is not None]
    key = f"rows and columns of {sorted(f.id for f in functions)}"
    places = case.view.once(key, lambda: places_in([f.text for f in functions]))
    for match in matches:
        name = match["name"] or match["is"] or match["count"] or match["many"]
        way = match["way"] or match["kind"] or match["sum"] or match["all"]
        if way.startswith("row") and name in places.columns:
            return f"{name} stands for columns, by the leading dimension"
        if way.startswith("col") and name in places.rows:
            return f"{name} stands for rows, by the leading dimension"
    return None


def _sides(sentence: str) -> str | None:
    """Left, right, upper and lower are those of the enumerator or function that is named."""
    for pair, pattern in _SIDES:
        said = {(one or other).lower() for one, other in _pairs(pattern, _bare(sentence))}
        codes = " ".join(re.findall(r"`([^`]*)`", sentence))
        named = {part for part in re.split(r"[^A-Za-z]+", codes.lower()) if part in pair}
        if len(said) == len(named) == 1 and said != named and not _AGAINST.search(_bare(sentence)):
            return f"what is named is {named.pop()}, not {said.pop()}"
    return None


def _pairs(pattern: re.Pattern[str], text: str) -> list[tuple[str, str]]:
    return [(match[1], match[2] if pattern.groups > 1 else "") for match in pattern.finditer(text)]


def _along(sentence: str) -> str | None:
    """What is told along an axis is told with built-in names of that axis."""
    for clause in _CLAUSE.split(sentence):
        axes = {axis.lower() for axis in _ALONG.findall(clause)}
        named = set(_AXIS.findall(clause))
        if len(axes) == len(named) == 1 and axes != named and not _AGAINST.search(_bare(clause)):
            return f"the names are those of {named.pop()}, not of {axes.pop()}"
    return None


def _memory(case: Case, sentence: str) -> str | None:
    """An array lies where it is declared."""
    for match in _KEPT.finditer(sentence):
        name = match["name"]
        local = match["where"] in ("LDS", "shared memory", "local data share")
        declared = {"LDS": False, "given": False, "other": False}
        for function, reading in zip(readable(case), readings_of(case), strict=True):
            kinds = [p.type for p in reading.parameters if p.name == name]
            declared["LDS"] |= any(array.name == name for array in reading.shared)
            declared["given"] |= function.kind == "kernel" and any("*" in kind for kind in kinds)
            declared["other"] |= any(d.name == name for d in reading.definitions) or (
                function.kind != "kernel" and bool(kinds)
            )
        known = [kind for kind, there in declared.items() if there]
        if known == ["LDS"] and not local:
            return f"{name} is declared in LDS"
        if known == ["given"] and local:
            return f"{name} is a pointer that the kernel is given"
    return None


def _rounded(sentence: str) -> str | None:
    """A quotient is rounded as its formula does."""
    ways = {match["way"] for match in _ROUNDED.finditer(_bare(sentence))}
    quotients = [c for c in re.findall(r"`([^`]*)`", sentence) if "/" in c]
    if len(ways) != 1 or len(quotients) != 1 or _AGAINST.search(_bare(sentence)):
        return None
    up = _UP.search(quotients[0]) is not None
    plain_quotient = re.fullmatch(r"[\w.]+ ?/ ?[\w.]+", quotients[0].strip()) is not None
    way = ways.pop()
    if (up and way == "down") or (plain_quotient and way == "up"):
        return f"{quotients[0]} is rounded {'up' if up else 'down'}"
    return None


def _counted(sentence: str) -> str | None:
    """A loop that is quoted runs in the direction that its step has."""
    found = [match["way"] or match["word"] for match in _COUNTS.finditer(_bare(sentence))]
    down, up = _STEP_DOWN.search(sentence), _STEP_UP.search(sentence)
    if len(found) != 1 or bool(down) is bool(up) or _AGAINST.search(_bare(sentence)):
        return None
    said_down = found[0] in ("down", "descending")
    if said_down is not bool(down):
        return f"the loop counts {'down' if down else 'up'}"
    return None
