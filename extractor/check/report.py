"""The comparison on paper: a table for people, JSON for programs."""

from __future__ import annotations

import json
from collections import Counter

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from extractor.check.comparison import Comparison, Difference, Score

_SHOWN = 20


def to_json(comparison: Comparison) -> str:
    """The comparison as one JSON document, keys in a fixed order."""
    return json.dumps(comparison.to_json(), indent=1) + "\n"


def table(comparison: Comparison, title: str = "") -> RenderableType:
    """Scores, then causes of differences with the number of items each accounts for."""
    parts: list[RenderableType] = [_scores(comparison, title)]
    parts += [_line(f"not read: {unit}: {why}", "red") for unit, why in comparison.failed.items()]
    if comparison.differences:
        parts.append(_causes(comparison.differences))
    if comparison.divergent:
        parts.append(_line(f"symbols with several bodies: {len(comparison.divergent)}", "yellow"))
    return Group(*parts)


def _scores(comparison: Comparison, title: str) -> Table:
    scores = Table(title=title or None, title_justify="left")
    for name in ("", "recall", "precision", "compiler", "index", "both", "dead, explained"):
        scores.add_column(name, justify="left" if not name else "right")
    for name, score in (
        ("kernels of entry points", comparison.kernels),
        ("their instantiations", comparison.instantiations),
        ("calls between project functions", comparison.calls),
    ):
        scores.add_row(name, *_cells(score))
    scores.caption = (
        f"{comparison.exact} of {len(comparison.entries)} entry points have the exact kernel set; "
        f"{len(comparison.differences)} differences, {len(comparison.unexplained)} unexplained"
    )
    return scores


def _cells(score: Score) -> tuple[str, ...]:
    return (
        f"{score.recall:.4f}",
        f"{score.precision:.4f}",
        f"{score.wanted:,}",
        f"{score.given:,}",
        f"{score.hits:,}",
        f"{score.explained:,}",
    )


def _causes(differences: list[Difference]) -> Table:
    """One row a cause: hundreds of entry points can differ because of one call."""
    causes = Counter(
        (each.explained, each.what, each.side, f"{each.file}:{each.line}", each.explanation)
        for each in differences
    )
    rows = Table(title="differences by cause, unexplained first", title_justify="left")
    for name in ("items", "what", "index has it", "where", "cause"):
        rows.add_column(name, overflow="fold", justify="right" if name == "items" else "left")
    order = sorted(causes.items(), key=lambda each: (each[0][0], -each[1], each[0]))
    for (explained, what, side, where, cause), count in order[:_SHOWN]:
        style = None if explained else "bold"
        place = "" if where == ":0" else where
        rows.add_row(str(count), what, _SIDES[side], escape(place), escape(cause), style=style)
    if len(order) > _SHOWN:
        rows.caption = f"and {len(order) - _SHOWN} more causes, all in the JSON"
    return rows


_SIDES = {"missing": "no", "extra": "alone", "dead": "as dead"}


def _line(text: str, style: str) -> Text:
    return Text(text, style=style)
