"""What an instruction says of a kernel's memory: offsets, scalars of zero, and cooperation."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from qa.author.draft import Draft, code, counted, listed
from qa.author.kernel_facts import KernelFacts, Row, plain_index
from qa.reading.barrier_paths import on_a_path
from qa.reading.function import FunctionReading, read_function
from qa.scope_view import FunctionView, ScopeView

_MOST_OFFSETS, _MOST_LOOPS, _MOST_ARRAYS = 6, 3, 4
_LONGEST_HEAD = 90
_PLACES = ("row", "column", "batch")


def layout(draft: Draft, facts: KernelFacts) -> str:
    """Where a thread reads and writes, as offsets and, where known, as rows and columns."""
    offsets: dict[tuple[str, str], tuple[set[str], dict[str, Any]]] = {}
    whole = True
    for row in _accesses(facts):
        index, buffer = row.value.get("index"), str(row.value.get("buffer"))
        if not plain_index(index) or not re.match(r"\w+$", buffer):
            whole = False
            continue
        access = "writes" if row.value["access"] == "store" else "reads"
        offsets.setdefault((buffer, str(index)), (set(), row.value))[0].add(access)
    if not offsets:
        return ""
    rows = [
        f"{listed(sorted(verbs))} {code(buffer)} at offset {code(index)}{_element(value)}"
        for (buffer, index), (verbs, value) in list(offsets.items())[:_MOST_OFFSETS]
    ]
    lead = draft.choose(
        "A thread ", "Each thread ", "As to the layout, a thread ", salt="layout"
    )  # fmt: skip
    if not whole or len(offsets) > _MOST_OFFSETS:
        lead = "Among other accesses, a thread "
    return f"{lead}{listed(rows)}.{_loops(facts, (value for _verbs, value in offsets.values()))}"


def _accesses(facts: KernelFacts) -> Iterator[Row]:
    """Accesses of one instantiation to anything but scalars."""
    symbol = facts.symbol()
    for row in facts.of("global_access", own=False):
        if row.fact.get("instantiation") in (None, symbol) and not re.match(
            r"(?:alpha|beta)", str(row.value.get("buffer"))
        ):
            yield row


def part(facts: KernelFacts) -> str:
    """Which of its arguments a kernel reads and which it writes, as a sentence."""
    touched: dict[str, list[str]] = {"load": [], "store": []}
    for row in _accesses(facts):
        name = str(row.value.get("buffer")).split("[")[0]
        kind = row.value["access"]
        if kind not in touched or not re.fullmatch(r"\w+", name):
            return ""  # an atomic, or memory that no argument names
        if name not in touched[kind]:
            touched[kind].append(name)
    reads, writes = ([code(name) for name in touched[kind]] for kind in ("load", "store"))
    if not writes:
        return ""
    read = f"reads {listed(reads)} and " if reads else ""
    return f"The kernel's own part: it {read}writes {listed(writes)}."


def _element(value: dict[str, Any]) -> str:
    """The element in the terms of the matrix."""
    matrix = value.get("matrix") or {}
    if not {"row", "column"} <= set(matrix):
        return ""
    told = [f"{name} {code(str(matrix[name]))}" for name in _PLACES if matrix.get(name)]
    return f" ({listed(told)})"


def _loops(facts: KernelFacts, values: Iterable[dict[str, Any]]) -> str:
    """How the loop variables of the offsets run."""
    names = {
        name for value in values for name, what in (value.get("symbols") or {}).items()
        if isinstance(what, dict) and what.get("kind") == "loop variable"
    }  # fmt: skip
    heads: dict[str, str] = {}
    for loop in facts.reading.loops:
        if loop.variable in names and len(loop.head) <= _LONGEST_HEAD:
            if loop.variable in heads and heads[loop.variable] != loop.head:
                return ""  # one name for several loops
            heads[loop.variable] = loop.head
    if not heads or len(heads) > _MOST_LOOPS:
        return ""
    return f" There {listed([f'{code(n)} runs as {code(h)}' for n, h in sorted(heads.items())])}."


def scalars(facts: KernelFacts) -> str:
    """What happens where alpha or beta is zero, as far as it is the same wherever it is tested."""
    told: dict[str, set[str]] = {}
    for row in facts.of("scalar_handling", own=False):
        if not _named(row):
            continue
        # A test of two scalars at once says nothing about either alone.
        several = bool(row.value.get("together"))
        what = "" if several else _of_zero(facts, row)
        if row.value.get("equals") == 0 or several:
            told.setdefault(_named(row), set()).add(what)
    parts = [next(iter(words)) for words in told.values() if len(words) == 1]
    parts = [part for part in parts if part]
    return f"Scalars: {'; '.join(parts)}." if parts else ""


def _named(row: Row) -> str:
    name = str(row.fact["subject"])
    return name if re.match(r"alpha|beta", name) else ""


def _of_zero(facts: KernelFacts, row: Row) -> str:
    name, then, other = code(_named(row)), row.value.get("then"), row.value.get("else")
    if not isinstance(then, dict) or not isinstance(other, dict):
        return ""
    reads, writes, kept = then["reads"], then["writes"], other["writes"]
    if then["returns"] and not reads and not writes:
        return f"where {name} is zero, it returns at once"
    if then["returns"]:
        return ""
    if not reads and not writes and kept and all(_only_there(facts, row, b) for b in kept):
        left = listed([code(b) for b in kept])
        return f"where {name} is zero, {left} {'stays as it is' if len(kept) == 1 else 'stay as they are'}, whatever the operands hold"
    if writes and not set(writes) & set(reads) and set(writes) <= set(other["reads"]):
        return f"where {name} is zero, {listed([code(b) for b in writes])} {'is' if len(writes) == 1 else 'are'} written without being read, so that NaN in it does not spread"
    return ""


def _only_there(facts: KernelFacts, row: Row, buffer: str) -> bool:
    """Every store to a buffer stands in the lines of the test."""
    lines = row.span
    stores = [
        one for one in facts.of("global_access", own=False)
        if one.value["access"] == "store" and str(one.value["buffer"]).split("[")[0] == buffer
    ]  # fmt: skip
    return bool(stores) and all(
        one.span.file == lines.file and lines.start_line <= one.span.start_line <= lines.end_line
        for one in stores
    )


def cooperation(facts: KernelFacts, view: ScopeView) -> str:
    """LDS arrays, barriers, shuffles and atomics, with those of the functions that it calls."""
    parts = []
    called = _device_functions(facts.function, view)
    for array in facts.reading.shared[:_MOST_ARRAYS]:
        size = "".join(f"[{extent}]" for extent in array.extents)
        parts.append(f"{code(f'{array.type} {array.name}{size}')} lies in LDS")
    recursive = {one for one in called if calls_itself(view, one)}
    parts += _barriers(facts, called, recursive)
    for pattern, words in (
        ("__shfl", "lanes exchange values with"),
        ("atomic", "results are combined with"),
    ):
        names = sorted(
            {
                c.name
                for reading in (facts.reading, *called.values())
                for c in reading.calls
                if c.name.startswith(pattern)
            }
        )
        if names:
            parts.append(f"{words} {listed([code(n) for n in names])}")
    return ("Cooperation: " + "; ".join(parts) + ".") if parts else ""


def _device_functions(function: FunctionView, view: ScopeView) -> dict[str, FunctionReading]:
    """Device functions that one calls, at whatever depth, by their ids."""
    found: dict[str, FunctionReading] = {}
    queue = list(view.callees.get(function.id, ()))
    while queue:
        one = queue.pop(0)
        if one.kind == "device" and one.span is not None and one.id not in found:
            found[one.id] = read_function(one.text, one.span.start_line)
            queue += view.callees.get(one.id, ())
    return found


def calls_itself(view: ScopeView, identity: str) -> bool:
    """An instantiation of a function is called by another one of the same function."""
    return any(
        caller in view.owner and view.owner[caller].id == identity
        for one in view.by_id[identity].instantiations
        for caller in view.callers.get(one["id"], ())
    )


def _called_as(identity: str) -> str:
    """A function's name from its id, an operator's with its class."""
    parts = identity.rsplit("/", 1)[-1].split(":", 2)[-1].split("::")
    return "::".join(parts[-2:] if parts[-1].startswith("operator") else parts[-1:])


def counted_in(barriers: int, *, more: bool, again: bool) -> str:
    """How many barriers a function has; a recursion meets them at each of its levels."""
    words = f"{barriers} more" if more else str(barriers)
    return f"{words} at each level of its recursion" if again else words


def _barriers(
    facts: KernelFacts, called: dict[str, FunctionReading], recursive: Collection[str]
) -> list[str]:
    """How many barriers order the phases, those in called functions apart."""
    own = len(facts.reading.barriers)
    met = on_a_path(facts.reading)
    apart = ""
    if own and met is not None and met < own:
        apart = f" (of {own} in its text, since arms of a test have their own)"
        own = met
    within = {
        _called_as(identity): counted_in(
            len(reading.barriers), more=bool(own), again=identity in recursive
        )
        for identity, reading in called.items() if reading.barriers
    }  # fmt: skip
    if not within:
        words = "orders" if own == 1 else "order"
        return [f"{counted(own, 'barrier')}{apart} {words} its phases"] if own else []
    there = listed([f"{code(name)} has {words}" for name, words in within.items()])
    if not own:
        return [f"its phases are ordered by barriers in functions that it calls: {there}"]
    words = "orders" if own == 1 else "order"
    return [
        f"{counted(own, 'barrier')} of its own{apart} {words} its phases, and in functions that it calls {there}"
    ]
