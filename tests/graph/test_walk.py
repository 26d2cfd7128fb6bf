"""The walk under a rule file's lists: what is entered, what is left out, where it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scope_reader import ScopeReader

import extractor


@pytest.fixture
def scale(library_copy: Path, in_shared_cache: Path) -> object:
    """Scope of ``scale`` under the rule file with some lines more."""

    def with_lines(lines: str) -> ScopeReader:
        library_copy.write_text(library_copy.read_text() + lines)
        scope = extractor.extract(library_copy, "scale", config="plain")
        return ScopeReader(json.loads(scope.model_dump_json(by_alias=True)))

    return with_lines


def asked(scale: object, lines: str) -> ScopeReader:
    assert callable(scale)
    reader = scale(lines)
    assert isinstance(reader, ScopeReader)
    return reader


def test_an_allow_list_admits_only_what_it_names(scale: object) -> None:
    scope = asked(
        scale,
        '[[allow]]\nfile = "src/scale.hip"\nreason = "only this file"\n',
    )
    assert set(scope.kinds()) == {
        "pond_sscale",
        "pond_dscale",
        "pond_sscale_batched",
        "scale",
        "scale_kernel",
        "scale_batched_kernel",
        "product",
    }
    # check_numbers for two types, usable, blocks; the tracing has a line of its own.
    assert scope.excluded() == {"*": 4, "pond::detail::trace_*": 1}
    assert scope.kernels("pond_sscale", "plain") == {"scale_kernel<128,float>"}
    assert scope.scope["unresolved"] == []


def test_disallow_wins_over_allow(scale: object) -> None:
    scope = asked(
        scale,
        '[[allow]]\nname = "*"\nreason = "all"\n'
        '[[disallow]]\nname = "pond::scale_kernel"\nreason = "not this one"\n',
    )
    assert scope.kernels("pond_sscale", "plain") == {"check_kernel<float>"}
    assert scope.excluded()["pond::scale_kernel"] == 2
    assert not any(launch.kernel.startswith("scale_kernel") for launch in scope.launches())


def test_the_first_line_that_fits_counts(scale: object) -> None:
    scope = asked(
        scale,
        '[[disallow]]\nname = "pond::detail::*"\nreason = "later"\n',
    )
    assert scope.excluded()["pond::detail::trace_*"] == 1
    assert "pond::detail::*" not in scope.excluded()


def test_what_is_left_out_is_counted_by_function_and_not_by_call(scale: object) -> None:
    scope = asked(
        scale,
        '[[disallow]]\nname = "pond::usable"\nreason = "always true"\n',
    )
    assert scope.excluded()["pond::usable"] == 1
    assert "src/log.hpp" not in scope.excluded()
    assert "usable" not in scope.kinds()


def test_a_boundary_hides_nothing_that_the_tree_defines(scale: object) -> None:
    scope = asked(
        scale,
        '[[boundaries]]\nname = "pond::usable"\nlibrary = "elsewhere"\n',
    )
    assert scope.kinds()["usable"] == "host"
    assert "pond::usable" not in scope.boundaries()


def test_infrastructure_is_walked_and_marked(scale: object) -> None:
    scope = asked(
        scale,
        '[[infrastructure]]\nfile = "src/context.cpp"\nreason = "shared"\n',
    )
    assert scope.function("usable")["infrastructure"] == "shared"
    assert scope.function("scale")["infrastructure"] is None
