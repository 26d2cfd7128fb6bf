"""A cache of the tests' own, and the libraries of the tests opened in it, indexed once."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from scope_reader import ScopeReader

from extractor import settings
from extractor.index import native_library
from extractor.project import Project
from extractor.scope import ScopeBuilder
from extractor.toolchain.find import find

TESTS = Path(__file__).parent
SMALL_LIBRARY = TESTS / "library" / "rules.toml"
CONSTRUCTS = TESTS / "index" / "fixtures" / "rules.toml"
TOOLS = ("files", "packages", "native", "probes", "trace-recorder")
"""Kinds of cache entries that hold no source, index or answer."""

Extract = Callable[..., "subprocess.CompletedProcess[str]"]


def share(kinds: Sequence[str], folder: Path, source: Path) -> Path:
    """Makes a cache that has some kinds of another one's entries, and no index or answer."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        (source / kind).mkdir(parents=True, exist_ok=True)
        link = folder / kind
        if not link.exists():
            # Two workers of a session may come here at once.
            with contextlib.suppress(FileExistsError):
                link.symlink_to(source / kind)
    return folder


@pytest.fixture(scope="session")
def product_cache() -> Path:
    """The cache of this machine, with toolchain and compiled indexer in it."""
    native_library.build(find())
    return settings.cache_folder()


@pytest.fixture(scope="session")
def shared_cache(product_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that all tests of a session share; nothing in it is older than the session."""
    base = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        base = base.parent
    return share(TOOLS, base / "rocquarry", product_cache)


@pytest.fixture
def own_cache(product_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for one test, in force for this process and those it starts."""
    folder = share(TOOLS, tmp_path / "cache", product_cache)
    monkeypatch.setenv("ROCQUARRY_CACHE", str(folder))
    return folder


@pytest.fixture
def quick_cache(own_cache: Path, shared_cache: Path, _small_library: Library) -> Path:
    """An empty cache but for precompiled headers, the slow part of a first run."""
    return share(("precompiled",), own_cache, shared_cache)


@pytest.fixture
def in_shared_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts the shared cache in force."""
    monkeypatch.setenv("ROCQUARRY_CACHE", str(shared_cache))
    return shared_cache


@pytest.fixture
def extract(tmp_path: Path) -> Extract:
    """Runs the command in a process of its own, in an empty folder, under the cache in force."""

    def run(
        *arguments: str | Path, columns: int = 200, **options: object
    ) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "extractor.cli", *map(str, arguments)]
        place = tmp_path / "work"
        place.mkdir(exist_ok=True)
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=place,
            env={**os.environ, "COLUMNS": str(columns)},
            **options,
        )

    return run


@dataclass
class Library:
    """A library of the tests with all of it indexed.

    Attributes:
        project: The library, opened.
        builder: Builds scopes over the whole of it.
    """

    project: Project
    builder: ScopeBuilder
    _scopes: dict[tuple[str, ...], ScopeReader] = field(default_factory=dict)

    def scope(self, *entries: str) -> ScopeReader:
        """The scope of some entry points, as cut from the whole library."""
        if entries not in self._scopes:
            data = self.builder.build(entries[0], entries).model_dump_json(by_alias=True)
            self._scopes[entries] = ScopeReader(json.loads(data))
        return self._scopes[entries]


def open_library(rules: Path, folder: Path) -> Iterator[Library]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(folder))
        project = Project(rules)
        library = Library(project, project.builder(project.configurations(), None))
        yield library
        project.store.close()


@pytest.fixture(scope="session")
def _constructs(shared_cache: Path) -> Iterator[Library]:
    yield from open_library(CONSTRUCTS, shared_cache)


@pytest.fixture(scope="session")
def _small_library(shared_cache: Path) -> Iterator[Library]:
    yield from open_library(SMALL_LIBRARY, shared_cache)


@pytest.fixture
def constructs(_constructs: Library, in_shared_cache: Path) -> Library:
    """The fixtures of ``tests/index``: one small unit for each construct."""
    return _constructs


@pytest.fixture
def small_library(_small_library: Library, in_shared_cache: Path) -> Library:
    """The small HIP library of ``tests/library``."""
    return _small_library


@pytest.fixture
def library_copy(tmp_path: Path) -> Path:
    """Rule file of a copy of the small library that a test may change."""
    folder = tmp_path / "library"
    shutil.copytree(SMALL_LIBRARY.parent, folder)
    return folder / SMALL_LIBRARY.name
