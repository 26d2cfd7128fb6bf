"""What an instruction says that a function has to do: its tests, with their names explained."""

from __future__ import annotations

import re
from collections.abc import Collection

from qa.author.draft import Draft, code, listed
from qa.reading.definitions import times_set
from qa.reading.function import Branch, FunctionReading

_BUILT_IN = re.compile(r"(?:threadIdx|blockIdx|hipThreadIdx|hipBlockIdx)(?:_[xyz]|\b)")
_LITERALS = ("true", "false", "0", "1")  # what a macro of the build leaves of a test
_MOST_TESTS = 12
_LONGEST_TEST = 260
_LAST_RETURN = re.compile(r"\breturn\s+([^;]+);\s*\}\s*$")
_LONGEST_VALUE = 90
FRAGMENT = "Among other things it has to do this: "
"""How a telling begins that leaves most of the work out."""


def behaviour(draft: Draft, text: str, reading: FunctionReading, callees: Collection[str]) -> str:
    """The outer tests in the order of the text and what follows from each.

    Args:
        draft: The entry.
        text: The function's source.
        reading: The same, read.
        callees: Names of functions and kernels that it calls.
    """
    parts: list[str] = []
    explained: dict[str, str] = {}
    whole = all(not (b.guards or b.loops) for b in reading.branches)
    for branch in reading.branches:
        if branch.guards or branch.loops or branch.condition in _LITERALS:
            continue
        if len(branch.condition) > _LONGEST_TEST:
            whole = False
            continue
        what = _consequence(reading, branch, callees)
        names = _explanations(text, reading, branch.condition)
        if names is None and branch.returns is not None:
            names = {}  # a status that callers see is told even where a name stays open
        if what is None or names is None:
            whole = False
            continue
        explained.update(names)
        whole = whole and not (branch.otherwise and "otherwise" not in what)
        parts.append(f"for {code(branch.condition)} {what}")
    whole = whole and not reading.loops
    if not parts or len(parts) > _MOST_TESTS:
        return ""
    last = _LAST_RETURN.search(text)
    if last and re.fullmatch(r"\w+", last[1]) and last[1] not in ("void", "st", "status"):
        parts.append(f"at the end return {code(last[1])}")
    lead = draft.choose(
        "Behaviour, in this order: ", "It has to do the following: ", "Required: ", salt="behaviour"
    )
    if not whole:
        lead = FRAGMENT
    return lead + "; ".join(parts) + "." + _told(explained)


def bounds(draft: Draft, text: str, reading: FunctionReading) -> str:
    """The tests on a thread's place that memory accesses stand behind."""
    places = _places(reading)
    shown: list[str] = []
    leaving: list[str] = []
    explained: dict[str, str] = {}
    for branch in reading.branches:
        condition = branch.condition
        used = set(re.findall(r"[A-Za-z_]\w*", condition))
        if (
            branch.constexpr or len(condition) > 80 or "warpSize" in condition
            or not re.search(r"[<>]", condition)
            or not (used & places or _BUILT_IN.search(condition))
        ):  # fmt: skip
            continue
        names = _explanations(text, reading, condition)
        rows = leaving if branch.returns is not None else shown
        if names is not None and code(condition) not in rows and len(shown) + len(leaving) < 3:
            rows.append(code(condition))
            explained.update(names)
    if not shown and not leaving:
        return ""
    left = f"A thread for which {listed(leaving, 'or')} holds leaves at once." if leaving else ""
    if not shown:
        return left + _told(explained)
    said = draft.choose(
        f"A thread's place is tested by {listed(shown)}.",
        f"Respect the bounds {listed(shown)}.",
        f"What a thread may touch is bounded by {listed(shown)}.",
        salt="guards",
    )
    return f"{left} {said}".strip() + _told(explained)


def _consequence(reading: FunctionReading, branch: Branch, callees: Collection[str]) -> str | None:
    """What a branch does: its return, else what it calls; ``None`` where neither is known."""
    if branch.returns is not None:
        if re.fullmatch(r"[\w:]*", branch.returns):
            return f"return {code(branch.returns)}" if branch.returns else "return at once"
        handed = re.match(r"(\w+)\s*(?:<[^;]*>)?\(", branch.returns)
        return f"return what {code(handed[1])} gives" if handed else None
    ways: dict[bool, list[str]] = {False: [], True: []}
    for call in reading.calls:
        for guard in call.guards[:1]:
            if guard.condition != branch.condition or guard.line != branch.first:
                continue
            words = set(re.findall(r"\w+", call.text))
            ways[guard.negated] += [
                n for n in callees if n in words and n not in ways[guard.negated]
            ]
    held, failed = ways[False], ways[True]
    if held and failed and set(held) != set(failed):
        return f"use {listed([code(n) for n in held[:4]])}, otherwise {listed([code(n) for n in failed[:4]])}"
    if held and not failed:
        return f"use {listed([code(n) for n in held[:4]])}"
    return None


def _places(reading: FunctionReading) -> set[str]:
    """Local names that are made from a thread's built-in indices."""
    found: set[str] = set()
    for definition in reading.definitions:
        used = set(re.findall(r"[A-Za-z_]\w*", definition.value))
        if used & found or _BUILT_IN.search(definition.value):
            found.add(definition.name)
    return found


def _explanations(
    text: str, reading: FunctionReading, condition: str, depth: int = 1
) -> dict[str, str] | None:
    """Local names of a condition and what they stand for; ``None`` where one cannot be told."""
    parameters = {p.name for p in reading.parameters}
    found: dict[str, str] = {}
    for name in re.findall(r"(?<![\w.>:])[a-z_]\w*", condition):
        if name in parameters or name in found:
            continue
        rows = [d for d in reading.definitions if d.name == name]
        if not rows:
            if any(loop.variable == name for loop in reading.loops):
                return None
            continue  # a function, an enumerator or a word of the language
        value = rows[0].value.strip()
        handed = re.match(r"(?:std::)?(\w+)\s*(?:<[^;]*>)?\(", value)
        if len(rows) > 1 or times_set(text, name) > 1:
            return None  # it has another value by then, perhaps
        if rows[0].type == "rocblas_status" and handed:
            found[name] = f"what {code(handed[1])} returns"
        elif 0 < len(value) <= _LONGEST_VALUE and (
            not value.startswith("(") or re.search(r"\bbool\b|\bint", rows[0].type)
        ):  # what stands in parentheses may be the arguments of a constructor
            found[name] = code(value)
            within = _explanations(text, reading, value, depth - 1) if depth else None
            found.update(within or {})
        else:
            return None
    return found


def _told(explained: dict[str, str]) -> str:
    if not explained:
        return ""
    rows = [f"{code(name)} is {value}" for name, value in explained.items()]
    return f" Here {listed(rows)}."
