"""A unit that does not parse is named and counted; the rest goes on; exit code 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opened_libraries import Extract
from scope_reader import ScopeReader

from .conftest import Runs


def spoil(rules: Path, unit: str, text: str) -> None:
    path = rules.parent / unit
    path.write_text(text + path.read_text())


MISSING = '#include "gone.hpp"\n'


def test_a_missing_header_is_named_and_the_rest_goes_on(
    quick_cache: Path, runs: Runs, library_copy: Path, undisturbed: dict[str, bytes]
) -> None:
    spoil(library_copy, "src/fill.cpp", MISSING)
    code, errors = runs.run("out", "--json", rules=library_copy)
    assert code == 1
    assert "Traceback" not in errors
    written = runs.bytes_of("out")
    lines = written["kernels.jsonl"].splitlines()
    expected = undisturbed["kernels.jsonl"].splitlines()
    assert [line for line in lines if b"fill" not in line] == [
        line for line in expected if b"fill" not in line
    ]
    for family in ("map", "reduce", "sort"):
        scope = json.loads(written[f"pond/{family}/scope.json"])
        assert {failed["path"] for failed in scope["failed_units"]} == {"src/fill.cpp"}


def test_the_answer_of_the_command_names_it(
    quick_cache: Path, extract: Extract, library_copy: Path
) -> None:
    spoil(library_copy, "src/fill.cpp", MISSING)
    done = extract(library_copy, "--interface", "fill", "--config", "plain", "--json")
    assert done.returncode == 1
    (summary,) = json.loads(done.stdout)
    assert {
        (failed["path"], failed["config"], failed["side"]) for failed in summary["failed_units"]
    } == {("src/fill.cpp", "plain", "host"), ("src/fill.cpp", "plain", "device")}
    for failed in summary["failed_units"]:
        assert failed["errors"] == ["src/fill.cpp:1: error: 'gone.hpp' file not found"]
    shown = extract(library_copy, "--interface", "fill", "--config", "plain")
    assert shown.returncode == 1
    words = " ".join(shown.stdout.split())
    assert "failed unit src/fill.cpp (plain, host): src/fill.cpp:1: error: 'gone.hpp'" in words


def test_an_interface_that_needs_no_broken_unit_is_whole(
    quick_cache: Path, extract: Extract, library_copy: Path, tmp_path: Path
) -> None:
    spoil(library_copy, "src/fill.cpp", MISSING)
    done = extract(library_copy, "--interface", "map", "--out", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("int broken( {\n", "error: "),
        ("}\n", "error: extraneous closing brace"),
        ("#error not here\n", "error: not here"),
        ("#if 1\n", "error: unterminated conditional directive"),
        ("\x00\x01\x02 int x = ;\n", "error: "),
        ("template <int N> struct R { R<N + 1> r; }; R<0> r;\n", "error: "),
    ],
)
def test_whatever_is_wrong_with_a_unit_is_quoted(
    quick_cache: Path, extract: Extract, library_copy: Path, text: str, error: str
) -> None:
    spoil(library_copy, "src/map.hip", text)
    done = extract(library_copy, "--interface", "map", "--config", "plain", "--json", "--quiet")
    assert done.returncode == 1
    assert done.stderr == ""
    (summary,) = json.loads(done.stdout)
    failed = next(f for f in summary["failed_units"] if f["side"] == "host")
    assert failed["path"] == "src/map.hip"
    assert error in failed["errors"][0]


def test_a_unit_of_no_code_is_well(
    quick_cache: Path, extract: Extract, library_copy: Path, tmp_path: Path
) -> None:
    (library_copy.parent / "src" / "empty.cpp").write_bytes(b"")
    (library_copy.parent / "src" / "remark.cpp").write_bytes(b"// nothing")
    done = extract(library_copy, "--all", "--out", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_mended_unit_is_read_again(
    quick_cache: Path, extract: Extract, library_copy: Path, tmp_path: Path
) -> None:
    unit = library_copy.parent / "src" / "fill.cpp"
    good = unit.read_text()
    spoil(library_copy, "src/fill.cpp", MISSING)
    arguments = (library_copy, "--interface", "fill", "--out", tmp_path / "out", "--quiet")
    assert extract(*arguments).returncode == 1
    unit.write_text(good)
    assert extract(*arguments).returncode == 0
    scope = ScopeReader(json.loads((tmp_path / "out/pond/fill/scope.json").read_text()))
    assert scope.scope["failed_units"] == []
    assert scope.kernels("pond_sfill", "plain") == {"fill_kernel<float>"}


def test_a_missing_header_that_appears_is_found(
    quick_cache: Path, extract: Extract, library_copy: Path, tmp_path: Path
) -> None:
    spoil(library_copy, "src/fill.cpp", MISSING)
    arguments = (library_copy, "--interface", "fill", "--out", tmp_path / "out", "--quiet")
    assert extract(*arguments).returncode == 1
    (library_copy.parent / "include" / "gone.hpp").write_text("// here it is\n")
    assert extract(*arguments).returncode == 0
