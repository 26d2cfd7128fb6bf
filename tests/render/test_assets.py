from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from extractor.errors import UserError
from extractor.render import assets
from extractor.render.assets import CYTOSCAPE, Asset, asset

CONTENT = b"/* licence */ draw();\n"
WANTED = Asset(
    "drawing", {"2.0.0": "0" * 64, "1.0.0": hashlib.sha256(CONTENT).hexdigest()}, "dist/draw.js"
)


def archive(content: bytes) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as tar:
        info = tarfile.TarInfo("package/dist/draw.js")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return held.getvalue()


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No npm, no files, an empty cache."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ROCQUARRY_FILES", raising=False)
    return tmp_path


def fake_npm(folder: Path, script: str) -> None:
    path = folder / "bin" / "npm"
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_the_real_library_carries_its_licence() -> None:
    text = asset(CYTOSCAPE)
    assert "Permission is hereby granted, free of charge" in text[:1500]


def test_without_npm_the_message_names_the_fix(alone: Path) -> None:
    with pytest.raises(
        UserError, match=r"npm is not installed.*install Node\.js.*ROCQUARRY_FILES"
    ) as error:
        asset(WANTED)
    assert "\n" not in str(error.value)


def test_a_local_file_comes_first(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (alone / "files").mkdir()
    (alone / "files" / "draw.js").write_bytes(CONTENT)
    monkeypatch.setenv("ROCQUARRY_FILES", str(alone / "files"))
    assert asset(WANTED) == CONTENT.decode()


def test_a_local_archive_serves_too(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (alone / "files").mkdir()
    (alone / "files" / "drawing-1.0.0.tgz").write_bytes(archive(CONTENT))
    monkeypatch.setenv("ROCQUARRY_FILES", str(alone / "files"))
    assert asset(WANTED) == CONTENT.decode()


def test_a_file_with_another_hash_is_refused(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (alone / "files").mkdir()
    (alone / "files" / "draw.js").write_bytes(b"something else")
    (alone / "files" / "drawing-2.0.0.tgz").write_bytes(b"no archive")
    monkeypatch.setenv("ROCQUARRY_FILES", str(alone / "files"))
    with pytest.raises(UserError, match="could not be had"):
        asset(WANTED)


def test_versions_are_tried_in_order_and_the_cache_is_kept(alone: Path) -> None:
    (alone / "made.tgz").write_bytes(archive(CONTENT))
    fake_npm(
        alone,
        f'echo "$*" >> {alone}/asked\n'
        f'case "$*" in *@1.0.0) cp {alone}/made.tgz drawing-1.0.0.tgz;; '
        '*) echo "npm ERR! 404" >&2; exit 1;; esac',
    )
    assert asset(WANTED) == CONTENT.decode()
    assert (alone / "asked").read_text().splitlines() == [
        "pack --silent drawing@2.0.0",
        "pack --silent drawing@1.0.0",
    ]
    (alone / "bin" / "npm").unlink()
    assert asset(WANTED) == CONTENT.decode()
    kept = alone / "cache" / "assets"
    assert [path.name for path in kept.iterdir()] == ["draw.js"]


def test_what_npm_says_is_in_the_message(alone: Path) -> None:
    fake_npm(alone, 'echo "npm error network unreachable" >&2; exit 1')
    with pytest.raises(UserError, match="npm error network unreachable"):
        asset(WANTED)


def test_a_forged_package_is_refused_and_not_kept(alone: Path) -> None:
    (alone / "made.tgz").write_bytes(archive(b"evil();"))
    fake_npm(alone, f"cp {alone}/made.tgz drawing.tgz")
    with pytest.raises(UserError, match=r"drawing@1\.0\.0 is not the pinned file"):
        asset(WANTED)
    assert not (alone / "cache" / "assets" / "draw.js").exists()


def test_a_spoilt_cache_is_replaced(alone: Path) -> None:
    kept = alone / "cache" / "assets" / "draw.js"
    kept.parent.mkdir(parents=True)
    kept.write_bytes(b"half")
    (alone / "made.tgz").write_bytes(archive(CONTENT))
    fake_npm(alone, f"cp {alone}/made.tgz drawing.tgz")
    assert asset(WANTED) == CONTENT.decode()
    assert kept.read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written_is_no_error(
    alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (alone / "made.tgz").write_bytes(archive(CONTENT))
    (alone / "taken").write_text("")
    monkeypatch.setenv("ROCQUARRY_CACHE", str(alone / "taken"))
    fake_npm(alone, f"cp {alone}/made.tgz drawing.tgz")
    assert asset(WANTED) == CONTENT.decode()


def test_no_host_is_named_in_the_code() -> None:
    text = Path(assets.__file__).read_text()
    assert "http" not in text
    assert os.sep + "opt" not in text
