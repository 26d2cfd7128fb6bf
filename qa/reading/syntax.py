"""Syntax trees of C++ text."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


@functools.cache
def _parser() -> Parser:
    import tree_sitter_cpp
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cpp.language()))


def parse(text: str) -> Node:
    """Root of the syntax tree; text that is no whole unit gives a tree with errors in it."""
    return _parser().parse(text.encode()).root_node


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(current.children))


def text_of(node: Node) -> str:
    """The node's text with white space folded and comments left out."""
    import re

    raw = (node.text or b"").decode(errors="replace")
    raw = re.sub(r"/\*.*?\*/|//[^\n]*", " ", raw, flags=re.S)
    return re.sub(r"\s+", " ", raw).strip()
