"""A cache entry is there whole or not at all."""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from extractor import cache
from extractor.cache_usage import clear, usage
from extractor.errors import StoreError, UnknownName


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("ROCQUARRY_CACHE", str(place))
    return place


def build(kind: str, key: str, text: str = "x") -> None:
    with cache.building(kind, key) as work:
        (work / "file").write_text(text)


def build_until(error: Exception) -> None:
    with cache.building("trees", "a") as work:
        (work / "file").write_text("x")
        raise error


def test_an_entry_appears_when_it_is_whole() -> None:
    with cache.building("trees", "a") as work:
        (work / "file").write_text("x")
        assert not cache.entry("trees", "a").exists()
    assert (cache.entry("trees", "a") / "file").read_text() == "x"


def test_an_error_leaves_nothing(folder: Path) -> None:
    with pytest.raises(RuntimeError):
        build_until(RuntimeError())
    assert not cache.entry("trees", "a").exists()
    assert list((folder / "tmp").iterdir()) == []


def test_an_entry_is_replaced_whole() -> None:
    build("trees", "a", "old")
    build("trees", "a", "new")
    assert (cache.entry("trees", "a") / "file").read_text() == "new"


def test_a_full_disk_is_one_line_and_leaves_nothing(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"no space left .* ROCQUARRY_CACHE") as caught:
        build_until(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert "\n" not in str(caught.value)
    assert not cache.entry("trees", "a").exists()
    assert list((folder / "tmp").iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "small"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk needs the right to mount one")
    monkeypatch.setenv("ROCQUARRY_CACHE", str(place / "cache"))
    return place


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    try:
        with pytest.raises(StoreError, match="no space left"):
            build("trees", "a", "x" * (1 << 20))
        assert not cache.entry("trees", "a").exists()
        assert list((small_disk / "cache" / "tmp").iterdir()) == []
        with pytest.raises(StoreError, match="no space left"):
            cache.write_file(cache.entry("manifests", "m"), b"x" * (1 << 20))
        assert not cache.entry("manifests", "m").exists()
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StoreError, match=r"cannot write the cache in .* set ROCQUARRY_CACHE"):
        build("trees", "a")
    with pytest.raises(StoreError, match="cannot write the cache"), cache.locked("trees", "a"):
        pass


def _hold(started: object, release: object) -> None:
    with cache.locked("trees", "a"):
        started.set()  # type: ignore[attr-defined]
        release.wait(30)  # type: ignore[attr-defined]
        build("trees", "a", "first")


def test_a_lock_keeps_another_process_out() -> None:
    context = multiprocessing.get_context("spawn")
    started, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(started, release))
    other.start()
    assert started.wait(30)
    release.set()
    with cache.locked("trees", "a"):
        assert (cache.entry("trees", "a") / "file").read_text() == "first"
    other.join()


def test_a_lock_goes_with_a_process_that_is_killed() -> None:
    context = multiprocessing.get_context("spawn")
    started, release = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(started, release))
    other.start()
    assert started.wait(30)
    other.kill()
    other.join()
    with cache.locked("trees", "a"):
        assert not cache.entry("trees", "a").exists()


def test_what_a_killed_run_left_behind_is_swept_away_later(folder: Path) -> None:
    build("trees", "a")
    old, new = folder / "tmp" / "trees-old", folder / "tmp" / "trees-new"
    for left in (old, new):
        left.mkdir()
    os.utime(old, (0, 0))
    build("trees", "b")
    assert [left.exists() for left in (old, new)] == [False, True]


def test_usage_names_each_kind_and_its_size() -> None:
    build("trees", "a", "12345")
    build("files", "b", "123")
    sizes = {item.kind: (item.entries, item.bytes) for item in usage()}
    assert sizes["trees"] == (1, 5)
    assert sizes["files"] == (1, 3)
    assert "locks" not in sizes


def test_clearing_one_kind_leaves_the_others() -> None:
    build("trees", "a", "12345")
    build("files", "b", "123")
    assert clear(["trees"]) == 5
    assert not cache.entry("trees", "a").exists()
    assert cache.entry("files", "b").exists()


def test_clearing_all(folder: Path) -> None:
    build("trees", "a", "12345")
    assert clear() == 5
    assert usage() == []
    build("trees", "a")
    assert cache.entry("trees", "a").exists()


def test_clearing_an_unknown_kind() -> None:
    build("trees", "a")
    with pytest.raises(UnknownName, match="nearest: trees"):
        clear(["treees"])


def test_a_folder_that_held_other_things_is_never_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "files").mkdir(parents=True)
    (home / "files" / "letter.txt").write_text("dear")
    monkeypatch.setenv("ROCQUARRY_CACHE", str(home))
    build("trees", "a")
    with pytest.raises(StoreError, match=r"has no CACHEDIR\.TAG"):
        clear()
    assert (home / "files" / "letter.txt").exists()


def test_a_new_cache_is_marked_as_one(folder: Path) -> None:
    build("trees", "a")
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f0688")
