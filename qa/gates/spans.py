"""Evidence that stands where it is said to stand, and the level that follows from it."""

from __future__ import annotations

from extractor.records import Span
from qa.gates.case import Case
from qa.levels import functions_in, level_of


def source(case: Case) -> str | None:
    """The entry is about the revision at hand."""
    said, have = case.entry.source, case.ground.source
    for field in ("name", "version", "commit", "license"):
        if getattr(said, field) != getattr(have, field):
            return (
                f"stale source: {field} is {getattr(said, field)}, the tree's is "
                f"{getattr(have, field)}"
            )
    return None


def exist(case: Case) -> str | None:
    """Every span is there and unchanged."""
    if not case.entry.evidence:
        return "no evidence is cited"
    for span in case.shown:
        why = _fault(case, span)
        if why:
            return why
    return None


def _fault(case: Case, span: Span) -> str | None:
    shown = f"{span.file}:{span.start_line}-{span.end_line}"
    count = case.ground.lines(span.file)
    if count == 0:
        return f"dead span: {span.file} is not in the source"
    if span.start_line < 1 or span.start_line > span.end_line:
        return f"swapped or impossible lines: {shown}"
    if span.end_line > count:
        return f"dead span: {shown} ends behind the file's {count} lines"
    if case.ground.hash(span) != span.sha256:
        return f"stale or wrong span: {shown} has another hash"
    if not case.ground.text(span).strip():
        return f"empty span: {shown}"
    return None


def context(case: Case) -> str | None:
    """Shown text is what stands there."""
    for shown in case.entry.context:
        text = case.ground.text(shown.span)
        if shown.text.rstrip("\n") != text.rstrip("\n"):
            return f"context differs from {shown.span.file}:{shown.span.start_line}"
    return None


def level(case: Case) -> str | None:
    """The level follows from the evidence."""
    right = level_of(case.entry.evidence, case.ground, case.view)
    if right == case.entry.level:
        return None
    found = functions_in(case.entry.evidence, case.ground, case.view)
    files = len({file for file, _line in found})
    return (
        f"level {case.entry.level} should be {right}: the evidence stands in {len(found)} "
        f"functions of {files} files"
    )
