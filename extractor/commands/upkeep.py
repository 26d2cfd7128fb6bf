"""What serves the program itself: ``--doctor``, ``--pins``, the cache, ``--schema``."""

from __future__ import annotations

import json
from pathlib import Path

import typer


def print_schemas() -> None:
    """Prints the JSON Schemas of the records."""
    from extractor.records import EntryLine, Scope
    from extractor.trace.records import Trace

    schemas = {
        "scope": Scope.model_json_schema(by_alias=True),
        "kernels": EntryLine.model_json_schema(),
        "traces": Trace.model_json_schema(by_alias=True),
    }
    print(json.dumps(schemas, indent=2))


def doctor(project: str | None, *, pins: bool, as_json: bool) -> None:
    """Says what was found here, or which pinned files answer.

    Exit status: 1 where a pinned file does not answer, 2 where something is missing.
    """
    from rich.console import Console

    from extractor import doctor_view
    from extractor.doctor import doctor as examine
    from extractor.rules import list_rules, load_rule

    names = [project] if project else list_rules()
    if pins:
        from dataclasses import asdict

        from extractor.pins import check_pins

        statuses = check_pins([load_rule(name) for name in names])
        if as_json:
            print(json.dumps([asdict(status) for status in statuses], default=str))
        else:
            doctor_view.show_pins(statuses, Console())
        if not all(status.status == "there" for status in statuses):
            raise typer.Exit(1)
        return
    report = examine(names)
    if as_json:
        print(report.as_json())
    else:
        doctor_view.show_report(report, Console())
    if any(finding.state == "missing" for finding in report.findings):
        raise typer.Exit(2)


def cache(clear: str | None, export: Path | None, load: Path | None, *, as_json: bool) -> None:
    """Empties the cache, or writes or reads a copy of what another machine needs."""
    from dataclasses import asdict

    from extractor import cache_transfer, cache_usage

    if clear is not None:
        kinds = None if clear == "all" else [kind.strip() for kind in clear.split(",")]
        freed = cache_usage.clear(kinds)
        print(json.dumps({"freed": freed}) if as_json else f"freed {freed / 1e6:.1f} MB")
        return
    done = cache_transfer.export_cache(export) if export else None
    if load is not None:
        done = cache_transfer.import_cache(load)
    assert done is not None
    print(json.dumps(asdict(done), default=str) if as_json else str(done))
