"""The right toolchain is chosen, and one that does not work says what to do."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from extractor import settings
from extractor.errors import ToolchainError
from extractor.rules import Rule, load_rule
from extractor.toolchain import find
from extractor.toolchain.find import choose_rocm
from extractor.toolchain.probe import check_parses, clang_version, standard_library
from extractor.toolchain.rocm import find_rocm
from extractor.toolchain.wheels import find_wheels

SAYS_VERSION = 'echo "AMD clang version 19.0.0git (https://x.test 123)"'


@pytest.fixture(autouse=True)
def no_rocm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROCQUARRY_TOOLCHAIN", raising=False)
    monkeypatch.setattr(settings, "rocm_folders", lambda: (tmp_path / "rocm",))
    monkeypatch.setenv("PATH", str(tmp_path / "bin") + ":/usr/bin:/bin")


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def make_rocm(root: Path, *, clang: str = SAYS_VERSION, libclang: bool = True) -> Path:
    script(root / "lib/llvm/bin/clang++", clang)
    (root / "include/hip").mkdir(parents=True)
    (root / "include/hip/hip_runtime.h").write_text("")
    bitcode = root / "lib/llvm/lib/clang/19/lib/amdgcn/bitcode/ocml.bc"
    bitcode.parent.mkdir(parents=True)
    bitcode.write_text("")
    (root / "lib/llvm/lib/clang/19/include").mkdir()
    (root / "lib/llvm/lib/clang/19/include/stddef.h").write_text("")
    if libclang:
        (root / "lib/llvm/lib/libclang.so").write_text("")
    (root / ".info").mkdir()
    (root / ".info/version").write_text("6.4.3\n")
    return root


@pytest.fixture
def rule(tmp_path: Path) -> Rule:
    path = tmp_path / "tiny.toml"
    path.write_text('name = "tiny"\n[[units]]\nfiles = ["*.hip"]\n')
    return load_rule(path)


def test_rocm_is_used_where_it_is_whole(tmp_path: Path, rule: Rule) -> None:
    root = make_rocm(tmp_path / "rocm")
    made = find(rule)
    assert made.origin == "rocm"
    assert made.clang == (str(root / "lib/llvm/bin/clang++"),)
    assert made.libclang == root / "lib/llvm/lib/libclang.so"
    assert made.prefixes == (root,)
    assert f"--rocm-path={root}" in made.flags
    assert f"-resource-dir={root}/lib/llvm/lib/clang/19" in made.flags
    assert made.identity.startswith("rocm-clang19.0.0git-libclang19.0.0git-")


def test_rocm_without_libclang_is_passed_over(tmp_path: Path) -> None:
    make_rocm(tmp_path / "rocm", libclang=False)
    assert choose_rocm() is None
    found = find_rocm(settings.rocm_folders())
    assert found is not None
    assert found.lacks == ("libclang.so (package rocm-llvm)",)


def test_the_user_can_insist_on_rocm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCQUARRY_TOOLCHAIN", "rocm")
    with pytest.raises(ToolchainError, match="no ROCm was found; install it, set ROCM_PATH"):
        choose_rocm()
    make_rocm(tmp_path / "rocm", libclang=False)
    with pytest.raises(ToolchainError, match=r"rocm lacks libclang\.so"):
        choose_rocm()


def test_the_user_can_insist_on_the_wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_rocm(tmp_path / "rocm")
    monkeypatch.setenv("ROCQUARRY_TOOLCHAIN", "wheels")
    assert choose_rocm() is None


def test_a_misspelt_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCQUARRY_TOOLCHAIN", "rcom")
    with pytest.raises(ToolchainError, match="is 'rcom'; set it to rocm or wheels"):
        find()


def test_rocm_is_found_through_hipcc(tmp_path: Path) -> None:
    root = make_rocm(tmp_path / "elsewhere")
    script(root / "bin/hipcc", "exit 0")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/hipcc").symlink_to(root / "bin/hipcc")
    found = find_rocm(settings.rocm_folders())
    assert found is not None
    assert found.root == root


def test_the_wheels_of_this_environment() -> None:
    wheels = find_wheels()
    assert clang_version(wheels.clang).startswith("22.")
    assert wheels.parser.startswith("22.")
    assert wheels.libclang.is_file()


@pytest.mark.parametrize(
    ("module", "advice"),
    [("ziglang", "pip install 'ziglang"), ("clang", "pip install 'libclang-ng")],
)
def test_a_missing_wheel(module: str, advice: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == module else real(name)
    )
    with pytest.raises(ToolchainError, match=advice):
        find_wheels()


def test_a_compiler_that_does_not_run(tmp_path: Path) -> None:
    broken = script(tmp_path / "clang", "echo 'error: cannot open shared object' >&2; exit 127")
    with pytest.raises(ToolchainError, match=r"does not run as clang \(error: cannot open"):
        clang_version([str(broken)])
    with pytest.raises(ToolchainError, match="No such file"):
        clang_version([str(tmp_path / "absent")])


def test_a_compiler_is_asked_again_only_when_it_changes(tmp_path: Path) -> None:
    log = tmp_path / "log"
    clang = script(tmp_path / "clang", f"echo asked >> {log}\n{SAYS_VERSION}")
    for _ in range(2):
        assert clang_version([str(clang)]) == "19.0.0git"
    assert log.read_text() == "asked\n"
    script(clang, f"echo asked >> {log}\n{SAYS_VERSION.replace('19', '20')} # newer")
    assert clang_version([str(clang)]) == "20.0.0git"


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("fatal error: 'cstddef' file not found", "install them with: apt-get install libstdc++"),
        ("fatal error: 'hip/hip_runtime.h' file not found", "run: extract --doctor"),
        ("error: unknown target", "a tiny HIP program does not parse: error: unknown target"),
    ],
)
def test_a_program_that_does_not_parse(tmp_path: Path, said: str, advice: str) -> None:
    clang = script(tmp_path / "clang", f'echo "{said}" >&2; exit 1')
    with pytest.raises(ToolchainError) as caught:
        check_parses([str(clang)], [], "identity")
    assert advice in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_that_parses_is_tried_once_for_each_pass(tmp_path: Path) -> None:
    log = tmp_path / "log"
    clang = script(tmp_path / "clang", f"echo asked >> {log}")
    check_parses([str(clang)], ["-a"], "identity")
    check_parses([str(clang)], ["-a"], "identity")
    assert log.read_text() == "asked\nasked\n"
    check_parses([str(clang)], ["-a"], "other identity")
    assert log.read_text() == "asked\n" * 4


def test_the_system_has_a_standard_library() -> None:
    assert standard_library()
