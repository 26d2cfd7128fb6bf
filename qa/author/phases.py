"""What each barrier of a kernel stands between: accesses as written, and threads that meet there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from extractor.records import Span
from qa.author.draft import Draft, code, listed
from qa.author.kernel_facts import KernelFacts, Row, claim_fact
from qa.author.races import Launched, clash_of
from qa.reading.function import Guard

Part = tuple[Row, list[Row], list[Row]]
"""A barrier, the stores between the one before and it, the loads between it and the next one."""
ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
_MOST_TOLD = 2
_LONGEST_GUARD, _LONGEST_ACCESS = 70, 60


def tell_phase(
    draft: Draft,
    facts: KernelFacts,
    launched: Launched | None,
    parts: Sequence[Part],
    number: int,
) -> bool:
    """Says what one barrier follows and what follows it, with two threads that meet there.

    Args:
        draft: The entry.
        facts: Of the kernel.
        launched: How it is launched, if that is known.
        parts: Barriers that have to do with LDS.
        number: Which of them.

    Returns:
        Whether its accesses could be told as they are written.
    """
    barrier, stores, loads = parts[number]
    place = [row.line for row in facts.of("barrier")].index(barrier.line)
    which = f"the {ORDINALS[place]} one"
    stored, loaded = _accesses(facts, stores), _accesses(facts, loads)
    written, read = listed(stored), listed(loaded)
    are, were = ("are" if len(rows) > 1 else "is" for rows in (stored, loaded))
    if not written and not read:
        return False
    rows, tail = _meeting(facts, launched, stores, loads)
    if written and read:
        text = draft.choose(
            f"Up to {which} {written} {are} stored, and from there on {read} {were} read",
            f"{which.capitalize()} parts the store to {written} from the load of {read}",
            f"Between the store to {written} and the load of {read} stands {which}",
            salt=f"phase{place}",
        )
    elif written:
        text = f"{which.capitalize()} follows the store to {written}"
        later = parts[number + 1][1] if number + 1 < len(parts) else []
        rows, tail = _overwritten(facts, launched, stores, later)
    else:
        text = f"{which.capitalize()} comes before {read} {were} read"
        rows, tail = loads, ""
    told = list({(r.line, r.column): r for r in (*stores, *loads, *rows)}.values())
    draft.say(
        f"{text}{tail}.",
        draft.lines(facts.function, barrier.line), *_spans(draft, facts, told),
        draft.head(facts.function), "fact", *(("recompute",) if tail else ()),
    )  # fmt: skip
    for row in told[:6]:
        claim_fact(draft, row)
    return True


def _spans(draft: Draft, facts: KernelFacts, rows: Sequence[Row]) -> list[Span]:
    """The lines of accesses, and of the tests that are told with them."""
    found = [draft.lines(facts.function, row.line) for row in rows]
    guards = [guard for row in rows if (guard := guard_of(facts, row)) is not None]
    return [*found, *(draft.lines(facts.function, guard.line) for guard in guards)]


def _accesses(facts: KernelFacts, rows: Sequence[Row]) -> list[str]:
    """Accesses as written, each with the innermost test around it."""
    under: dict[str, set[str]] = {}
    for row in rows:
        text = text_of(facts, row)
        if not text:
            continue
        guard = guard_of(facts, row)
        words = ""
        if guard is not None:
            verb = "fails" if guard.negated else "holds"
            words = f" (where {code(guard.condition)} {verb})"
        under.setdefault(text, set()).add(words)
    # What is done in both branches of a test does not hang on it.
    return [
        f"{code(text)}{min(words) if len(words) == 1 else ''}"
        for text, words in list(under.items())[:_MOST_TOLD]
    ]


def text_of(facts: KernelFacts, row: Row) -> str:
    """An access to LDS as the source has it; empty where it is long or stands in a macro."""
    assert facts.function.span is not None
    line = facts.function.text.split("\n")[row.line - facts.function.span.start_line]
    name = re.escape(str(row.value["array"]))
    match = re.search(rf"\b{name}\s*(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])+", line)
    text = re.sub(r"\s+", " ", match[0]) if match is not None else ""
    return text if len(text) <= _LONGEST_ACCESS else ""


def guard_of(facts: KernelFacts, row: Row) -> Guard | None:
    """The innermost test around an access, where it is short enough to be told."""
    reading = facts.reading
    around = [
        one for one in (*reading.stores, *reading.definitions, *reading.calls)
        if one.first <= row.line <= one.last
    ]  # fmt: skip
    if not around or not around[0].guards:
        return None
    guard = min(around, key=lambda one: one.last - one.first).guards[-1]
    plain = len(guard.condition) <= _LONGEST_GUARD and "`" not in guard.condition
    return guard if plain else None


def _meeting(
    facts: KernelFacts, launched: Launched | None, stores: Sequence[Row], loads: Sequence[Row]
) -> tuple[list[Row], str]:
    """An element that one thread stores ahead of a barrier and another one reads behind it."""
    for store in stores:
        for load in loads:
            if store.value["array"] != load.value["array"]:
                continue
            found = _clash(facts, launched, store, load)
            if found is not None:
                writer, reader, place = found
                return [store, load], (
                    f": element {place} of {code(store.value['array'])}, for instance, goes from the "
                    f"thread with `threadIdx.x` = {writer} to the one with `threadIdx.x` = {reader}"
                )
    return [], ""


def _overwritten(
    facts: KernelFacts, launched: Launched | None, stores: Sequence[Row], later: Sequence[Row]
) -> tuple[list[Row], str]:
    """An element that one thread stores ahead of a barrier and another one behind it."""
    for store in stores:
        for other in later:
            text = text_of(facts, other)
            if store.value["array"] != other.value["array"] or not text:
                continue
            found = _clash(facts, launched, store, other)
            if found is not None:
                before, behind, place = found
                return [store, other], (
                    f" and keeps the later store to {code(text)} behind it: element {place} gets its "
                    f"first value from the thread with `threadIdx.x` = {before} and its second from "
                    f"the one with `threadIdx.x` = {behind}"
                )
    return [], ""


def _clash(
    facts: KernelFacts, launched: Launched | None, one: Row, other: Row
) -> tuple[int, int, int] | None:
    """Two threads that come to one element, where no value has to be supposed for that."""
    if one.value["index"] == other.value["index"]:
        return None
    clash = clash_of(facts, one, other, launched)
    if clash is None:
        return None
    before, behind, place, more = clash
    values = more["values"]
    assert isinstance(values, dict)
    indices = one.value["index"] + other.value["index"]
    if any(re.search(rf"\b{re.escape(name)}\b", indices) for name in values):
        return None
    return before, behind, place
