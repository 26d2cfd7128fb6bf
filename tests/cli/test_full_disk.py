"""A disk that fills: one clear line, exit code 2, nothing half-written."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opened_libraries import SMALL_LIBRARY, Extract

from .conftest import Runs, units_in


class SmallDisks:
    """Folders that hold only so much: small disks where this user may mount them, else a limit on
    the size of files, which a full disk resembles most."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mounted: list[Path] = []
        self.limit = 0

    def make(self, kilobytes: int) -> Path:
        place = self._folder / f"disk-{len(self._mounted)}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
        mount = shutil.which("mount")
        if mount and subprocess.run(command, capture_output=True).returncode == 0:
            self._mounted.append(place)
        else:
            self.limit = kilobytes * 1024
        return place

    def preexec(self) -> None:
        if self.limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))

    def unmount(self) -> None:
        for place in self._mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def disks(tmp_path: Path) -> Iterator[SmallDisks]:
    made = SmallDisks(tmp_path)
    yield made
    made.unmount()


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


# Where no small disk can be had, the command's own writer meets a limit on the size of files; all
# of the command would meet it in the store before it writes anything.
_WRITER = """
import sys
from pathlib import Path
from extractor.errors import UserError
from extractor.output import write
try:
    for source in sorted(Path(sys.argv[1]).rglob("*.json")):
        write(Path(sys.argv[2]) / source.relative_to(sys.argv[1]), source.read_bytes())
except UserError as error:
    sys.exit(f"extract: {error}")
"""


@pytest.mark.parametrize("kilobytes", [4, 8, 16])
def test_a_full_disk_below_the_output(
    in_shared_cache: Path,
    extract: Extract,
    disks: SmallDisks,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    kilobytes: int,
) -> None:
    place = disks.make(kilobytes)
    command = (SMALL_LIBRARY, "--all", "--quiet", "--out")
    if disks.limit:
        assert extract(*command, tmp_path / "whole").returncode == 0
        program = [sys.executable, "-c", _WRITER, str(tmp_path / "whole"), str(place / "out")]
        done = subprocess.run(
            program, capture_output=True, text=True, check=False, preexec_fn=disks.preexec
        )
        assert done.returncode == 1
    else:
        done = extract(*command, place / "out")
        assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(("extract: no space left to write ", "extract: cannot write "))
    assert str(place / "out" / "pond") in line
    for path in files_below(place / "out"):
        assert path.read_bytes() == undisturbed[path.relative_to(place / "out").as_posix()]


@pytest.mark.parametrize("kilobytes", [64, 256])
def test_a_full_disk_below_the_cache(
    quick_cache: Path,
    disks: SmallDisks,
    runs: Runs,
    extract: Extract,
    undisturbed: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    kilobytes: int,
) -> None:
    place = disks.make(kilobytes)
    small = place / "cache"
    small.mkdir()
    for entry in quick_cache.iterdir():
        if entry.is_symlink():
            (small / entry.name).symlink_to(entry.resolve())
    monkeypatch.setenv("ROCQUARRY_CACHE", str(small))
    done = extract(
        SMALL_LIBRARY, "--all", "--out", tmp_path / "full", "--quiet", preexec_fn=disks.preexec
    )
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "Traceback" not in line
    assert "ROCQUARRY_CACHE" in line or "the store" in line
    assert files_below(tmp_path / "full") == []
    # With room again, the same cache goes on.
    monkeypatch.setenv("ROCQUARRY_CACHE", str(quick_cache))
    if (small / "store").exists():
        shutil.copytree(small / "store", quick_cache / "store")
    units_in(quick_cache)
    assert runs.run("out", "--quiet") == (0, "")
    assert runs.bytes_of("out") == undisturbed
