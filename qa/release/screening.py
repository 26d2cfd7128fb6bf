"""What may not go into a release: rows without proof, licence, or the source they speak of."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from extractor.records import Source
from qa.intake import Fault, Read
from qa.release.library import Library, Shelf

_SPACE = re.compile(r"\s+")


def screen(rows: Sequence[Read], shelf: Shelf) -> tuple[list[Read], list[Fault]]:
    """Parts rows that may be released from those that may not.

    The order of the questions is fixed, and the first that fails names the fault: gates, claims,
    source, quoted text, text that another row has already.

    Args:
        rows: Entries, in the order in which the first of two equal texts is kept.
        shelf: Opens the libraries.
    """
    kept: list[Read] = []
    faults: list[Fault] = []
    texts: dict[str, str] = {}
    for row in rows:
        fault = _proof(row) or _source(row, shelf)
        if fault is None:
            key = text_key(row)
            if key in texts:
                fault = row.fault("same_text", f"question and answer of {texts[key]}")
            else:
                texts[key] = row.entry.id
        if fault is None:
            kept.append(row)
        else:
            faults.append(fault)
    return kept, faults


def text_key(row: Read) -> str:
    """Hash of question and answer, white space and case aside."""
    text = f"{row.entry.question}\0{row.entry.answer}".lower()
    return hashlib.sha256(_SPACE.sub(" ", text).encode()).hexdigest()


def sources(rows: Sequence[Read]) -> list[tuple[str, Source]]:
    """Each library and source that rows name, in order."""
    found = {(row.entry.project, row.entry.source.model_dump_json()): row for row in rows}
    return [(found[key].entry.project, found[key].entry.source) for key in sorted(found)]


def _proof(row: Read) -> Fault | None:
    entry = row.entry
    if not entry.gates:
        return row.fault("not_gated", "no gate has judged it; run: qa check FILE")
    if failed := sorted(name for name, passed in entry.gates.items() if not passed):
        return row.fault("gate", f"failed {', '.join(failed)}")
    for claim in entry.claims:
        if claim.passed is not True:
            said = "failed" if claim.passed is False else "was not decided"
            return row.fault("claim", f"{claim.type} of {claim.subject} {said} ({claim.check})")
    return None


def _source(row: Read, shelf: Shelf) -> Fault | None:
    entry = row.entry
    library = shelf.find(entry.project, entry.source)
    if not isinstance(library, Library):
        return row.fault("changed_source", library)
    for context in entry.context:
        if library.is_foreign(context.span):
            return row.fault(
                "foreign_text", f"text of {context.span.file}, which {entry.source.license} "
                f"of {entry.source.name} does not cover",
            )  # fmt: skip
    for span in (*(context.span for context in entry.context), *entry.evidence):
        if (why := library.state(span)) is not None:
            return row.fault("changed_source", why)
    for context in entry.context:
        span = context.span
        if library.text(span.file, span.start_line, span.end_line) != context.text:
            place = f"{span.file}:{span.start_line}-{span.end_line}"
            return row.fault(
                "changed_source", f"the text shown for {place} is not what stands there"
            )
    return None
