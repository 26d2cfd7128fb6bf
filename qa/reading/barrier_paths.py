"""How many barriers of a function one thread meets, where arms of a test have their own."""

from __future__ import annotations

from collections.abc import Sequence

from qa.reading.function import Call, FunctionReading


def on_a_path(reading: FunctionReading) -> int | None:
    """Barriers that a thread meets on its way through a text, each in a loop counted once.

    Barriers in the two arms of one test stand for each other. ``None`` where ways differ in how
    many they have.
    """
    counts = _counts(reading.barriers, ())
    return counts.pop() if len(counts) == 1 else None


def _counts(barriers: Sequence[Call], above: tuple[tuple[int, str], ...]) -> set[int]:
    """The numbers of barriers on the ways through a part of the text."""
    depth = len(above)
    own = [b for b in barriers if len(b.guards) == depth]
    tests: dict[tuple[int, str], list[Call]] = {}
    for barrier in barriers:
        if len(barrier.guards) > depth:
            guard = barrier.guards[depth]
            tests.setdefault((guard.line, guard.condition), []).append(barrier)
    totals = {len(own)}
    for test, rows in tests.items():
        arms = [
            _counts([b for b in rows if b.guards[depth].negated is negated], (*above, test))
            for negated in (False, True)
        ]
        either = arms[0] | arms[1]
        totals = {total + more for total in totals for more in either}
    return totals
