"""Units come in the order in which the build links them, read from its lists alone."""

from __future__ import annotations

from pathlib import Path

from extractor.build_order import link_order


def order(root: Path, text: str, target: str = "lib") -> list[str]:
    (root / "src").mkdir(exist_ok=True)
    (root / "src" / "CMakeLists.txt").write_text(text)
    return link_order(root, ["src/CMakeLists.txt", "absent/CMakeLists.txt"], target)


def test_lists_are_followed_into_the_library(tmp_path: Path) -> None:
    text = """
    # set( first wrong.cpp )
    set( second b.cpp "c d.cpp" )   # comment.cpp
    set(first
      a.cpp)
    list(APPEND second e.cpp)
    add_library( lib STATIC
      ${first}
      ${second} ${unknown}
      ../other/f.cpp )
    """
    found = [name for name in order(tmp_path, text) if name.endswith(".cpp")]
    assert found == ["src/a.cpp", "src/b.cpp", "src/c d.cpp", "src/e.cpp", "other/f.cpp"]


def test_both_branches_of_a_condition_count(tmp_path: Path) -> None:
    text = """
    if(X)
      set(list a.cpp b.cpp)
    else()
      set(list a.cpp c.cpp)
    endif()
    add_library(lib ${list})
    """
    assert order(tmp_path, text) == ["src/a.cpp", "src/b.cpp", "src/c.cpp"]


def test_the_target_comes_first_and_each_file_once(tmp_path: Path) -> None:
    text = "add_library(other x.cpp a.cpp)\nadd_library(lib a.cpp)\n"
    assert order(tmp_path, text) == ["src/a.cpp", "src/x.cpp"]


def test_the_folder_of_the_file_is_known(tmp_path: Path) -> None:
    text = "target_sources(lib PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/deep/a.cpp)"
    assert "src/deep/a.cpp" in order(tmp_path, text)


def test_a_file_that_ends_in_the_middle(tmp_path: Path) -> None:
    assert order(tmp_path, "add_library(lib a.cpp ${")[0] == "src/a.cpp"


def test_an_included_file_stands_in_the_place_of_its_line(tmp_path: Path) -> None:
    (tmp_path / "src" / "below").mkdir(parents=True)
    (tmp_path / "src" / "below" / "list.cmake").write_text(
        "set(list below/a.cpp b.cpp)\ninclude(CMakeLists.txt)\n"
    )
    text = "include(GNUInstallDirs)\ninclude(below/list.cmake)\nadd_library(lib ${list})\n"
    assert order(tmp_path, text) == ["src/below/a.cpp", "src/b.cpp"]


def test_a_hash_in_a_string_is_no_comment(tmp_path: Path) -> None:
    text = """
    set(text "
    #if X \\"
    #endif")  # a comment's "quote
    add_library(lib a.cpp)
    """
    assert order(tmp_path, text) == ["src/a.cpp"]
