"""One row of a release: an entry with the family and the split it belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from qa.records import Context, Entry
from qa.release.splits import SPLITS


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        entry: The entry.
        kernels: Plain names of the kernels it stands on.
        family: Kernel family.
        split: ``train``, ``validation`` or ``test``.
        texts: Text of each span of evidence; empty where another package's licence covers it.
    """

    entry: Entry
    kernels: tuple[str, ...]
    family: str
    split: str
    texts: tuple[str, ...]


def by_split(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows of each split, in the order of their ids; a split may be empty."""
    found: dict[str, list[Row]] = {name: [] for name in SPLITS}
    for row in sorted(rows, key=lambda row: row.entry.id):
        found[row.split].append(row)
    return found


def source_shown(row: Row) -> str:
    """The source that a view shows with a question: its context, else its evidence.

    The evidence of an implementation is the code that is asked for, so it is not shown.
    """
    if row.entry.context or row.entry.kind != "qa":
        return shown(row.entry.context)
    pairs = zip(row.entry.evidence, row.texts, strict=True)
    return shown([Context(span=span, text=text) for span, text in pairs if text])


def shown(context: Sequence[Context]) -> str:
    """Context as text: each piece in a fence, headed by its place."""
    return "\n\n".join(
        f"{piece.span.file}:{piece.span.start_line}-{piece.span.end_line}\n"
        f"{_fence(piece.text)}cpp\n{piece.text.rstrip()}\n{_fence(piece.text)}"
        for piece in context
    )


def _fence(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return fence
