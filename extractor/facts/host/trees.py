"""Every function's tree, and the summary that the walk makes of it when somebody asks."""

from __future__ import annotations

from typing import Any

from extractor.facts.host.effects import Effects
from extractor.facts.host.expression import Expression
from extractor.facts.host.summary import Summary

_DEEPEST = 12

Known = tuple[Expression | None, ...]
"""Arguments of a call: constants, and ``None`` for what is none."""


class Trees:
    """Every tree of a program, and what was found about each function.

    Args:
        trees: By mangled symbol.
        workspace: Names of functions that are given bytes of device memory, as globs.
    """

    def __init__(self, trees: dict[str, dict[str, Any]], workspace: tuple[str, ...] = ()) -> None:
        self.trees, self.workspace = trees, workspace
        self.effects = Effects(trees)
        self._summaries: dict[tuple[str, Known], Summary] = {}
        self._open: set[str] = set()
        self.numbers = 0

    def reads_only(self, symbol: str, index: int) -> bool:
        """Whether a function takes an argument as a pointer to what it must not write."""
        tree = self.trees.get(symbol)
        parameters = tree["parameters"] if tree is not None else ()
        return index < len(parameters) and points_to_constant(parameters[index][3])

    def summary(self, symbol: str) -> Summary | None:
        """Of a function with a tree; ``None`` without one, or while it is being made."""
        return self.specialised(symbol, ())

    def specialised(self, symbol: str, arguments: Known) -> Summary | None:
        """Of a function called with some constants; ``None`` as for ``summary``."""
        known = self._summaries.get((symbol, arguments))
        if known is not None:
            return known
        tree = self.trees.get(symbol)
        if tree is None or symbol in self._open or len(self._open) > _DEEPEST:
            return None
        from extractor.facts.host.walk import summarise

        self._open.add(symbol)
        try:
            result = self._summaries[symbol, arguments] = summarise(tree, self, arguments)
        finally:
            self._open.discard(symbol)
        return result


def points_to_constant(type_text: str) -> bool:
    """Whether a type is a pointer to a constant.

    Example:
        >>> points_to_constant("const float *"), points_to_constant("const float **")
        (True, False)
    """
    pointed, star, after = type_text.rpartition("*")
    if not star or after.strip() not in ("", "const", "__restrict", "__restrict__"):
        return False
    pointed = pointed.strip()
    return pointed.endswith("const") if "*" in pointed else pointed.startswith("const ")
