"""Builds a release: reads, screens, connects, splits, writes all that travels with the rows."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from extractor import __version__
from extractor.errors import UserError
from extractor.progress import Reporter
from qa.intake import Fault, Read, read
from qa.records import ENTRY_SCHEMA, Entry
from qa.release import audit, card, contamination, croissant, curriculum, licences, tables
from qa.release.families import Families, evidence_of, group, shared_helpers
from qa.release.library import Definition, Library, Shelf
from qa.release.manifest import publish
from qa.release.rows import Row
from qa.release.screening import screen, sources
from qa.release.splits import split
from qa.review.decisions import Decisions
from qa.statistics import summary

RELEASE_SCHEMA = "rocquarry.release/1"
"""Version of a release's layout; in ``provenance.json``."""

_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?")
_SHORT = re.compile(r"v?(\d+)(?:\.(\d+))?")


@dataclass(frozen=True)
class Request:
    """What to build.

    Attributes:
        files: Files of entries.
        out: Folder of the release.
        version: Its version, after semver.org.
        name: Its name.
        rules: Rule files of libraries that are not shipped.
        sources: ``NAME=FOLDER`` instead of a pinned source.
        benchmarks: Folder of benchmark files to compare with.
        rejects: Files of rejects that gates wrote.
        reviews: Files of decisions that people made.
        scopes: Folder with scopes that ``extract`` or ``qa build`` wrote.
    """

    files: Sequence[Path]
    out: Path
    version: str
    name: str = "rocquarry-qa"
    rules: Sequence[Path] = ()
    sources: Sequence[str] = ()
    benchmarks: Path | None = None
    rejects: Sequence[Path] = ()
    reviews: Sequence[Path] = ()
    scopes: Path | None = None


@dataclass(frozen=True)
class Release:
    """What was built.

    Attributes:
        out: Its folder.
        rows: Released rows.
        faults: Rows left out.
        audit: Contents of ``audit.json``.
        notes: What else a person must know, such as decisions about entries that changed.
        sizes: Bytes of each file.
    """

    out: Path
    rows: tuple[Row, ...]
    faults: tuple[Fault, ...]
    audit: dict[str, Any]
    notes: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)


def build(request: Request, reporter: Reporter | None = None) -> Release:
    """Builds a release and writes it.

    Raises:
        UserError: The version is none, nothing may be released, a source cannot be had or has no
            licence file, or the folder cannot be written.
        MissingExtra: pyarrow is not installed.
    """
    version = semantic(request.version)
    reporter = reporter or Reporter(quiet=True)
    intake = read(request.files)
    shelf = Shelf(request.rules, request.sources, reporter, request.scopes)
    decisions = Decisions.load(request.reviews)
    kept, faults, notes = _reviewed(intake.rows, decisions)
    kept, screened = screen(kept, shelf)
    faults = [*intake.faults, *faults, *screened]
    compared = None
    if request.benchmarks is not None:
        compared = contamination.compare([row.entry for row in kept], request.benchmarks)
        kept, found = _clean(kept, compared)
        faults += found
    if not kept:
        counts = Counter(fault.fault for fault in faults)
        said = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
        raise UserError(f"nothing to release: {said or 'the files hold no entry'}")
    libraries = _libraries(kept, shelf)
    rows, families = _rows([row.entry for row in kept], libraries, reporter)
    faults = sorted(faults, key=lambda f: (f.file, f.line, f.fault))
    report = audit.audit(
        intake, faults, rows, families, libraries, compared, audit.read_rejects(request.rejects)
    )
    files = _files(request, version, rows, faults, report, libraries, intake.digests)
    publish(files, request.out)
    sizes = {path: len(data) for path, data in sorted(files.items())}
    return Release(request.out, tuple(rows), tuple(faults), report, tuple(notes), sizes)


def semantic(version: str) -> str:
    """A version after semver.org; ``1`` and ``v1.2`` are completed.

    Raises:
        UserError: It is none.

    Example:
        >>> semantic("v1.2"), semantic("2.0.1-rc.1")
        ('1.2.0', '2.0.1-rc.1')
    """
    if _VERSION.fullmatch(version):
        return version
    if short := _SHORT.fullmatch(version):
        return f"{short[1]}.{short[2] or 0}.0"
    if _VERSION.fullmatch(version.removeprefix("v")):
        return version.removeprefix("v")
    raise UserError(f"--version '{version}': write MAJOR.MINOR.PATCH, such as 1.0.0")


def _reviewed(
    rows: Sequence[Read], decisions: Decisions
) -> tuple[list[Read], list[Fault], list[str]]:
    kept: list[Read] = []
    faults: list[Fault] = []
    notes: list[str] = []
    for row in rows:
        decision = decisions.of(row.entry)
        if decision is None:
            kept.append(row)
            continue
        if decision.changed:
            notes.append(f"{row.entry.id} changed since it was reviewed ({decision.said})")
        if decision.rejects:
            faults.append(row.fault("review", decision.reason))
        else:
            kept.append(row)
    return kept, faults, notes


def _clean(
    rows: Sequence[Read], compared: contamination.Contamination
) -> tuple[list[Read], list[Fault]]:
    bad = compared.contaminated
    faults = [
        row.fault(
            "contaminated",
            f"{bad[row.entry.id].share:.0%} of its runs of {contamination.RUN} words stand in "
            f"{bad[row.entry.id].document}",
        )
        for row in rows
        if row.entry.id in bad
    ]
    return [row for row in rows if row.entry.id not in bad], faults


def _libraries(rows: Sequence[Read], shelf: Shelf) -> dict[str, Library]:
    found: dict[str, Library] = {}
    for project, source in sources(rows):
        library = shelf.find(project, source)
        assert isinstance(library, Library)  # screened
        found[source.model_dump_json()] = library
    return found


def _rows(
    entries: Sequence[Entry], libraries: dict[str, Library], reporter: Reporter
) -> tuple[list[Row], Families]:
    evidence = []
    scopes: dict[str, Sequence[Definition]] = {}
    with reporter.work("families") as advance:
        for number, entry in enumerate(entries, 1):
            library = libraries[entry.source.model_dump_json()]
            definitions = library.definitions(entry.interface)
            scopes[name := f"{entry.project}/{entry.interface}"] = definitions
            evidence.append(evidence_of(entry, definitions))
            advance(number, len(entries), name)
    families = group(list(zip(entries, evidence, strict=True)), shared_helpers(scopes))
    library_of = {
        family: inside[0].partition("/")[0] for family, inside in families.interfaces.items()
    }
    chosen = split(families.members, library_of)
    rows = [
        Row(
            entry,
            found.kernels,
            families.of[entry.id],
            chosen[families.of[entry.id]],
            libraries[entry.source.model_dump_json()].quoted(entry.evidence),
        )
        for entry, found in zip(entries, evidence, strict=True)
    ]
    return rows, families


def _files(
    request: Request,
    version: str,
    rows: Sequence[Row],
    faults: Sequence[Fault],
    report: dict[str, Any],
    libraries: dict[str, Library],
    digests: Sequence[tuple[str, str]],
) -> dict[str, bytes]:
    entries = [row.entry for row in rows]
    stats = summary(entries)
    made = {**tables.files(rows), **curriculum.files(rows)}
    licenses = sorted({entry.source.license for entry in entries})
    opened = [libraries[key] for key in sorted(libraries)]
    titles = ", ".join(f"{library.title} {library.source.version}" for library in opened)
    made["croissant.json"] = croissant.metadata(
        name=request.name,
        version=version,
        description=f"{len(rows):,} checked questions and answers about the kernels of {titles}.",
        licenses=licenses,
        files=made,
    )
    made |= licences.files(rows, libraries)
    made |= card.files(
        {
            "title": request.name,
            "version": version,
            "schema": ENTRY_SCHEMA,
            "stats": stats,
            "audit": report,
            "libraries": opened,
            "licenses": licenses,
            "sources": licences.summary(rows),
            "claims": sum(len(entry.claims) for entry in entries),
            "phases": json.loads(made["curriculum/phases.json"])["phases"],
        }
    )
    made["schema/entry.schema.json"] = _pretty(Entry.model_json_schema(by_alias=True))
    made["schema/columns.txt"] = _columns()
    made["audit.json"] = _pretty(report)
    made["left_out.jsonl"] = b"".join(orjson.dumps(fault) + b"\n" for fault in faults)
    made["provenance.json"] = _pretty(_provenance(request, version, rows, digests))
    return made


def _provenance(
    request: Request, version: str, rows: Sequence[Row], digests: Sequence[tuple[str, str]]
) -> dict[str, Any]:
    entries = [row.entry for row in rows]
    authors: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        key = (entry.author.kind, entry.author.model or "", entry.author.prompt_sha256 or "")
        authors.setdefault(key, []).append(entry)
    return {
        "schema": RELEASE_SCHEMA,
        "name": request.name,
        "version": version,
        "entry_schema": ENTRY_SCHEMA,
        "released_by": __version__,
        "rows": len(rows),
        "sources": licences.summary(rows),
        "tool_versions": dict(sorted(Counter(entry.tool_version for entry in entries).items())),
        "configurations": sorted({name for entry in entries for name in entry.configs}),
        "architectures": sorted({name for entry in entries for name in entry.archs}),
        "authors": [
            {
                "kind": kind,
                "model": model or None,
                "prompt_sha256": prompt or None,
                "rows": len(inside),
                "tokens": sum(entry.author.tokens or 0 for entry in inside),
                "cost_usd": round(sum(entry.author.cost or 0.0 for entry in inside), 6),
            }
            for (kind, model, prompt), inside in sorted(authors.items())
        ],
        "inputs": [{"file": name, "sha256": digest} for name, digest in digests],
        "benchmarks": None if request.benchmarks is None else request.benchmarks.name,
        "parquet_writer": tables.WRITER,
    }


def _columns() -> bytes:
    parts = [f"{folder}/*.parquet\n{schema}\n" for folder, schema in tables.SCHEMAS.items()]
    return "\n".join(parts).encode()


def _pretty(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=False).encode() + b"\n"
