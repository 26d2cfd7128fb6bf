"""The page of a difference: one file, offline, with the source of both sides."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from extractor.difference.records import Change, Difference
from extractor.render.inline import assemble, join_modules

_PAGE = Path(__file__).parent / "page"
_CONTEXT = 3
_LONGEST = 400
"""Lines of one side that a page shows; the JSON has all of them."""


def to_html(difference: Difference) -> str:
    """Writes the page. The same difference gives the same bytes."""
    data = difference.model_dump(mode="json", by_alias=True)
    for row, change in zip(data["changes"], difference.changes, strict=True):
        row["lines"] = _lines(change)
        for side in ("old", "new"):
            if row[side] is not None:
                del row[side]["text"]
    old, new = difference.old, difference.new
    texts = {
        "title": f"{difference.project}: {old.label} to {new.label}",
        "heading": difference.project,
        "version": f"{old.label} → {new.label}",
        "generator": f"rocquarry {difference.tool_version}",
    }
    script = join_modules("difference", "start();", _PAGE)
    styles = ["colours.css", "base.css", "overview.css", "difference.css"]
    return assemble("difference.html", styles, {"script": script}, texts, data, _PAGE)


def _lines(change: Change) -> list[list[Any]]:
    """Rows of (mark, old line number, new line number, text); a gap has the mark ``…``."""
    old = change.old.text.splitlines() if change.old else []
    new = change.new.text.splitlines() if change.new else []
    first_old = change.old.start_line if change.old else 0
    first_new = change.new.start_line if change.new else 0
    rows: list[list[Any]] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    groups = list(matcher.get_grouped_opcodes(_CONTEXT))
    if not groups and old:
        # Equal texts: something else differs, and both stand for it.
        groups = [[("equal", 0, len(old), 0, len(new))]]
    for number, group in enumerate(groups):
        if number or group[0][1] or group[0][3]:
            rows.append(["…", None, None, ""])
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                rows += [
                    [" ", first_old + i, first_new + j, old[i]]
                    for i, j in zip(range(i1, i2), range(j1, j2), strict=True)
                ]
                continue
            rows += [["-", first_old + i, None, old[i]] for i in range(i1, i2)]
            rows += [["+", None, first_new + j, new[j]] for j in range(j1, j2)]
    if len(rows) > _LONGEST:
        left = len(rows) - _LONGEST
        rows = [*rows[:_LONGEST], ["…", None, None, f"{left} more lines in difference.json"]]
    return rows
