"""Nothing that an archive says gets a file outside of the folder it is unpacked into."""

from __future__ import annotations

import io
import sys
import tarfile
from pathlib import Path

import pytest

from extractor.errors import SourceError
from extractor.source import archive
from extractor.source.archive import unpack, unpack_deb

from .conftest import make_deb, make_link, make_tar


def run(data: bytes, into: Path, **options: object) -> int:
    return unpack(io.BytesIO(data), "some.tar.gz", into, **options)  # type: ignore[arg-type]


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_files_are_unpacked_without_the_top_folder(tmp_path: Path) -> None:
    data = make_tar(("top/a.txt", b"a"), ("top/b/c.txt", b"c"))
    tops: set[str] = set()
    assert run(data, tmp_path, strip=1, stripped=tops) == 2
    assert listing(tmp_path) == ["a.txt", "b/c.txt"]
    assert tops == {"top"}


def test_only_what_is_wanted_is_unpacked(tmp_path: Path) -> None:
    data = make_tar(("a.txt", b"a"), ("b.txt", b"b"))
    run(data, tmp_path, wanted=lambda path: path == "b.txt")
    assert listing(tmp_path) == ["b.txt"]


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/tmp/evil", "a\\..\\evil"])
@pytest.mark.parametrize("strip", [0, 1])
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str, strip: int) -> None:
    with pytest.raises(SourceError, match="would land outside"):
        run(make_tar(("ok/fine", b""), (name, b"evil")), tmp_path / "in", strip=strip)
    assert not (tmp_path / "evil").exists()


def test_a_file_through_a_link_that_leads_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    data = make_tar(make_link("door", str(outside)), ("door/evil", b"evil"))
    run(data, tmp_path / "in")
    assert listing(outside) == []
    assert (tmp_path / "in" / "door").is_dir()
    assert not (tmp_path / "in" / "door").is_symlink()


def test_a_link_to_a_secret_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    data = make_tar(
        make_link("a", str(secret)),
        make_link("b", "../secret"),
        make_link("c", "deep/../../secret"),
        make_link("d", "a"),
        ("fine", b""),
    )
    run(data, tmp_path / "in")
    assert listing(tmp_path / "in") == ["fine"]


def test_a_hard_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    data = make_tar(make_link("a", "../secret", tarfile.LNKTYPE))
    with pytest.raises(SourceError, match="would land outside"):
        run(data, tmp_path / "in")


def test_links_inside_become_copies(tmp_path: Path) -> None:
    data = make_tar(
        make_link("lib/a.h", "../real/a.h"),
        ("real/a.h", b"text"),
        make_link("b.h", "real/a.h", tarfile.LNKTYPE),
    )
    assert run(data, tmp_path) == 3
    assert not (tmp_path / "lib" / "a.h").is_symlink()
    assert (tmp_path / "lib" / "a.h").read_bytes() == b"text"
    assert (tmp_path / "b.h").read_bytes() == b"text"


@pytest.mark.parametrize("kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_devices_and_pipes_are_left_out(tmp_path: Path, kind: bytes) -> None:
    member = tarfile.TarInfo("device")
    member.type = kind
    run(make_tar(member, ("fine", b"")), tmp_path)
    assert listing(tmp_path) == ["fine"]


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("a/b", "a/b/c", "x")])
def test_a_name_that_is_file_and_folder(tmp_path: Path, names: tuple[str, ...]) -> None:
    with pytest.raises(SourceError, match="a file and a folder of one name"):
        run(make_tar(*((name, b"x") for name in names)), tmp_path)


def test_links_that_clash_with_files(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="a file and a folder of one name"):
        run(make_tar(("a", b"x"), make_link("a/b", "../a"), ("b", b"x")), tmp_path)


def test_special_mode_bits_are_dropped(tmp_path: Path) -> None:
    member = tarfile.TarInfo("tool")
    member.mode = 0o6777
    run(make_tar(member), tmp_path)
    assert (tmp_path / "tool").stat().st_mode & 0o7777 == 0o755


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    data = make_tar(("a", b"x" * 5000))
    for broken in (data[:-20], b"no archive at all", b""):
        with pytest.raises(SourceError, match=r"some\.tar\.gz: the archive is damaged"):
            run(broken, tmp_path)


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_LIMIT", 1000)
    with pytest.raises(SourceError, match="refused"):
        run(make_tar(("a", b"x" * 600), ("b", b"x" * 600)), tmp_path)


def test_a_package_is_unpacked(tmp_path: Path) -> None:
    package = tmp_path / "some.deb"
    package.write_bytes(make_deb(("./usr/include/a.h", b"a"), ("./usr/share/doc/b", b"b")))
    unpack_deb(package, tmp_path / "in", wanted=lambda path: path.startswith("usr/include/"))
    assert listing(tmp_path / "in") == ["usr/include/a.h"]


@pytest.mark.parametrize(
    "data", [b"", b"!<arch>\n", b"not a package", make_deb(("a", b""), name=b"other")]
)
def test_a_damaged_package_is_named(tmp_path: Path, data: bytes) -> None:
    package = tmp_path / "some.deb"
    package.write_bytes(data)
    with pytest.raises(SourceError, match=r"some\.deb"):
        unpack_deb(package, tmp_path / "in", wanted=lambda _: True)


def test_a_compression_that_needs_a_library_says_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)  # as if it were not installed
    package = tmp_path / "some.deb"
    package.write_bytes(make_deb(("a", b""), name=b"data.tar.zst"))
    with pytest.raises(SourceError, match="pip install zstandard"):
        unpack_deb(package, tmp_path / "in", wanted=lambda _: True)
