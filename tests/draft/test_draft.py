"""A drafted rule file is a rule file that works, and says what it was unsure of."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.commands import init, listing
from extractor.draft import draft_rule
from extractor.errors import SourceError, UserError
from extractor.folder_project import is_folder
from extractor.project import Project
from extractor.rules import Rule, load_rule, rule_of_text

HERE = Path(__file__).parent
HIP_TREE, CUDA_TREE = HERE / "hip_tree", HERE / "cuda_tree"


@pytest.fixture(scope="module")
def drafted() -> Rule:
    return rule_of_text(draft_rule(HIP_TREE).text, HIP_TREE / "draft.toml")


def test_units_are_those_of_the_build(drafted: Rule) -> None:
    assert drafted.source.leave_out == ("clients/**",)
    assert drafted.units[0].files == ("library/src/**/*.cpp",)
    assert drafted.units[0].exclude == ("library/src/left_over.cpp",)
    assert drafted.compile.order == ("library/CMakeLists.txt",)
    assert drafted.compile.target == "tinysparse"
    assert "-DTINYSPARSE_WIDE" in drafted.compile.flags


def test_names_come_from_the_public_headers(drafted: Rule) -> None:
    assert drafted.entry_points.marker == "TINYSPARSE_EXPORT"
    assert drafted.entry_points.names == ("tinysparse_*",)
    names = [f"tinysparse_{letter}scale{form}" for letter in "sd" for form in ("", "_batched")]
    assert drafted.group_entries(names) == {"scale": sorted(names)}


def test_headers_of_the_build_are_made(drafted: Rule) -> None:
    made = {spec.output: spec.kind for spec in drafted.generated}
    assert made == {
        "tinysparse/tinysparse-version.h": "configured",
        "tinysparse/tinysparse-export.h": "export",
    }


def test_what_is_unsure_is_said_and_stands_in_the_file() -> None:
    draft = draft_rule(HIP_TREE)
    said = " ".join(draft.unsure)
    assert "-DTINYSPARSE_CHECKS" in said  # only under a condition
    assert "tinysparse_BUILDER" in said  # a value that only the build knows
    assert "TINY_KERNEL" in draft.text
    assert "TINY_LAUNCH" in draft.text
    assert '# file = "library/src/logging.cpp"' in draft.text
    joined = draft.text.replace("\n#", "")
    assert all(doubt in joined for doubt in draft.unsure)


def test_the_draft_finds_what_the_library_reaches(in_shared_cache: Path, drafted: Rule) -> None:
    project = Project(drafted)
    scope = project.builder(("source",), project.resolve("scale")).build(
        "scale", project.resolve("scale")
    )
    kernels = {f.name: len(f.instantiations) for f in scope.functions if f.kind == "kernel"}
    assert kernels == {"scale_kernel": 2, "batched_kernel": 2}
    assert scope.failed_units == ()
    assert scope.source.version == "2.3.1"


def test_cuda_sources_are_read_as_cuda(in_shared_cache: Path) -> None:
    rule = rule_of_text(draft_rule(CUDA_TREE).text, CUDA_TREE / "draft.toml")
    assert rule.compile.language == "cuda"
    project = Project(rule)
    names = project.resolve("sum") + project.resolve("scale")
    scope = project.builder(("source",), names).build("all", names)
    assert scope.failed_units == ()
    assert scope.unresolved == ()
    launches = {(launch.grid.expanded, launch.block.expanded) for launch in scope.launches}
    assert ("1", "128") in launches
    assert any("std::max(1, (n + 255) / 256)" in grid for grid, _ in launches)
    reached = {entry: len(rows["source"]) for entry, rows in scope.per_entry.items()}
    assert set(reached.values()) == {1}
    device = {f.name for f in scope.functions if f.kind == "device"}
    assert "twice" in device


def test_a_tree_without_sources(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "a.cpp").write_text("int main() {}\n")
    with pytest.raises(SourceError, match="outside of tests and samples"):
        draft_rule(tmp_path)


def test_a_draft_never_replaces_a_file(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    answer = init.run(HIP_TREE, target, None)
    assert load_rule(target).name == "tinysparse"
    assert answer["found"]["units"] == 2
    before = target.read_bytes()
    with pytest.raises(UserError, match="is there already"):
        init.run(HIP_TREE, target, None)
    assert target.read_bytes() == before


def test_names_that_no_header_declares_are_found_where_they_are_defined(
    in_shared_cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "vec.hip").write_text(
        "#define __global__ __attribute__((global))\n"
        "template <class T> __global__ void vec_kernel(T* x) { x[0] = 1; }\n"
        'extern "C" int vec_fill(float* x) { vec_kernel<<<1, 64>>>(x); return 0; }\n'
        'extern "C" int vec_drop(int n) { return n; }\n'
    )
    draft = draft_rule(tmp_path)
    assert draft.found["launches"] == 1
    assert "undeclared = true" in draft.text
    assert not any("export macro" in doubt for doubt in draft.unsure)
    project = Project(rule_of_text(draft.text, tmp_path / "draft.toml"))
    assert {row["interface"]: row["declared_in"] for row in listing.rows(project)} == {
        "drop": ["src/vec.hip"],
        "fill": ["src/vec.hip"],
    }
    with pytest.raises(UserError, match="nearest: fill"):
        project.resolve("fil")


def test_a_tree_that_offers_nothing_says_so(in_shared_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "alone.hip").write_text("static int nobody(int x) { return x; }\n")
    project = Project(rule_of_text(draft_rule(tmp_path).text, tmp_path / "draft.toml"))
    with pytest.raises(
        UserError, match=r"has no entry point at all; see \[entry_points\] in .*toml"
    ):
        project.resolve("scan")


def test_a_folder_is_a_project_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "rocblas"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    assert is_folder("mine")
    assert is_folder("./rocblas")
    assert not is_folder("rocblas")  # the shipped rule
    assert not is_folder("neither")
