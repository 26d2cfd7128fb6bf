"""The units that one interface needs: its scope is the slice of the whole library."""

from __future__ import annotations

from opened_libraries import Library

from extractor.api import scope_bytes
from extractor.project import Project


def slices(library: Library, project: Project) -> dict[str, list[str]]:
    """Interfaces whose own scope differs from what the whole library says, and in which parts."""
    different: dict[str, list[str]] = {}
    configs = project.configurations()
    for family, entries in project.rule.group_entries(
        library.project.defined(library.builder.graphs)
    ).items():
        whole = library.builder.build(family, entries)
        alone = scope_bytes(project, family, configs)
        if alone != whole.model_dump_json(by_alias=True).encode() + b"\n":
            other = type(whole).model_validate_json(alone)
            different[family] = [
                name
                for name in type(whole).model_fields
                if getattr(whole, name) != getattr(other, name)
            ]
    return different


def test_every_construct_alone_is_its_slice_of_the_whole(constructs: Library) -> None:
    assert slices(constructs, Project(constructs.project.rule.path)) == {}


def test_every_interface_of_the_small_library_is_its_slice(small_library: Library) -> None:
    assert slices(small_library, Project(small_library.project.rule.path)) == {}


def test_one_interface_needs_a_handful_of_units(small_library: Library) -> None:
    project = Project(small_library.project.rule.path)
    chosen = project.graph("plain", project.resolve("map"), device=False)
    assert [unit.path for unit in chosen.units] == ["src/map.hip"]
    reduced = project.graph("fast", project.resolve("reduce"), device=False)
    assert {unit.path for unit in reduced.units} == {
        "src/reduce/reduce.hip",
        "src/reduce/reduce_kernels.hip",
        "src/fast/reduce_fast.hip",
    }
