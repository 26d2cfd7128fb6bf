"""The checks of handle and arguments that every call of a library meets on its way."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractor.records import Span
from qa.ground import Ground
from qa.reading.function import Branch, FunctionReading, read_function
from qa.scope_view import FunctionView


def usual_checks(
    ground: Ground, steps: Sequence[tuple[FunctionView, Span | None]]
) -> tuple[str, list[Span]]:
    """The checks that every call meets on a way, in half a sentence, with their lines."""
    kinds: dict[str, Span] = {}
    for number, (function, _at) in enumerate(steps[:-1]):
        at = steps[number + 1][1]
        if function.span is None or at is None or at.file != function.file:
            continue
        reading = read_function(function.text, function.span.start_line)
        for branch in reading.branches:
            if branch.first >= at.start_line or branch.returns is None or branch.guards:
                continue
            lines = ground.span(function.file, branch.first, branch.consequence[0])
            if "invalid_handle" in branch.returns:
                kinds.setdefault("handle", lines)
            elif checking(reading, branch):
                kinds.setdefault("arguments", lines)
    if len(kinds) < 2:
        return "", []
    return "checks of handle and arguments", list(kinds.values())


def checking(reading: FunctionReading, branch: Branch) -> str:
    """The function whose status a branch hands back; nothing where it is no such branch."""
    match = re.fullmatch(r"(\w+)\s*!=\s*\w*status_\w+", branch.condition)
    if match is None or branch.returns != match[1]:
        return ""
    definition = reading.definition(match[1])
    callee = (
        re.match(r"(\w+)\s*(?:<[^;]*>)?\(", definition.value) if definition is not None else None
    )
    return callee[1] if callee is not None else ""
