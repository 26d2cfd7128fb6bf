"""A cache travels as one file, and is trusted only as far as its hashes."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest

from extractor import cache
from extractor.cache_transfer import export_cache, import_cache
from extractor.errors import SourceError, StoreError
from extractor.source.manifest import content_key

CONTENT = b"archive"
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "here"))
    return tmp_path


def elsewhere(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(here / "there"))


def add_file(content: bytes = CONTENT) -> str:
    key = hashlib.sha256(content).hexdigest()
    with cache.building("files", key) as work:
        (work / "a_1.tar.gz").write_bytes(content)
    return key


def add_tree(commit: str, key: str = "lib-0123456789") -> None:
    with cache.building("trees", key) as work:
        (work / "tree").mkdir()
        (work / "tree" / "a.hip").write_text("int a;")
        meta = {"commit": commit, "content_key": content_key(work / "tree", remember=False)}
        (work / "source.json").write_text(json.dumps(meta))


def test_there_and_back(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_file()
    add_tree("0" * 40)
    sent = export_cache(here / "out.tar")
    assert sent.entries == (("files", SHA), ("trees", "lib-0123456789"))
    elsewhere(here, monkeypatch)
    got = import_cache(here / "out.tar")
    assert (got.entries, got.present) == (sent.entries, ())
    assert (cache.entry("files", SHA) / "a_1.tar.gz").read_bytes() == CONTENT
    assert (cache.entry("trees", "lib-0123456789") / "tree" / "a.hip").is_file()
    again = import_cache(here / "out.tar")
    assert (again.entries, again.present) == ((), sent.entries)


def test_what_can_be_unpacked_again_does_not_travel(here: Path) -> None:
    add_tree(add_file())
    assert export_cache(here / "out.tar").entries == (("files", SHA),)


def test_an_empty_cache(here: Path) -> None:
    with pytest.raises(StoreError, match="holds no sources yet"):
        export_cache(here / "out.tar")


def test_a_place_that_cannot_be_written(here: Path) -> None:
    add_file()
    with pytest.raises(StoreError, match=r"cannot write .*No such file"):
        export_cache(here / "absent" / "out.tar")


def forged(path: Path, *members: tuple[str, bytes], entries: list[list[str]]) -> Path:
    listing = json.dumps({"format": 1, "entries": entries}).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in (("rocquarry-cache.json", listing), *members):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_a_file_that_is_not_what_its_hash_says(here: Path) -> None:
    good = hashlib.sha256(b"good").hexdigest()
    tar = forged(
        here / "x.tar",
        (f"files/{good}/g", b"good"),
        (f"files/{SHA}/a", b"evil"),
        entries=[["files", good], ["files", SHA]],
    )
    with pytest.raises(SourceError, match=f"files/{SHA} hashes to .*; nothing was taken"):
        import_cache(tar)
    assert not cache.entry("files", good).exists()


def test_a_tree_that_is_not_what_its_provenance_says(here: Path) -> None:
    tar = forged(
        here / "x.tar",
        ("trees/lib-0123456789/tree/a.hip", b"evil"),
        ("trees/lib-0123456789/source.json", json.dumps({"content_key": "0" * 64}).encode()),
        entries=[["trees", "lib-0123456789"]],
    )
    with pytest.raises(SourceError, match="nothing was taken"):
        import_cache(tar)


@pytest.mark.parametrize("entry", [["store", "x" * 10], ["files", "../../evil1"], ["files", ""]])
def test_entries_of_other_kinds_and_places_are_refused(here: Path, entry: list[str]) -> None:
    tar = forged(here / "x.tar", entries=[entry])
    with pytest.raises(SourceError, match=r"lists the entry .*; nothing was taken"):
        import_cache(tar)


def test_a_member_that_leads_out_is_refused(here: Path) -> None:
    tar = forged(here / "x.tar", ("../evil", b"evil"), entries=[])
    with pytest.raises(SourceError, match="would land outside"):
        import_cache(tar)


def test_a_file_that_is_no_export(here: Path) -> None:
    (here / "x.tar").write_bytes(b"no tar")
    with pytest.raises(SourceError, match="the archive is damaged"):
        import_cache(here / "x.tar")
    with tarfile.open(here / "y.tar", "w"):
        pass
    with pytest.raises(SourceError, match="is no cache that rocQuarry exported"):
        import_cache(here / "y.tar")
    with pytest.raises(SourceError, match="no file"):
        import_cache(here / "absent.tar")
