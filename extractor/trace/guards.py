"""Conditions around a line of a function, as its source has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|#[^\n]*(?:\\\n[^\n]*)*"
    r"|\b(?:if|else|switch|case|default|for|while|constexpr)\b|[(){};:?]|\n",
    re.DOTALL,
)
_ALSO = "\0"
"""Between what an ``else`` says and the condition of the ``if`` behind it."""
_SPACE = re.compile(r"\s+")


@dataclass
class _Block:
    """A block or statement that a condition rules.

    Attributes:
        guard: The condition; empty for a plain block.
        braces: Whether it ends with a brace; else with the statement.
        label: Of a ``switch``, the label that was met last.
    """

    guard: str
    braces: bool
    label: str = ""


@dataclass
class _Reader:
    text: str
    target: int
    blocks: list[_Block] = field(default_factory=list)

    def read(self) -> tuple[str, ...]:
        """Guards of the blocks that are open where the target line begins."""
        line, position, pending = 0, 0, ""
        ended = ""
        inner: tuple[str, ...] = ()
        while line <= self.target:
            match = _TOKEN.search(self.text, position)
            if match is None:
                break
            token, position = match.group(), match.end()
            line += token.count("\n")
            if line >= self.target and token == "\n":
                # The launch may stand behind the label on the same line.
                inner = self._guards(pending)
                rest = self.text[position : self.text.find("\n", position)]
                label = re.match(r"\s*(?:case\s+([^:]+)|default)\s*:", rest)
                if label and self.blocks and self.blocks[-1].guard.startswith("switch"):
                    self.blocks[-1].label = label.group(1) or "default"
                    inner = self._guards("")
                break
            if token in ("if", "for", "while", "switch"):
                start = self.text.find("(", position)
                end = _closing(self.text, start)
                line += self.text.count("\n", position, end)
                condition = _SPACE.sub(" ", self.text[start + 1 : end - 1]).strip()
                position = end
                after_else = bool(pending)
                if token == "if":
                    pending = f"{pending}{_ALSO}{condition}" if after_else else condition
                elif token == "switch":
                    pending = f"switch({condition})"
                else:
                    pending = f"{token}({condition})"
                if line > self.target:
                    inner = self._guards("")
                    break
            elif token == "else":
                pending = _otherwise(ended)
            elif token in ("case", "default"):
                end = self.text.find(":", position)
                if self.blocks and end > 0:
                    self.blocks[-1].label = self.text[position:end].strip() or "default"
                    position = end + 1
            elif token == "{":
                self.blocks.append(_Block(pending, braces=True))
                pending = ""
            elif token == "(":
                end = _closing(self.text, position - 1)
                passed = self.text.count("\n", position, end)
                if line + passed > self.target:
                    inner = self._guards(pending)
                    break
                line, position = line + passed, end
            elif token == "}":
                ended = self.blocks.pop().guard if self.blocks else ""
                pending = ""
            elif token == ";":
                ended, pending = pending or ended, ""
        return inner or self._guards(pending)

    def _guards(self, pending: str) -> tuple[str, ...]:
        found = []
        for block in self.blocks:
            if block.guard.startswith("switch(") and block.label:
                found.append(f"{block.guard[7:-1]} == {block.label}")
            elif block.guard:
                found.append(block.guard)
        found += [pending] if pending else []
        return tuple(guard.replace(_ALSO, " && ") for guard in found)


def guards(text: str, line: int) -> tuple[str, ...]:
    """Conditions that rule a line of a function, outermost first.

    Args:
        text: The function's source.
        line: The line, 0 for the function's first.

    Example:
        >>> guards("void f(int n)\\n{\\n    if(n > 3)\\n        g();\\n}", 3)
        ('n > 3',)
    """
    return _Reader(text, line).read()


def guards_of(scope: dict[str, Any], sites: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Conditions around launch sites, where the function that has them is part of the scope.

    Args:
        scope: ``scope.json`` of an interface.
        sites: Sites as ``file:line kernel``.
    """
    result = {}
    spans: dict[str, list[tuple[int, int, str]]] = {}
    for function in scope["functions"]:
        if function["span"] is not None and function["kind"] != "kernel":
            span = function["span"]
            spans.setdefault(span["file"], []).append(
                (span["start_line"], span["end_line"], function["text"])
            )
    for site in sites:
        file, _, line = site.partition(" ")[0].rpartition(":")
        for first, last, text in spans.get(file, ()):
            if first <= int(line) <= last:
                result[site] = guards(text, int(line) - first)
                break
    return result


def _closing(text: str, start: int) -> int:
    """Where a parenthesis that opens is closed again."""
    depth = 0
    for position in range(max(start, 0), len(text)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if not depth:
                return position + 1
    return len(text)


def _otherwise(ended: str) -> str:
    """What holds behind ``else``: of a chain, that none of its conditions did."""
    if not ended:
        return "else"
    before, _, last = ended.rpartition(_ALSO)
    return f"{before} && !({last})" if before else f"!({last})"
