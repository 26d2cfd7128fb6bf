"""Entries of the static author, written again: what was changed in one since shows as a few words.

The static author is deterministic. Where facts, traces and slices are at hand, it writes the entry
with the same id once more. Another version of the author, or other facts, give another text; an
entry that differs in a word or two from what its author writes was changed by somebody else.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher

import orjson

from qa.ground import Ground
from qa.records import Entry

_WORDS = re.compile(r"\w+|[^\w\s]")
_FEW, _RUN = 6, 3
_OPEN = 2


class Rewriting:
    """Writes interfaces again, and compares.

    Args:
        ground: The library.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.unknown = 0
        """Entries of the static author that it does not write today: nothing is said of them."""
        self._written: dict[str, dict[str, Entry]] = {}

    def fault(self, entry: Entry) -> str | None:
        """Why an entry is not what its author writes; ``None`` where it is, or nobody can tell."""
        if entry.author.kind != "static":
            return None
        own = self._of(entry.interface).get(entry.id)
        if own is None:
            self.unknown += 1
            return None
        texts = [
            part for one, other in ((own.question, entry.question), (own.answer, entry.answer))
            for part in changed(one, other)
        ]  # fmt: skip
        if not texts:
            cited = {(s.file, s.start_line, s.end_line) for s in entry.evidence}
            if cited != {(s.file, s.start_line, s.end_line) for s in own.evidence}:
                return "the same words stand on other lines when their author writes them again"
            return None
        longest = max(max(len(old), len(new)) for old, new in texts)
        if longest <= _RUN and sum(len(old) + len(new) for old, new in texts) <= 2 * _FEW:
            old, new = texts[0]
            return f"its author writes '{' '.join(old)}', not '{' '.join(new)}'"
        return None

    def _of(self, interface: str) -> dict[str, Entry]:
        from qa.author.angles import propose

        if interface not in self._written:
            kept = self._kept(interface)
            if kept is None:
                view = self._ground.view(interface)
                kept = {draft.id: draft.entry() for draft in propose(view, self._ground)}
            self._written[interface] = kept
            while len(self._written) > _OPEN:
                self._written.pop(next(iter(self._written)))
        return self._written[interface]

    def _kept(self, interface: str) -> dict[str, Entry] | None:
        """What a build of the same inputs has left in the folder; ``None`` where there is none."""
        from qa.build import Task, part_of

        if self._ground.folder is None:
            return None
        rule = self._ground.project.rule.name
        rows = part_of(Task(rule, interface, self._ground.folder, None), self._ground)
        if rows is None:
            return None
        entries = [Entry.model_validate_json(orjson.dumps(row[0])) for row in rows]
        return {entry.id: entry for entry in entries}


def changed(one: str, other: str) -> list[tuple[list[str], list[str]]]:
    """Runs of words that differ between two texts."""
    if one == other:
        return []
    left, right = _WORDS.findall(one), _WORDS.findall(other)
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return [
        (left[a:b], right[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"
    ]  # fmt: skip
