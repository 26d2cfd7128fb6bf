"""Slices of a library made of what is easily lost when a kernel is cut out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.project import Project
from extractor.slice_record import SliceRecord
from kernels.slice import choose_kernels, job
from kernels.slice.closure import chain
from kernels.slice.cutting import UnitSlicer
from kernels.slice.folder import load_slices
from kernels.slice.job import Plan
from kernels.slice.many import slice_kernels

RULES = Path(__file__).parent / "library" / "rules.toml"
ARCHITECTURE, OTHER = "gfx942", "gfx90a"


@pytest.fixture(scope="module")
def maze(shared_cache: Path) -> Iterator[Project]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(shared_cache))
        project = Project(RULES)
        yield project
        project.store.close()


@pytest.fixture(scope="module")
def slicer(maze: Project) -> UnitSlicer:
    return UnitSlicer(maze, choose_kernels(maze, maze.configurations()))


@pytest.fixture(scope="module")
def texts(slicer: UnitSlicer) -> dict[str, str]:
    found = {}
    for chosen, cut in slicer.slices():
        assert not isinstance(cut, str), cut
        found[chosen.name] = cut.text
    return found


@pytest.fixture(scope="module")
def seeded(maze: Project, tmp_path_factory: pytest.TempPathFactory) -> dict[str, SliceRecord]:
    out = tmp_path_factory.mktemp("slices")
    plan = Plan((ARCHITECTURE, OTHER), (ARCHITECTURE,))
    chosen = choose_kernels(maze, maze.configurations())
    records = slice_kernels(maze, chosen, out, plan, jobs=1)
    on_disk = {record.name: record for _, record in load_slices(out / "maze" / "slices")}
    assert on_disk == {record.name: record for record in records}
    return on_disk


def test_every_kernel_is_chosen_in_single_precision(slicer: UnitSlicer) -> None:
    assert {one.name for one in slicer.chosen} == {
        "scale_kernel", "first_shared_kernel", "second_shared_kernel", "plain_kernel",
        "checked_kernel", "bounded_kernel",
    }  # fmt: skip
    assert all("double" not in one.demangled for one in slicer.chosen)


def test_every_slice_compiles_and_is_the_library_s_code(seeded: dict[str, SliceRecord]) -> None:
    for record in seeded.values():
        assert record.reason is None
        assert record.compiled == {ARCHITECTURE: True, OTHER: True}
        assert record.equal == {ARCHITECTURE: True, OTHER: None}


def test_only_hip_and_the_standard_library_are_included(texts: dict[str, str]) -> None:
    for text in texts.values():
        assert re.findall(r"^#include (.*)", text, re.M)[0] == "<hip/hip_runtime.h>"
        assert '#include "' not in text
        assert "<vector>" not in text


def test_what_no_kernel_needs_is_left_out(texts: dict[str, str]) -> None:
    for text in texts.values():
        for name in ("host_only", "not_needed", "trait<never_used>", "maze_run"):
            assert name not in text
    assert "twice" not in texts["first_shared_kernel"]
    assert "trait" not in texts["plain_kernel"]


def test_every_declaration_leads_back_to_the_kernel(slicer: UnitSlicer) -> None:
    for number, chosen in enumerate(slicer.chosen):
        closure = slicer.closure(number)
        for taken in closure.taken:
            last = list(chain(closure, taken))[-1]
            assert chosen.name in slicer.parsed.declarations[last].names or (
                closure.taken[last] == -1
            )


def test_macros_come_with_what_they_expand_to(texts: dict[str, str]) -> None:
    scale = texts["scale_kernel"]
    # One macro makes two functions: the text is the macro's, and so is what both need.
    assert "MAZE_TWICE(float)" in scale
    assert "#define MAZE_UNUSED 17" in scale
    assert "#define MAZE_SCALE 3" in scale
    assert "MAZE_UNUSED" not in texts["plain_kernel"]


def test_declarations_that_conditional_compilation_cuts_through(texts: dict[str, str]) -> None:
    plain = texts["plain_kernel"]
    assert "step(float x, int)" in plain
    assert "step(float x)\n" not in plain
    assert "#if" not in plain
    assert "ext_vector_type(4)));" in plain


def test_using_is_taken_where_it_reaches_something(texts: dict[str, str]) -> None:
    plain = texts["plain_kernel"]
    assert plain.index("namespace spelled") < plain.index("using namespace std;")
    assert plain.count("using std::min;") == 1
    # What stands in another namespace opens nothing for the kernel.
    assert not any("elsewhere" in text for text in texts.values())


def test_prototypes_friends_and_comments_stay(texts: dict[str, str]) -> None:
    plain = texts["plain_kernel"]
    assert plain.index("float later(float x);") < plain.index("return later(x)")
    assert plain.index("constexpr T real(const maze::number<T>& z);") < plain.index("friend")
    assert "// A pair." in plain
    assert "// Hidden from other units." in texts["scale_kernel"]
    assert "Copyright (C) the authors of the maze." in plain


def test_lds_that_another_function_declared(texts: dict[str, str]) -> None:
    second = texts["second_shared_kernel"]
    assert second.index("extern __shared__ double lds[];") < second.index("extern double lds[];")
    assert "first_shared_kernel" not in second
    # No reference leads from the specialization to the alias template in its head.
    assert "using always = void;" in second


def test_text_that_only_another_architecture_compiles_has_what_it_needs(
    texts: dict[str, str],
) -> None:
    checked = texts["checked_kernel"]
    assert checked.index("float half_of(float x)") < checked.index("x[0] = half_of(x[0])")
    # A macro opens the namespace; that it is an inline one is seen all the same.
    assert "inline namespace second_edition" in checked


def test_a_type_that_is_only_passed_on_is_declared(texts: dict[str, str]) -> None:
    checked = texts["checked_kernel"]
    # A template's argument that nothing in the kernel touches; a class behind a pointer.
    assert "struct unused" in checked
    assert "struct not_named" in checked
    assert "struct never_seen;" in checked
    assert "int inside" not in checked


def test_a_finished_slice_is_found_again_whatever_else_is_asked_for(
    maze: Project, seeded: dict[str, SliceRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the slice was made again")

    monkeypatch.setattr(job, "UnitSlicer", fail)
    plan = Plan((ARCHITECTURE, OTHER), (ARCHITECTURE,))
    chosen = choose_kernels(maze, maze.configurations(), kernel="plain_kernel")
    assert slice_kernels(maze, chosen, tmp_path, plan, jobs=1) == [seeded["plain_kernel"]]


def test_a_kernel_without_a_name_outside_its_unit_is_instantiated_inside(
    texts: dict[str, str],
) -> None:
    assert (
        "\ntemplate __global__ void scale_kernel<64, float>(int, float*);"
        in (texts["scale_kernel"])
    )


def test_spans_and_functions_say_what_a_slice_holds(
    maze: Project, seeded: dict[str, SliceRecord]
) -> None:
    record = seeded["plain_kernel"]
    assert record.functions[-1] == record.function
    names = [one.rsplit(":", 1)[-1] for one in record.functions]
    assert "step" in names
    for span in record.spans:
        assert maze.text.span(span.file, span.start_line, span.end_line) == span
