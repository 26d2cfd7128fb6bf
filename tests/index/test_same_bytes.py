"""The index is the same bytes however it was made."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Library

from extractor.commands.library import kernel_lines
from extractor.index import precompiled
from extractor.index.closure import Closures
from extractor.index.indexer import optional_flags
from extractor.project import Project
from extractor.units import Side

SIDES: tuple[Side, ...] = ("host", "device")


Stored = dict[tuple[str, str, str], tuple[str, list[str]]]


def stored(project: Project) -> Stored:
    """Key and records of every unit, indexed now where the store lacks it.

    Records name headers of packages by their place, which is another one in each cache.
    """
    found = {}
    (prefix,) = project.toolchain.prefixes
    for config in project.configurations():
        for side in SIDES:
            units = project.units(config, side)
            project.indexer.ensure(units)
            rows = project.store.units([project.indexer.key_of(unit) for unit in units])
            for unit, row in zip(units, rows, strict=True):
                records = project.store.functions(row.functions)
                texts = [json.dumps(records[one]) for one in row.functions]
                assert row.errors == ()
                found[config, side, unit.path] = (
                    row.key,
                    [text.replace(str(prefix), "{prefix}") for text in texts],
                )
    return found


@pytest.fixture
def reference(small_library: Library) -> Stored:
    """The library in the shared cache: precompiled headers, one worker for each core."""
    return stored(small_library.project)


def test_without_precompiled_headers(reference: Stored, own_cache: Path) -> None:
    plain = Project(SMALL_LIBRARY, precompiled=False)
    assert stored(plain) == reference
    assert not any((own_cache / "precompiled").glob("*/*.pch"))


def test_with_other_numbers_of_workers(reference: Stored, quick_cache: Path) -> None:
    assert stored(Project(SMALL_LIBRARY, jobs=1)) == reference
    shutil.rmtree(quick_cache / "store")
    assert stored(Project(SMALL_LIBRARY, jobs=5)) == reference


def test_in_another_folder(
    reference: Stored,
    small_library: Library,
    own_cache: Path,
    library_copy: Path,
) -> None:
    copy = Project(library_copy)
    assert stored(copy) == reference
    other = kernel_lines(copy, copy.configurations())
    assert other == kernel_lines(small_library.project, small_library.project.configurations())


def test_units_that_a_configuration_does_not_touch_are_indexed_once(
    reference: Stored,
) -> None:
    keys = {
        (config, path): key
        for (config, side, path), (key, _) in reference.items()
        if side == "host"
    }
    for (config, path), key in keys.items():
        other = keys.get(("fast" if config == "plain" else "plain", path))
        differs = path in ("src/reduce/reduce_kernels.hip", "src/fast/reduce_fast.hip")
        assert (other != key) is differs


def closures(project: Project) -> Closures:
    return Closures(project.tree, project.toolchain, optional_flags(project.rule))


def test_a_key_changes_with_what_the_unit_can_include_and_nothing_else(
    in_shared_cache: Path, library_copy: Path
) -> None:
    def keys() -> dict[str, str]:
        project = Project(library_copy)
        known = closures(project)
        return {unit.path: known.key_of(unit) for unit in project.units("plain", "host")}

    before = keys()
    header = library_copy.parent / "src" / "check.hpp"
    header.write_text(header.read_text() + "// a remark\n")
    after = keys()
    assert {path for path in before if before[path] != after[path]} == {"src/scale.hip"}
    header.with_name("unused.hpp").write_text("int unused;\n")
    assert keys() == after
    context = library_copy.parent / "src" / "context.hpp"
    context.write_text(context.read_text() + "\n")
    assert not set(keys().values()) & set(after.values())


def test_a_precompiled_header_belongs_to_its_flags(
    in_shared_cache: Path, small_library: Library
) -> None:
    project = small_library.project
    known = closures(project)
    planned = {
        (config, side): precompiled.planned(
            project.rule.precompiled, project.units(config, side)[0], known
        )
        for config in ("plain", "fast")
        for side in ("host", "device")
    }
    assert len({header.key for header in planned.values() if header}) == 4
    assert precompiled.planned((), project.units("plain", "host")[0], known) is None
