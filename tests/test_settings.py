"""Folders and mirrors come from the environment, and from nowhere in the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor import settings
from extractor.errors import ToolchainError


def test_named_cache_folder_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "here"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert settings.cache_folder() == tmp_path / "here"


def test_xdg_cache_home_comes_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROCQUARRY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert settings.cache_folder() == tmp_path / "rocquarry"


def test_relative_xdg_cache_home_is_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # The XDG specification asks for it.
    monkeypatch.delenv("ROCQUARRY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings.cache_folder() == tmp_path / ".cache" / "rocquarry"


def test_named_mirror_is_asked_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCQUARRY_MIRROR", "http://mirror.test/debian/")
    assert settings.mirrors()[0] == "http://mirror.test/debian"


def test_rules_folder_holds_the_shipped_rules() -> None:
    assert (settings.rules_folder() / "rocblas.toml").is_file()


@pytest.mark.parametrize(
    ("architecture", "lanes"), [("gfx90a", 64), ("gfx942", 64), ("gfx1030", 32), ("gfx1201", 32)]
)
def test_wavefront_size(architecture: str, lanes: int) -> None:
    assert settings.wavefront_size(architecture) == lanes


@pytest.mark.parametrize("name", ["rules", "prompts"])
def test_an_installation_without_its_data_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(settings, "_PACKAGE", tmp_path / "extractor")
    folder = {"rules": settings.rules_folder, "prompts": settings.prompts_folder}[name]
    with pytest.raises(ToolchainError, match=rf"lacks its {name}.*install rocquarry again"):
        folder()
    (tmp_path / "extractor/data" / name).mkdir(parents=True)
    assert folder() == tmp_path / "extractor/data" / name
