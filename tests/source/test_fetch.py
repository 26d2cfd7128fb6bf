"""A pinned file counts once its hash is right, wherever it comes from."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path
from typing import Any

import pytest

from extractor import cache, settings
from extractor.errors import SourceError, StoreError
from extractor.rule_schema import Pin
from extractor.source.fetch import NotThere, fetch

from .conftest import Mirror

CONTENT = b"content " * 4000


def pin(name: str = "p/part/file_1.tar.gz", content: bytes = CONTENT) -> Pin:
    return Pin(pool=name, sha256=hashlib.sha256(content).hexdigest(), version="1")


def serve(mirror: Mirror, name: str, content: bytes = CONTENT) -> None:
    mirror.files[f"/pool/main/{name}"] = content


def entries(kind: str) -> list[Path]:
    folder = settings.cache_folder() / kind
    return sorted(folder.iterdir()) if folder.is_dir() else []


def test_a_file_is_downloaded_once(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    seen: list[tuple[str, int, int]] = []
    chosen, file = fetch([pin()], progress=lambda *step: seen.append(step))
    assert (chosen.version, file.read_bytes()) == ("1", CONTENT)
    assert seen[-1] == ("file_1.tar.gz", len(CONTENT), len(CONTENT))
    assert fetch([pin()])[1] == file
    assert len(mirror.requests) == 1


def test_a_wrong_hash_is_refused_and_kept_nowhere(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz", b"other")
    with pytest.raises(SourceError) as caught:
        fetch([pin()])
    found = hashlib.sha256(b"other").hexdigest()
    assert "file_1.tar.gz" in str(caught.value)
    assert f"SHA-256 is {found}, expected {pin().sha256}" in str(caught.value)
    assert entries("files") == []
    assert entries("partial") == []


def test_the_next_accepted_version_is_tried(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_2.tar.gz", b"second")
    chosen, file = fetch([pin(), pin("p/part/file_2.tar.gz", b"second")])
    assert (chosen.file_name, file.read_bytes()) == ("file_2.tar.gz", b"second")


def test_a_version_in_the_cache_beats_an_earlier_one_on_the_mirror(mirror: Mirror) -> None:
    second = pin("p/part/file_2.tar.gz", b"second")
    serve(mirror, "p/part/file_2.tar.gz", b"second")
    fetch([second])
    serve(mirror, "p/part/file_1.tar.gz")
    assert fetch([pin(), second])[0] == second


def test_an_interrupted_download_is_no_entry_and_goes_on_later(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    mirror.break_after = 10_000
    with pytest.raises(NotThere, match="broke off after 10000 of 32000 bytes"):
        fetch([pin()])
    assert entries("files") == []
    mirror.break_after = None
    assert fetch([pin()])[1].read_bytes() == CONTENT
    assert mirror.requests[-1][2] == "bytes=10000-"
    assert entries("partial") == []


def test_a_partial_file_of_something_else_is_started_again(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    cache.write_file(cache.entry("partial", pin().sha256), b"something else")
    assert fetch([pin()])[1].read_bytes() == CONTENT


def test_a_partial_file_that_is_too_long_is_started_again(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    cache.write_file(cache.entry("partial", pin().sha256), CONTENT + b"more")
    assert fetch([pin()])[1].read_bytes() == CONTENT


def test_a_folder_of_files_comes_before_the_network(mirror: Mirror, tmp_path: Path) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    (tmp_path / "file_1.tar.gz").write_bytes(CONTENT)
    assert fetch([pin()], local_files=tmp_path)[1].read_bytes() == CONTENT
    assert mirror.requests == []


def test_the_folder_can_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file_1.tar.gz").write_bytes(CONTENT)
    monkeypatch.setenv("ROCQUARRY_FILES", str(tmp_path))
    assert fetch([pin()], offline=True)[1].read_bytes() == CONTENT


def test_a_wrong_file_in_the_folder_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "file_1.tar.gz"
    wrong.write_bytes(b"other")
    with pytest.raises(SourceError, match=rf"{wrong}: SHA-256 is .*, expected {pin().sha256}"):
        fetch([pin()], local_files=tmp_path)


def test_offline_asks_nobody(mirror: Mirror) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    with pytest.raises(NotThere, match="the network was not asked"):
        fetch([pin()], offline=True)
    assert mirror.requests == []


def test_no_mirror_says_what_to_set() -> None:
    with pytest.raises(NotThere, match=r"names no mirror; .* ROCQUARRY_FILES"):
        fetch([pin()])


def test_a_mirror_that_is_down_is_passed_over(
    mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    monkeypatch.setattr(settings, "mirrors", lambda: ("http://127.0.0.1:1", mirror.address))
    assert fetch([pin()])[1].read_bytes() == CONTENT


def test_a_full_disk_leaves_nothing(mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(mirror, "p/part/file_1.tar.gz")
    real_open = Path.open

    def full(self: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        opened = real_open(self, mode, *rest, **options)
        if "partial" not in self.parts or mode not in ("ab", "wb"):
            return opened
        opened.write(b"x")
        opened.close()
        return _Full()

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(StoreError, match="no space left"):
            fetch([pin()])
    assert entries("files") == []
    assert entries("partial") == []


class _Full:
    """A file on a disk that is full."""

    def __enter__(self) -> _Full:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def write(self, _: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")
