"""The host's own decisions, worked through for concrete arguments.

A function's text is followed statement by statement: whole numbers, pointers as null or not,
enumerators as themselves, template parameters as bound. What a call returns is not known; a check
that needs it is taken not to stop the function, and that is written down.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from qa.reading.element_types import BYTES, Opaque, binary_value, canonical
from qa.reading.function_text import blanked, body_start
from qa.reading.outcome import Outcome, Step, Value
from qa.reading.syntax import parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node


_LONGEST = 900


class _Return(Exception):
    pass


class _Jump(Exception):
    pass


def follow(
    text: str,
    first_line: int,
    values: Mapping[str, Value],
    types: Mapping[str, str] | None = None,
    *,
    enumerators: Collection[str] = (),
    launches: Collection[int] = (),
) -> Outcome:
    """Follows a function for given values.

    Args:
        text: The definition.
        first_line: Its first line in the file.
        values: Parameters; a pointer is 0 where it is null.
        types: Template parameters and what they are bound to.
        enumerators: Names that stand for themselves.
        launches: Lines on which launches stand.
    """
    outcome = Outcome(values=dict(values))
    body = _body(text)
    if body is None:
        outcome.stuck = "no body"
        return outcome
    tree, texts = body
    runner = _Runner(outcome, first_line, dict(types or {}), enumerators, launches, texts)
    try:
        runner.run(tree)
    except _Return:
        pass
    except _Jump:
        outcome.stuck = "a jump out of place"
    except Opaque as error:
        outcome.stuck = str(error)
    except RecursionError:
        outcome.stuck = "too deep"
    return outcome


@lru_cache(maxsize=256)
def _body(text: str) -> tuple[Node, dict[tuple[int, int], str]] | None:
    bare = blanked(text)
    start = body_start(bare)
    if start < 0:
        return None
    head = "".join(c if c == "\n" else " " for c in bare[:start])
    prefix = "void f()"
    head = prefix + head[len(prefix) :] if "\n" not in head[: len(prefix)] else prefix + head
    for node in parse(head + bare[start:]).children:
        if node.type == "function_definition":
            inside = node.child_by_field_name("body")
            return (inside, {}) if inside is not None else None
    return None


class _Runner:
    def __init__(
        self,
        outcome: Outcome,
        first_line: int,
        types: dict[str, str],
        enumerators: Collection[str],
        launches: Collection[int],
        texts: dict[tuple[int, int], str],
    ) -> None:
        self.outcome = outcome
        self.offset = first_line
        self.types = types
        self.enumerators = enumerators
        self.launches = launches
        self.texts = texts
        self.count = 0

    def text(self, node: Node) -> str:
        """The node's text, kept: loops and searches come back to the same nodes."""
        key = (node.start_byte, node.end_byte)
        known = self.texts.get(key)
        if known is None:
            known = self.texts[key] = text_of(node)
        return known

    def note(self, kind: str, node: Node, text: str, value: Value | None) -> None:
        first, last = node.start_point[0] + self.offset, node.end_point[0] + self.offset
        self.outcome.steps.append(Step(kind, first, last, text, value))

    def run(self, node: Node) -> None:
        self.count += 1
        if self.count > _LONGEST:
            raise Opaque("too many steps")
        match node.type:
            case "compound_statement" | "else_clause" | "try_statement":
                for child in node.named_children:
                    if child.type not in ("catch_clause", "comment"):
                        self.run(child)
            case "if_statement":
                self.branch(node)
            case "declaration":
                self.declare(node)
            case "expression_statement":
                rows = range(node.start_point[0], node.end_point[0] + 1)
                if any(row + self.offset in self.launches for row in rows):
                    self.note("launch", node, self.text(node), None)
                elif node.named_children:
                    self.perform(node.named_children[0])
            case "return_statement":
                given = self.text(node).removeprefix("return").rstrip(";").strip()
                self.outcome.returned = given or ""
                value: Value | None = None
                if node.named_children:
                    try:
                        value = self.value(node.named_children[0])
                    except Opaque:
                        value = None
                self.note("return", node, given, value)
                raise _Return
            case "for_statement" | "while_statement" | "do_statement":
                self.loop(node)
            case "break_statement" | "continue_statement":
                raise _Jump
            case "switch_statement" | "goto_statement" | "labeled_statement":
                raise Opaque(f"a {node.type.split('_')[0]}")
            case "ERROR":
                raise Opaque("text that the grammar does not read")

    def branch(self, node: Node) -> None:
        clause = node.child_by_field_name("condition")
        then = node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if clause is None or then is None:
            raise Opaque("an if without a condition")
        inner = [child for child in clause.named_children if child.type != "comment"]
        condition = inner[-1] if inner else clause
        shown = self.text(condition)
        try:
            truth = bool(self.value(condition))
        except Opaque as error:
            if other is not None or not _stops(then):
                raise Opaque(f"{shown}: {error}") from error
            self.note("assumed", clause, shown, 0)
            return
        self.note("branch", clause, shown, int(truth))
        if truth:
            self.run(then)
        elif other is not None:
            self.run(other)

    def loop(self, node: Node) -> None:
        start = node.child_by_field_name("initializer")
        condition = node.child_by_field_name("condition")
        update = node.child_by_field_name("update")
        body = node.child_by_field_name("body")
        if node.type == "do_statement" or condition is None or body is None:
            raise Opaque("a loop")
        if start is not None:
            self.run(start) if start.type == "declaration" else self.perform(start)
        while self.value(condition):
            self.count += 1
            if self.count > _LONGEST:
                raise Opaque("a long loop")
            try:
                self.run(body)
            except _Jump:
                raise Opaque("a loop that is left early") from None
            if update is not None:
                self.perform(update)

    def declare(self, node: Node) -> None:
        kind_node = node.child_by_field_name("type")
        kind = self.text(kind_node) if kind_node is not None else ""
        for child in node.children:
            if child.type == "init_declarator":
                name_node, value = (
                    child.child_by_field_name("declarator"), child.child_by_field_name("value")
                )  # fmt: skip
                if name_node is None or value is None:
                    continue
                name = self.text(name_node).lstrip("*& ")
                if kind == "dim3":
                    self.dimensions(name, value, node)
                    continue
                self.assign(name, value, node)
            elif kind == "dim3" and child.type == "function_declarator":
                self.named_dimensions(child)

    def named_dimensions(self, node: Node) -> None:
        """``dim3 threads(DIM_X, DIM_Y)``, which a grammar takes for a declaration."""
        name, given = node.child_by_field_name("declarator"), node.child_by_field_name("parameters")
        parts = [self.text(c) for c in given.named_children] if given is not None else []
        if name is None or not all(re.fullmatch(r"\w+", part) for part in parts):
            return
        for axis, part in zip("xyz", [*parts, "", ""], strict=False):
            value = self.outcome.values.get(part) if part else 1
            if value is None:
                try:
                    value = self.named(part)
                except Opaque:
                    self.outcome.values.pop(f"{self.text(name)}.{axis}", None)
                    continue
            self.outcome.values[f"{self.text(name)}.{axis}"] = value

    def dimensions(self, name: str, value: Node, node: Node) -> None:
        parts = [c for c in value.named_children if c.type != "comment"]
        if value.type == "call_expression":
            arguments = value.child_by_field_name("arguments")
            parts = list(arguments.named_children) if arguments is not None else []
        for axis, part in zip("xyz", parts, strict=False):
            try:
                self.outcome.values[f"{name}.{axis}"] = self.value(part)
                self.note("assign", node, f"{name}.{axis} = {self.text(part)}", self.value(part))
            except Opaque:
                self.outcome.values.pop(f"{name}.{axis}", None)
        for axis in "xyz"[len(parts) :]:
            self.outcome.values[f"{name}.{axis}"] = 1

    def assign(self, name: str, value: Node, node: Node) -> None:
        try:
            found = self.value(value)
        except Opaque:
            self.outcome.values.pop(name, None)
            return
        self.outcome.values[name] = found
        self.note("assign", node, f"{name} = {self.text(value)}", found)

    def perform(self, node: Node) -> None:
        if node.type == "comma_expression":
            for child in node.named_children:
                self.perform(child)
            return
        if node.type == "update_expression":
            inside = node.child_by_field_name("argument")
            if inside is not None:
                by = 1 if "++" in self.text(node) else -1
                self.outcome.values[self.text(inside)] = self.number(inside) + by
            return
        if node.type == "call_expression":
            self.forget(node.child_by_field_name("arguments"))
        if node.type != "assignment_expression":
            return
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None:
            return
        name = self.text(left)
        sign = self.text(operator) if operator is not None else "="
        if sign == "=":
            self.assign(name, right, node)
            return
        try:
            found = binary_value(sign[:-1], self.number(left), self.number(right))
        except Opaque:
            self.outcome.values.pop(name, None)
            return
        self.outcome.values[name] = found
        self.note("assign", node, f"{name} {sign} {self.text(right)}", found)

    def number(self, node: Node) -> int:
        value = self.value(node)
        if isinstance(value, str):
            raise Opaque(value)
        return value

    def value(self, node: Node) -> Value:
        text = self.text(node)
        if text in self.outcome.values:
            return self.outcome.values[text]
        match node.type:
            case "number_literal":
                bare = text.replace("'", "").rstrip("uUlL")
                try:
                    return int(bare, 0) if not bare.startswith("0b") else int(bare, 2)
                except ValueError as error:
                    raise Opaque(text) from error
            case "true" | "false":
                return int(node.type == "true")
            case "null" | "nullptr":
                return 0
            case "parenthesized_expression" | "condition_clause":
                inside = [c for c in node.named_children if c.type != "comment"]
                return self.value(inside[-1])
            case "unary_expression" | "pointer_expression":
                return self.unary(node, text)
            case "binary_expression":
                return self.binary(node)
            case "conditional_expression":
                parts = [
                    node.child_by_field_name(n) for n in ("condition", "consequence", "alternative")
                ]
                if any(part is None for part in parts):
                    raise Opaque(text)
                condition, yes, no = (part for part in parts if part is not None)
                return self.value(yes) if self.value(condition) else self.value(no)
            case "cast_expression":
                cast = node.child_by_field_name("value")
                if cast is not None:
                    return self.value(cast)
            case "sizeof_expression":
                return self.size(node, text)
            case "call_expression":
                return self.call(node, text)
            case "identifier" | "qualified_identifier" | "template_function" | "field_expression":
                return self.named(text)
        raise Opaque(text)

    def unary(self, node: Node, text: str) -> Value:
        inside = node.child_by_field_name("argument")
        if inside is None or text[0] in "*&":
            raise Opaque(text)
        if text[0] == "!":
            return int(not self.value(inside))
        value = self.number(inside)
        return -value if text[0] == "-" else ~value if text[0] == "~" else value

    def binary(self, node: Node) -> Value:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None:
            raise Opaque(self.text(node))
        sign = self.text(operator)
        if sign in ("&&", "||"):
            return self.logical(sign, left, right)
        first, second = self.value(left), self.value(right)
        if isinstance(first, str) or isinstance(second, str):
            if sign in ("==", "!=") and isinstance(first, str) and isinstance(second, str):
                return int((first == second) == (sign == "=="))
            raise Opaque(self.text(node))
        return binary_value(sign, first, second)

    def logical(self, sign: str, left: Node, right: Node) -> int:
        decides = sign == "||"
        try:
            first: bool | None = bool(self.value(left))
        except Opaque:
            first = None
        if first is decides:
            return int(decides)
        second = bool(self.value(right))
        if first is None and second is not decides:
            raise Opaque(self.text(left))
        return int(second)

    def size(self, node: Node, text: str) -> int:
        inside = text.removeprefix("sizeof").strip("() ")
        bound = self.bound(inside)
        if bound.endswith("*"):
            return 8
        size = BYTES.get(bound) or BYTES.get(canonical(bound))
        if size is None:
            raise Opaque(text)
        return size

    def bound(self, name: str) -> str:
        """What a type is, template parameters followed."""
        for _ in range(4):
            following = self.types.get(name, name)
            if following == name:
                break
            name = following
        return re.sub(r"\s*\bconst\b\s*|\s+(?=\*)", "", name).strip()

    def call(self, node: Node, text: str) -> Value:
        function, arguments = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        )
        if function is None or arguments is None:
            raise Opaque(text)
        name = self.text(function)
        given = list(arguments.named_children)
        if name in ("std::min", "min", "std::max", "max") and len(given) == 2:
            pair = [self.number(one) for one in given]
            return min(pair) if name.endswith("min") else max(pair)
        if name in ("std::abs", "abs") and len(given) == 1:
            return abs(self.number(given[0]))
        if len(given) == 1 and (
            name in BYTES or self.bound(name) in BYTES or name.startswith("static_cast<")
        ):
            return self.value(given[0])
        self.forget(arguments)
        raise Opaque(text)

    def forget(self, arguments: Node | None) -> None:
        """What a called function was given the address of has a value no longer known."""
        for one in arguments.named_children if arguments is not None else ():
            text = self.text(one)
            self.outcome.values.pop(text[1:].strip() if text.startswith("&") else f"*{text}", None)

    def named(self, text: str) -> Value:
        same = re.fullmatch(r"std::is_same(?:_v)?<(.+?),\s*(.+?)>(?:::value)?", text)
        if same:
            left, right = self.bound(same[1]), self.bound(same[2])
            for one, name in ((left, same[1]), (right, same[2])):
                if one == name and re.fullmatch(r"[A-Z]\w*", name):
                    raise Opaque(text)
            return int(canonical(left) == canonical(right))
        trait = re.fullmatch(r"(?:rocblas_)?is_complex<(\w+)>|rocblas_is_complex<(\w+)>", text)
        if trait:
            bound = self.bound(trait[1] or trait[2])
            if bound in BYTES:
                return int("complex" in bound)
        bound = self.bound(text)
        if re.fullmatch(r"-?\d+", bound):
            return int(bound)
        if bound in ("true", "false"):
            return int(bound == "true")
        if text in self.enumerators:
            return text
        raise Opaque(text)


def _stops(node: Node) -> bool:
    while node.type == "compound_statement":
        named = [child for child in node.named_children if child.type != "comment"]
        if not named:
            return False
        node = named[-1]
    return node.type == "return_statement"
