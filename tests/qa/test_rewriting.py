"""The static author's entries, written again to see what was changed in them."""

from __future__ import annotations

from typing import Any, cast

import pytest

from qa.records import Entry
from qa.rewriting import Rewriting, changed

WORDS = "Nothing is stored before the barrier, and thread 0 alone writes the sum of the block."


def entry(answer: str = WORDS, *, lines: tuple[int, int] = (3, 9), kind: str = "static") -> Entry:
    return Entry.model_validate(
        {
            "id": "one", "project": "lib", "interface": "dot", "entry_points": ("lib_sdot",),
            "source": {"name": "lib", "version": "1", "commit": "c", "license": "MIT"},
            "configs": ("source",), "archs": (), "kind": "qa", "category": "dispatch", "level": 1,
            "question": "What happens?", "answer": answer, "context": (), "claims": (),
            "evidence": ({"file": "a.hpp", "start_line": lines[0], "end_line": lines[1],
                          "sha256": "0" * 64},),
            "author": {"kind": kind}, "gates": {}, "tool_version": "0.1.0",
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("planted", "passes"),
    [
        (entry(), True),
        (entry(WORDS.replace("before", "after")), False),
        (entry(WORDS.replace("thread 0", "thread 1")), False),
        (entry(WORDS.replace("Nothing is", "Nothing is ever")), False),
        (entry(lines=(4, 10)), False),
        (entry(WORDS.replace("before", "after"), kind="model"), True),
        (entry(WORDS + " The grid has 4 blocks."), True),
        (entry("The sum is kept in registers until every wavefront has passed."), True),
    ],
)  # fmt: skip
def test_what_was_changed_in_an_entry_shows(planted: Entry, passes: bool) -> None:
    again = Rewriting(cast(Any, None))
    again._written["dot"] = {"one": entry()}
    assert (again.fault(planted) is None) == passes


def test_only_what_differs_is_told() -> None:
    assert changed("a b c d", "a b d") == [(["c"], [])]
    found: list[Any] = changed("same", "same")
    assert found == []
