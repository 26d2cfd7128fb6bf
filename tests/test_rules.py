"""A rule file is checked to the last key, and an error says file, line and key."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from extractor.errors import RuleError, UnknownName
from extractor.rules import Rule, list_rules, load_rule

TINY = """\
name = "tiny"
[source]
folder = "src"
[[units]]
files = ["**/*.hip"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


def fault(folder: Path, text: str) -> str:
    with pytest.raises(RuleError) as caught:
        load_rule(write(folder, text))
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(str(folder), "")


def test_shipped_rules_load() -> None:
    assert list_rules() == ["rocblas", "rocprim", "rocrand", "rocsolver", "rocsparse"]
    for name in list_rules():
        assert load_rule(name).name == name


def test_source_is_the_configuration_shown_first() -> None:
    assert [item.name for item in load_rule("rocblas").configurations] == ["source", "tensile"]
    assert [item.name for item in load_rule("rocsolver").configurations] == ["source"]


def test_a_few_lines_are_a_whole_rule(tmp_path: Path) -> None:
    rule = load_rule(write(tmp_path, TINY))
    assert rule.configurations[0].name == "source"
    assert [package.name for package in rule.needed_packages] == ["hip", "device-libs"]
    assert rule.is_entry_point("anything", "any/file.h")
    assert rule.excluded_by("f", "a.hip") is None


def test_a_rule_survives_pickling(tmp_path: Path) -> None:
    rule = load_rule(write(tmp_path, TINY))
    again = pickle.loads(pickle.dumps(rule))
    assert isinstance(again, Rule)
    assert (again.path, again.needed_packages) == (rule.path, rule.needed_packages)


def test_unknown_key(tmp_path: Path) -> None:
    text = TINY + '\n[compile]\nflags = []\nflgas = ["-O3"]\n'
    assert fault(tmp_path, text) == "/some.toml:9: compile.flgas: unknown key 'flgas'"


def test_unknown_key_in_the_second_of_several_tables(tmp_path: Path) -> None:
    text = TINY + '[[units]]\nfiles = ["b"]\nfile = ["c"]\n'
    assert fault(tmp_path, text) == "/some.toml:8: units.1.file: unknown key 'file'"


def test_wrong_type(tmp_path: Path) -> None:
    text = TINY.replace('files = ["**/*.hip"]', 'files = "**/*.hip"')
    assert fault(tmp_path, text).startswith("/some.toml:5: units.0.files: Input should be a valid")


def test_missing_key(tmp_path: Path) -> None:
    assert fault(tmp_path, 'name = "x"\n') == "/some.toml:1: units: this key is required"


def test_broken_toml(tmp_path: Path) -> None:
    assert fault(tmp_path, TINY + "[unclosed\n").startswith("/some.toml:6: not valid TOML: ")


def test_key_of_a_generated_header(tmp_path: Path) -> None:
    text = TINY + '[[generated]]\nkind = "export"\noutput = "a.h"\nmarco = "A"\n'
    assert re.match(
        r"/some.toml:\d+: generated.0.macro: this key is required", fault(tmp_path, text)
    )


def test_several_faults_are_counted(tmp_path: Path) -> None:
    assert fault(tmp_path, TINY + "[compile]\na = 1\nb = 2\n").endswith("(and 1 more)")


def test_unknown_package(tmp_path: Path) -> None:
    text = 'packages = ["hip", "rocfoo"]\n' + TINY
    assert fault(tmp_path, text) == "/some.toml:1: packages: no package is called 'rocfoo'"


def test_unknown_configuration(tmp_path: Path) -> None:
    text = TINY + 'configurations = ["debug"]\n'
    expected = "/some.toml:6: units.0.configurations: no configuration 'debug'"
    assert fault(tmp_path, text) == expected


@pytest.mark.parametrize("path", ["/etc/passwd", "../up.cpp", "a/../../b"])
def test_paths_stay_inside_the_tree(tmp_path: Path, path: str) -> None:
    text = TINY.replace("**/*.hip", path)
    assert "must be a relative path inside the tree" in fault(tmp_path, text)


def test_bad_expression(tmp_path: Path) -> None:
    text = TINY + "[version]\nfile = 'v'\npattern = '('\n"
    assert "version.pattern: not a regular expression" in fault(tmp_path, text)


def test_bad_hash(tmp_path: Path) -> None:
    text = TINY + '[[source.archives]]\npool = "a.tar.gz"\nsha256 = "abc"\n'
    assert fault(tmp_path, text).startswith("/some.toml:8: source.archives.0.sha256: ")


def test_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(RuleError, match="not UTF-8"):
        load_rule(path)


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="No such file"):
        load_rule(tmp_path / "absent.toml")


@pytest.mark.parametrize("name", ["rocblass", "packages"])
def test_unknown_project(name: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown project '{name}'"):
        load_rule(name)


def test_unknown_project_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="nearest: rocblas"):
        load_rule("rocblass")


def test_disallow_wins_over_allow_and_says_why(tmp_path: Path) -> None:
    text = TINY + (
        '[[allow]]\nfile = "lib/**"\nreason = "the library"\n'
        '[[disallow]]\nname = "*::log_*"\nreason = "logging"\n'
    )
    rule = load_rule(write(tmp_path, text))
    assert rule.excluded_by("ns::run", "lib/run.hip") is None
    logged = rule.excluded_by("ns::log_call", "lib/run.hip")
    outside = rule.excluded_by("ns::run", "test/run.hip")
    assert logged is not None
    assert logged.reason == "logging"
    assert outside is not None
    assert "allow" in outside.reason


def test_a_pattern_with_name_and_file_needs_both(tmp_path: Path) -> None:
    text = TINY + '[[disallow]]\nname = "f"\nfile = "a.hip"\nreason = "r"\n'
    rule = load_rule(write(tmp_path, text))
    assert rule.excluded_by("f", "a.hip")
    assert rule.excluded_by("f", "b.hip") is None


def test_boundaries_name_their_library() -> None:
    rule = load_rule("rocsolver")
    boundary = rule.boundary_of("rocblas_internal_gemm_template", "")
    assert boundary is not None
    assert boundary.library == "rocBLAS"
    assert rule.boundary_of("rocsolver::run_getrf", "") is None


def test_numeric_checking_is_infrastructure() -> None:
    rule = load_rule("rocblas")
    file = "library/src/check_numerics_vector.cpp"
    assert rule.infrastructure_of("rocblas_check_numerics_vector_kernel", file)
    assert rule.infrastructure_of("rocblas_axpy_kernel", "library/src/blas1/a.cpp") is None


def test_internal_functions_are_no_entry_points() -> None:
    rule = load_rule("rocblas")
    assert rule.is_entry_point("rocblas_sgemm", "library/include/internal/rocblas-functions.h")
    assert not rule.is_entry_point("rocblas_internal_gemm_template")
    assert not rule.is_entry_point("rocblas_sgemm", "library/src/include/handle.hpp")


@hypothesis_settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cut=st.integers(0, 400), junk=st.text(max_size=12))
def test_a_damaged_rule_file_is_one_line_and_no_traceback(
    tmp_path: Path, cut: int, junk: str
) -> None:
    whole = TINY + '[[disallow]]\nname = "f"\nreason = "r"\n[families]\nstems = ["a", "b"]\n'
    path = tmp_path / "some.toml"
    path.write_bytes((whole[:cut] + junk + whole[cut:]).encode("utf-8", "surrogatepass"))
    message = f"{path}: loaded"
    try:
        load_rule(path)
    except RuleError as error:
        message = str(error)
    assert "\n" not in message
    assert message.startswith(f"{path}:")
