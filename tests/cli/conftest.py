"""Workers that stop, die or hang on a unit of the test's choice, and runs to be interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, TOOLS, share

from extractor.index.closure import SCHEMA

PATIENCE = 300.0
"""Seconds after which a test gives up waiting; no test depends on how long anything takes."""

# Python reads this before the worker's own code.
_HOOK = """
import os, pathlib, signal, sys, time
if "extractor.index.worker" in sys.orig_argv:
    from extractor.index import native_library
    original = native_library.NativeIndex.index
    def index(self, path, *arguments, **options):
        if path.endswith(os.environ["ROCQUARRY_TEST_UNIT"]):
            pathlib.Path(os.environ["ROCQUARRY_TEST_REACHED"]).write_text(str(os.getpid()))
            number = int(os.environ["ROCQUARRY_TEST_SIGNAL"])
            if number:
                os.kill(os.getpid(), number)
            while True:
                time.sleep(0.05)
        return original(self, path, *arguments, **options)
    native_library.NativeIndex.index = index
"""


class Trap:
    """Makes the worker that reaches a unit stop there, or die by a signal."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self._folder = folder
        self.reached = folder / "reached"

    def on(self, unit: str, number: int = 0) -> None:
        """From now on, in this process and those it starts."""
        self._folder.mkdir(exist_ok=True)
        (self._folder / "sitecustomize.py").write_text(_HOOK)
        self._patch.setenv("PYTHONPATH", str(self._folder), prepend=os.pathsep)
        self._patch.setenv("ROCQUARRY_TEST_UNIT", unit)
        self._patch.setenv("ROCQUARRY_TEST_SIGNAL", str(number))
        self._patch.setenv("ROCQUARRY_TEST_REACHED", str(self.reached))

    def off(self) -> None:
        """No more."""
        (self._folder / "sitecustomize.py").unlink()

    def worker(self) -> int:
        """Waits until a worker stands at the unit; returns its process id."""
        wait_for(lambda: self.reached.exists() and self.reached.read_text() != "")
        return int(self.reached.read_text())


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    return Trap(tmp_path / "trap", monkeypatch)


def wait_for(true: object) -> None:
    """Waits until a condition holds."""
    assert callable(true)
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def gone(process: int) -> bool:
    """No such process, or only its remains."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


class Runs:
    """Runs of ``extract LIBRARY --all`` with outputs of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []

    def start(self, name: str, *options: str, rules: Path = SMALL_LIBRARY) -> subprocess.Popen[str]:
        """Starts one in the background."""
        out = self.folder / name
        command = [sys.executable, "-m", "extractor.cli", str(rules), "--all"]
        command += ["--out", str(out), "--kernels", str(out / "kernels.jsonl"), *options]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder
        )
        self._started.append(process)
        return process

    def run(self, name: str, *options: str, rules: Path = SMALL_LIBRARY) -> tuple[int, str]:
        """Runs one to its end; exit code and standard error."""
        process = self.start(name, *options, rules=rules)
        _, errors = process.communicate(timeout=PATIENCE)
        return process.returncode, errors

    def bytes_of(self, name: str) -> dict[str, bytes]:
        """Every file that a run wrote, by its name below the output folder."""
        out = self.folder / name
        return {
            path.relative_to(out).as_posix(): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.is_file()
        }

    def end(self) -> None:
        """Ends what still runs."""
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate()


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    folder = tmp_path / "runs"
    folder.mkdir()
    started = Runs(folder)
    yield started
    started.end()


@pytest.fixture(scope="session")
def _undisturbed(
    product_cache: Path,
    shared_cache: Path,
    _small_library: object,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    cache = share(TOOLS, folder / "cache", product_cache)
    share(("precompiled",), cache, shared_cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROCQUARRY_CACHE", str(cache))
        started = Runs(folder)
        code, errors = started.run("out", "--quiet")
        assert (code, errors) == (0, "")
        written = started.bytes_of("out")
    assert len(written) == 13
    assert units_in(cache) == 15
    return cache, written


@pytest.fixture
def undisturbed(_undisturbed: tuple[Path, dict[str, bytes]]) -> dict[str, bytes]:
    """What a run that nothing disturbs writes for the small library."""
    return _undisturbed[1]


@pytest.fixture
def filled_cache(quick_cache: Path, _undisturbed: tuple[Path, dict[str, bytes]]) -> Path:
    """A cache of the test's own in which the small library has been indexed."""
    shutil.copytree(_undisturbed[0] / "store", quick_cache / "store")
    return quick_cache


def store_path(cache: Path) -> Path:
    """The store of a cache."""
    return cache / "store" / f"index-{SCHEMA}.sqlite"


def units_in(cache: Path) -> int:
    """How many units the store holds; it has to be whole."""
    path = store_path(cache)
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'unit'").fetchone():
            return 0
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM unit").fetchone()[0])
