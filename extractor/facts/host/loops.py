"""Loops that count, and what the body of a loop changes, from its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from extractor.facts.host import expression as ex
from extractor.facts.host.expression import Expression
from extractor.facts.host.state import State
from extractor.facts.host.summary import Loop

Value = Callable[[Any, State], Expression]

_MOST_TURNS = 40
"""Turns of a loop that are walked one by one."""

_ASSIGNMENTS = range(22, 33)
_INCREMENTS = {1: 1, 2: -1, 3: 1, 4: -1}
_MULTIPLY, _ADD, _SUBTRACT, _SHIFT = 23, 26, 27, 28


@dataclass(frozen=True)
class Counted:
    """The counter of a loop.

    Attributes:
        key: Its number in the function.
        name: Its name.
        kind: Type code.
        step: Tree of what is added.
        negative: It is subtracted instead.
    """

    key: int
    name: str
    kind: str
    step: list[Any]
    negative: bool


def counted(condition: Any, step: Any, body: Any) -> Counted | None:
    """The counter, where exactly one statement of every turn changes it and the condition asks."""
    found = _change(step) if step is not None else None
    if found is None:
        statements = body[3] if body is not None and body[0] == "{" else []
        changes = [c for c in map(_change, statements) if c is not None]
        asked = {key for key, _, _ in _variables(condition)}
        changes = [change for change in changes if change.key in asked]
        if len(changes) != 1 or _holds(body, "continue"):
            return None
        found = changes[0]
        # Only where the last statement steps does the counter keep its value through the body.
        if not statements or _change(statements[-1]) != found:
            return None
        written = [key for key, _, _ in modified_all([body])]
        return found if written.count(found.key) == 1 else None
    if found.key in {key for key, _, _ in modified([body])}:
        return None
    if found.key not in {key for key, _, _ in _variables(condition)}:
        return None
    return found


def searching(condition: Any, step: Any, body: Any, value: Value, state: State) -> int:
    """How many turns a loop has that looks for something among constants and leaves there.

    Args:
        condition: Tree of what it goes on with.
        step: Tree of what ends each turn.
        body: Its statements.
        value: Gives the value of a tree in a state.
        state: What is known before the first turn.

    Returns:
        The number, where it is a constant; 0 for any other loop, and for one that calls something.
    """
    tags = {node[0] for node in walked(body)}
    if not tags & {"break", "return"} or tags & {"call", "launch", "continue", "goto"}:
        return 0
    count = counted(condition, step, body)
    if count is None or {k for k, _, _ in modified([body])} & {
        k for k, _, _ in _variables(condition)
    }:
        return 0
    own = state.copy()
    turns = 0
    while turns <= _MOST_TURNS:
        known = ex.value_of(value(condition, own))
        if known is None:
            return 0
        if not known:
            return turns
        value(step, own)
        turns += 1
    return 0


def final(loop: Loop, count: Counted | None, changed: set[Any], inside: State) -> Expression | None:
    """The counter behind a loop that only its condition ends."""
    if count is None or loop.variable is None or loop.start is None or loop.step is None:
        return None
    test, step = loop.condition, ex.value_of(loop.step)
    if test[0] != "b" or test[1] not in ("<", "<=") or step is None or step <= 0:
        return None
    left, bound = test[3], test[4]
    if left != loop.variable:
        return None
    moving = {v for v in ex.symbols(bound) if isinstance(v[1], tuple) and v[1][0] in ("at", "loop")}
    if moving & {inside.values.get(key) for key in changed} or loop.variable in moving:
        return None
    kind = count.kind
    if test[1] == "<=":
        bound = ex.binary("+", kind, bound, ex.integer(1, kind))
    distance = ("fn", "max", kind, (ex.binary("-", kind, bound, loop.start), ex.integer(0, kind)))
    if step == 1:
        return ex.binary("+", kind, loop.start, distance)
    turns = ex.binary(
        "/",
        kind,
        ex.binary("+", kind, distance, ex.integer(step - 1, kind)),
        ex.integer(step, kind),
    )
    return ex.binary("+", kind, loop.start, ex.binary("*", kind, turns, ex.integer(step, kind)))


def _change(node: Any) -> Counted | None:
    while isinstance(node, list) and node and node[0] in ("expr", "c"):
        node = node[3]
    if not isinstance(node, list) or not node:
        return None
    if node[0] == "u" and node[1] in _INCREMENTS and node[3][0] == "v":
        target, amount = node[3], ["k", 1, "i32", "1"]
        return Counted(
            target[1], target[2], target[3].lstrip("&"), amount, _INCREMENTS[node[1]] < 0
        )
    if node[0] == "b" and node[1] in (_ADD, _SUBTRACT) and node[3][0] == "v":
        target = node[3]
        return Counted(target[1], target[2], target[3].lstrip("&"), node[4], node[1] == _SUBTRACT)
    return None


ReadsOnly = Callable[[str, int], bool]
"""Told a function and an argument's place: whether that is a pointer to a constant."""


def modified(nodes: list[Any], reads_only: ReadsOnly | None = None) -> list[tuple[int, str, str]]:
    """Variables that trees assign to, or hand out by reference: number, name and type."""
    return list(dict.fromkeys(modified_all(nodes, reads_only)))


def modified_all(
    nodes: list[Any], reads_only: ReadsOnly | None = None
) -> Iterator[tuple[int, str, str]]:
    """As ``modified``, each time it happens."""
    harmless: set[int] = set()
    for node in walked(nodes):
        tag = node[0]
        if reads_only is not None and tag == "call" and len(node) == 9:
            harmless |= {
                id(address)
                for index, argument in enumerate(node[6])
                if reads_only(node[3], index)
                for address in _addresses(argument)
            }
        if id(node) in harmless:
            continue
        targets: list[Any] = []
        if (tag == "b" and len(node) == 5 and node[1] in _ASSIGNMENTS) or (
            tag == "u" and len(node) == 4 and (node[1] in _INCREMENTS or node[1] == 5)
        ):
            targets = [node[3]]
        elif tag == "call" and len(node) == 9:
            targets = [node[6][i] for i in node[7] if i < len(node[6])]
            if node[4] in ("operator=", "operator+=", "operator-=") and node[6]:
                targets.append(node[6][0])
        for target in targets:
            while target and target[0] in ("m", "c", "i"):
                target = target[3] if target[0] in ("m", "c") else target[2]
                if target is None:
                    break
            if target and target[0] == "v":
                yield target[1], target[2], target[3].lstrip("&")


def rising(
    nodes: list[Any], key: int, first: Expression | None, reads_only: ReadsOnly
) -> int | None:
    """What a signed variable is at least, in a loop and behind it, where it only grows there.

    Args:
        nodes: Condition, step and body.
        key: Number of the variable.
        first: Its value before.
        reads_only: As of ``modified``.
    """
    low = None if first is None else ex.value_of(first)
    if low is None or low < 0:
        return None
    grown = sum(_grows(node, key) for node in walked(nodes))
    changes = [kind for k, _, kind in modified_all(nodes, reads_only) if k == key]
    return low if grown == len(changes) and all(kind[:1] == "i" for kind in changes) else None


def _grows(node: list[Any], key: int) -> bool:
    """Whether a tree adds nothing negative to a variable that is none, or multiplies it."""
    if len(node) < 4 or not isinstance(node[3], list) or node[3][:2] != ["v", key]:
        return False
    if node[0] == "u":
        return _INCREMENTS.get(node[1], 0) > 0
    if node[0] != "b" or len(node) != 5 or node[1] not in (_MULTIPLY, _ADD, _SHIFT):
        return False
    by = node[4]
    while by[0] == "c":
        by = by[3]
    return bool(by[0] == "k" and by[1] >= (1 if node[1] == _MULTIPLY else 0))


def _addresses(argument: Any) -> Iterator[list[Any]]:
    """Where an argument takes the address of a variable, itself or as a side of a choice."""
    while argument and argument[0] == "c":
        argument = argument[3]
    if argument and argument[0] == "?":
        yield from _addresses(argument[3])
        yield from _addresses(argument[4])
    elif argument and argument[0] == "u" and argument[1] == 5:
        yield argument


def moving(condition: Any) -> bool:
    """Whether a tree reads what something else may write."""
    return any(
        node[0] in ("m", "i", "call", "x", "g") or (node[0] == "u" and node[1:2] == [6])
        for node in walked(condition)
    )


def walked(nodes: Any) -> Iterator[list[Any]]:
    """Every node of trees, outermost first."""
    stack = [nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            if node and isinstance(node[0], str):
                yield node
            stack.extend(reversed([part for part in node if isinstance(part, list)]))


def _variables(node: Any) -> list[tuple[int, str, str]]:
    return [(n[1], n[2], n[3]) for n in walked(node) if n[0] == "v" and len(n) == 4]


def _holds(node: Any, tag: str) -> bool:
    return any(n[0] == tag for n in walked(node))
