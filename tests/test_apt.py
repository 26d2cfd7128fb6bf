"""Mirrors are read from both formats of the apt configuration."""

from __future__ import annotations

from pathlib import Path

from extractor.apt import read_mirrors


def _apt(folder: Path, **files: str) -> list[str]:
    (folder / "sources.list.d").mkdir(exist_ok=True)
    for name, text in files.items():
        place = name.replace("__", "/").replace("_", ".")
        (folder / place).write_text(text, encoding="utf-8")
    return read_mirrors(folder)


def test_one_line_format(tmp_path: Path) -> None:
    text = """\
# deb http://commented.test/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://one.test/debian/ bookworm main contrib
deb-src http://two.test/debian bookworm main  # a comment
garbage
"""
    assert _apt(tmp_path, sources_list=text) == ["http://one.test/debian", "http://two.test/debian"]


def test_deb822_format(tmp_path: Path) -> None:
    text = """\
Types: deb
# a comment inside a stanza
URIs: http://one.test/debian
      https://two.test/debian
Suites: trixie trixie-updates
Components: main

Types: deb
URIs: http://off.test/debian
Suites: trixie
Components: main
Enabled: no
"""
    found = _apt(tmp_path, sources_list_d__debian_sources=text)
    assert found == ["http://one.test/debian", "https://two.test/debian"]


def test_whole_archives_come_before_security_and_foreign_ones(tmp_path: Path) -> None:
    text = """\
deb http://vendor.test/apt stable nonfree
deb http://security.test/debian-security bookworm-security main
deb http://whole.test/debian bookworm main
"""
    assert _apt(tmp_path, sources_list=text) == [
        "http://whole.test/debian",
        "http://security.test/debian-security",
        "http://vendor.test/apt",
    ]


def test_mirror_list_file_is_expanded(tmp_path: Path) -> None:
    (tmp_path / "mirrors").mkdir()
    (tmp_path / "mirrors" / "debian.list").write_text(
        "# best first\nhttp://a.test/d\nhttp://b.test/d priority:2\n"
    )
    text = "deb mirror+file:mirrors/debian.list bookworm main\n"
    assert _apt(tmp_path, sources_list=text) == ["http://a.test/d", "http://b.test/d"]


def test_discs_are_no_mirrors(tmp_path: Path) -> None:
    assert _apt(tmp_path, sources_list="deb cdrom:[Debian]/ bookworm main\n") == []


def test_no_apt_at_all(tmp_path: Path) -> None:
    assert read_mirrors(tmp_path / "absent") == []
