"""``extract --trace`` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from opened_libraries import Extract

from extractor.trace.tracer import Tracer

BROOK = Path(__file__).parent / "brook" / "rules.toml"


def test_the_command_writes_traces_and_says_what_they_cover(
    tracer: Tracer, extract: Extract, tmp_path: Path
) -> None:
    done = extract(
        BROOK, "--interface", "vendor", "--trace", "--arch", "gfx942", "--cases", "2", "--json",
        "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (summary,) = json.loads(done.stdout)
    lines = (tmp_path / "work" / summary["written"]).read_text(encoding="utf-8").splitlines()
    trace = json.loads(lines[0])
    assert trace["schema"] == "rocquarry.trace/1"
    assert trace["arch"] == ["gfx942"]
    assert trace["boundaries"] == ["_ZN6vendor4sortEi"]
    schemas = json.loads(extract("--schema").stdout)
    assert trace.keys() == schemas["traces"]["properties"].keys()
    assert summary["configs"]["source"]["traces"] == len(lines) == 2


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--trace"], "--interface NAME or with --all"),
        (["--trace", "--interface", "fill", "--arch", "gfx1"], "unknown architecture 'gfx1'"),
        (["--trace", "--interface", "fil"], "nearest: .*fill"),
    ],
)
def test_mistakes_are_one_line(
    tracer: Tracer, extract: Extract, arguments: list[str], text: str
) -> None:
    done = extract(BROOK, *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert re.search(text, done.stderr)
