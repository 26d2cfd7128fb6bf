"""The search by name that proposes units: as text, and by tree-sitter."""

from __future__ import annotations

from pathlib import Path

import pytest
from opened_libraries import CONSTRUCTS

from extractor.index.names import definitions, mentions, stems

FIXTURES = CONSTRUCTS.parent / "src"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"name", True),
        (b"x.name(1)", True),
        (b"ns::name<int>", True),
        (b"names", False),
        (b"my_name", False),
        (b"name_64 name", True),
        (b"", False),
    ],
)
def test_whole_words_only(text: bytes, found: bool) -> None:
    assert mentions(text, b"name") is found


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("special_impl.hpp", {"special_kernel", "special_entry"}),
        ("specialized/special_class.cpp", {"member_kernel", "run"}),
        ("weak/first.cpp", {"weak_launcher", "c_weak_first"}),
        ("explicit_template_bodies.cpp", {"solver_kernel", "prepare", "solve", "solve_free"}),
        ("unnamed.cpp", {"k", "run", "a", "c_unnamed"}),
    ],
)
def test_definitions_of_a_file(file: str, names: set[str]) -> None:
    found = definitions((FIXTURES / file).read_bytes())
    assert set(found) == names


def test_definitions_say_where_they_are() -> None:
    text = b"int f();\n\nint f()\n{\n}\nint g() { return f(); }\nint f(int) {}\n"
    assert definitions(text) == {"f": [3, 7], "g": [6]}


def test_beginnings_of_a_name_that_macros_paste() -> None:
    assert list(stems("rocblas_saxpy_batched_64")) == [
        "rocblas_saxpy_batched_64",
        "rocblas_saxpy_batched",
        "rocblas_saxpy",
    ]
    assert list(stems("short")) == ["short"]


def test_every_fixture_is_searched(tmp_path: Path) -> None:
    files = [path for path in FIXTURES.rglob("*") if path.suffix in (".hip", ".cpp", ".hpp")]
    assert len(files) > 50
    assert all(definitions(path.read_bytes()) or path.stat().st_size < 600 for path in files)
