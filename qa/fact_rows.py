"""Rows of files of facts and traces, as they are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

_HOST_FACTS = frozenset(
    ("launch_condition", "launch_grid", "launch_block", "launch_shared_bytes", "argument_check",
     "quick_return")
)  # fmt: skip
_USED_HOST_FACTS = frozenset(
    ("launch_condition", "launch_grid", "launch_block", "launch_shared_bytes")
)


def distinct(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without those that say of another instantiation what one has said before.

    The host's facts repeat themselves for every instantiation of a launcher.
    """
    kept = []
    seen: set[bytes] = set()
    for row in rows:
        if row.get("proved_by") == "ast" and row["fact"] in _HOST_FACTS:
            if row["fact"] not in _USED_HOST_FACTS:
                continue
            key = orjson.dumps([row["function"], row["subject"], row["fact"], row["value"]])
            if key in seen:
                continue
            seen.add(key)
        kept.append(row)
    return kept


def read_rows(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """JSON objects, one a line; an empty line is none."""
    for line in lines:
        if line.strip():
            yield orjson.loads(line)
