"""What a user gets wrong ends with one clear line and exit code 2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Extract


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The only line of an error, without the command's name."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("extract: ")
    return line.removeprefix("extract: ")


def test_no_project(extract: Extract) -> None:
    assert one_line(extract()) == (
        "name a library: rocblas, rocprim, rocrand, rocsolver, rocsparse, a rule file or a folder; "
        "see --help"
    )


def test_an_unknown_project_names_the_nearest(extract: Extract) -> None:
    line = one_line(extract("rocbals", "--interface", "gemm"))
    assert line.startswith("unknown project 'rocbals'; nearest: rocblas")


def test_an_unknown_option(extract: Extract) -> None:
    done = extract("rocblas", "--interfaces", "gemm")
    assert (done.returncode, done.stdout) == (2, "")
    assert "No such option: --interfaces" in done.stderr.replace("'", "")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--interface", "scal"), "unknown interface 'scal'; nearest: scale"),
        (("scale",), "'scale' is no option; an interface is named by --interface scale"),
        (("--interface", "scale", "--arch", "gfx90a"), "--arch goes with --trace or --facts"),
        (("--interface", "scale", "--cases", "3"), "--cases goes with --trace"),
        (("--sweep", "calls.csv"), "--sweep names calls for --trace"),
        (("--interface", "pond_sscal"), "unknown interface 'pond_sscal'; nearest: pond_sscale"),
        (("--interface", "Scale"), "unknown interface 'Scale'; nearest: scale"),
        (("--interface", "scale", "--config", "slow"), "unknown configuration 'slow'"),
        (
            ("--interface", "scale", "--config", "plan"),
            "unknown configuration 'plan'; nearest: plain",
        ),
        (
            ("--interface", "scale", "--format", "pdf"),
            "unknown format 'pdf'; known: html, json, dot",
        ),
        (("--kernel", "check_kernl", "-q"), "unknown kernel 'check_kernl'; nearest: check_kernel"),
    ],
)
def test_an_unknown_name_names_the_nearest(
    in_shared_cache: Path, extract: Extract, arguments: tuple[str, ...], line: str
) -> None:
    assert one_line(extract(SMALL_LIBRARY, *arguments)).startswith(line)


RULE = """\
name = "x"

[source]
folder = "."

[[units]]
files = ["**/*.cpp"]
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (RULE.replace("folder", "foldr"), "4: source.foldr: unknown key 'foldr'"),
        (RULE.replace('["**/*.cpp"]', "3"), "7: units.0.files: "),
        (RULE + "[compil]\nflags = []\n", "8: compil: unknown key 'compil'"),
        (RULE + "files = 1\n", "8: not valid TOML: "),
        (RULE.replace('name = "x"\n', ""), "1: name: this key is required"),
        (RULE + '[compile]\nflags = ["{nowhere}"]\n', None),
        ("", "1: "),
    ],
)
def test_a_broken_rule_file_names_file_line_and_key(
    own_cache: Path, extract: Extract, tmp_path: Path, text: str, line: str | None
) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text(text)
    (tmp_path / "a.cpp").write_text('extern "C" void a() {}\n')
    (tmp_path / "a.h").write_text('extern "C" void a();\n')
    found = one_line(extract(rules, "--interface", "a"))
    if line is None:
        assert "mine.toml: '{nowhere}' has the placeholder {nowhere}; known are" in found
    else:
        assert found.startswith(f"{rules}:{line}")


def test_a_rule_file_that_is_not_there(extract: Extract, tmp_path: Path) -> None:
    line = one_line(extract(tmp_path / "none.toml", "--interface", "a"))
    assert "none.toml: No such file or directory; check the path of the rule file" in line


def test_a_source_folder_that_is_not_there(own_cache: Path, extract: Extract) -> None:
    line = one_line(extract(SMALL_LIBRARY, "--interface", "map", "--source", "/nowhere/at/all"))
    assert line.startswith("no source '/nowhere/at/all'")


def test_a_source_folder_of_something_else(
    own_cache: Path, extract: Extract, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    line = one_line(extract(SMALL_LIBRARY, "--interface", "map", "--source", tmp_path / "empty"))
    assert line.endswith("is it the root of pond?")


def test_a_library_without_entry_points(own_cache: Path, extract: Extract, tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text(RULE)
    (tmp_path / "a.cpp").write_text("static void a() {}\n")
    line = one_line(extract(rules, "--all"))
    assert line == "x declares no entry points; see its [entry_points]"


@pytest.mark.parametrize("option", ["--out", "--kernels"])
def test_an_output_that_cannot_be_written(
    in_shared_cache: Path, extract: Extract, tmp_path: Path, option: str
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    target = blocked / "below"
    line = one_line(extract(SMALL_LIBRARY, "--all", option, target, "--quiet"))
    assert line.startswith(f"cannot write {target}")
    assert blocked.read_text() == "in the way"


def test_a_cache_that_cannot_be_written(
    extract: Extract, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("ROCQUARRY_CACHE", str(blocked / "cache"))
    line = one_line(extract(SMALL_LIBRARY, "--interface", "map"))
    assert "set ROCQUARRY_CACHE to a folder that you can write" in line
