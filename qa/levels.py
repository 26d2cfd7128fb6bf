"""How hard an entry is, from where its evidence stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from extractor.records import Span
from qa.ground import Ground
from qa.reading.definitions import definitions
from qa.scope_view import ScopeView

Level = Literal[1, 2, 3]


def functions_in(evidence: Iterable[Span], ground: Ground, view: ScopeView) -> set[tuple[str, int]]:
    """File and first line of every function that the evidence shares a line with.

    The call graph's own functions count; where it has none in a file, those a C++ grammar finds.
    """
    found: set[tuple[str, int]] = set()
    for span in evidence:
        inside = view.overlapping(span)
        for function in inside:
            if function.span is not None:
                found.add((span.file, function.span.start_line))
        if not inside and not view.by_file.get(span.file):
            rows = definitions(ground.project.text.lines(ground.locate(span.file)))
            found.update(
                (span.file, start) for start, end in rows
                if start <= span.end_line and span.start_line <= end
            )  # fmt: skip
    return found


def level_of(evidence: Iterable[Span], ground: Ground, view: ScopeView) -> Level:
    """1: one function; 2: several functions of one file; 3: functions of several files.

    Constants, macros and declarations count for nothing.
    """
    found = functions_in(evidence, ground, view)
    if len({file for file, _line in found}) > 1:
        return 3
    return 2 if len(found) > 1 else 1
