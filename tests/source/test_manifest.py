"""The key of a tree changes with its content and with nothing else."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from extractor.errors import SourceError
from extractor.source import manifest
from extractor.source.manifest import content_key, tree_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.hip").write_text("a")
    (root / "src" / "b.h").write_text("b")
    (root / "docs").mkdir()
    (root / "docs" / "x").write_text("x")
    return root


def age(root: Path) -> None:
    """Makes files older than the margin in which a time stamp cannot be trusted."""
    for path in root.rglob("*"):
        os.utime(path, (1_600_000_000, 1_600_000_000))


def test_the_same_content_elsewhere_has_the_same_key(tree: Path, tmp_path: Path) -> None:
    shutil.copytree(tree, tmp_path / "copy")
    assert content_key(tree) == content_key(tmp_path / "copy")


def test_names_and_contents_count(tree: Path) -> None:
    before = content_key(tree)
    (tree / "src" / "a.hip").write_text("c")
    changed = content_key(tree)
    (tree / "src" / "a.hip").rename(tree / "src" / "c.hip")
    assert len({before, changed, content_key(tree)}) == 3


def test_what_is_left_out_does_not_count(tree: Path) -> None:
    before = content_key(tree, ("docs/**",))
    (tree / "docs" / "x").write_text("other")
    assert content_key(tree, ("docs/**",)) == before
    assert content_key(tree) != before


def test_a_change_of_the_same_length_in_the_same_moment_is_seen(tree: Path) -> None:
    before = content_key(tree)
    file = tree / "src" / "a.hip"
    status = file.stat()
    file.write_text("z")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert content_key(tree) != before


def test_files_that_have_not_changed_are_not_read_again(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    age(tree)
    before = content_key(tree)
    monkeypatch.setattr(Path, "read_bytes", _only_manifests(Path.read_bytes))
    assert content_key(tree) == before


def _only_manifests(real):  # type: ignore[no-untyped-def]
    def read(self: Path) -> bytes:
        assert "manifests" in self.parts, f"{self} was read again"
        return bytes(real(self))

    return read


def test_a_damaged_manifest_costs_only_time(tree: Path, cache_folder: Path) -> None:
    before = content_key(tree)
    for file in (cache_folder / "manifests").iterdir():
        file.write_text("{")
    assert content_key(tree) == before


def test_a_cache_that_cannot_be_written_costs_only_time(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    before = content_key(tree)
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "file" / "x"))
    assert content_key(tree) == before


def test_links_out_of_the_tree_and_loops_are_no_files(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tree / "out").symlink_to(tmp_path / "secret")
    (tree / "loop").symlink_to(tree / "loop")
    (tree / "up").symlink_to(tmp_path)
    (tree / "in").symlink_to(tree / "src" / "b.h")
    os.mkfifo(tree / "pipe")
    names = sorted(path for path, _, _ in tree_files(tree))
    assert names == ["docs/x", "in", "src/a.hip", "src/b.h"]


def test_what_a_build_left_in_the_tree_does_not_count(tree: Path) -> None:
    before = content_key(tree)
    (tree / "a.o").write_bytes(b"\x7fELF")
    assert content_key(tree) == before


def test_what_cannot_be_read_is_named(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(self: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(SourceError, match=r"cannot read .*/(a\.hip|b\.h|x): Permission denied"):
        content_key(tree, remember=False)


def test_version_control_folders_are_skipped(tree: Path) -> None:
    before = content_key(tree)
    (tree / ".git").mkdir()
    (tree / ".git" / "index").write_text("x")
    assert content_key(tree) == before


def test_names_that_are_no_text_count_too(tree: Path) -> None:
    before = content_key(tree)
    with open(os.fsencode(tree) + b"/\xff.h", "wb") as file:  # noqa: PTH123
        file.write(b"x")
    assert content_key(tree) != before
    assert manifest.content_key(tree) == content_key(tree)
