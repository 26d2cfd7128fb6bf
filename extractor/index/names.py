"""Which files mention or define a name, found as text and by tree-sitter, without a compiler."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from extractor.index.closure import Closures

_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"


def mentions(data: bytes, name: bytes) -> bool:
    """The name stands in the text as a whole word."""
    position = data.find(name)
    while position >= 0:
        before = data[position - 1 : position]
        after = data[position + len(name) : position + len(name) + 1]
        if before not in _WORDS and after not in _WORDS:
            return True
        position = data.find(name, position + 1)
    return False


_WORDS = frozenset(bytes([byte]) for byte in _WORD)


@functools.cache
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_cpp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


def definitions(data: bytes) -> dict[str, list[int]]:
    """Functions that a text defines: plain name to the lines of their definitions.

    Macros make many files of production code unparsable as a whole; tree-sitter goes on after an
    error, so that most definitions are still found.
    """
    found: dict[str, list[int]] = {}
    stack = [_parser().parse(data).root_node]
    while stack:
        node = stack.pop()
        if node.type == "function_definition":
            declarator = node.child_by_field_name("declarator")
            name = _declared_name(declarator) if declarator is not None else None
            if name:
                found.setdefault(name, []).append(node.start_point[0] + 1)
        elif node.type not in _LEAVES:
            stack.extend(node.children)
    return {name: sorted(lines) for name, lines in found.items()}


_LEAVES = frozenset(
    {"comment", "preproc_include", "preproc_def", "string_literal", "number_literal"}
)


def _declared_name(declarator: Any) -> str | None:
    node = declarator
    while node is not None:
        if node.type == "function_declarator":
            inner = node.child_by_field_name("declarator")
            if inner is None:
                return None
            while inner.type in ("qualified_identifier", "template_function"):
                inner = inner.child_by_field_name("name")
                if inner is None:
                    return None
            text = inner.text
            return text.decode(errors="replace") if text else None
        node = node.child_by_field_name("declarator")
    return None


class NameSearch:
    """Searches the files of one tree.

    Args:
        closures: Gives the contents of files.
        files: Absolute paths of the files to search.
    """

    def __init__(self, closures: Closures, files: Iterable[str]) -> None:
        self._closures = closures
        self._files = sorted(files)
        self._definitions: dict[str, dict[str, list[int]]] = {}
        self._mentioning: dict[str, frozenset[str]] = {}
        self._defining: dict[str, frozenset[str]] = {}

    def mentioning(self, name: str) -> frozenset[str]:
        """Files that mention a name as a whole word."""
        known = self._mentioning.get(name)
        if known is None:
            word = name.encode()
            known = self._mentioning[name] = frozenset(
                file for file in self._files if mentions(self._closures.data_of(file), word)
            )
        return known

    def defining(self, name: str) -> frozenset[str]:
        """Files that define a function of that name."""
        known = self._defining.get(name)
        if known is None:
            # A definition has a type before the name; most mentions are calls and need no parser.
            shape = re.compile(rb"[\w>*&\])][ \t\r\n\\]*\b(?:\w+::)*" + name.encode() + rb"\s*\(")
            known = self._defining[name] = frozenset(
                file
                for file in self.mentioning(name)
                if shape.search(self._closures.data_of(file)) and self._parsed(file, name)
            )
        return known

    def _parsed(self, file: str, name: str) -> bool:
        found = self._definitions.get(file)
        if found is None:
            found = self._definitions[file] = definitions(self._closures.data_of(file))
        return name in found


_PASTED = re.compile(r"_(?=[^_])")


def stems(name: str) -> Iterator[str]:
    """A name, then what is left of it as one word after another is taken off its end.

    Macros paste suffixes (``name##_64``): the text may hold only the beginning.
    """
    yield name
    cuts = [match.start() for match in _PASTED.finditer(name)]
    for cut in reversed(cuts[1:]):
        yield name[:cut]
