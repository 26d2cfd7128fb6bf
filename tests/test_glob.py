"""Path globs respect folders, name globs do not."""

from __future__ import annotations

import pytest

from extractor.glob import match_name, match_path


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ("src/*.cpp", "src/a.cpp", True),
        ("src/*.cpp", "src/b/a.cpp", False),
        ("src/**/*.cpp", "src/a.cpp", True),
        ("src/**/*.cpp", "src/b/c/a.cpp", True),
        ("clients/**", "clients/a/b", True),
        ("clients/**", "clients/", True),
        ("clients/**", "clientside/a", False),
        ("a/{b,c}.hpp", "a/c.hpp", True),
        ("a/{b,c}.hpp", "a/d.hpp", False),
        ("a?.h", "ab.h", True),
        ("a?.h", "a/.h", False),
        ("a+b.h", "a+b.h", True),
        ("a{b", "a{b", True),
        ("a[bc].h", "ac.h", True),
        ("a[bc].h", "ad.h", False),
        ("a[b-d]", "ac", True),
        ("a[d-b]", "a[d-b]", True),
        ("a[", "a[", True),
    ],
)
def test_path_globs(glob: str, path: str, matches: bool) -> None:
    assert match_path(path, (glob,)) is matches


def test_name_globs_cross_scopes_and_keep_case() -> None:
    assert match_name("rocsolver::detail::get_index", ("rocsolver::*",))
    assert not match_name("HipMalloc", ("hip*",))


def test_one_of_several_characters_and_operators_of_the_same_sign() -> None:
    assert match_name("stride_c", ("stride_[BbCc]",))
    assert not match_name("stride_a", ("stride_[BbCc]",))
    assert match_name("vector::operator[]", ("*::operator[]",))


def test_no_glob_matches_nothing() -> None:
    assert not match_path("a", ())
    assert not match_name("", ())
