"""Comparisons of code and of prose, and whether prose turns one round."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from qa.text.prose import plain

if TYPE_CHECKING:
    from tree_sitter import Node

Effect = Literal["do", "stop", "unknown"]
"""What happens where a comparison holds: the work goes on, or is left out."""

NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True)
class Comparison:
    """``left operator right``, white space left out; ``effect`` as the code around it has it."""

    left: str
    operator: str
    right: str
    effect: Effect = "unknown"

    def flipped(self) -> Comparison:
        """The same statement, read from the right."""
        return Comparison(self.right, _FLIPPED[self.operator], self.left, self.effect)


def tight(text: str) -> str:
    """Code without white space, and without parentheses around the whole."""
    bare = re.sub(r"\s+", "", plain(text).replace("`", ""))
    while bare.startswith("(") and bare.endswith(")") and _closes_last(bare):
        bare = bare[1:-1]
    return bare


def _closes_last(text: str) -> bool:
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index == len(text) - 1
    return False


def comparisons_of_code(text: str) -> list[Comparison]:
    """Every comparison of a piece of code; text without an operator compares with zero."""
    from qa.reading.syntax import parse

    found: list[Comparison] = []
    data = text.encode()
    stack = [parse(text)]
    while stack:
        node = stack.pop()
        if node.type == "binary_expression":
            operator = node.child_by_field_name("operator")
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if operator is not None and left is not None and right is not None:
                sign = data[operator.start_byte : operator.end_byte].decode()
                if sign in NEGATED:
                    found.append(
                        Comparison(
                            tight(data[left.start_byte : left.end_byte].decode()), sign,
                            tight(data[right.start_byte : right.end_byte].decode()),
                            _effect(node),
                        )
                    )  # fmt: skip
        stack.extend(node.children)
    # Ranges of lines often begin within a statement; a plain search finds what no tree shows.
    known = {(one.left, one.operator, one.right) for one in found}
    for match in _PLAIN.finditer(re.sub(r"<<<|>>>|<<|>>|->", "  ", text)):
        one = Comparison(tight(match[1]), match[2], tight(match[3]))
        if (one.left, one.operator, one.right) not in known:
            found.append(one)
    return found


_OPERAND = r"[A-Za-z_]\w*(?:(?:\.|::)\w+)*(?:\s*[-+*/%]\s*\w+)*|-?\d+"
_PLAIN = re.compile(rf"({_OPERAND})\s*(<=|>=|==|!=|<|>)\s*({_OPERAND})")


def _effect(node: Node) -> Effect:
    child, parent = node, node.parent
    while parent is not None:
        if parent.type == "unary_expression":
            return "unknown"
        if parent.type == "if_statement":
            inside = parent.child_by_field_name("consequence")
            if inside is None or child.start_byte >= inside.start_byte:
                return "unknown"
            first = inside
            while first.type == "compound_statement" and first.named_child_count:
                named = [c for c in first.named_children if c.type != "comment"]
                if not named:
                    break
                first = named[0]
            stops = ("return_statement", "continue_statement", "break_statement")
            return "stop" if first.type in stops else "do"
        if parent.type in ("for_statement", "while_statement", "conditional_expression"):
            return "do"
        if parent.type in ("function_definition", "lambda_expression"):
            return "unknown"
        child, parent = parent, parent.parent
    return "unknown"


_VERBAL = (
    (r"(?:is|are|be|stays?|remains?) not (?:less|smaller) than|(?:is|are) not below", ">="),
    (r"(?:is|are|be) not (?:greater|larger|more) than|does not exceed|do not exceed", "<="),
    (r"(?:is|are|be) (?:greater|larger|more|bigger) than or equal to", ">="),
    (r"(?:is|are|be) (?:less|smaller) than or equal to", "<="),
    (r"(?:is|are|be|being) (?:less|smaller|lower) than|(?:is|are|stays) below", "<"),
    (r"(?:is|are|be|being) (?:greater|larger|more) than|(?:is|are) above|exceeds?", ">"),
    (r"(?:is|are|be) at most|(?:is|are) no (?:more|larger|greater) than", "<="),
    (r"(?:is|are|be) at least|(?:is|are) no (?:less|smaller) than", ">="),
    (r"(?:does not equal|differs from|is not equal to|is unequal to|is not)", "!="),
    (r"(?:equals|is equal to)", "=="),
)  # fmt: skip
_OPERAND_WORD = r"`[^`]+`|[A-Za-z_][\w.]*(?:\s*[-+*/]\s*\w+)*|-?\d[\d,]*|zero|one|two"
_SYMBOLIC = re.compile(
    r"((?:[\w.:>()\[\]-]|(?<=\w)\s[-+*/%]\s(?=\w))+?)\s*(<=|>=|==|!=|<|>)\s*"
    r"((?:[\w.:()\[\]]|\s[-+*/%]\s|-(?=[\w(]))+)"
)
_NUMBER_WORDS = {"zero": "0", "one": "1", "two": "2"}

_TURNED = re.compile(
    r"\b(?:not|no|never|unless|otherwise|fails?|failed|false|without|neither|nor|isn't|doesn't|"
    r"except|instead|violat\w+|contrary|opposite|else|reject\w*|refus\w*|other\w*|beyond|outside|"
    r"remov\w+|dropp\w+|were|would|if the guard)\b"
)
_STOPS = re.compile(
    r"\b(?:returns?|skips?|skipped|exits?|leaves?|idle|nothing|early|stops?|ends?|quits?|"
    r"bails?|rejects?|rejected|refuses?|invalid)\b"
)


def comparisons_of_prose(sentence: str) -> list[tuple[Comparison, str]]:
    """Comparisons that a sentence states, with the words around each."""
    text = plain(sentence)
    found: list[tuple[Comparison, str]] = []
    for fragment in re.findall(r"`([^`]+)`", text):
        bare = re.sub(r"\w+<[^<>]*>|<<<|>>>|->", " ", fragment)
        for part in re.split(r"&&|\|\||\?|;", bare):
            match = _WHOLE.fullmatch(part.strip().strip("()"))
            if match:
                found.append((Comparison(tight(match[1]), match[2], tight(match[3])), text))
    outside = re.sub(r"`[^`]*[<>=!&|?][^`]*`", " ", text)
    for match in _SYMBOLIC.finditer(re.sub(r"\w+<[^<>]*>", " ", outside).replace("`", "")):
        found.append((Comparison(tight(match[1]), match[2], tight(match[3])), text))
    for words, operator in _VERBAL:
        for match in re.finditer(rf"({_OPERAND_WORD})\s+(?:{words})\s+({_OPERAND_WORD})", text):
            left, right = tight(match[1]), tight(match[2]).replace(",", "")
            right = _NUMBER_WORDS.get(right, right)
            found.append((Comparison(left, operator, right), text))
    return found


_WHOLE = re.compile(r"(.+?)\s*(?<![<>=!])(<=|>=|==|!=|<|>)(?![<>=])\s*(.+)")


def turned(stated: Comparison, clause: str, source: Iterable[Comparison]) -> Comparison | None:
    """The source's comparison that a statement turns round; ``None`` where it agrees or none fits.

    A statement may say the opposite of the source where its sentence speaks of the opposite case.
    """
    same: list[Comparison] = []
    opposite: list[Comparison] = []
    for one in source:
        for form in (one, one.flipped()):
            if form.left == stated.left and form.right == stated.right:
                if form.operator == stated.operator:
                    same.append(one)
                else:
                    opposite.append(one)
    if same or not opposite:
        return None
    speaks_of_opposite = bool(_TURNED.search(clause.lower()) or _STOPS.search(clause.lower()))
    exact = [
        one for one in opposite
        if stated.operator in (NEGATED[one.operator], NEGATED[one.flipped().operator])
    ]  # fmt: skip
    if speaks_of_opposite and exact:
        return None
    return opposite[0]
