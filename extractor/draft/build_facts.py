"""What a tree's CMake files say: targets, standards, macros, folders, headers they make."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath

from extractor.build_order import link_order
from extractor.cmake_text import commands_of
from extractor.draft.survey import SOURCES, Survey

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_GENERATOR = re.compile(r"\$<(?:BUILD_INTERFACE|INSTALL_INTERFACE):([^>]*)>")
_VERSION = re.compile(r"^\d+(?:\.\d+)+$")


@dataclass
class MadeHeader:
    """A header that the build writes.

    Attributes:
        kind: ``configured`` or ``export``.
        output: Below an include folder, as far as the command tells.
        template: Of ``configured``.
        variables: That the template asks for.
        macro: Of ``export``: what the names begin with.
    """

    kind: str
    output: str
    template: str = ""
    variables: tuple[str, ...] = ()
    macro: str = ""


@dataclass
class BuildFacts:
    """What was read.

    Attributes:
        project: Name of the project, lower case.
        version: Version, its file and an expression that finds it there.
        standard: C++ standard, such as ``c++17``; empty when not said.
        target: Library target with the most sources, and the CMake file that lists them.
        order_file: That file.
        sources: Sources of the target that the tree has, in order.
        macros: Macro flags outside of any condition.
        conditional: Macro flags inside of conditions.
        include: Folders of the tree that targets search.
        made: Headers that the build writes.
        missing: Sources that the target lists and the tree lacks.
    """

    project: str = ""
    version: tuple[str, str, str] | None = None
    standard: str = ""
    target: str = ""
    order_file: str = ""
    sources: list[str] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    conditional: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)
    made: list[MadeHeader] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def read_build(survey: Survey) -> BuildFacts:
    """Reads the CMake files of a surveyed tree; an empty answer where there are none."""
    facts = BuildFacts()
    have = set(survey.files)
    standards: list[tuple[str, str]] = []
    best: tuple[int, str, str, list[str]] = (0, "", "", [])
    for file in sorted(survey.files, key=lambda name: (name.count("/"), name)):
        if PurePosixPath(file).name != "CMakeLists.txt":
            continue
        text = (survey.root / file).read_text(encoding="utf-8", errors="replace")
        for depth, command, words in _with_depth(text):
            _read(facts, standards, survey, file, depth, command, words)
            if command in ("add_library", "hip_add_library", "cuda_add_library") and words:
                target = words[0]
                # Everything the target's sources could be in: the file, what it includes.
                listed = link_order(survey.root, [file], target)
                sources = [name for name in listed if name in have and name.endswith(SOURCES)]
                if len(sources) > best[0] and not _VARIABLE.search(target):
                    best = (len(sources), target, file, listed)
    _, facts.target, facts.order_file, listed = best
    for file, standard in standards:
        # The deepest file on the way to the target's own is the one that counts.
        if facts.order_file.startswith(file.removesuffix("CMakeLists.txt")):
            facts.standard = standard
    facts.sources = [name for name in listed if name in have and name.endswith(SOURCES)]
    facts.missing = [name for name in listed if name.endswith(SOURCES) and name not in have]
    facts.include = list(dict.fromkeys(facts.include))
    facts.macros = list(dict.fromkeys(facts.macros))
    facts.conditional = [m for m in dict.fromkeys(facts.conditional) if m not in facts.macros]
    return facts


def _with_depth(text: str) -> Iterator[tuple[int, str, list[str]]]:
    depth = 0
    for command, words in commands_of(text):
        if command in ("endif", "endforeach", "endwhile", "endfunction", "endmacro"):
            depth -= 1
        yield depth, command, words
        if command in ("if", "foreach", "while", "function", "macro"):
            depth += 1


def _read(
    facts: BuildFacts,
    standards: list[tuple[str, str]],
    survey: Survey,
    file: str,
    depth: int,
    command: str,
    words: list[str],
) -> None:
    if command == "project" and words and not facts.project:
        facts.project = words[0].lower()
        if "VERSION" in words[:-1]:
            _version(facts, file, words[words.index("VERSION") + 1], r"project\([^)]*VERSION\s+")
    elif command == "set" and len(words) > 1:
        if words[0] == "CMAKE_CXX_STANDARD" and words[1].isdigit():
            standards.append((file, f"c++{words[1]}"))
        elif words[0].endswith("VERSION_STRING"):
            _version(facts, file, words[1], rf"{words[0]}\s+\"?")
    elif command == "rocm_setup_version" and "VERSION" in words[:-1]:
        value = words[words.index("VERSION") + 1]
        _version(facts, file, value, r'rocm_setup_version\(\s*VERSION\s+"?')
    elif command == "target_compile_features":
        found = [word for word in words if word.startswith("cxx_std_")]
        standards += [(file, f"c++{word[8:]}") for word in found]
    elif command in ("add_definitions", "add_compile_options", "target_compile_options"):
        _macros(facts, depth, [word for word in words if word.startswith("-D")])
    elif command in ("add_compile_definitions", "target_compile_definitions"):
        names = [w for w in words if re.fullmatch(r"(-D)?[A-Za-z_]\w*(=[^$]*)?", w)]
        names = names[1:] if command.startswith("target") else names
        names = [w for w in names if w not in ("PRIVATE", "PUBLIC", "INTERFACE")]
        _macros(facts, depth, [w if w.startswith("-D") else f"-D{w}" for w in names])
    elif command in ("include_directories", "target_include_directories"):
        for word in words:
            folder = _folder(file, word)
            if folder and any(name.startswith(f"{folder}/") for name in survey.files):
                facts.include.append(folder)
    elif command == "configure_file" and len(words) > 1:
        _configured(facts, survey, file, words)
    elif command == "generate_export_header" and words:
        _export(facts, words)


def _version(facts: BuildFacts, file: str, value: str, before: str) -> None:
    if facts.version is None and _VERSION.match(value):
        facts.version = (value, file, before + r"(\d+(?:\.\d+)+)")


def _macros(facts: BuildFacts, depth: int, flags: list[str]) -> None:
    plain = [flag for flag in flags if "$" not in flag and '"' not in flag]
    (facts.conditional if depth else facts.macros).extend(plain)


def _folder(file: str, word: str) -> str:
    match = _GENERATOR.fullmatch(word)
    word = match[1] if match else word
    root = re.sub(r"^\$\{(?:PROJECT|CMAKE)_SOURCE_DIR\}/?", "/", word)
    here = re.sub(r"^\$\{CMAKE_CURRENT_(?:SOURCE|LIST)_DIR\}/?", "", word)
    if _VARIABLE.search(root) and _VARIABLE.search(here):
        return ""
    if root.startswith("/") and not _VARIABLE.search(root):
        folder = os.path.normpath(root.lstrip("/") or ".")
    else:
        folder = os.path.normpath(str(PurePosixPath(file).parent / here))
    return "" if folder.startswith((".", "/")) else folder


def _configured(facts: BuildFacts, survey: Survey, file: str, words: list[str]) -> None:
    template = _folder(file, words[0])
    if template not in survey.files or not re.search(r"\.h(pp|h|xx)?(\.in)?$", template):
        return
    text = (survey.root / template).read_text(encoding="utf-8", errors="replace")
    asked = re.findall(r"@(\w+)@|\$\{(\w+)\}|#\s*cmakedefine(?:01)?\s+(\w+)", text)
    variables = tuple(dict.fromkeys(name for row in asked for name in row if name))
    output = _below_include(words[1]) or PurePosixPath(template).name.removesuffix(".in")
    facts.made.append(MadeHeader("configured", output, template, variables))


def _export(facts: BuildFacts, words: list[str]) -> None:
    named = dict(pairwise(words))
    base = named.get("BASE_NAME", words[0])
    if _VARIABLE.search(base):
        return
    output = _below_include(named.get("EXPORT_FILE_NAME", "")) or f"{base.lower()}_export.h"
    facts.made.append(MadeHeader("export", output, macro=base.upper()))


def _below_include(path: str) -> str:
    """What stands below an include folder, or after the last variable."""
    path = path.strip('"')
    head, found, tail = path.rpartition("/include/")
    if not found:
        tail = re.sub(r"^.*\$\{\w+\}/?", "", head + tail if head else path)
    return "" if _VARIABLE.search(tail) or not tail.strip("/") else tail.strip("/")
