"""What a tree holds, seen as text: sources, headers, kernels, launches, macros, includes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from extractor.source.manifest import tree_files

SOURCES = (".cpp", ".cc", ".cxx", ".c++", ".hip", ".cu")
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc")
_NOT_THE_LIBRARY = re.compile(
    r"^(\..*|tests?|testing|unit_?tests?|gtest|clients?|samples?|examples?|demos?|tutorials?"
    r"|bench(marks?)?|perf(ormance)?|docs?|documentation|scripts?|python|tools|utilities"
    r"|cmake|third[_-]?party|3rdparty|external|extern|deps|dependencies|vendor|submodules"
    r"|build.*|cmake-build.*|out|install|packag(e|ing)|docker|ci|fuzz(ing|ers?)?)$",
    re.IGNORECASE,
)
_LARGEST = 4 << 20
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\()?((?:[^\n]*\\\n)*[^\n]*)", re.M)
_LAUNCH = re.compile(r"<<<|\bhipLaunchKernel(?:GGL)?\b|\bcudaLaunchKernel\b")
_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:\\.|[^"\\\n])*")', re.S)
_NAMESPACE = re.compile(r"\bnamespace\s+([A-Za-z_][\w:]*)\s*\{")


@dataclass
class Survey:
    """One tree, read once.

    Attributes:
        root: The tree.
        files: All files that a build could read, relative, left-out folders not among them.
        left_out: Folders that belong to no library: tests, clients, samples and the like.
        text: Contents of sources and headers by file, comments blanked.
        kernels: Files by how many kernels they define or declare.
        launches: How many launches stand outside of macros.
        kernel_macros: Macros whose body makes a kernel, and where.
        launch_macros: Macros whose body launches, and where.
        namespaces: How often each namespace is opened.
        includes: Names that are included, and by how many files.
        skipped: Files too large to be looked at.
    """

    root: Path
    files: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    text: dict[str, str] = field(default_factory=dict)
    kernels: Counter[str] = field(default_factory=Counter)
    launches: int = 0
    kernel_macros: dict[str, str] = field(default_factory=dict)
    launch_macros: dict[str, str] = field(default_factory=dict)
    namespaces: Counter[str] = field(default_factory=Counter)
    includes: Counter[str] = field(default_factory=Counter)
    skipped: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[str]:
        """Files that a build may compile."""
        return [file for file in self.files if file.endswith(SOURCES)]

    @property
    def headers(self) -> list[str]:
        """Files that others include."""
        return [file for file in self.files if file.endswith(HEADERS)]


def look_at(root: Path) -> Survey:
    """Reads a tree."""
    found = Survey(root)
    left_out: set[str] = set()
    for file, _, _ in sorted(tree_files(root, ())):
        folder = _outside(file)
        if folder:
            left_out.add(folder)
        else:
            found.files.append(file)
    found.left_out = sorted(left_out)
    for file in [*found.sources, *found.headers]:
        if (root / file).stat().st_size > _LARGEST:
            found.skipped.append(file)
            continue
        raw = (root / file).read_text(encoding="utf-8", errors="replace")
        found.text[file] = _COMMENT.sub(lambda m: m[1] or " ", raw)
        _read(found, file)
    uses = re.compile(
        rf"(?<!\w)(__global__|{_names(found.kernel_macros)})(?!\w)|(<<<|(?<!\w)(?:hipLaunchKernel"
        rf"(?:GGL)?|cudaLaunchKernel|{_names(found.launch_macros)})(?!\w))"
    )
    for file, text in found.text.items():
        kinds = Counter(
            "kernel" if match[1] else "launch" for match in uses.finditer(_DEFINE.sub("", text))
        )
        if kinds["kernel"]:
            found.kernels[file] = kinds["kernel"]
        found.launches += kinds["launch"]
    return found


def _names(macros: Iterable[str]) -> str:
    return "|".join(map(re.escape, macros)) or r"(?!)"


def _outside(file: str) -> str:
    """The outermost folder of a file that belongs to no library; empty when there is none."""
    parts = PurePosixPath(file).parts[:-1]
    for index, part in enumerate(parts):
        if _NOT_THE_LIBRARY.match(part):
            return "/".join(parts[: index + 1])
    return ""


def _read(found: Survey, file: str) -> None:
    text = found.text[file]
    for match in _INCLUDE.finditer(text):
        found.includes[match[1] or match[2]] += 1
    for match in _DEFINE.finditer(text):
        if re.search(r"\b__global__\b|\bGLOBAL\b", match[3]):
            found.kernel_macros.setdefault(match[1], file)
        if match[2] and _LAUNCH.search(match[3]):
            found.launch_macros.setdefault(match[1], file)
    found.namespaces.update(_NAMESPACE.findall(_DEFINE.sub("", text)))
