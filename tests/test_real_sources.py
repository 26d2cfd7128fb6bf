"""The real libraries at their pinned revisions, through the shared cache.

Skipped, with the reason, where they are neither cached nor to be had.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from extractor.build_order import link_order
from extractor.errors import SourceError
from extractor.rules import Rule, load_rule
from extractor.source import SourceTree, obtain
from extractor.source.generated import missing_inputs
from extractor.source.prototypes import declarations
from extractor.toolchain import Toolchain, find
from extractor.unit_plan import plan_units
from extractor.units import Side, Unit

Library = tuple[Rule, SourceTree, Toolchain]


def library(name: str) -> Library:
    rule = load_rule(name)
    try:
        return rule, obtain(rule), find(rule)
    except SourceError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def blas() -> Library:
    return library("rocblas")


@pytest.fixture(scope="module")
def solver() -> Library:
    return library("rocsolver")


def parse(tree: SourceTree, toolchain: Toolchain, unit: Unit) -> str:
    command = [*toolchain.clang, *unit.arguments, "-fsyntax-only", str(tree.root / unit.path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def pick(units: list[Unit], ending: str) -> Unit:
    (unit,) = [unit for unit in units if unit.path.endswith(ending)]
    return unit


def test_versions_and_licences(blas: Library, solver: Library) -> None:
    assert (blas[1].version, blas[1].license) == ("6.4.4", "MIT")
    assert (solver[1].version, solver[1].license) == ("6.4.3", "BSD-2-Clause")
    for _, tree, _ in (blas, solver):
        assert missing_inputs(tree.generated) == []


def test_the_trees_hold_no_tables_tests_or_documents(blas: Library) -> None:
    root = blas[1].root
    assert not (root / "clients").exists()
    assert not (root / "docs").exists()
    assert sorted(path.name for path in (root / "library/src/blas3/Tensile").iterdir()) == [
        "gemm_templates.cpp",
        "gemm_tensile.hpp",
    ]


def test_every_unit_has_its_place_in_the_build(blas: Library, solver: Library) -> None:
    counts = {}
    for rule, tree, toolchain in (blas, solver):
        order = set(link_order(tree.root, rule.compile.order, rule.compile.target))
        for configuration in rule.configurations:
            units = plan_units(rule, tree, toolchain, configuration.name, "host")
            counts[rule.name, configuration.name] = len(units)
            unplaced = [unit.path for unit in units if unit.path not in order]
            assert unplaced in ([], ["common/src/common_host_helpers.cpp"])
    assert counts == {
        ("rocblas", "source"): 451,
        ("rocblas", "tensile"): 454,
        ("rocsolver", "source"): 246,
    }


def test_exported_prototypes_are_those_that_the_package_carries(
    blas: Library, solver: Library
) -> None:
    name = Path("rocblas/internal/rocblas-exported-proto.hpp")
    ours = (blas[1].generated / name).read_text()
    theirs = (solver[2].prefixes[0] / "include" / name).read_text()

    def words(text: str) -> list[str]:
        return ["".join(item.text.split()) for item in declarations(text)]

    assert len(words(ours)) == 125
    assert words(ours) == words(theirs)


@pytest.mark.parametrize("side", ["host", "device"])
@pytest.mark.parametrize("config", ["source", "tensile"])
def test_a_unit_of_rocblas_parses(blas: Library, config: str, side: Side) -> None:
    rule, tree, toolchain = blas
    units = plan_units(rule, tree, toolchain, config, side)
    assert parse(tree, toolchain, pick(units, "/rocblas_axpy_kernels_64.cpp")) == ""


@pytest.mark.parametrize("side", ["host", "device"])
def test_a_unit_of_rocsolver_parses(solver: Library, side: Side) -> None:
    rule, tree, toolchain = solver
    units = plan_units(rule, tree, toolchain, "source", side)
    # It uses min() on the host, which only the compiler's own HIP headers declare.
    assert parse(tree, toolchain, pick(units, "/roclapack_getrf.cpp")) == ""


def test_rocsolver_parses_against_a_tree_of_rocblas(blas: Library, solver: Library) -> None:
    rule, tree, toolchain = solver
    siblings = {"rocblas": (blas[0], blas[1])}
    units = plan_units(rule, tree, toolchain, "source", "host", siblings=siblings)
    unit = pick(units, "/roclapack_potf2.cpp")
    packaged = str(toolchain.prefixes[0] / "include")
    folders = [unit.arguments[i + 1] for i, f in enumerate(unit.arguments) if f == "-idirafter"]
    assert folders.index(str(blas[1].generated)) < folders.index(packaged)
    assert parse(tree, toolchain, unit) == ""
