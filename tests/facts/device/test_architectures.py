"""Kernels that are written differently for one architecture than for another."""

from __future__ import annotations

from pathlib import Path

from extractor.facts.device.architectures import DependentLines, told_apart

TEXT = """\
#ifndef GUARD
#if defined(__gfx90a__) || defined(__gfx1100__)
#define WIDE 1
#elif defined(OTHER)
void small();
#else
void large();
#endif
#if WIDE
void wide();
#endif
#ifdef __GFX12__
void later();
#endif
int width() { return WIDE; }
#endif
"""


def test_lines_depend_on_the_architecture_by_their_directives_and_by_macros(tmp_path: Path) -> None:
    (tmp_path / "a.hpp").write_text(TEXT)
    (tmp_path / "b.hpp").write_text("#if WIDE\nint b;\n#endif\nint c;\n")
    (tmp_path / "notes.md").write_text("__gfx90a__")
    files = ["a.hpp", "b.hpp", "notes.md"]
    lines = DependentLines(tmp_path, files, ("gfx90a", "gfx942"))
    touched = {
        name: [n for n in range(1, 17) if lines.touch(name, n, n)] for name in ("a.hpp", "b.hpp")
    }
    assert touched["a.hpp"] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15]
    assert touched["b.hpp"] == [1, 2, 3]
    assert lines.touch("a.hpp", 12, 16)
    assert not lines.touch("c.hpp", 1, 100)
    # None of these architectures has the macro: all of them have the same text.
    other = DependentLines(tmp_path, files, ("gfx942", "gfx950"))
    assert not other.touch("a.hpp", 1, 16)


def test_what_only_some_architectures_have_names_them() -> None:
    same = {"fact": "loop", "arch": None}
    bytes_of = [{"fact": "lds_bytes", "value": n, "arch": None} for n in (0, 3072)]
    found = {
        "gfx90a": {"k": [same, bytes_of[1]], "only": [same]},
        "gfx942": {"k": [same, bytes_of[0]]},
    }
    assert told_apart(found) == {
        "k": [same, {**bytes_of[1], "arch": "gfx90a"}, {**bytes_of[0], "arch": "gfx942"}],
        "only": [{**same, "arch": "gfx90a"}],
    }
    assert told_apart({"gfx942": {"k": [same]}}) == {"k": [same]}
