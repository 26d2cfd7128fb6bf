"""A function's body told statement by statement, for an instruction that leaves nothing open.

Where a summary would leave steps out, an instruction tells all of them: what every local is, which
loop runs how far, what each test guards, what is stored where. Nested statements are nested items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from extractor.launch_text import split_arguments
from qa.author.draft import Draft, code, listed
from qa.author.given import with_template
from qa.reading.function_text import blanked, body_start, without_comments
from qa.reading.syntax import folded, parse, text_of, walk
from qa.scope_view import FunctionView

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST, _LONGEST_TEXT, _MOST_ITEMS, _DEEPEST = 9000, 600, 200, 9
_BARRIERS = frozenset(["__syncthreads", "syncthreads", "block_sync_lds"])
_SIGNS = {"=": "set {} to {}", "+=": "raise {} by {}", "-=": "lower {} by {}",
          "*=": "multiply {} by {}", "/=": "divide {} by {}"}  # fmt: skip
_DIRECTIVE = re.compile(r"^\s*#\s*(?!pragma\b|unroll\b)(\w+)[ \t]*(.*?)\s*$")
_HEADED = re.compile(r":$|^(?:where|otherwise|for|in|as long|once)\b")
_SILENT = frozenset(["comment", ";", "{", "}", "type_definition", "static_assert_declaration"])


_LEAVING = frozenset(["break_statement", "return_statement", "continue_statement"])
_LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*\(")


class _Untold(Exception):
    """A statement that has no words here."""


def narration(draft: Draft, function: FunctionView, launched: Mapping[int, str]) -> str:
    """Every statement of a function, nested as in the source; empty where one cannot be told.

    Args:
        draft: The entry.
        function: The function.
        launched: Kernels that it launches, by the line of the launch.
    """
    if function.span is None:
        return ""
    read = _choices(function.text)
    if read is None:
        return ""
    choices, instead = read
    bare = blanked(function.text)
    body = body_start(bare)
    if body < 0:
        return ""
    above = bare[:body].count("\n")
    root = parse("void f()" + "\n" * above + bare[body:])
    if any(_is_broken(node) for node in walk(root)):
        return ""
    block = next((node for node in walk(root) if node.type == "compound_statement"), None)
    if block is None:
        return ""
    teller = _Teller(launched, function.span.start_line, choices, instead)
    try:
        items = teller.block(block, 0)
    except _Untold:
        return ""
    if not 1 < len(items) <= _MOST_ITEMS:
        return ""
    rows, number = [], 0
    for depth, words in items:
        number += depth == 0
        rows.append(f"({number}) {words}" if depth == 0 else f"{'  ' * depth}- {words}")
    lead = draft.choose(
        "Its body, in the order in which it has to run:", "What has to happen, and in which order:",
        "The work, from the first statement to the last:", salt="narration",
    )  # fmt: skip
    text = f"{lead}\n\n" + "\n".join(rows)
    return text if len(text) <= _LONGEST else ""


def _is_broken(node: Node) -> bool:
    """Something the grammar cannot read, other than what HIP puts before a type."""
    if node.is_missing:
        return True
    return node.type == "ERROR" and "__shared__" not in text_of(node.parent or node)[:40]


def _choices(text: str) -> tuple[dict[int, str], list[tuple[int, str, str]]] | None:
    """What depends on the build; nothing where it cannot be told in a sentence.

    Returns:
        Rows that only some builds have, with the condition; and what others have instead: its row,
        the condition that must not hold, the lines.
    """
    found: dict[int, str] = {}
    instead: list[tuple[int, str, list[str]]] = []
    open_ones: list[tuple[str, bool]] = []
    for row, line in enumerate(without_comments(text).split("\n")):
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if open_ones and open_ones[-1][1]:
                instead[-1][2].append(line.strip())
            elif open_ones:
                found[row] = " && ".join(condition for condition, _other in open_ones)
        elif directive[1] in ("if", "ifdef", "ifndef"):
            sign = {"if": "", "ifdef": "", "ifndef": "!"}[directive[1]]
            open_ones.append((sign + directive[2], False))
        elif directive[1] == "endif" and open_ones:
            open_ones.pop()
        elif directive[1] == "else" and len(open_ones) == 1:
            open_ones[-1] = (open_ones[-1][0], True)
            instead.append((row, open_ones[-1][0], []))
        else:
            return None
    told = [(row, condition, " ".join(filter(None, rows))) for row, condition, rows in instead]
    if any(len(words) > _LONGEST_TEXT or "`" in words for _row, _condition, words in told):
        return None
    return found, [one for one in told if one[2]]


class _Teller:
    """Turns statements into items: how deep each stands, and its words."""

    def __init__(
        self,
        launched: Mapping[int, str],
        first: int,
        choices: Mapping[int, str],
        instead: Sequence[tuple[int, str, str]],
    ) -> None:
        self.launched = launched
        self.first = first
        self.choices = choices
        self.instead = list(instead)
        self.only = ""  # the build that has the statement around

    def block(self, node: Node, depth: int) -> list[tuple[int, str]]:
        """The items of a block; definitions that follow each other share one."""
        if depth > _DEEPEST:
            raise _Untold
        items: list[tuple[int, str]] = []
        lets: list[str] = []
        children = node.children if node.type == "compound_statement" else [node]
        for child in children:
            only = self.choices.get(child.start_point[0], "")
            only = "" if only == self.only else only
            other = self._instead(child.start_point[0], depth)
            if other:
                items += _lets(lets, depth) + other
                lets = []
            told = self._let(child) if child.type == "declaration" and not only else None
            if told is not None:
                lets += told
                continue
            if child.type in _SILENT and child.type != "type_definition":
                continue
            items += _lets(lets, depth)
            lets = []
            items += self._statement_of(child, depth, only)
        return items + _lets(lets, depth)

    def _instead(self, row: int, depth: int) -> list[tuple[int, str]]:
        """What other builds have above a row and was not told yet."""
        found = []
        while self.instead and self.instead[0][0] < row:
            _row, condition, words = self.instead.pop(0)
            found.append((depth, f"in a build without {code(condition)}: {code(words)}"))
        return found

    def _statement_of(self, node: Node, depth: int, only: str) -> list[tuple[int, str]]:
        """A statement, and what kind of build has it."""
        before = self.only
        rows = range(node.start_point[0], node.end_point[0] + 1)
        whole = bool(only) and all(self.choices.get(row) == only for row in rows)
        self.only = only if whole else before
        items = self.statement(node, depth)
        self.only = before
        if not only or not items or only == before:
            return items
        if whole:
            return [
                (at, f"in a build with {code(only)}: {words}" if at == depth else words)
                for at, words in items
            ]
        if node.type not in ("for_statement", "while_statement"):
            raise _Untold
        parts = re.split(r":(?= |$)", items[0][1], maxsplit=1)
        if len(parts) < 2:
            raise _Untold
        head, rest = parts
        note = f", a loop that only a build with {code(only)} has, others run its body once"
        return [(depth, f"{head}{note}:{rest}"), *items[1:]]

    def statement(self, node: Node, depth: int) -> list[tuple[int, str]]:
        """The items of one statement."""
        match node.type:
            case "compound_statement":
                return self.block(node, depth)
            case "if_statement":
                return self._if(node, depth, "")
            case "for_statement" | "while_statement" | "for_range_loop" | "do_statement":
                body = node.child_by_field_name("body")
                if body is None:
                    raise _Untold
                return self._headed(f"{_round(node, body)}", body, depth)
            case "return_statement":
                value = text_of(node).removeprefix("return").rstrip(";").strip()
                return [(depth, f"return {_quoted(value)}" if value else "return")]
            case "switch_statement":
                return self._switch(node, depth)
            case "break_statement":
                return [(depth, "leave the loop")]
            case "continue_statement":
                return [(depth, "go on with the next round")]
            case "expression_statement":
                inner = [child for child in node.named_children if child.type != "comment"]
                return [(depth, self._expression(inner[0]))] if inner else []
            case "type_definition" | "alias_declaration" | "using_declaration":
                return [(depth, f"declare {_quoted(text_of(node).rstrip(';'))}")]
            case "declaration":
                return [(depth, f"declare {_quoted(text_of(node).rstrip(';'))}")]
        raise _Untold

    def _headed(self, head: str, body: Node, depth: int) -> list[tuple[int, str]]:
        """A head and what it governs, in one item where that is one plain statement."""
        inner = self.block(body, depth + 1)
        if not inner:
            return [(depth, f"{head}: nothing")]
        if len(inner) == 1 and len(inner[0][1]) < 120 and not _HEADED.search(inner[0][1]):
            return [(depth, f"{head}: {inner[0][1]}")]
        return [(depth, f"{head}:"), *inner]

    def _if(self, node: Node, depth: int, otherwise: str) -> list[tuple[int, str]]:
        condition = node.child_by_field_name("condition")
        then = node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if condition is None or then is None:
            raise _Untold
        text = text_of(condition)
        text = text[1:-1].strip() if text.startswith("(") and text.endswith(")") else text
        settled = " (settled when it is compiled)" if "constexpr" in {
            child.type for child in node.children
        } else ""  # fmt: skip
        items = self._headed(f"{otherwise}where {_quoted(text)} holds{settled}", then, depth)
        if other is None:
            return items
        rest = next((c for c in other.named_children if c.type != "comment"), None)
        if rest is None:
            return items
        if rest.type == "if_statement":
            return items + self._if(rest, depth, "otherwise, ")
        return items + self._headed("otherwise", rest, depth)

    def _switch(self, node: Node, depth: int) -> list[tuple[int, str]]:
        """A choice by value; labels that share what follows stand in one item."""
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if condition is None or body is None:
            raise _Untold
        items = [(depth, f"by the value of {_quoted(text_of(condition)[1:-1].strip())}:")]
        labels: list[str] = []
        for case in body.named_children:
            if case.type == "comment":
                continue
            if case.type != "case_statement":
                raise _Untold
            value = case.child_by_field_name("value")
            labels.append(_quoted(text_of(value)) if value is not None else "any other")
            work = [c for c in case.named_children if c != value and c.type != "comment"]
            if not work:
                continue
            inner: list[tuple[int, str]] = []
            statements = _opened(work)
            leaves = statements[-1].type in _LEAVING
            for child in (
                statements[:-1] if statements[-1].type == "break_statement" else statements
            ):
                inner += self.block(child, depth + 2)
            if not leaves and case != body.named_children[-1]:
                raise _Untold  # it falls through
            head = f"for {listed(labels, 'or')}"
            labels = []
            if len(inner) == 1 and not _HEADED.search(inner[0][1]):
                items.append((depth + 1, f"{head}: {inner[0][1]}"))
            else:
                items += [(depth + 1, f"{head}:" if inner else f"{head}: nothing"), *inner]
        return items

    def _let(self, node: Node) -> list[str] | None:
        """What a declaration makes; nothing to be told of a name without a value but its type."""
        text = text_of(node).rstrip(";")
        if "__shared__" in text:
            return [f"{_quoted(re.sub(r'^extern ', '', text))} is memory of the block"]
        kind = node.child_by_field_name("type")
        if kind is None or "[" in text.split("=")[0]:
            return None
        told = []
        for child in node.named_children:
            if child.type != "init_declarator":
                continue
            name, value = (
                child.child_by_field_name("declarator"),
                child.child_by_field_name("value"),
            )
            if name is None or value is None or value.type == "initializer_list":
                return None
            bare = re.search(r"([A-Za-z_]\w*)$", text_of(name))
            if bare is None:
                return None
            words = text_of(value)
            if value.type == "argument_list":
                words = f"{text_of(kind)}{words}"
            told.append(f"{code(bare[1])} is {_quoted(words)}")
        return told or None

    def _expression(self, node: Node) -> str:
        if node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            sign = node.child_by_field_name("operator")
            if left is None or right is None or sign is None:
                raise _Untold
            form = _SIGNS.get(text_of(sign))
            if form is None:
                return f"do {_quoted(text_of(node))}"
            return form.format(_quoted(text_of(left)), _quoted(text_of(right)))
        if node.type == "update_expression":
            text = text_of(node)
            return f"{'raise' if '++' in text else 'lower'} {code(text.replace('++', '').replace('--', ''))} by 1"
        if node.type == "call_expression":
            return self._call(node)
        return f"do {_quoted(text_of(node))}"

    def _call(self, node: Node) -> str:
        text = text_of(node)
        name = re.match(r"[\w:]+", text)
        if name is not None and name[0] in _BARRIERS:
            return f"wait at {code(name[0])} for the whole block"
        line = self.first + node.start_point[0]
        last = self.first + node.end_point[0]
        kernel = next((k for at, k in self.launched.items() if line <= at <= last), "")
        if kernel and kernel in text:
            return _launch(kernel, text)
        return f"call {_quoted(text)}"


def _launch(kernel: str, text: str) -> str:
    """A launch by a macro: kernel, grid, block, dynamic LDS, stream, arguments."""
    given = split_arguments(text[text.find("(") + 1 : text.rfind(")")])
    at = next((n for n, part in enumerate(given) if re.search(rf"\b{kernel}\b", part)), -1)
    if at < 0 or len(given) < at + 5:
        raise _Untold
    grid, block, lds, stream, *arguments = (part.strip() for part in given[at + 1 :])
    words = (
        f"launch {code(with_template(kernel, text))} with grid {code(grid)}, block {code(block)}"
    )
    if lds != "0":
        words += f", {code(lds)} bytes of dynamic LDS"
    words += f", on {code(stream)}"
    shown = ", ".join(arguments)
    if len(shown) > _LONGEST_TEXT:
        raise _Untold
    return f"{words}, given {code(shown)}" if shown else words


def _opened(work: Sequence[Node]) -> Sequence[Node]:
    """The statements of a case, those in braces around all of them."""
    while len(work) == 1 and work[0].type == "compound_statement":
        inner = [c for c in work[0].named_children if c.type != "comment"]
        if not inner:
            break
        work = inner
    return work


def _lets(lets: list[str], depth: int) -> list[tuple[int, str]]:
    return [(depth, listed(lets))] if lets else []


def _quoted(text: str) -> str:
    if len(text) > _LONGEST_TEXT or "`" in text or (_LAMBDA.search(text) and text.count(";") > 1):
        raise _Untold
    return code(text)


def _round(node: Node, body: Node) -> str:
    """The head of a loop in words: from where, how far, in which steps."""
    if node.type == "while_statement":
        condition = node.child_by_field_name("condition")
        text = text_of(condition) if condition is not None else ""
        return f"as long as {_quoted(text[1:-1].strip())} holds"
    if node.type == "do_statement":
        condition = node.child_by_field_name("condition")
        text = text_of(condition) if condition is not None else ""
        return f"once, and again as long as {_quoted(text[1:-1].strip())} holds after it"
    head = folded((node.text or b"")[: body.start_byte - node.start_byte])
    counted_up = re.fullmatch(
        r"for ?\( ?(?:[\w:]+ )*(\w+) = ([^;,]+); ?\1 (<=?) ([^;&|]+); ?"
        r"(?:\+\+\1|\1\+\+|\1 \+= ([^;,)]+))\)", head
    )  # fmt: skip
    if counted_up is None:
        return f"in {_quoted(head)}"
    name, start, sign, end, step = counted_up.groups()
    far = f"as long as it is below {code(end)}" if sign == "<" else f"up to {code(end)}, inclusive"
    paces = f" in steps of {code(step)}" if step and step != "1" else ""
    return f"for {code(name)} from {code(start)} on{paces}, {far}"
