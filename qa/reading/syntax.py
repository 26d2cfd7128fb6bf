"""Syntax trees of C++ text."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_NAMED_BY_MACRO = re.compile(
    r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]*)\(([A-Za-z_]\w*)\)(?=\s*(?:<[^;{}()]*>\s*)?\()"
)
"""``LIB_API(work)<T>(x)``: a macro makes the name of the function that is called."""
_SHARED, _STATIC = "__shared__", "static\t\t\t\t"
"""The grammar knows no ``__shared__``: another word of its kind, as long, stands in for it."""
_MARKED = re.compile(r"\$([A-Za-z_]\w*)\$")


@functools.cache
def _parser() -> Parser:
    import tree_sitter_cpp
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_cpp.language()))


def parse(text: str) -> Node:
    """Root of the syntax tree; text that is no whole unit gives a tree with errors in it.

    A name that a macro makes of another one is one name in the tree; places stay.
    """
    text = _NAMED_BY_MACRO.sub(r"\1$\2$", text).replace(_SHARED, _STATIC)
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
    return folded(node.text or b"")


def folded(data: bytes) -> str:
    """Text of a part of the tree, as the source has it but for white space and comments."""
    raw = _MARKED.sub(r"(\1)", data.decode(errors="replace").replace(_STATIC, _SHARED))
    raw = re.sub(r"/\*.*?\*/|//[^\n]*", " ", raw, flags=re.S)
    return re.sub(r"\s+", " ", raw).strip()
