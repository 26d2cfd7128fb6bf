"""The audit of a release: what was read and left out, what is covered, what overlaps."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from extractor.errors import UserError
from qa.intake import Fault, Intake
from qa.release.contamination import RUN, TOO_MUCH, Contamination
from qa.release.families import WIDE, Families
from qa.release.library import Library
from qa.release.rows import Row
from qa.release.splits import SPLITS
from qa.statistics import by_gate


def audit(
    intake: Intake,
    faults: Sequence[Fault],
    rows: Sequence[Row],
    families: Families,
    libraries: Mapping[str, Library],
    contamination: Contamination | None,
    authors_rejects: Mapping[str, int],
) -> dict[str, Any]:
    """Everything that ``audit.json`` says.

    Args:
        intake: What was read.
        faults: Everything that was left out.
        rows: What is released.
        families: Families of these rows.
        libraries: Opened library by source.
        contamination: The comparison with benchmarks, if there was one.
        authors_rejects: Reasons for which entries did not leave the gates at all.
    """
    by_fault = Counter(fault.fault for fault in faults)
    return {
        "lines_read": intake.lines,
        "released": len(rows),
        "left_out": len(faults),
        "left_out_by_reason": dict(sorted(by_fault.items())),
        "gates": by_gate(intake.entries),
        "rejected_before": dict(sorted(authors_rejects.items(), key=lambda i: (-i[1], i[0]))),
        "duplicates": {
            name: by_fault[name] for name in ("two_rows_one_id", "repeated_row", "same_text")
        },
        "evidence_in_other_packages": sum(
            any(Library.is_foreign(span) for span in row.entry.evidence) for row in rows
        ),
        "splits": _splits(rows),
        "families": {
            "number": len(families.members),
            "largest": [
                {"family": name, "rows": len(ids), "interfaces": list(families.interfaces[name])}
                for name, ids in sorted(
                    families.members.items(), key=lambda item: (-len(item[1]), item[0])
                )[:10]
            ],
            "shared_helpers": {"reached_by_more_than": WIDE, "functions": families.wide},
        },
        "coverage": [_coverage(libraries[key], key, rows) for key in sorted(libraries)],
        "contamination": _contamination(contamination),
    }


def read_rejects(paths: Sequence[Path]) -> dict[str, int]:
    """Reasons in files of rejects, as ``qa build`` writes them, with how often each is given.

    Raises:
        UserError: A file cannot be read.
    """
    found: Counter[str] = Counter()
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from error
        for line in filter(str.strip, text.split("\n")):
            try:
                data = json.loads(line)
            except ValueError:
                data = None
            found[_reason(data)] += 1
    return dict(found)


def _reason(data: Any) -> str:
    if not isinstance(data, dict):
        return "unreadable line"
    gates = data.get("gates")
    failed = [n for n, ok in gates.items() if not ok] if isinstance(gates, dict) else []
    # Where gates name themselves they count; free text would give every row a reason of its own.
    return str(data.get("gate") or ", ".join(sorted(failed)) or data.get("reason") or "no reason")


def _splits(rows: Sequence[Row]) -> dict[str, Any]:
    sides: dict[str, set[str]] = {}
    kernels: dict[str, set[str]] = {}
    for row in rows:
        sides.setdefault(row.family, set()).add(row.split)
        for name in row.kernels:
            kernels.setdefault(f"{row.entry.project}:{name}", set()).add(row.split)
    return {
        "rows": {name: sum(row.split == name for row in rows) for name in SPLITS},
        "families": {
            name: len({row.family for row in rows if row.split == name}) for name in SPLITS
        },
        "families_on_both_sides": sum(len(found) > 1 for found in sides.values()),
        "kernels_on_both_sides": sum(len(found) > 1 for found in kernels.values()),
    }


def _coverage(library: Library, key: str, rows: Sequence[Row]) -> dict[str, Any]:
    mine = [row for row in rows if row.entry.source.model_dump_json() == key]
    covered = sorted({row.entry.interface for row in mine})
    table = []
    reached_all: set[str] = set()
    shown_all = {name for row in mine for name in row.kernels}
    for interface in covered:
        reached = {
            d.plain
            for d in library.definitions(interface)
            if d.kind == "kernel" and d.live and not d.infrastructure
        }
        shown = {n for row in mine if row.entry.interface == interface for n in row.kernels}
        reached_all |= reached
        table.append(
            {
                "interface": interface,
                "rows": sum(row.entry.interface == interface for row in mine),
                "kernels_reached": len(reached),
                "kernels_covered": len(reached & shown),
                "not_covered": sorted(reached - shown),
            }
        )
    return {
        "library": library.name,
        "source": library.source.model_dump(),
        "interfaces_of_the_library": len(library.interfaces),
        "interfaces_covered": len(set(covered) & set(library.interfaces)),
        "interfaces_not_covered": sorted(set(library.interfaces) - set(covered)),
        "kernels_reached": len(reached_all),
        "kernels_covered": len(reached_all & shown_all),
        "by_interface": table,
    }


def _contamination(found: Contamination | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "folder": found.folder,
        "documents": found.documents,
        "unread": list(found.unread),
        "words_in_a_run": RUN,
        "left_out_from_share": TOO_MUCH,
        "left_out": len(found.contaminated),
        "rows_with_any_overlap": sum(o.share > 0 for o in found.overlaps),
        "rows_whose_source_is_quoted": sum(o.source_runs > 0 for o in found.overlaps),
        "largest": [
            {"id": o.id, "document": o.document, "share": o.share}
            for o in sorted(found.overlaps, key=lambda o: (-o.share, o.id))[:50]
            if o.share > 0
        ],
    }
