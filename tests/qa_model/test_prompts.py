"""Prompts as they are sent; with ``REFRESH_GOLDEN=1`` in the environment they are renewed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from extractor import settings
from qa.model.plan import CATEGORIES, LEVELS
from qa.model.prompts import Piece, mark_of, render, version

GOLDEN = Path(__file__).parent / "golden"
PIECE = Piece(
    "src/wave.hip", 7, 10, "wave_kernel", "kernel",
    " 7  __global__ void wave_kernel(int n, float* x)\n 8  {\n 9      x[threadIdx.x] += n;\n10  }",
)  # fmt: skip
FACT = "wave_kernel: guard of src/wave.hip:9 = none (proved by ast)"
TRACE = (
    "wave(n = 8) on gfx942, host pointer mode: wave_kernel grid [1, 1, 1] block [64, 1, 1] LDS 0"
)
COMMON: dict[str, Any] = {
    "project": "pond", "version": "1.2", "interface": "wave", "configs": ["plain"],
    "subject": "wave_kernel",
}  # fmt: skip
SHOWN: dict[str, Any] = {"pieces": [PIECE], "facts": [FACT], "traces": [TRACE]}
QUESTION = "What does thread 3 add for n = 8?"
OTHERS: dict[str, dict[str, Any]] = {
    "answerer": {
        **COMMON, **SHOWN, "category": "index_mapping", "level": 1, "question": QUESTION,
        "failures": ["numbers: 9 is nowhere"],
    },
    "second": {**SHOWN, "question": QUESTION},
    "closed_book": {"question": QUESTION, "project": "pond", "interface": "wave"},
    "critic": {"question": QUESTION, "first": "It adds 8.", "second": "Eight is added."},
    "repair": {"problem": "no JSON", "schema": "{}"},
    "schema": {"schema": "{}"},
}  # fmt: skip
WRITERS = {
    f"writer/{category}_{level}": {
        **COMMON, **SHOWN, "category": category, "level": level, "asked": ["An earlier one?"]
    }
    for category in CATEGORIES
    for level in LEVELS
}  # fmt: skip


@pytest.mark.parametrize("name", [*WRITERS, *OTHERS])
def test_prompts_are_the_golden_ones(name: str) -> None:
    made = render(name, **{**WRITERS, **OTHERS}[name])
    golden = GOLDEN / f"{name.replace('/', '-')}.txt"
    if os.environ.get("REFRESH_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(made, encoding="utf-8")
    assert made == golden.read_text(encoding="utf-8")


def test_every_template_has_its_golden() -> None:
    folder = settings.prompts_folder()
    templates = {p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.j2")}
    parts = {"writer/base", "source", "rules"}
    assert templates - parts == {*WRITERS, *OTHERS}
    assert version()


def test_writers_of_categories_and_levels_differ() -> None:
    texts = [render(name, **values) for name, values in WRITERS.items()]
    assert len(set(texts)) == len(CATEGORIES) * len(LEVELS)
    # The parts that are one category's and one level's own.
    own = [text.partition("Category:")[2].partition("A good question")[0] for text in texts]
    assert len(set(own)) == len(own)


def test_the_mark_is_in_no_text() -> None:
    first = mark_of("a")
    assert mark_of(f"a{first}") not in f"a{first}"
