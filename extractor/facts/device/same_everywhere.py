"""Whether what a declaration says is the same in every instantiation of its function."""

from __future__ import annotations

import re
from collections.abc import Callable

from extractor.demangle import template_arguments
from extractor.facts.device.node import Function, Node

_WORD = re.compile(r"[A-Za-z_]\w*")


def same_everywhere(source: Callable[[Node], str], declaration: Node, function: Function) -> bool:
    """Whether neither type nor extents of a declaration can hang on a template's argument.

    Where its text speaks of something that the function itself names (an alias, a constant), that
    counts as hanging on them.

    Args:
        source: Gives the text of a node.
        declaration: Of a variable.
        function: In whose text it stands.
    """
    if not function.order:
        return not template_arguments(function.symbol)
    words = set(_WORD.findall(source(declaration)))
    if not words.isdisjoint(function.order):
        return False
    body = source(function.body) if function.body is not None else ""
    own = "|".join(map(re.escape, sorted(words - {_last_word(source(declaration))})))
    return not re.search(rf"\b(?:{own})\s*[={{]|\btypedef\b[^;]*\b(?:{own})\s*;", body)


def _last_word(text: str) -> str:
    """The name that a declaration gives, before its extents."""
    found = _WORD.findall(text.partition("[")[0])
    return found[-1] if found else ""
