"""The two pages of facts: of one interface, and of a whole library."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from extractor.facts.records import Fact
from extractor.facts.report.faults import suspicions
from extractor.facts.report.tables import kernel_rows, unproved
from extractor.render.inline import assemble, join_modules

_PAGE = Path(__file__).with_name("page")
_STYLES = ["colours.css", "base.css", "facts.css"]


def interface_page(scope: dict[str, Any], facts: Sequence[Fact]) -> str:
    """``facts.html``: every function with its facts beside its source.

    Args:
        scope: ``scope.json`` of the interface.
        facts: Its facts.
    """
    by_function: dict[str, list[Fact]] = {}
    for fact in facts:
        by_function.setdefault(fact.function, []).append(fact)
    launched = _launches_by_kernel(facts)
    functions = []
    known = {function["id"] for function in scope["functions"]}
    for function in scope["functions"]:
        stated = by_function.get(function["id"], [])
        if function["span"] is None or not (stated or function["id"] in launched):
            continue
        functions.append(
            {
                "id": function["id"],
                "name": function["name"],
                "kind": function["kind"],
                "signature": function["signature"],
                "file": function["span"]["file"],
                "line": function["span"]["start_line"],
                "text": function["text"],
                "instantiations": len(function["instantiations"]),
                "facts": [
                    *({**_row(f), "from": f.function} for f in launched.get(function["id"], ())),
                    *map(_row, stated),
                ],
            }
        )
    texts: dict[str, int] = {}
    order = {"kernel": 0, "launcher": 1, "entry_point": 2, "host": 3, "device": 4}
    # What only checks or sets up, by the rule file, comes after what does the work.
    aside = {f["id"] for f in scope["functions"] if f["infrastructure"]}
    functions.sort(key=lambda f: (order.get(f["kind"], 9), f["id"] in aside, f["name"], f["id"]))
    source = scope["source"]
    return assemble(
        "facts.html",
        _STYLES,
        {"script": join_modules("facts", "start();", _PAGE)},
        {
            "title": f"{scope['interface']}: facts",
            "heading": scope["interface"],
            "version": f"{source['name']} {source['version']}",
            "generator": f"rocQuarry {scope['tool_version']}",
        },
        _compressed(
            {
                "functions": [{**f, "facts": _packed(f["facts"], texts)} for f in functions],
                "texts": list(texts),
                "elsewhere": sorted(set(by_function) - known),
                "suspicions": [asdict(one) for one in suspicions(facts)],
            }
        ),
        _PAGE,
    )


def library_page(project: str, version: str, tool_version: str, facts: Sequence[Fact]) -> str:
    """``facts.html`` of a library: tables, two plots and what looks like a fault."""
    return assemble(
        "library.html",
        _STYLES,
        {"script": join_modules("library", "start();", _PAGE)},
        {
            "title": f"{project}: facts of every kernel",
            "heading": project,
            "version": version,
            "generator": f"rocQuarry {tool_version}",
        },
        _compressed(
            {
                "kernels": [row.as_json() for row in kernel_rows(facts)],
                "suspicions": [asdict(one) for one in suspicions(facts)],
                "stated": sum(fact.value is not None for fact in facts),
                "null": sum(fact.value is None for fact in facts),
                "reasons": [list(row) for row in unproved(facts)],
            }
        ),
        _PAGE,
    )


def _compressed(data: Any) -> str:
    """What ``packed.js`` reads: the same bytes for the same data."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)).decode()


_SHORT = 16


def _packed(value: Any, texts: dict[str, int]) -> Any:
    """Long texts once: entry points of one family say nearly the same. ``{"$": n}`` is the nth."""
    if isinstance(value, str):
        return value if len(value) < _SHORT else {"$": texts.setdefault(value, len(texts))}
    if isinstance(value, dict):
        return {key: _packed(part, texts) for key, part in value.items()}
    if isinstance(value, list):
        return [_packed(part, texts) for part in value]
    return value


def _launches_by_kernel(facts: Sequence[Fact]) -> dict[str, list[Fact]]:
    """Facts of launches over their launcher's own parameters, by the kernel they start."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        value: Any = fact.value
        if not fact.fact.startswith("launch_") or not isinstance(value, dict):
            continue
        if "kernel" in value and "through" not in value:
            found.setdefault(value["kernel"], []).append(fact)
    return found


_UNSHOWN = frozenset({"named", "launcher", "schema"})


def _row(fact: Fact) -> dict[str, Any]:
    value: Any = fact.value
    if isinstance(value, dict):
        value = {key: part for key, part in value.items() if key not in _UNSHOWN and part != []}
        if "conditions" in value and fact.fact == "launch_condition":
            value.pop("text", None)
    row = {
        "fact": fact.fact,
        "subject": fact.subject,
        "value": value,
        "unit": fact.unit,
        "config": fact.config,
        "arch": fact.arch,
        "of": fact.instantiation,
        "by": fact.proved_by,
        "reason": fact.reason,
        "at": [fact.span.file, fact.span.start_line, fact.span.end_line] if fact.span else None,
    }
    return {key: value for key, value in row.items() if value is not None}
