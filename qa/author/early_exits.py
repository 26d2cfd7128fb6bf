"""Where the functions on a way return before they come to the call, in terms of the public call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.passed_values import fixed_parameters, other_names
from qa.author.reached_with import arguments_of
from qa.author.ways import calls_at
from qa.ground import Ground
from qa.reading.function import Call, FunctionReading, Statement, read_function
from qa.scope_view import FunctionView
from qa.text.brackets import split_at, unwrapped

Step = tuple[FunctionView, Span | None]
_NAME = re.compile(r"(?<![\w.>])[A-Za-z_]\w*")
_NOT_SIZES = re.compile(r"memory_size|handle|status_|\(|->")
_LONGEST, _MOST_PIECES, _MOST_FUNCTIONS = 60, 4, 3


@dataclass(frozen=True)
class Exit:
    """A return ahead of the call, and the alternatives of its test that the public call can meet."""

    function: FunctionView
    condition: str
    pieces: tuple[str, ...]
    first: int
    last: int


def exits_on(steps: Sequence[Step], ground: Ground, launches: Sequence[Call] = ()) -> list[Exit]:
    """The early returns with success on a way, outermost function first.

    What the callers give as a constant is put in: an alternative that it makes false is left out,
    and so is one that an earlier return has dealt with, or that asks for something else than
    arguments of the entry point.

    Args:
        steps: The way, the entry point first.
        ground: The library.
        launches: All places at which the last function makes the launch.
    """
    found: list[Exit] = []
    dealt: dict[str, set[int]] = {}
    functions = [function for function, _at in steps]
    arguments = arguments_of(functions)
    for number, (function, _at) in enumerate(steps[:-1]):
        at = steps[number + 1][1]
        if function.span is None or at is None or at.file != function.file:
            continue
        way = functions[: number + 1]
        fixed = {n: min(v) for n, v in fixed_parameters(way, ground).items() if len(v) == 1}
        reading = read_function(function.text, function.span.start_line)
        own = {p.name for p in reading.parameters} & set(arguments)
        own -= set(other_names(way, arguments))
        last = number == len(steps) - 2
        calls = list(launches) if last else reading.calls_of(steps[number + 1][0].name)
        for back in _returns(reading, at, calls):
            guard = back.guards[-1]
            pieces = [
                piece for piece in split_at(unwrapped(guard.condition), "||")
                if _can_be(piece, fixed, own, ground) and not _is_dealt_with(piece, dealt)
            ]  # fmt: skip
            found.append(Exit(function, guard.condition, tuple(pieces), guard.line, back.last))
    return found


def _returns(reading: FunctionReading, at: Span, calls: Sequence[Call]) -> list[Statement]:
    """Returns with success in a branch of their own, ahead of every place of a call."""
    here = [c for c in reading.calls if c.first <= at.start_line <= c.last]
    places = [*calls, *sorted(here, key=lambda c: len(c.guards))[:1]]
    if not here:
        return []
    return [
        back for back in reading.returns
        if back.guards and not back.loops
        and not back.guards[-1].negated and "success" in back.text
        and all(
            back.last < call.first
            and back.guards[:-1] == call.guards[: len(back.guards) - 1]
            for call in places
        )
        and not _NOT_SIZES.search(back.guards[-1].condition)
    ]  # fmt: skip


def _can_be(piece: str, fixed: Mapping[str, str], own: set[str], ground: Ground) -> bool:
    """The piece asks for arguments of the entry point alone, none of them a constant on the way."""
    names = {
        name for name in _NAME.findall(piece)
        if name not in ground.enumerators and name not in ground.constants
    } - {"true", "false"}  # fmt: skip
    if not names or len(piece) > _LONGEST:
        return False
    # What the way gives as a constant leaves nothing to the caller: never met, or always.
    return not names & set(fixed) and names <= own


def _is_dealt_with(piece: str, dealt: dict[str, set[int]]) -> bool:
    """Sizes for which it holds have left already; what it holds for is remembered."""
    match = re.fullmatch(r"(\w+)\s*(==|<=|<)\s*(\d+)|!(\w+)", piece.strip("() "))
    if match is None:
        known = dealt.setdefault(f"text {piece}", set())
        seen = bool(known)
        known.add(1)
        return seen
    name, limit = match[1] or match[4], int(match[3] or 0)
    sign = match[2] or "=="
    covered = {limit} if sign == "==" else set(range(limit + (sign == "<=")))
    known = dealt.setdefault(name, set())
    if covered <= known:
        return True
    known |= covered
    return False


def tell_early_exits(draft: Draft, steps: Sequence[Step]) -> set[str]:
    """Says for which arguments a call is over before the end of a way.

    Returns:
        The tests that are told or cannot be met, as they are written.
    """
    (launcher, _at), (kernel, _place) = steps[-2], steps[-1]
    sites = [
        site for site in draft.view.launches
        if not site.dead and site.caller.id == launcher.id and site.callee.id == kernel.id
    ]  # fmt: skip
    found = exits_on(steps, draft.ground, calls_at(launcher, sites))
    by_function: dict[str, list[Exit]] = {}
    for one in found:
        if any(not draft.tells(piece) for piece in one.pieces):
            by_function.setdefault(one.function.id, []).append(one)
    parts: list[str] = []
    spans: list[Span] = []
    for rows in list(by_function.values())[:_MOST_FUNCTIONS]:
        pieces = [p for one in rows for p in one.pieces if not draft.tells(p)][:_MOST_PIECES]
        parts.append(
            f"{code(rows[0].function.name)} {'' if parts else 'returns '}where "
            f"{listed([code(p) for p in pieces], 'or')} holds"
        )
        spans += [draft.lines(one.function, one.first, one.last) for one in rows]
        spans.append(draft.head(rows[0].function))
    if parts:
        draft.say(f"Before it comes to that, {listed(parts)}.", *spans)
    return {one.condition for one in found}
