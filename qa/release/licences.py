"""Licences of a release: the sources' own licence files, whole, and the notices of quoted files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from extractor.errors import UserError
from extractor.records import Source
from qa.release.library import Library
from qa.release.rows import Row


def folder(source: Source) -> str:
    """Where a source's licence files lie in a release."""
    return f"licenses/{source.name}-{source.version}"


def files(rows: Sequence[Row], libraries: Mapping[str, Library]) -> dict[str, bytes]:
    """Licence files of every source that rows quote, and ``NOTICE.md``.

    Args:
        rows: What is released.
        libraries: Opened library by source, as JSON.

    Raises:
        UserError: A source has no licence file: its text may not be passed on.
    """
    made: dict[str, bytes] = {}
    parts = [
        "# Notices\n\nRows quote source text of the libraries below. Their licence files lie "
        "beside this file, whole.\nThe notices at the head of quoted files follow, each once.\n"
    ]
    for key, library in sorted(libraries.items()):
        source = library.source
        if not library.licence_files:
            raise UserError(
                f"{source.name} {source.version} has no licence file at its root; rows that quote "
                "it cannot be released: add the file to the source, or leave its entries out"
            )
        for name, data in library.licence_files.items():
            path = f"{folder(source)}/{name}"
            if made.get(path, data) != data:  # another revision of the same version
                path = f"{path}.{hashlib.sha256(data).hexdigest()[:8]}"
            made[path] = data
        inside = [row for row in rows if row.entry.source.model_dump_json() == key]
        parts.append(_notice(library, inside))
    made["licenses/NOTICE.md"] = "\n".join(parts).encode()
    return made


def summary(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Each source with its licence and its number of rows."""
    counts = Counter(row.entry.source.model_dump_json() for row in rows)
    found = [(Source.model_validate_json(key), number) for key, number in sorted(counts.items())]
    return [
        {**source.model_dump(), "rows": number, "licence_files": folder(source)}
        for source, number in found
    ]


def quoted_files(rows: Sequence[Row]) -> list[str]:
    """Files whose text rows show, in the question, the answer or the evidence."""
    spans = {c.span.file for row in rows for c in row.entry.context}
    spans |= {span.file for row in rows for span in row.entry.evidence}
    return sorted(spans)


def _notice(library: Library, rows: Sequence[Row]) -> str:
    source = library.source
    by_notice: dict[str, list[str]] = {}
    for file in quoted_files(rows):
        if notice := library.notice(file):
            by_notice.setdefault(notice, []).append(file)
    lines = [
        f"## {library.title} {source.version}\n",
        f"{source.license}; {len(rows):,} rows; revision `{source.commit}`.\n",
    ]
    for notice, names in sorted(by_notice.items(), key=lambda item: item[1]):
        lines += [", ".join(f"`{name}`" for name in names) + ":\n", f"```\n{notice}\n```\n"]
    return "\n".join(lines)
