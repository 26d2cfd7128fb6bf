"""Each unit gets every flag that its rule, its configuration and its side ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.errors import RuleError, UnknownName
from extractor.rules import Rule, load_rule
from extractor.source.tree import SourceTree
from extractor.toolchain.model import Toolchain
from extractor.unit_plan import excluded_units, plan_units

RULE = """
name = "lib"
siblings = ["base"]
[source]
leave_out = ["clients/**"]
[compile]
standard = "c++20"
flags = ["-DALL", "-DVERSION={version}"]
include = ["{tree}/include", "{generated}"]
order = ["CMakeLists.txt"]
target = "lib"
[[configurations]]
name = "plain"
[[configurations]]
name = "fast"
flags = ["-DFAST"]
[[units]]
files = ["src/**/*.cpp"]
[[units]]
files = ["src/wide/*.cpp"]
flags = ["-DWIDE"]
[[units]]
files = ["extra/*.cpp"]
configurations = ["fast"]
[[excluded_units]]
files = ["src/foreign.cpp"]
library = "Foreign"
reason = "its headers are not to be had"
"""


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "lib"
    names = ("src/a.cpp", "src/b.cpp", "src/wide/w.cpp", "src/foreign.cpp", "extra/e.cpp")
    for name in (*names, "clients/src/a.cpp", "src/a.hpp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "CMakeLists.txt").write_text("add_library(lib src/wide/w.cpp src/b.cpp)")
    return SourceTree(root, "lib", "1.2", "c", "MIT", "folder", "k", tmp_path / "generated")


@pytest.fixture
def rule(tmp_path: Path) -> Rule:
    path = tmp_path / "lib.toml"
    path.write_text(RULE)
    return load_rule(path)


def toolchain(origin: str = "wheels") -> Toolchain:
    return Toolchain(
        clang=("clang",),
        clang_version="22",
        libclang=Path("/libclang.so"),
        libclang_version="22",
        flags=("--target=t",),
        prefixes=(Path("/one"), Path("/two")),
        origin=origin,
        identity="i",
    )


def test_units_come_in_link_order_and_the_rest_by_name(rule: Rule, tree: SourceTree) -> None:
    planned = plan_units(rule, tree, toolchain(), "plain", "host")
    assert [unit.path for unit in planned] == ["src/wide/w.cpp", "src/b.cpp", "src/a.cpp"]


def test_a_configuration_has_its_own_units_and_flags(rule: Rule, tree: SourceTree) -> None:
    planned = plan_units(rule, tree, toolchain(), "fast", "host")
    assert "extra/e.cpp" in [unit.path for unit in planned]
    assert all("-DFAST" in unit.arguments for unit in planned)
    assert {unit.config for unit in planned} == {"fast"}


def test_flags_of_a_glob_go_to_its_files_only(rule: Rule, tree: SourceTree) -> None:
    planned = {unit.path: unit for unit in plan_units(rule, tree, toolchain(), "plain", "host")}
    assert "-DWIDE" in planned["src/wide/w.cpp"].arguments
    assert "-DWIDE" not in planned["src/a.cpp"].arguments
    assert planned["src/a.cpp"].group == planned["src/b.cpp"].group
    assert planned["src/a.cpp"].group != planned["src/wide/w.cpp"].group


def test_placeholders_are_filled(rule: Rule, tree: SourceTree) -> None:
    arguments = plan_units(rule, tree, toolchain(), "plain", "host")[0].arguments
    assert arguments[:5] == ("--target=t", "-x", "hip", "-std=c++20", "-w")
    assert "-DVERSION=1.2" in arguments
    assert f"-I{tree.root}/include" in arguments
    assert f"-I{tree.generated}" in arguments
    # One folder for each prefix, in order.
    after = [arguments[i + 1] for i, flag in enumerate(arguments) if flag == "-idirafter"]
    assert after == ["/one/include", "/two/include"]


def test_a_flag_may_name_its_file(tmp_path: Path, tree: SourceTree) -> None:
    path = tmp_path / "stem.toml"
    path.write_text(RULE.replace("[[units]]", '[[units]]\nflags = ["-Dmain={stem}"]', 1))
    units = plan_units(load_rule(path), tree, toolchain(), "plain", "host")
    given = {unit.path: [flag for flag in unit.arguments if "main" in flag] for unit in units}
    assert given["src/b.cpp"] == ["-Dmain=b"]
    assert given["src/wide/w.cpp"] == ["-Dmain=w"]


def test_each_pass_names_its_side(rule: Rule, tree: SourceTree) -> None:
    host = plan_units(rule, tree, toolchain(), "plain", "host")[0].arguments
    device = plan_units(rule, tree, toolchain(), "plain", "device", arch="gfx1100")[0].arguments
    assert {"--cuda-host-only", "-nogpulib"} <= set(host)
    assert {"--cuda-device-only", "--offload-arch=gfx1100"} <= set(device)
    assert "--cuda-host-only" not in device
    assert "-D__AMDGCN_WAVEFRONT_SIZE=64" in host
    assert "-D__AMDGCN_WAVEFRONT_SIZE=32" in device


def test_a_compiler_that_knows_the_wavefront_is_not_told(rule: Rule, tree: SourceTree) -> None:
    arguments = plan_units(rule, tree, toolchain("rocm"), "plain", "host")[0].arguments
    assert not [flag for flag in arguments if "WAVEFRONT" in flag]


def test_headers_of_a_sibling_tree_come_before_packages(
    rule: Rule, tree: SourceTree, tmp_path: Path
) -> None:
    path = tmp_path / "base.toml"
    path.write_text(
        'name = "base"\n[exports]\ninclude = ["{tree}/include", "{generated}"]\n'
        '[[units]]\nfiles = ["a"]\n'
    )
    root = tmp_path / "base"
    base = SourceTree(root, "base", "1", "c", "MIT", "folder", "k", tmp_path / "made")
    siblings = {"base": (load_rule(path), base)}
    arguments = plan_units(rule, tree, toolchain(), "plain", "host", siblings=siblings)[0].arguments
    after = [arguments[i + 1] for i, flag in enumerate(arguments) if flag == "-idirafter"]
    assert after == [f"{root}/include", str(tmp_path / "made"), "/one/include", "/two/include"]


def test_excluded_units_are_listed_with_their_reason(rule: Rule, tree: SourceTree) -> None:
    assert [(path, line.library) for path, line in excluded_units(rule, tree)] == [
        ("src/foreign.cpp", "Foreign")
    ]


def test_unknown_configuration(rule: Rule, tree: SourceTree) -> None:
    with pytest.raises(UnknownName, match="unknown configuration 'plane'; nearest: plain"):
        plan_units(rule, tree, toolchain(), "plane", "host")


def test_unknown_placeholder(tmp_path: Path, tree: SourceTree) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(RULE.replace("{generated}", "{build}"))
    with pytest.raises(RuleError, match=r"placeholder \{build\}; known are \{tree\}"):
        plan_units(load_rule(path), tree, toolchain(), "plain", "host")
