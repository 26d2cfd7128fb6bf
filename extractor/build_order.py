"""Reads from a library's CMake files in which order its units are linked.

The order decides which of several weak definitions of one function is the one that runs. Only
lists of file names are followed: ``set``, ``list(APPEND)``, ``add_library`` and ``include`` of a
file of the tree, whose names are then relative to the including file, as in CMake. Conditions are
not evaluated, and nothing of CMake runs; a unit that cannot be placed comes last, by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from extractor.cmake_text import Command, commands_of

_VARIABLE = re.compile(r"\$\{(\w+)\}")


def link_order(root: Path, cmake_files: Iterable[str], target: str) -> list[str]:
    """Lists source files in the order in which a target names them.

    Args:
        root: The tree.
        cmake_files: CMake files to read, relative to the tree; absent ones count as empty.
        target: The library target that comes first; other targets of the files follow.

    Returns:
        Files relative to the tree, each once, whether they exist or not.
    """
    wanted: list[str] = []
    others: list[str] = []
    for name in cmake_files:
        folder = PurePosixPath(name).parent
        for library, files in _libraries(_commands(root, name)):
            placed = [_inside(folder, file) for file in files]
            (wanted if library == target else others).extend(placed)
    return list(dict.fromkeys([*wanted, *others]))


def _libraries(commands: Iterable[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
    variables: dict[str, list[str]] = {}
    found: list[tuple[str, list[str]]] = []
    for command, words in commands:
        expanded = [value for word in words for value in _expand(word, variables)]
        if command == "set" and words:
            # A second set() is the other branch of a condition: keep what both name.
            have = variables.setdefault(words[0], [])
            have += [value for value in expanded[1:] if value not in have]
        elif command == "list" and words[:1] == ["APPEND"] and len(words) > 1:
            variables.setdefault(words[1], []).extend(expanded[2:])
        elif command in ("add_library", "add_executable", "target_sources") and words:
            found.append((words[0], expanded[1:]))
    return found


def _commands(root: Path, name: str, seen: frozenset[str] = frozenset()) -> Iterable[Command]:
    """Commands of a file, those of the files it includes in the place of the ``include``."""
    try:
        text = (root / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for command, words in commands_of(text):
        if command != "include" or not words:
            yield command, words
            continue
        included = _inside(PurePosixPath(name).parent, words[0])
        if included not in seen and (root / included).is_file():
            yield from _commands(root, included, seen | {name, included})


def _expand(word: str, variables: dict[str, list[str]]) -> list[str]:
    whole = _VARIABLE.fullmatch(word)
    if whole:
        return variables.get(whole[1], [])
    return word.split(";")


def _inside(folder: PurePosixPath, file: str) -> str:
    # ${CMAKE_CURRENT_SOURCE_DIR} is the folder of the file that is being read.
    plain = _VARIABLE.sub("", file).lstrip("/")
    parts: list[str] = []
    for part in (folder / plain).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
