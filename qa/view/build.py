"""Builds the page: an index that is read at once; entries and source are opened on demand."""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from extractor import __version__
from extractor.errors import UserError
from extractor.output import write
from extractor.render.inline import assemble, join_modules
from qa.intake import Intake, fingerprint, read
from qa.records import Entry
from qa.release.library import Shelf
from qa.review.decisions import Decisions
from qa.statistics import author
from qa.view import resources
from qa.view.excerpts import Excerpts

CHUNK = 32
"""Entries that are decoded together when one of them is opened."""

_PAGE = Path(__file__).parent / "page"
_STYLES = ["colours.css", "base.css", "review.css"]
_LISTED = 160
_WORD = re.compile(r"[A-Za-z_]\w+")


@dataclass(frozen=True)
class Made:
    """What was written.

    Attributes:
        page: The file.
        entries: Entries on it.
        size: Bytes.
        notes: Rows that are no entries, and text that cannot be shown as it was.
    """

    page: Path
    entries: int
    size: int
    notes: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "page": str(self.page),
            "entries": self.entries,
            "bytes": self.size,
            "notes": list(self.notes),
        }


def build(
    files: Sequence[Path],
    page: Path,
    *,
    reviews: Sequence[Path] = (),
    facts: Sequence[Path] = (),
    rules: Sequence[Path] = (),
    sources: Sequence[str] = (),
) -> Made:
    """Writes the page.

    Args:
        files: Files of entries.
        page: Where to.
        reviews: Decisions to begin with.
        facts: Files of facts, for the resources of kernels.
        rules: Rule files of libraries that are not shipped.
        sources: ``NAME=FOLDER`` instead of a pinned source.

    Raises:
        UserError: A file cannot be read, or holds no entry.
    """
    intake = read(files)
    if not intake.rows:
        raise UserError(f"no entry in {', '.join(str(path) for path in files)}")
    excerpts = Excerpts(Shelf(rules, sources))
    data = page_data(intake, excerpts, Decisions.load(reviews), resources.read(facts))
    title = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    text = assemble(
        "review.html",
        _STYLES,
        {"script": join_modules("review", "start();", _PAGE)},
        {
            "title": f"{title}: review",
            "heading": title,
            "generator": f"rocQuarry {__version__}",
        },
        data,
        _PAGE,
    )
    content = text.encode()
    write(page, content)
    notes = [f"{f.file}:{f.line}: {f.fault}: {f.detail}" for f in intake.faults]
    notes += [f"{why}" + (f" ({n} spans)" if n else "") for why, n in excerpts.notes.items()]
    return Made(page, len(intake.rows), len(content), tuple(notes))


def page_data(
    intake: Intake,
    excerpts: Excerpts,
    decisions: Decisions,
    kernels: dict[str, list[list[object]]],
) -> dict[str, Any]:
    """What the scripts read.

    A row of ``index`` is ``[id, library, interface, level, category, author, kind, configurations,
    architectures, question, fingerprint, failed gates]``; names are numbers into ``names``.
    ``chunks`` and ``texts`` are deflated JSON in base64: the page decodes one when it is opened.
    """
    numbers: dict[str, dict[str, int]] = {}

    def number(kind: str, name: str) -> int:
        known = numbers.setdefault(kind, {})
        return known.setdefault(name, len(known))

    index, bodies, known_decisions = [], [], []
    entries = sorted(intake.entries, key=lambda e: (e.project, e.interface, e.level, e.id))
    for entry in entries:
        question = " ".join(entry.question.split())
        index.append(
            [
                entry.id,
                number("library", entry.project),
                number("interface", entry.interface),
                entry.level,
                number("category", entry.category),
                number("author", author(entry)),
                number("kind", entry.kind),
                [number("configuration", name) for name in entry.configs],
                [number("architecture", name) for name in entry.archs],
                question[:_LISTED] + ("…" if len(question) > _LISTED else ""),
                fingerprint(entry),
                sum(not passed for passed in entry.gates.values()),
            ]
        )
        bodies.append(_body(entry, excerpts, kernels))
        if (verdict := decisions.of(entry)) is not None:
            known_decisions.append(verdict.decision.model_dump())
    texts = list(excerpts.texts())
    return {
        "names": {kind: list(known) for kind, known in sorted(numbers.items())},
        "index": index,
        "chunk": CHUNK,
        "chunks": [_packed(bodies[n : n + CHUNK]) for n in range(0, len(bodies), CHUNK)],
        "texts": [_packed(text) for text in texts],
        "decisions": known_decisions,
        "faults": [f"{f.file}:{f.line}: {f.fault}: {f.detail}" for f in intake.faults],
    }


def _body(
    entry: Entry, excerpts: Excerpts, kernels: dict[str, list[list[object]]]
) -> dict[str, Any]:
    context, evidence = excerpts.add(entry)
    words: Iterable[str] = sorted(set(_WORD.findall(f"{entry.question} {entry.answer}")))
    return {
        "question": entry.question,
        "answer": entry.answer,
        "entry_points": list(entry.entry_points),
        "source": entry.source.model_dump(),
        "context": context,
        "evidence": evidence,
        "claims": [claim.model_dump(mode="json") for claim in entry.claims],
        "gates": dict(sorted(entry.gates.items())),
        "author": entry.author.model_dump(mode="json", exclude_none=True),
        "tool_version": entry.tool_version,
        "resources": {name: kernels[name] for name in words if name in kernels},
    }


def _packed(value: Any) -> str:
    return base64.b64encode(zlib.compress(orjson.dumps(value), 9)).decode()
