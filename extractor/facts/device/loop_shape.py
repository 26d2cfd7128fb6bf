"""What a loop's text says: its parts, how it changes variables, how it can end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from extractor.facts.device import node as n
from extractor.facts.device.node import Node


@dataclass
class Change:
    """How a loop changes a variable: by a step once each time round, or somehow."""

    step: Node | None = None
    sign: int = 1
    steady: bool = False
    skipped: bool = False


def parts_of(node: Node) -> tuple[list[Node], list[Node], list[Node], Node]:
    """Initialiser, condition, increment and body of a loop."""
    kids = list(node[n.KIDS])
    if node[n.KIND] == n.DO:
        return [], kids[1:], [], kids[0]
    *head, body = kids
    if node[n.KIND] == n.WHILE:
        return [], head, [], body
    if node[n.KIND] == n.FOR_RANGE:
        return [kid for kid in head if kid[n.KIND] < 200], [], [], body
    text = node[n.EXTRA] if isinstance(node[n.EXTRA], str) else ""
    first, second = _semicolons(text)
    if first < 0:
        if len(head) == 3:
            return [head[0]], [head[1]], [head[2]], body
        return [], head[:1], head[1:], body
    start = node[n.BEGIN]
    parts: tuple[list[Node], list[Node], list[Node]] = ([], [], [])
    for kid in head:
        offset = kid[n.BEGIN] - start
        parts[0 if offset <= first else 1 if offset <= second else 2].append(kid)
    return (*parts, body)


def _semicolons(text: str) -> tuple[int, int]:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: " " * len(match[0]), text, flags=re.S)
    depth, found = 0, []
    for position, character in enumerate(text):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(character, 0)
        if character == ";" and depth == 1:
            found.append(position)
    return (found[0], found[1]) if len(found) == 2 else (-1, -1)


def leaves_early(body: Node) -> bool:
    """Whether a ``break`` or a ``return`` can end the loop."""

    def inside(node: Node, nested: bool) -> bool:
        kind = node[n.KIND]
        if kind in (n.RETURN, n.GOTO) or (kind == n.BREAK and not nested):
            return True
        deeper = nested or kind in (n.FOR, n.WHILE, n.DO, n.SWITCH, n.FOR_RANGE)
        return any(inside(kid, deeper) for kid in node[n.KIDS])

    return any(inside(kid, False) for kid in body[n.KIDS])


def changes_in(
    looked_at: list[Node], body: Node, increment: list[Node], references: frozenset[int]
) -> dict[Any, Change]:
    """How each variable changes in a loop's parts."""
    found: dict[Any, Change] = {}
    steady_places = {id(node) for node in _top_level(body, increment)}
    skipped = any(node[n.KIND] == n.CONTINUE for node in n.walk(body))
    in_increment = {id(node) for kid in increment for node in n.walk(kid)}

    def change(target: Node, step: Node | None, sign: int, node: Node) -> None:
        target = n.stripped(target)
        key = _key(target)
        if key is None:
            return
        always = id(node) in steady_places and (not skipped or id(node) in in_increment)
        if key in found or not sign:
            found[key] = Change(skipped=skipped)
        else:
            steady = always and not isinstance(key, tuple)
            found[key] = Change(step, sign, steady, skipped)
        if isinstance(key, tuple):
            found.setdefault(key[0], Change(skipped=True))

    for part in looked_at:
        for node in n.walk(part):
            _change_of(node, change, references)
    return found


def _change_of(node: Node, change: Any, references: frozenset[int]) -> None:
    kind, kids = node[n.KIND], node[n.KIDS]
    if kind == n.UNARY and node[n.EXTRA] in (n.POST_INC, n.PRE_INC, n.POST_DEC, n.PRE_DEC):
        change(kids[0], None, 1 if node[n.EXTRA] in (n.POST_INC, n.PRE_INC) else -1, node)
    elif kind == n.UNARY and node[n.EXTRA] == n.ADDRESS:
        change(kids[0], None, 0, node)
    elif kind == n.COMPOUND_ASSIGN:
        sign = {26: 1, 27: -1}.get(node[n.EXTRA], 0)
        change(kids[0], kids[1], sign, node)
    elif kind == n.BINARY and node[n.EXTRA] == 22:
        step, sign = _self_added(kids[0], kids[1])
        change(kids[0], step, sign, node)
    elif kind == n.CALL and node[n.EXTRA]:
        name, parameters = node[n.EXTRA][1], node[n.EXTRA][6]
        arguments = [kid for kid in kids if kid[n.KIND] != n.OBJECT]
        if name.startswith("operator") and name.endswith("=") and arguments:
            if name not in ("operator==", "operator!=", "operator<=", "operator>="):
                change(kids[0], None, 0, node)
                for kid in kids:
                    if kid[n.KIND] == n.OBJECT:
                        change(kid[n.KIDS][0], None, 0, node)
        elif len(parameters) == len(arguments):
            for kid, parameter in zip(arguments, parameters, strict=True):
                # An argument that keeps its own place may be bound to a reference.
                if parameter in references:
                    change(kid, None, 0, node)


def _self_added(target: Node, value: Node) -> tuple[Node | None, int]:
    """The step of ``v = v + step``."""
    key, node = _key(n.stripped(target)), n.stripped(value)
    if node[n.KIND] == n.BINARY and node[n.EXTRA] in (6, 7):
        left, right = node[n.KIDS]
        if _key(n.stripped(left)) == key:
            return right, 1 if node[n.EXTRA] == 6 else -1
        if _key(n.stripped(right)) == key and node[n.EXTRA] == 6:
            return left, 1
    return None, 0


def _key(node: Node) -> Any:
    if node[n.KIND] == n.DECL_REF and node[n.EXTRA]:
        return node[n.EXTRA][0] if node[n.EXTRA][0] >= 0 else None
    if node[n.KIND] == n.MEMBER_REF and isinstance(node[n.EXTRA], list) and node[n.KIDS]:
        base = _key(n.stripped(node[n.KIDS][0]))
        kind = node[n.KIDS][0]
        if base is None or kind[n.KIND] == n.SUBSCRIPT:
            return None
        if isinstance(base, tuple):
            return (base[0], f"{base[1]}.{node[n.EXTRA][1]}")
        return (base, node[n.EXTRA][1])
    return None


def _top_level(body: Node, increment: list[Node]) -> Iterable[Node]:
    """Expressions that run exactly once each time round."""
    statements = body[n.KIDS] if body[n.KIND] == n.COMPOUND else [body]
    for statement in [*statements, *increment]:
        node = n.stripped(statement)
        yield node
        if node[n.KIND] == n.BINARY and node[n.EXTRA] == 33:
            stack = list(node[n.KIDS])
            while stack:
                inner = n.stripped(stack.pop())
                yield inner
                if inner[n.KIND] == n.BINARY and inner[n.EXTRA] == 33:
                    stack.extend(inner[n.KIDS])
