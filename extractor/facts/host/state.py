"""What is known at a point of a function, and what is known where ways meet again."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from extractor.facts.host import expression as ex
from extractor.facts.host.conditions import Conjunction, conjoin, either, joined, parts
from extractor.facts.host.expression import TRUE, Expression

LARGEST = 1500
"""Nodes of an expression beyond which a value counts as not known."""


@dataclass
class State:
    """A point on one way through a function.

    Attributes:
        path: What holds here.
        local: What the statements around here ask for.
        assumes: What holds here and only a run can tell.
        values: Variables and what pointers refer to.
        stale: Members that a call may have changed, with a number that tells the changes apart.
        started: Something may have been launched.
        wrote: Something may have been written through a pointer.
    """

    path: Conjunction = ()
    local: Conjunction = ()
    assumes: Conjunction = ()
    values: dict[Hashable, Expression] = field(default_factory=dict)
    stale: dict[str, int] = field(default_factory=dict)
    started: bool = False
    wrote: bool = False

    def copy(self) -> State:
        """A state that goes its own way from here."""
        values, stale = dict(self.values), dict(self.stale)
        return State(self.path, self.local, self.assumes, values, stale, self.started, self.wrote)

    def under(self, condition: Expression) -> State | None:
        """The state where a condition holds as well; ``None`` where it cannot."""
        path = conjoin(self.path, condition)
        if path is None:
            return None
        result = self.copy()
        result.path = path
        result.local = self.local if condition == TRUE else (*self.local, condition)
        return result


def meet(
    base: State,
    branches: Sequence[tuple[Expression, State | None, State | None]],
    *,
    whole: bool,
) -> State | None:
    """One state for the ways that go on.

    Args:
        base: The state before they parted.
        branches: For each way its condition, its state right behind the parting, and at the end;
            ``None`` where it cannot be taken, or does not go on.
        whole: One of the ways is taken whatever holds.
    """
    alive = [(c, first, last) for c, first, last in branches if last is not None]
    if not alive:
        return None
    taken = [branch for branch in branches if branch[1] is not None]
    ended = len(alive) < len(taken)
    suffixes = []
    changed = ended or not whole
    assumes: list[Expression] = list(base.assumes)
    for _, first, last in alive:
        assert last is not None
        assert first is not None
        changed = changed or last.path != first.path
        suffixes.append(joined(part for part in last.path if part not in base.path))
        for part in last.assumes:
            if part not in assumes:
                # Said only of this way; whoever takes another need not care, but may know it.
                assumes.append(part)
    path: Conjunction | None = base.path
    if changed:
        condition = either(suffixes)
        if ended and ex.holds_call(condition):
            # A way out on what only a run can tell, such as a status.
            for part in parts(condition):
                if ex.holds_call(part) and not _chooses(part):
                    if part not in assumes:
                        assumes.append(part)
                else:
                    path = conjoin(path or (), part)
                    if path is None:
                        return None
        else:
            path = conjoin(base.path, condition)
            if path is None:
                return None
    result = State(path or (), base.local, tuple(assumes))
    result.started = any(last.started for _, _, last in alive if last is not None)
    result.wrote = any(last.wrote for _, _, last in alive if last is not None)
    for _, _, last in alive:
        assert last is not None
        for name, number in last.stale.items():
            result.stale[name] = max(number, result.stale.get(name, 0))
    result.values = _values([(c, last) for c, _, last in alive if last is not None])
    return result


def failed(conditions: Conjunction) -> bool:
    """Whether a way is taken only where a step before it failed, which only a run can tell."""
    return any(ex.holds_call(one) and not _chooses(one) for one in conditions)


def _chooses(x: Expression) -> bool:
    """Whether a condition weighs what a call returned, as a size or a property of the device, and
    does not only ask whether the call failed."""
    if x[0] != "b":
        return False
    if x[1] in ("&&", "||"):
        return _chooses(x[3]) or _chooses(x[4])
    return x[1] in ex.COMPARISONS and any(
        side[0] == "k" and side[2] not in ("b", "p") for side in (x[3], x[4])
    )


def _values(alive: list[tuple[Expression, State]]) -> dict[Hashable, Expression]:
    first = alive[0][1].values
    if len(alive) == 1:
        return dict(first)
    result: dict[Hashable, Expression] = {}
    keys = dict.fromkeys(key for _, state in alive for key in state.values)
    for key in keys:
        # What a pointer refers to is itself its key, and its value where nothing was written.
        initial = key if isinstance(key, tuple) else None
        held = [(c, state.values.get(key, initial)) for c, state in alive]
        if any(value is None for _, value in held):
            continue  # declared on one way only
        known = [(c, value) for c, value in held if value is not None]
        value = known[-1][1]
        for condition, other in reversed(known[:-1]):
            value = ex.conditional(condition, other, value, ex.type_of(other))
        if ex.size(value) > LARGEST:
            value = ("x", "(a choice too long to state)", ex.type_of(value))
        result[key] = value
    return result
