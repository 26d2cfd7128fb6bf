"""Where the includes of a tree lead: folders to search, headers that the build copies, packages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from extractor.draft.build_facts import BuildFacts
from extractor.draft.survey import Survey
from extractor.rule_schema import Package

_OWN_NAMES = ("hip/", "cuda", "cub/", "thrust/", "sys/", "bits/", "linux/")
_SYSTEM = re.compile(
    r"^(assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|std\w+"
    r"|strings?|tgmath|threads|time|uchar|wchar|wctype|unistd|dlfcn|pthread|malloc|omp|fcntl"
    r"|getopt|libgen|sched|semaphore|\w*intrin|[wW]indows|cpuid|execinfo|cxxabi)\.h$"
)


@dataclass
class Includes:
    """What was found.

    Attributes:
        folders: Folders of the tree to search, in order.
        forwarded: Folder in front of a name, by the tree's folder that has the name without it.
        packages: Packages whose headers are included.
        unknown: Names that nothing here has, by how many files include them.
    """

    folders: list[str] = field(default_factory=list)
    forwarded: dict[str, str] = field(default_factory=dict)
    packages: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def follow_includes(survey: Survey, build: BuildFacts, packages: tuple[Package, ...]) -> Includes:
    """Finds folders to search until every name that the tree has is found.

    Args:
        survey: The tree.
        build: What its CMake files name; those folders come first.
        packages: Packages that a rule file may name.
    """
    found = Includes([folder for folder in build.include if not _is_source(folder, survey)])
    have = {*survey.files}
    found.folders += sorted(
        folder
        for folder in {f"{head}include" for head in _include_heads(survey)}
        if folder not in found.folders
    )
    found.folders += [folder for folder in build.include if folder not in found.folders]
    made = {header.output for header in build.made}
    made |= {PurePosixPath(name).name for name in made}
    beside = {PurePosixPath(file).parent.as_posix() for file in survey.text}
    prefixes = {folder_of(package): package.name for package in packages}
    for name, count in sorted(survey.includes.items()):
        if name in made or any(f"{folder}/{name}" in have for folder in found.folders):
            continue
        if any(_joined(folder, name) in have for folder in beside) and not name.startswith("<"):
            # Beside the file that includes it, or in a folder that must be searched.
            _search(found, survey, name, have)
            continue
        ends = [file for file in have if file.endswith(f"/{name}") or file == name]
        if ends:
            _search(found, survey, name, have)
            continue
        first, slash, rest = name.partition("/")
        copied = [f for f in found.folders if slash and f"{f}/{rest}" in have]
        if copied:
            found.forwarded.setdefault(copied[0], first)
        elif first in prefixes and slash:
            found.packages.append(prefixes[first])
        elif name.endswith((".h", ".hpp", ".hh", ".cuh")) and not _of_the_system(name):
            found.unknown[name] += count
    found.packages = sorted(set(found.packages))
    return found


def folder_of(package: Package) -> str:
    """First folder below ``include`` of what shows that a package is there."""
    parts = PurePosixPath(package.provides).parts
    return parts[1] if parts[:1] == ("include",) and len(parts) > 2 else ""


def _is_source(folder: str, survey: Survey) -> bool:
    return any(PurePosixPath(file).parent.as_posix() == folder for file in survey.sources)


def _include_heads(survey: Survey) -> set[str]:
    heads = set()
    for file in survey.headers:
        head, inside, _ = f"/{file}".partition("/include/")
        if inside:
            heads.add(f"{head[1:]}/" if head else "")
    return heads


def _search(found: Includes, survey: Survey, name: str, have: set[str]) -> None:
    """Adds the one folder of the tree that has a name, where a file elsewhere includes it."""
    places = [
        file[: -len(name)].rstrip("/") for file in have if file.endswith(f"/{name}") or file == name
    ]
    users = [file for file, text in survey.text.items() if name in text]
    if all(_joined(PurePosixPath(user).parent.as_posix(), name) in have for user in users):
        return
    if len(places) == 1 and places[0] not in found.folders:
        found.folders.append(places[0])


def _joined(folder: str, name: str) -> str:
    parts: list[str] = []
    for part in (PurePosixPath(folder) / name).parts:
        if part == ".." and parts:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _of_the_system(name: str) -> bool:
    return name.startswith(_OWN_NAMES) or _SYSTEM.match(name) is not None
