"""What an answer says of tests, held against the calls that it claims, made again.

A claimed launch names a call. Made again by a host side that counts, the call shows how each test
of each function came out, and how often each line ran. A sentence that says otherwise of a test is
refused, however plausible.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from qa.executed import Run
from qa.gates.case import Case
from qa.gates.launches import find_trace
from qa.scope_view import FunctionView

_SUPPOSED = re.compile(
    r"\b(?:if|when|whenever|unless|where|were|would|could|until|should|had|once|suppose\w*|"
    r"otherwise|requires?|required|needs?|demands?|only|whether|else|except|instead|before|"
    r"returns?)\b",
    re.I,
)
_VERB = re.compile(r"\s*(?:,? which (?:it|they|this))?\s*(holds?|fails?)\b(?! in turn)")
_JOINED = re.compile(r"(?:,|,? and|,? or|,? nor)\s*(?:on gfx\w+ at\s*)?|\s+")
_AT = re.compile(r"\bfails?(?:, on gfx\w+)? at $|\b(?:neither|none of) $|, on gfx\w+ at $")
_TIMES = re.compile(r"^`(\w+)` (?:makes that call|calls `\w+`) (\d+) times\b")
_VALUE = re.compile(r"`(\w+)` = `?'?(-?\w+(?:\.\d+)?)'?`?")
_ARCHITECTURE = re.compile(r"\bgfx\w+\b")
_MOST_CALLS = 6
NOT_MADE = (
    "claimed calls that were not made again, so that nobody looked at how their tests came out"
)
Told = tuple[str, bool]


def as_executed(case: Case) -> str | None:
    """Tests came out, and calls were made as often, as the answer says, in some claimed call."""
    if case.is_code or not re.search(r"\b(?:holds?|fails?)\b|\d times\b", case.entry.answer):
        return None
    calls = list(_calls(case))
    if not calls:
        return None
    functions = [f for f in case.evidence_functions if f.kind != "kernel" and f.span is not None]
    meant = calls
    for sentence in case.sentences:
        meant = _meant(sentence, calls) or meant
        why = _count(sentence, meant, functions)
        if why is None and not _SUPPOSED.search(re.sub(r"`[^`]*`", "", sentence)):
            why = _tests(sentence, meant, functions)
        if why:
            return f"{why}: {sentence[:90]}"
    return None


def _calls(case: Case) -> Iterator[tuple[dict[str, Any], dict[str, Run]]]:
    """The claimed calls, as they ran."""
    seen: list[dict[str, Any]] = []
    for claim in case.entry.claims:
        value = claim.value
        if claim.type != "launch" or not isinstance(value, dict):
            continue
        call = {
            k: value.get(k) for k in ("entry", "config", "args", "arch", "pointer_mode", "atomics")
        }
        if call in seen or not isinstance(call["args"], dict):
            continue
        seen.append(call)
        if len(seen) > _MOST_CALLS:
            case.left_out[NOT_MADE] += 1
            continue
        trace = find_trace(case, value)
        if trace is not None:
            named = value.get("arch")
            archs = [a for a in trace["arch"] if isinstance(named, list) and a in named]
            archs = archs or trace["arch"]
            runs = case.ground.runs(case.view, trace)
            if own := {arch: runs[arch] for arch in archs if arch in runs}:
                yield call, own
                continue
        case.left_out[NOT_MADE] += 1


def _meant(
    sentence: str, calls: list[tuple[dict[str, Any], dict[str, Run]]]
) -> list[tuple[dict[str, Any], dict[str, Run]]]:
    """The calls that a sentence names by an argument or an architecture that not all have."""
    values = _VALUE.findall(sentence)
    archs = set(_ARCHITECTURE.findall(re.sub(r"`[^`]*`", "", sentence)))
    found = []
    for call, runs in calls:
        args = {name: str(value) for name, value in call["args"].items()}
        given = [(name, value) for name, value in values if name in args]
        own = {arch: run for arch, run in runs.items() if not archs or arch in archs}
        if own and all(args[name] == value for name, value in given):
            found.append((call, own))
    return found if len(found) < len(calls) or archs else []


def _tests(
    sentence: str,
    calls: list[tuple[dict[str, Any], dict[str, Run]]],
    functions: list[FunctionView],
) -> str | None:
    own = [f for f in functions if f"`{f.name}`" in sentence] or functions
    for text, fails in told_tests(sentence):
        truths = {
            run.truth(function, text)
            for _call, runs in calls for run in runs.values() for function in own
            if run.asks(function, text)
        }  # fmt: skip
        if truths == {fails}:
            return f"negated condition: {text[:60]} {'holds' if fails else 'fails'} in that call"
    return None


def told_tests(sentence: str) -> list[Told]:
    """Pieces of code in a sentence with a verb for them: each with whether it is said to fail."""
    pieces = sentence.split("`")
    texts = pieces[1::2]
    behind = [*pieces[2::2], ""]
    found: list[Told] = []
    waiting: list[str] = []
    below: str | None = None  # parts of what has failed
    for before, text, after in zip(pieces[::2], texts, behind, strict=False):
        if _AT.search(before):
            below, waiting = "fails", []
        elif not _JOINED.fullmatch(before):
            below, waiting = None, []
        waiting.append(text)
        verb = _VERB.match(after)
        if below is not None and (verb is None or verb[1].startswith("hold")):
            found.append((text, True))
            if verb is not None:
                below, waiting = None, []
        elif verb is not None:
            # In a list that goes on from parts of a failed test only the last one has the verb.
            said = [text] if below is not None else waiting
            found += [(one, verb[1].startswith("fail")) for one in said]
            below, waiting = None, []
    return found


def _count(
    sentence: str,
    calls: list[tuple[dict[str, Any], dict[str, Run]]],
    functions: list[FunctionView],
) -> str | None:
    """A call is made as often as it is said to be."""
    match = _TIMES.match(sentence)
    if match is None:
        return None
    own = [function for function in functions if function.name == match[1]]
    counts = {
        count
        for _call, runs in calls for run in runs.values() for function in own
        if function.span is not None
        for line in range(function.span.start_line, function.span.end_line + 1)
        if (count := run.count(function, line))
    }  # fmt: skip
    if counts and int(match[2]) not in counts:
        return f"no line of {match[1]} runs {match[2]} times in that call"
    return None
