"""Functions of one kind in one file, drawn as one node until someone opens it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from extractor.render.drawing import KINDS, Drawing, Edge
from extractor.render.layering import layers
from extractor.render.layout import Layout, lay_out

_RANKS = {kind: rank for rank, kind in enumerate(KINDS)} | {"excluded": KINDS.index("boundary")}


@dataclass(frozen=True)
class Fold:
    """The functions of one kind in one file.

    Attributes:
        file: File relative to the library's root; for a boundary its
            library, for an excluded rule the rule.
        kind: One of `KINDS`.
        members: Indices of definitions.
    """

    file: str
    kind: str
    members: tuple[int, ...]


def folds(drawing: Drawing) -> tuple[Fold, ...]:
    """Groups a drawing's definitions by file and kind, in the order of the kinds."""
    found: dict[tuple[int, str], list[int]] = {}
    for index, definition in enumerate(drawing.definitions):
        place = definition.file
        if definition.kind == "boundary":
            place = definition.note
        elif definition.kind == "excluded":
            place = definition.name
        found.setdefault((KINDS.index(definition.kind), place), []).append(index)
    return tuple(
        Fold(file, KINDS[kind], tuple(members))
        for (kind, file), members in sorted(found.items(), key=lambda item: item[0])
    )


def fold_of(groups: Sequence[Fold]) -> dict[int, int]:
    """Maps each definition to its fold."""
    return {member: index for index, fold in enumerate(groups) for member in fold.members}


def fold_edges(drawing: Drawing, groups: Sequence[Fold]) -> list[Edge]:
    """Sums edges between folds; what stays inside one fold is left out."""
    place = fold_of(groups)
    found: dict[tuple[int, int, str], list[Edge]] = {}
    for edge in drawing.edges:
        key = (place[edge.caller], place[edge.callee], edge.kind)
        if key[0] != key[1]:
            found.setdefault(key, []).append(edge)
    return [
        Edge(
            caller,
            callee,
            kind,
            sum(edge.count for edge in edges),
            all(edge.dead for edge in edges),
            tuple(c for c in drawing.configs if any(c in edge.configs for edge in edges)),
            tuple(sorted(site for edge in edges for site in edge.sites)),
        )
        for (caller, callee, kind), edges in sorted(found.items(), key=lambda item: item[0])
    ]


def lay_out_drawing(drawing: Drawing, groups: Sequence[Fold]) -> Layout:
    """Lays out every definition so that opening a fold moves nothing past anything else.

    Folds are put into columns first; a column of folds is then divided by the longest paths among
    the functions in it.
    """
    between = [(edge.caller, edge.callee) for edge in fold_edges(drawing, groups)]
    column = layers([_RANKS[fold.kind] for fold in groups], between)
    place = fold_of(groups)
    ranks = [column[place[index]] for index in range(len(drawing.definitions))]
    return lay_out(ranks, [(edge.caller, edge.callee) for edge in drawing.edges])
