"""The pages of a release: dataset card, audit, validation protocol, and the card's plots."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from qa.release import plots
from qa.release.splits import SPLITS
from qa.statistics import LEVELS

_SIZES = ((1000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
PAGES = {
    "README.md": "README.md.j2",
    "AUDIT.md": "AUDIT.md.j2",
    "VALIDATION.md": "VALIDATION.md.j2",
}
"""Page to template."""


def files(facts: Mapping[str, Any]) -> dict[str, bytes]:
    """All pages and plots.

    Args:
        facts: What the templates name: ``title``, ``version``, ``stats``, ``audit``, and so on.
    """
    rows = facts["stats"]["rows"]
    configs = {
        "default": {split: f"data/{split}.parquet" for split in SPLITS},
        "chat": {split: f"chat/{split}.parquet" for split in SPLITS},
        "instruction": {split: f"instruction/{split}.parquet" for split in SPLITS},
        **{
            f"curriculum_phase{phase}": {"train": f"curriculum/phase{phase}.parquet"}
            for phase in (1, 2, 3)
        },
    }
    known = {
        **facts,
        "configs": configs,
        "splits": facts["audit"]["splits"],
        "size": next((name for bound, name in _SIZES if rows < bound), "100K<n<1M"),
    }
    made = {
        page: _environment().get_template(template).render(known).rstrip().encode() + b"\n"
        for page, template in PAGES.items()
    }
    return {**made, **_plots(facts["stats"])}


def _plots(stats: Mapping[str, Any]) -> dict[str, bytes]:
    levels = {f"level {name}": {"rows": stats["by_level"][name]} for name in LEVELS}
    series = [f"level {name}" for name in LEVELS]

    def named(table: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
        return {
            key: {f"level {name}": number for name, number in found.items()}
            for key, found in table.items()
        }

    return {
        "plots/levels.svg": plots.bars("Rows by level", levels, ["rows"]),
        "plots/categories.svg": plots.bars(
            "Rows by category and level", named(stats["categories"]), series
        ),
        "plots/interfaces.svg": plots.bars(
            "Rows by interface and level", named(stats["interfaces"]), series
        ),
        "plots/lengths.svg": plots.bars(
            "Lengths of questions and answers in characters",
            stats["histogram"],
            ["questions", "answers"],
        ),
    }


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # Markdown, not HTML
        keep_trailing_newline=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["cell"] = _cell
    return environment


def _cell(text: object) -> str:
    """Text that stays inside its cell of a table and is no markup."""
    plain = " ".join(str(text).split())
    for char in "\\|`*<>[]":
        plain = plain.replace(char, f"\\{char}")
    return plain
