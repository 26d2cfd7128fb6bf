"""How a kernel divides LDS whose size the launch gives, and what it keeps in each part."""

from __future__ import annotations

import re
from dataclasses import dataclass

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.launch_pairs import Pair
from qa.reading.function import (
    Access,
    Call,
    Definition,
    FunctionReading,
    SharedArray,
    read_function,
)  # fmt: skip
from qa.reading.function_text import without_comments
from qa.scope_view import FunctionView, ScopeView
from qa.text.brackets import unwrapped

_MOST_PARTS = 8
_MOST_STORES = 2
_LONGEST = 60
_NAME = re.compile(r"[A-Za-z_]\w*")
_CAST = re.compile(r"(?:reinterpret_cast|static_cast)\s*<[^<>]*>\s*\((.*)\)", re.S)


@dataclass(frozen=True)
class Part:
    """A pointer into the array.

    Attributes:
        at: Its definition.
        extent: Elements up to where the next part begins, as the source has it; or nothing.
        ends: The definition that says so.
        stores: What is stored through it, as ``x[tx] = value``, each with its lines.
        handed: Calls that get it.
    """

    at: Definition
    extent: str
    ends: Definition | None
    stores: tuple[tuple[str, int, int], ...]
    handed: tuple[Call, ...]


def external(reading: FunctionReading) -> list[SharedArray]:
    """Arrays in LDS without an extent."""
    return [array for array in reading.shared if not any(array.extents)]


def parts_of(reading: FunctionReading, text: str) -> list[Part]:
    """Pointers into the array, in the order of the text.

    None where there are too many to tell, or where one moves or hangs on a choice.

    Args:
        reading: The kernel.
        text: Its definition.
    """
    bare = without_comments(text)
    names = {array.name for array in external(reading)}
    rows: list[Definition] = []
    for one in reading.definitions:
        words = set(_NAME.findall(one.value))
        if words & names and len(one.value) < 100 and "*" in one.type + one.text.split("=")[0]:
            rows.append(one)
            names.add(one.name)
    if len(rows) > _MOST_PARTS or any("?" in one.value or _moves(one.name, bare) for one in rows):
        return []
    return [_part(reading, rows, one) for one in rows]


def _begins(value: str) -> tuple[str, str]:
    """Base and elements behind it of a pointer's value: ``y + n`` behind a cast."""
    text = unwrapped(value)
    match = _CAST.fullmatch(text)
    text = unwrapped(match[1]) if match else text
    found = re.fullmatch(r"([A-Za-z_]\w*)\s*\+\s*(.+)", text, re.S)
    return (found[1], found[2].strip()) if found else (text, "")


def _moves(name: str, bare: str) -> bool:
    word = re.escape(name)
    sets = re.findall(rf"(?<![\w.>])\*?\s*{word}\s*[-+]?=(?!=)", bare)
    return len(sets) > 1 or re.search(rf"\+\+\s*{word}\b|\b{word}\s*\+\+", bare) is not None


def _part(reading: FunctionReading, rows: list[Definition], one: Definition) -> Part:
    nexts = {
        more: other for other in rows if other is not one
        for base, more in [_begins(other.value)] if base == one.name and more
    }  # fmt: skip
    stores: dict[str, tuple[str, int, int]] = {}
    for store in reading.stores:
        if store.base == one.name and len(store.text) < _LONGEST:
            stores.setdefault(store.text, (store.text, store.first, store.last))
    handed = [
        call for call in reading.calls
        if one.name in call.arguments and call.name not in ("reinterpret_cast", "static_cast")
    ]  # fmt: skip
    extent, ends = next(iter(nexts.items())) if len(nexts) == 1 else ("", None)
    return Part(one, extent, ends, tuple(stores.values())[:_MOST_STORES], tuple(handed))


def _filled_by(view: ScopeView, part: Part) -> tuple[Call, FunctionView, str, Access] | None:
    """A call that gets a part, the function, its name for the part, and a store through it."""
    for call in part.handed:
        for function in view.by_name.get(call.name, ())[:1]:
            if function.span is None:
                continue
            reading = read_function(function.text, function.span.start_line)
            place = call.arguments.index(part.at.name)
            if place >= len(reading.parameters):
                continue
            name = reading.parameters[place].name
            for store in reading.stores:
                if store.base == name and len(store.text) < _LONGEST:
                    return call, function, name, store
    return None


def kept_is_told(view: ScopeView, parts: list[Part]) -> bool:
    """What every part holds can be told: those that only begin where another one does aside."""
    begun = {_begins(p.at.value)[0] for p in parts if p.at.name != p.at.value}
    begun &= {p.at.name for p in parts if not p.stores and not p.handed}
    return all(p.stores or _filled_by(view, p) or p.at.name in begun for p in parts)


def tell_parts(draft: Draft, pair: Pair, parts: list[Part]) -> None:
    """Where each part begins, how long it is, and what goes into it."""
    reading, kernel = pair.facts.reading, pair.kernel
    array = external(reading)[0]
    head = draft.head(kernel)
    begins = [f"{code(p.at.name)} begins at {code(p.at.value)}" for p in parts]
    how = (
        f"pointers divide it: {listed(begins)}"
        if len(parts) > 1
        else f"one pointer takes it as it is: {code(parts[0].at.name)} is {code(parts[0].at.value)}"
    )
    draft.say(
        f"In {code(kernel.name)} the array {code(array.name)} has no extent of its own, and {how}.",
        draft.lines(kernel, array.first, array.last), *_lines(draft, pair, parts), head,
    )  # fmt: skip
    _tell_locals(draft, pair, parts)
    for part in parts:
        cites = [draft.lines(kernel, part.at.first, part.at.last), head]
        name = code(part.at.name)
        room = f"has {code(part.extent)} elements before the next part" if part.extent else ""
        if part.ends is not None:
            cites.append(draft.lines(kernel, part.ends.first, part.ends.last))
        filled = _filled_by(draft.view, part)
        if part.stores:
            stored = listed([code(text) for text, _first, _last in part.stores])
            cites += [draft.lines(kernel, first, last) for _text, first, last in part.stores]
            told = f"is filled by {stored}"
        elif filled is not None:
            call, function, param, store = filled
            cites += [draft.lines(kernel, call.first, call.last), draft.head(function)]
            cites.append(draft.lines(function, store.first, store.last))
            as_ = "" if param == part.at.name else f" as {code(param)}"
            told = f"goes to {code(call.name)}{as_}, which stores {code(store.text)}"
        else:
            told = ""
        if room or told:
            draft.say(f"{name} {' and '.join(t for t in (room, told) if t)}.", *cites)


def _tell_locals(draft: Draft, pair: Pair, parts: list[Part]) -> None:
    """What the local names in the parts' places are made from."""
    reading, own = pair.facts.reading, {part.at.name for part in parts}
    wanted = [n for part in parts for n in _NAME.findall(_begins(part.at.value)[1])]
    rows: list[Definition] = []
    while wanted:
        name = wanted.pop(0)
        found = [d for d in reading.definitions if d.name == name and len(d.value) < _LONGEST]
        if name in own or len(found) != 1 or found[0] in rows or "*" in found[0].type:
            continue
        rows.append(found[0])
        wanted += _NAME.findall(found[0].value)
    if rows:
        said = listed([f"{code(d.name)} is {code(d.value)}" for d in rows[:4]])
        lines = [draft.lines(pair.kernel, d.first, d.last) for d in rows[:4]]
        draft.say(f"Here {said}.", *lines, draft.head(pair.kernel))


def _lines(draft: Draft, pair: Pair, parts: list[Part]) -> list[Span]:
    return [draft.lines(pair.kernel, p.at.first, p.at.last) for p in parts]
