"""Whether the cited lines carry what is said of them."""

from __future__ import annotations

import re

from extractor.records import Span
from qa.gates.answerability import STOP
from qa.gates.case import Case, place
from qa.gates.names import LANGUAGE
from qa.gates.statements import OTHER_GROUNDS
from qa.text.prose import identifiers, words

_WORD = re.compile(r"[A-Za-z_]\w*")
_SHORT = 2
_SUPPORT = 0.5
_FEW = 3
_MOVED = 3
_FRAME = re.compile(
    r"#include<[\w./]+>|\}+|(?:inline)?namespace[\w:]*\{?|\{|template(?:__global__)?void[\w:]+<.*>\(.*\);"
)
"""Rows that carry a cut-out piece of code and do nothing by themselves."""


def _names_at(case: Case, span: Span) -> set[str]:
    """Names in the lines, and that of the function they stand in."""
    found = set(_WORD.findall(case.ground.text(span)))
    for function in case.view.overlapping(span):
        found.update((function.name, *_WORD.findall(function.qualified_name)))
    return found


def support(case: Case) -> str | None:
    """Each span shows something the text names; each sentence's names stand in what it cites."""
    entry = case.entry
    why = next((w for span in entry.evidence if (w := _beside(case, span)) is not None), None)
    if why is not None:
        return why
    if case.is_code:
        return _code_support(case)
    spoken = (case.answer_names | case.question_names) - LANGUAGE
    spoken |= set(_WORD.findall(case.claim_text)) - LANGUAGE if case.statements else set()
    plain_words = {w for w in words(f"{entry.question} {entry.answer}") if len(w) > 3} - STOP
    for span in entry.evidence:
        inside = set(_WORD.findall(case.ground.text(span))) - LANGUAGE
        telling = {name for name in inside & spoken if len(name) > _SHORT}
        owners = {function.name for function in case.view.overlapping(span)}
        shown = bool(telling or inside & spoken or owners & spoken)
        if not shown and len(_parts(inside) & plain_words) < 2:
            return f"wrong citation: {place(span)} has nothing that the answer names"
        if not owners & spoken and _out_of_the_way(case, span, telling, plain_words):
            return f"wrong citation: {place(span)} is not about what the answer says"
        if owners and not owners & spoken and not telling and case.statements:
            return f"wrong citation: {place(span)} stands in {sorted(owners)[0]}, never named"
    spans = {place(span): span for span in entry.evidence}
    for sentence, places in case.statements.items():
        lines = [spans[p] for p in places if p in spans]
        if not lines:
            continue
        there: set[str] = set()
        for span in lines:
            there |= _names_at(case, span)
        named = identifiers(sentence) - LANGUAGE
        elsewhere = set()
        if set(places) & OTHER_GROUNDS:
            elsewhere = set(_WORD.findall(case.claim_text)) | case.question_names
        missing = named - there - elsewhere - case.question_names
        if missing:
            return (
                f"wrong citation: {', '.join(sorted(missing)[:3])} does not stand in "
                f"{', '.join(places)}"
            )
        for span in lines:
            if named and not named & _names_at(case, span):
                return f"wrong citation: {place(span)} has no name of the sentence that cites it"
    return None


def _beside(case: Case, span: Span) -> str | None:
    """The lines are those of a function, moved by a few."""
    for function in case.view.overlapping(span):
        own = function.span
        if own is None or own.end_line - own.start_line < _MOVED:
            continue
        moved = span.start_line - own.start_line
        if 0 < abs(moved) <= _MOVED and moved == span.end_line - own.end_line:
            return f"wrong citation: {place(span)} stands {abs(moved)} lines beside {function.name}"
    return None


def _out_of_the_way(case: Case, span: Span, telling: set[str], plain_words: set[str]) -> bool:
    """The lines have only names that much of the scope has, or are of a file it does not reach."""
    own = (telling & case.answer_names) - case.view.common_names
    if not case.view.by_file.get(span.file):
        return not own
    distinctive = {name for name in telling if name not in case.view.common_names}
    return (
        not distinctive
        and len(_parts(set(_WORD.findall(case.ground.text(span)))) & plain_words) < _FEW
    )


def _parts(names: set[str]) -> set[str]:
    """Words that names are made of."""
    return {part.lower() for name in names for part in name.split("_") if len(part) > 3}


def _code_support(case: Case) -> str | None:
    """The answer's code is the code of the cited lines.

    An implementation is that code and nothing else: the lines of each span stand in it in their
    order, and no row of it is from elsewhere, save headers, namespaces and instantiations.
    """
    strict = case.entry.kind == "kernel_implementation"
    squeezed = _squeezed(case.entry.answer)
    cited: set[str] = set()
    for span in case.entry.evidence:
        text = case.ground.text(span)
        rows = _code_rows(text)
        cited.update(rows)
        if strict and _squeezed(text) not in squeezed:
            return f"the code of {place(span)} is not in the answer as it stands there"
        long = [row for row in rows if len(row) > 12]
        if not strict and sum(row in squeezed for row in long) < _SUPPORT * len(long):
            return f"wrong citation: the code of {place(span)} is not in the answer"
    if not strict:
        return None
    vouched = any(claim.type == "compiles" for claim in case.entry.claims)
    for row in _code_rows(case.entry.answer):
        if row in cited or _FRAME.fullmatch(row) or (vouched and row.startswith("#define")):
            continue
        return f"the code is not that of the cited lines: no cited line has {row[:60]}"
    return None


def _squeezed(text: str) -> str:
    """Code without comments and blanks."""
    return re.sub(r"\s+", "", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S))


def _code_rows(text: str) -> list[str]:
    bare = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return [squeezed for row in bare.splitlines() if (squeezed := re.sub(r"\s+", "", row))]


def enough(case: Case) -> str | None:
    """Names of the answer come from evidence, question, or a claim that a tool checks."""
    if case.is_code:
        return None
    given = case.evidence_names | case.question_names | LANGUAGE
    given |= set(_WORD.findall(case.claim_text))
    given |= {case.entry.interface, case.entry.project, *case.entry.configs}
    given |= set(case.entry.entry_points)
    missing = sorted(case.answer_names - given)
    if missing:
        return f"the evidence does not show {', '.join(missing[:4])}"
    return None
