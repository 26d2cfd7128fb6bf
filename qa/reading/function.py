"""One function's text: parameters, definitions, branches, loops, accesses, calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from qa.reading.function_text import Parameter, blanked, body_start, parameters_of
from qa.reading.syntax import folded, parse, text_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLED = re.compile(r"(?:\b[A-Z][A-Z0-9_]*\((\w+)\)|([A-Za-z_]\w*))\s*(?:<.*>)?$", re.S)
_STOPS = ("return_statement", "continue_statement", "break_statement")


@dataclass(frozen=True)
class Guard:
    """What encloses a statement: condition as written, and whether it must fail."""

    condition: str
    negated: bool
    line: int


@dataclass(frozen=True)
class Statement:
    """A statement with its first and last line, from 1 in the file, and what encloses it."""

    first: int
    last: int
    text: str
    guards: tuple[Guard, ...]
    loops: tuple[int, ...]


@dataclass(frozen=True)
class Definition(Statement):
    """A local variable and what it is made from."""

    name: str
    type: str
    value: str


@dataclass(frozen=True)
class SharedArray(Statement):
    """An array in LDS; ``extents`` as written, none where the launch gives the size."""

    name: str
    type: str
    extents: tuple[str, ...]


@dataclass(frozen=True)
class Branch(Statement):
    """An ``if``; ``returns`` is what it returns at once, ``stops`` that it leaves the work out."""

    condition: str
    constexpr: bool
    stops: bool
    returns: str | None
    otherwise: bool
    consequence: tuple[int, int]


@dataclass(frozen=True)
class Loop(Statement):
    """A loop: its head as written, and the lines of its body."""

    head: str
    variable: str
    start: str
    condition: str
    step: str


@dataclass(frozen=True)
class Access(Statement):
    """A store to an element: target, operator, what is stored; ``base`` is the array or pointer."""

    base: str
    index: tuple[str, ...]
    operator: str
    value: str


@dataclass(frozen=True)
class Assignment(Statement):
    """A name as a whole gets a value: ``operator`` is ``=`` or one such as ``+=``."""

    name: str
    operator: str
    value: str


@dataclass(frozen=True)
class Call(Statement):
    """A call by name; ``arguments`` as written."""

    name: str
    arguments: tuple[str, ...]


@dataclass
class FunctionReading:
    """What the text of a function says, in the order of the text.

    Attributes:
        aliases: Types that the body gives a name of its own.
    """

    parameters: tuple[Parameter, ...] = ()
    definitions: list[Definition] = field(default_factory=list)
    shared: list[SharedArray] = field(default_factory=list)
    branches: list[Branch] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    stores: list[Access] = field(default_factory=list)
    assigned: list[Assignment] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    returns: list[Statement] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    broken: bool = False

    def definition(self, name: str) -> Definition | None:
        """First definition of a name."""
        return next((d for d in self.definitions if d.name == name), None)

    def calls_of(self, *names: str) -> list[Call]:
        """Calls of some functions."""
        return [call for call in self.calls if call.name in names]

    def lines_of_test(self, line: int, most: int) -> tuple[int, int]:
        """First and last line of the condition that begins on a line, to the brace behind it.

        Args:
            line: Counted from 1 in the file.
            most: So many lines behind the first are enough.
        """
        branch = next((b for b in self.branches if b.first == line), None)
        last = branch.consequence[0] if branch is not None else line
        return line, max(line, min(last, line + most))

    @property
    def barriers(self) -> list[Call]:
        """Barriers over the whole block."""
        return self.calls_of("__syncthreads", "syncthreads", "block_sync_lds")


@lru_cache(maxsize=4000)
def read_function(text: str, first_line: int) -> FunctionReading:
    """Reads a definition.

    Args:
        text: The definition, from its first character.
        first_line: Line of the file on which it begins.
    """
    bare = blanked(text)
    body = body_start(bare)
    reading = FunctionReading(parameters=parameters_of(bare[:body]) if body > 0 else ())
    if body < 0:
        reading.broken = True
        return reading
    head = "".join(c if c == "\n" else " " for c in bare[:body])
    prefix = "void f()"
    head = prefix + head[len(prefix) :] if "\n" not in head[: len(prefix)] else prefix + head
    root = parse(head + bare[body:])
    _Reader(reading, first_line).read(root)
    reading.broken = sum(node.type == "ERROR" for node in walk(root)) > 0
    return reading


class _Reader:
    def __init__(self, reading: FunctionReading, first_line: int) -> None:
        self.reading = reading
        self.offset = first_line

    def read(self, node: Node) -> None:
        self._visit(node, (), ())

    def _lines(self, node: Node) -> tuple[int, int]:
        return node.start_point[0] + self.offset, node.end_point[0] + self.offset

    def _visit(self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]) -> None:
        handler = getattr(self, f"_{node.type}", None)
        if handler is not None and handler(node, guards, loops):
            return
        for child in node.children:
            self._visit(child, guards, loops)

    def _if_statement(self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]) -> bool:
        condition = _inner(node.child_by_field_name("condition"))
        then = node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if then is None:
            return False
        first, last = self._lines(node)
        lead = _first_statement(then)
        returns = None
        if lead is not None and lead.type == "return_statement":
            returns = text_of(lead).removeprefix("return").rstrip(";").strip()
        self.reading.branches.append(
            Branch(
                first=first, last=last, text=text_of(node), guards=guards, loops=loops,
                condition=condition, constexpr=any(c.type == "constexpr" for c in node.children),
                stops=lead is not None and lead.type in _STOPS, returns=returns,
                otherwise=other is not None, consequence=self._lines(then),
            )
        )  # fmt: skip
        self._visit(then, (*guards, Guard(condition, False, first)), loops)
        if other is not None:
            self._visit(other, (*guards, Guard(condition, True, first)), loops)
        cond = node.child_by_field_name("condition")
        if cond is not None:
            for child in cond.children:
                self._visit(child, guards, loops)
        return True

    def _for_statement(self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]) -> bool:
        body = node.child_by_field_name("body")
        first, last = self._lines(node)
        start = node.child_by_field_name("initializer")
        variable, begins = "", ""
        if start is not None:
            match = re.match(r"(?:[\w:]+\s+)*?([A-Za-z_]\w*)\s*=\s*(.*?);?$", text_of(start))
            if match:
                variable, begins = match[1], match[2].rstrip(";").strip()
        condition = node.child_by_field_name("condition")
        step = node.child_by_field_name("update")
        head = text_of(node)[: text_of(node).find(")") + 1]
        if body is not None:
            head = folded((node.text or b"")[: body.start_byte - node.start_byte])
        self.reading.loops.append(
            Loop(
                first=first, last=last, text=text_of(node), guards=guards, loops=loops, head=head,
                variable=variable, start=begins,
                condition=text_of(condition) if condition is not None else "",
                step=text_of(step) if step is not None else "",
            )
        )  # fmt: skip
        for child in node.children:
            self._visit(child, guards, (*loops, first) if child == body else loops)
        return True

    def _while_statement(
        self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]
    ) -> bool:
        body = node.child_by_field_name("body")
        condition = _inner(node.child_by_field_name("condition"))
        first, last = self._lines(node)
        self.reading.loops.append(
            Loop(
                first=first, last=last, text=text_of(node), guards=guards, loops=loops,
                head=f"while({condition})", variable="", start="", condition=condition, step="",
            )
        )  # fmt: skip
        for child in node.children:
            self._visit(child, guards, (*loops, first) if child == body else loops)
        return True

    def _declaration(self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]) -> bool:
        first, last = self._lines(node)
        text = text_of(node)
        if "__shared__" in text:
            match = re.match(
                r"(?:extern\s+)?(?:__shared__|static)\s+(?:__align__\(\w+\)\s*|alignas\(\w+\)\s*)?"
                r"(.*?)\s*\b([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)+)[;,]", text
            )  # fmt: skip
            if match:
                extents = tuple(e.strip() for e in re.findall(r"\[([^\]]*)\]", match[3]))
                self.reading.shared.append(
                    SharedArray(first, last, text, guards, loops, match[2], match[1], extents)
                )
            return True
        kind_node = node.child_by_field_name("type")
        kind = text_of(kind_node) if kind_node is not None else ""
        for child in node.children:
            if child.type != "init_declarator":
                continue
            name_node, value = (
                child.child_by_field_name("declarator"),
                child.child_by_field_name("value"),
            )
            if name_node is None or value is None:
                continue
            pointer = name_node.type == "pointer_declarator"
            found = re.search(r"([A-Za-z_]\w*)$", text_of(name_node))
            if found:
                self.reading.definitions.append(
                    Definition(
                        first, last, text, guards, loops, found[1], kind + ("*" if pointer else ""),
                        text_of(value),
                    )
                )  # fmt: skip
        return False

    def _assignment_expression(
        self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]
    ) -> bool:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None:
            return False
        base, index = _element(left)
        first, last = self._lines(node)
        sign = text_of(operator) if operator is not None else "="
        if left.type == "identifier":
            self.reading.assigned.append(
                Assignment(first, last, text_of(node), guards, loops, text_of(left), sign,
                           text_of(right))
            )  # fmt: skip
        if base:
            self.reading.stores.append(
                Access(first, last, text_of(node), guards, loops, base, index, sign, text_of(right))
            )
        return False

    def _call_expression(
        self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]
    ) -> bool:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return False
        match = _CALLED.search(text_of(function))
        if match:
            first, last = self._lines(node)
            given = tuple(text_of(c) for c in arguments.named_children) if arguments else ()
            self.reading.calls.append(
                Call(first, last, text_of(node), guards, loops, match[1] or match[2], given)
            )
        return False

    def _decltype(self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]) -> bool:
        return True  # an operand that is only looked at for its type runs nothing

    _sizeof_expression = _alignof_expression = _static_assert_declaration = _decltype

    def _alias_declaration(
        self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]
    ) -> bool:
        named = "declarator" if node.type == "type_definition" else "name"
        name, kind = node.child_by_field_name(named), node.child_by_field_name("type")
        if name is not None and kind is not None:
            self.reading.aliases.setdefault(text_of(name), text_of(kind))
        return True

    _type_definition = _alias_declaration

    def _return_statement(
        self, node: Node, guards: tuple[Guard, ...], loops: tuple[int, ...]
    ) -> bool:
        first, last = self._lines(node)
        self.reading.returns.append(Statement(first, last, text_of(node), guards, loops))
        return False


def _inner(node: Node | None) -> str:
    if node is None:
        return ""
    text = text_of(node)
    return text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text


def _first_statement(node: Node) -> Node | None:
    while node.type == "compound_statement":
        named = [child for child in node.named_children if child.type != "comment"]
        if not named:
            return None
        node = named[0]
    return node


def _element(node: Node) -> tuple[str, tuple[str, ...]]:
    """Base and indices of ``a[i][j]`` or ``*p``; nothing for other targets."""
    indices: list[str] = []
    while node.type == "subscript_expression":
        inside = node.child_by_field_name("indices")
        indices.append(text_of(inside)[1:-1].strip() if inside is not None else "")
        base = node.child_by_field_name("argument")
        if base is None:
            return "", ()
        node = base
    if node.type == "parenthesized_expression":
        inner = node.named_children[0] if node.named_children else node
        if indices:
            return text_of(node), tuple(reversed(indices))
        node = inner
    if node.type == "pointer_expression" and not indices:
        return text_of(node)[1:].strip(), ("0",)
    return (text_of(node), tuple(reversed(indices))) if indices else ("", ())
