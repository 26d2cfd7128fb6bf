"""Training in three phases that fade difficulty in, and the easy samples out.

After the curriculum of AMDKernelVault (appendix G.3, "Curriculum Learning Phases"): phase 1 is
level 1; phase 2 a part of level 1 with level 2 and the medium of level 3; phase 3 a part of level 2
with level 3 and variants. The paper gives no shares; those here are stated in ``phases.json``.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Sequence
from typing import Any

from extractor.output import to_json
from qa.records import Entry
from qa.release.rows import Row
from qa.release.tables import CHAT, chat_record, json_lines, parquet

EASY_SHARE = 0.3
"""Part of level 1 that stays in phase 2, and of level 2 that stays in phase 3."""

VARIANTS = ("hip_to_hip", "pytorch_to_hip")
"""Kinds of entries that give another version of a kernel."""

_COMPOSITION = {
    1: "level 1",
    2: f"{EASY_SHARE:.0%} of level 1 by hash, level 2, level 3 up to the median size of evidence",
    3: f"{EASY_SHARE:.0%} of level 2 by hash, level 3, variants ({', '.join(VARIANTS)})",
}


def phases(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Training rows of each phase, in the order in which they are to be read.

    Within a phase rows go by level, then by hash. A variant of any level is in phase 3 and, where
    its level puts it there, in the phases before.
    """
    train = [row for row in rows if row.split == "train"]
    hard = [_size(row.entry) for row in train if row.entry.level == 3]
    medium = statistics.median_low(hard) if hard else 0
    chosen: dict[int, list[Row]] = {1: [], 2: [], 3: []}
    for row in train:
        level, part = row.entry.level, _place(row) < EASY_SHARE
        if level == 1:
            chosen[1].append(row)
        if (level == 1 and part) or level == 2 or (level == 3 and _size(row.entry) <= medium):
            chosen[2].append(row)
        if (level == 2 and part) or level == 3 or row.entry.kind in VARIANTS:
            chosen[3].append(row)
    return {
        phase: sorted(inside, key=lambda row: (row.entry.level, _place(row), row.entry.id))
        for phase, inside in chosen.items()
    }


def files(rows: Sequence[Row]) -> dict[str, bytes]:
    """Sample lists and views: ``curriculum/phases.json`` and a chat table for each phase."""
    found = phases(rows)
    made: dict[str, bytes] = {}
    lists: list[dict[str, Any]] = []
    for phase, inside in found.items():
        records = [chat_record(row) for row in inside]
        made[f"curriculum/phase{phase}.parquet"] = parquet(records, CHAT)
        made[f"curriculum/phase{phase}.jsonl"] = json_lines(records)
        lists.append(
            {
                "phase": phase,
                "composition": _COMPOSITION[phase],
                "rows": len(inside),
                "levels": {
                    str(level): sum(row.entry.level == level for row in inside)
                    for level in (1, 2, 3)
                },
                "ids": [row.entry.id for row in inside],
            }
        )
    made["curriculum/phases.json"] = to_json({"split": "train", "phases": lists})
    return made


def _size(entry: Entry) -> int:
    """Lines of evidence, each counted once."""
    return len(
        {
            (span.file, line)
            for span in entry.evidence
            for line in range(span.start_line, span.end_line + 1)
        }
    )


def _place(row: Row) -> float:
    """A number in [0, 1) that depends on the id alone."""
    return int(hashlib.sha256(row.entry.id.encode()).hexdigest()[:13], 16) / 16**13
