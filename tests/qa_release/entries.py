"""Entries about the small library, made from its real scopes, for tests to spoil."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

from extractor.api import scope_bytes
from extractor.project import Project
from qa.records import Category

Rows = list[dict[str, Any]]
_CATEGORIES = get_args(Category)


def make_entries(project: Project, interfaces: Sequence[str], number: int = 6) -> Rows:
    """Entries of every level, kind and author about some interfaces."""
    rows: Rows = []
    for interface in interfaces:
        scope = json.loads(scope_bytes(project, interface, project.configurations()))
        functions = [
            function
            for function in scope["functions"]
            if function["span"] and not function["span"]["file"].startswith(("EXT:", "/"))
        ]
        rows += [_entry(scope, functions, index) for index in range(number)]
    return rows


def _entry(scope: dict[str, Any], functions: Rows, index: int) -> dict[str, Any]:
    picked = [functions[(index + step * 2) % len(functions)] for step in range(1 + index % 3)]
    spans = {json.dumps(function["span"], sort_keys=True): function for function in picked}
    picked = list(spans.values())
    files = {function["span"]["file"] for function in picked}
    first, interface = picked[0], scope["interface"]
    key = f"{scope['project']}/{interface}/{index}"
    code = index % 3 == 1
    return {
        "id": hashlib.sha256(key.encode()).hexdigest()[:20],
        "schema": "rocquarry.entry/1",
        "project": scope["project"],
        "source": scope["source"],
        "interface": interface,
        "entry_points": scope["entry_points"][:2],
        "configs": scope["configs"],
        "archs": ["gfx942"] if index == 4 else [],
        "kind": "kernel_implementation" if code else "qa",
        "category": _CATEGORIES[index % len(_CATEGORIES)],
        "level": 1 if len(picked) == 1 else 2 if len(files) == 1 else 3,
        "question": f"What does {first['name']} of {interface} do, case {index}?",
        "answer": first["text"] + f"// {key}" if code else f"It works on {interface}: {index}.",
        "context": [{"span": first["span"], "text": first["text"]}] if index % 2 else [],
        "evidence": [function["span"] for function in picked],
        "claims": [
            {
                "type": "identifier",
                "subject": first["name"],
                "value": {"name": first["name"], "uses": [1, None, 2.5]},
                "check": "scope",
                "passed": True,
            }
        ],
        "author": {"kind": "static", "model": None, "prompt_sha256": None, "tokens": None,
                   "cost": None}
        if index % 2
        else {"kind": "model", "model": "small-1", "prompt_sha256": "ab" * 32, "tokens": 120,
              "cost": 0.002},
        "gates": {"spans": True, "identifiers": True},
        "tool_version": "0.1.0",
    }  # fmt: skip


def write(path: Path, rows: Sequence[object]) -> Path:
    """Writes rows as JSON Lines; a string is a line as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def spoiled(row: dict[str, Any], spoil: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """A copy of a row, changed in place by a function."""
    made = copy.deepcopy(row)
    spoil(made)
    return made
