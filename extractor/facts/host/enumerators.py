"""Enumerators that host code names, with their values."""

from __future__ import annotations

from typing import Any

from extractor.facts.host.loops import walked


def enumerators(trees: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Value by name, from every tree."""
    found: dict[str, int] = {}
    for tree in trees.values():
        for node in walked(tree["body"]):
            if node[0] == "e" and len(node) == 3:
                found[node[1]] = node[2]
    return found
