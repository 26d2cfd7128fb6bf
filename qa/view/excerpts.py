"""Source text around evidence, each line once, however many entries show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from extractor.records import Span
from qa.records import Entry
from qa.release.library import Library, Shelf

AROUND = 6
"""Lines shown before and after a span."""


@dataclass
class Excerpts:
    """Numbered source files of which entries show parts.

    Attributes:
        files: Key of each file, ``project`` and source and name, with its number.
        notes: Why text cannot be shown as it was, one line each.
    """

    shelf: Shelf
    files: dict[tuple[str, str, str], int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    _wanted: dict[int, set[int]] = field(default_factory=dict)
    _told: dict[int, dict[int, str]] = field(default_factory=dict)
    _library: dict[int, Library | None] = field(default_factory=dict)

    def add(self, entry: Entry) -> tuple[list[list[object]], list[list[object]]]:
        """Notes what an entry shows.

        Returns:
            Context and evidence as ``[file, start, end, state]``; ``state`` is empty where the text
            is what the span's hash says, else why it is not.
        """
        for piece in entry.context:
            number = self._number(entry, piece.span)
            lines = piece.text.split("\n")
            if piece.text.endswith("\n"):
                lines.pop()
            told = self._told.setdefault(number, {})
            told.update(enumerate(lines, piece.span.start_line))
        context = [self._span(entry, piece.span) for piece in entry.context]
        return context, [self._span(entry, span) for span in entry.evidence]

    def texts(self) -> Iterable[dict[str, object]]:
        """Each file as its name and runs of lines: ``[first line, text]``."""
        for (_, _, name), number in self.files.items():
            lines = dict(self._told.get(number, {}))
            library = self._library[number]
            if library is not None:
                wanted = sorted(self._wanted.get(number, ()))
                for start, end in _runs(wanted):
                    text = library.text(name, start, end)
                    lines.update(enumerate(text.split("\n")[: end - start + 1], start))
            runs = [
                [start, "\n".join(lines[line] for line in range(start, end + 1))]
                for start, end in _runs(sorted(lines))
            ]
            yield {"file": name, "runs": runs}

    def _number(self, entry: Entry, span: Span) -> int:
        key = (entry.project, entry.source.model_dump_json(), span.file)
        if key not in self.files:
            number = self.files[key] = len(self.files)
            library = self.shelf.find(entry.project, entry.source)
            self._library[number] = library if isinstance(library, Library) else None
            if isinstance(library, str):
                self.notes[library] = self.notes.get(library, 0)
        return self.files[key]

    def _span(self, entry: Entry, span: Span) -> list[object]:
        number = self._number(entry, span)
        library = self._library[number]
        if library is None:
            return [number, span.start_line, span.end_line, "the source of this entry is not here"]
        state = library.state(span) or ""
        if state:
            self.notes[state] = self.notes.get(state, 0) + 1
        else:
            first = max(1, span.start_line - AROUND)
            self._wanted.setdefault(number, set()).update(range(first, span.end_line + AROUND + 1))
        return [number, span.start_line, span.end_line, state]


def _runs(numbers: list[int]) -> Iterable[tuple[int, int]]:
    start = previous = None
    for number in numbers:
        if previous is not None and number != previous + 1:
            assert start is not None
            yield start, previous
            start = number
        start = number if start is None else start
        previous = number
    if start is not None and previous is not None:
        yield start, previous
