"""``qa build --author model``: what the command does once its libraries are open."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from extractor.errors import UnknownName, UserError
from extractor.output import to_json, write
from extractor.progress import Reporter
from extractor.project import Project
from qa.ground import Ground
from qa.judgement import Judge
from qa.model.plan import CATEGORIES
from qa.model.run import Estimate, Report, estimate, plan, run
from qa.model.settings import ModelSettings
from qa.records import Category

FOLDER = "model"
"""Folder below ``OUT`` for what a model wrote, beside the static author's entries."""


@dataclass(frozen=True)
class Options:
    """What the user chose.

    Attributes:
        settings: Model, server, prices.
        categories: Categories to ask for; all when empty.
        limit: Entries of an interface at the most.
        only_estimate: Send nothing, and say what a run would take.
        max_cost: US dollars at the most.
        max_tokens: Tokens at the most.
        batch_seconds: Batches, looked after every so many seconds; ``None`` for direct requests.
    """

    settings: ModelSettings
    categories: tuple[str, ...] = ()
    limit: int | None = None
    only_estimate: bool = False
    max_cost: float | None = None
    max_tokens: int | None = None
    batch_seconds: float | None = None


def build_with_model(
    libraries: Sequence[tuple[Project, Sequence[str]]],
    out: Path,
    options: Options,
    reporter: Reporter,
    *,
    as_json: bool,
    quiet: bool,
) -> int:
    """Writes ``OUT/model/entries.jsonl``, ``rejects.jsonl`` and ``report.json``.

    Returns:
        The exit code: 1 when something that was wanted is not there, 130 when interrupted.
    """
    categories = _categories(options.categories)
    if options.max_cost is not None and options.settings.input_price is None:
        raise UserError(
            "--max-cost needs prices; give --input-price and --output-price in US dollars for a "
            "million tokens"
        )
    estimates: list[Estimate] = []
    reports: list[Report] = []
    for project, interfaces in libraries:
        ground = Ground(project, out)
        rows = plan(ground, interfaces, categories, options.limit)
        expected = estimate(options.settings, ground, rows)
        estimates.append(expected)
        if not quiet and not as_json:
            print(_estimated(project.rule.name, expected))
        if options.only_estimate:
            continue
        judge = Judge(_always(project), out)
        judge.adopt(ground)
        with reporter.work(f"{project.rule.name} entries by {options.settings.model}") as advance:
            reports.append(
                run(
                    options.settings, ground, rows, judge, max_cost=options.max_cost,
                    max_tokens=options.max_tokens, advance=advance,
                    batch_seconds=options.batch_seconds,
                )
            )  # fmt: skip
        if reports[-1].stopped:
            break
    if options.only_estimate:
        if as_json:
            print(json.dumps([one.as_json() for one in estimates]))
        return 0
    return _finish(reports, out, as_json=as_json, quiet=quiet)


def _always(project: Project) -> Callable[[str], Project]:
    return lambda _name: project


def _categories(chosen: Sequence[str]) -> tuple[Category, ...]:
    known: tuple[Category, ...] = get_args(Category)
    for name in chosen:
        if name not in known:
            raise UnknownName("category", name, known, f"known: {', '.join(known)}")
    return tuple(name for name in known if name in chosen) or CATEGORIES


def _estimated(project: str, expected: Estimate) -> str:
    price = "price unknown" if expected.price is None else f"${expected.price:.2f}"
    return (
        f"{project}: {expected.entries} entries wanted, about {expected.requests} requests, "
        f"{expected.sent} tokens sent and {expected.received} received, {price}"
    )


def _finish(reports: Sequence[Report], out: Path, *, as_json: bool, quiet: bool) -> int:
    folder = out / FOLDER
    entries = [entry for report in reports for entry in report.entries]
    write(
        folder / "entries.jsonl",
        b"".join(entry.model_dump_json(by_alias=True).encode() + b"\n" for entry in entries),
    )
    rejects = [row for report in reports for row in report.rejects()]
    write(folder / "rejects.jsonl", b"".join(to_json(row) for row in rejects))
    figures: list[dict[str, Any]] = [report.as_json() for report in reports]
    write(folder / "report.json", to_json(figures))
    if as_json:
        print(json.dumps(figures))
    elif not quiet:
        print(f"{folder / 'entries.jsonl'}: {len(entries)} entries, {len(rejects)} rejected")
        for row in figures:
            stages = ", ".join(f"{name} {count}" for name, count in row["stages"].items())
            print(f"  {stages or 'nothing written'}; {_spent(row)}")
            if row["stopped"]:
                print(
                    f"  stopped: {row['stopped']}; {row['left']} entries left; run again to go on"
                )
    if any(report.stopped == "interrupted" for report in reports):
        return 130
    return 1 if rejects or any(report.left for report in reports) else 0


def _spent(row: dict[str, Any]) -> str:
    tokens = row["tokens_sent"] + row["tokens_received"]
    text = f"{row['requests']} requests, {tokens} tokens"
    if row["price_usd"] is None:
        return f"{text}, price unknown"
    each = row["price_per_accepted_usd"]
    return f"{text}, ${row['price_usd']:.4f}" + (
        "" if each is None else f", ${each:.4f} for an accepted entry"
    )
