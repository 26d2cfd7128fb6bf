"""Where facts that were made before are looked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from extractor.project import Project
from qa.ground import Ground

Row = dict[str, Any]


def fact(name: str, value: int) -> Row:
    return {"function": "f.hip:1:f", "fact": name, "subject": "f", "value": value, "arch": None}


def put(folder: Path, name: str, *rows: Row) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def known(out: Path) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in Ground(Project("rocblas"), out).facts_of("axpy", "f.hip:1:f"):
        found.setdefault(row["fact"], []).append(row["value"])
    return found


def test_facts_of_the_whole_library_are_those_that_extract_wrote(tmp_path: Path) -> None:
    put(tmp_path / "rocblas", "facts.jsonl", fact("lds_bytes", 64), fact("loop", 1))
    assert known(tmp_path) == {"lds_bytes": [64], "loop": [1]}
    put(tmp_path / "rocblas", "device_facts.jsonl", fact("lds_bytes", 64))
    assert known(tmp_path) == {"lds_bytes": [64], "loop": [1]}


def test_facts_of_an_interface_come_before_those_of_the_library(tmp_path: Path) -> None:
    put(tmp_path / "rocblas", "facts.jsonl", fact("lds_bytes", 64), fact("loop", 1))
    put(tmp_path / "rocblas" / "axpy", "device_facts.jsonl", fact("lds_bytes", 32))
    put(tmp_path / "rocblas" / "axpy", "resource_facts.jsonl", fact("vgprs", 8))
    assert known(tmp_path) == {"lds_bytes": [32], "vgprs": [8], "loop": [1]}
