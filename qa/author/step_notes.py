"""What steps of an instruction need beside their own words: builds, `if constexpr`, references."""

from __future__ import annotations

import re
from collections.abc import Sequence

from qa.author.draft import Draft, code, listed
from qa.reading.function import Call, FunctionReading, Statement
from qa.reading.function_text import blanked, parameters_of, under_directive, without_comments
from qa.scope_view import FunctionView

_FILLS = re.compile(r", which fills (?:`\w+`(?:, | and )?)+(?<! and )")


def hangs_on_the_build(function: FunctionView, steps: Sequence[Statement]) -> bool:
    """A step stands between ``#if`` and ``#endif``, or a build has other lines in their place."""
    assert function.span is not None
    start = function.span.start_line
    others = re.search(r"^[ \t]*#[ \t]*(?:else|elif)\b", without_comments(function.text), re.M)
    return others is not None or any(
        under_directive(function.text, step.first - start) for step in steps
    )


def settled_early(reading: FunctionReading, told: str) -> str:
    """Says of tests that are told which of them the compiler settles: ``if constexpr``."""
    early = [b.condition for b in reading.branches if b.constexpr and code(b.condition) in told]
    if not early:
        return ""
    tests, one = listed([code(test) for test in dict.fromkeys(early)]), len(set(early)) == 1
    return f" {tests} {'is' if one else 'are'} settled at compile time (`if constexpr`): what stands in the branch not taken must not be instantiated."


def _may_be_set(kind: str) -> bool:
    """A reference to what is not constant: ``T&``, and ``const T*&``, a pointer that may move."""
    if "&" not in kind or "&&" in kind:
        return False
    return "const" not in (kind.rsplit("*", 1)[1] if "*" in kind else kind)


def with_references(draft: Draft, at: Statement, words: str) -> str:
    """A call's words, with the arguments that the callee takes by reference and may set."""
    if not isinstance(at, Call) or not re.match(r"call |inside |check ", words):
        return words
    found: list[str] = []
    for callee in draft.view.by_name.get(at.name, ())[:1]:
        kinds = parameters_of(blanked(callee.text[: callee.text.find("{")]))
        for parameter, argument in zip(kinds, at.arguments, strict=False):
            if _may_be_set(parameter.type) and re.fullmatch(r"\w+", argument):
                found.append(code(argument))
    if not found:
        return words
    made = [code(a[1:]) for a in at.arguments if re.fullmatch(r"&\w+", a)]
    names = list(dict.fromkeys([*made, *found]))
    said = f", which takes {listed(names)} by reference and may set {'it' if len(names) == 1 else 'them'}"
    fills = _FILLS.search(words)
    if fills is not None:
        return words[: fills.start()] + said + words[fills.end() :]
    head, keeps, tail = words.partition(" and keep what it gives")
    return head + said + keeps + tail


def loop_heads(function: FunctionView, reading: FunctionReading) -> dict[int, str]:
    """What loops say of their turns, by their lines; nothing where a directive chooses the loop."""
    assert function.span is not None
    start = function.span.start_line
    return {
        loop.first: "" if under_directive(function.text, loop.first - start) else loop.head
        for loop in reading.loops
    }
