"""The real toolchain, and small HIP libraries compiled with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from extractor import settings
from extractor.check.answer import Answer
from extractor.check.build import ask_compiler
from extractor.toolchain.find import find
from extractor.toolchain.model import Toolchain
from extractor.units import Unit

Ask = Callable[..., Answer]

ARGUMENTS = (
    "-x",
    "hip",
    "-std=c++17",
    "--cuda-host-only",
    f"--offload-arch={settings.DEFAULT_ARCHITECTURE}",
    "-nogpulib",
    f"-D__AMDGCN_WAVEFRONT_SIZE={settings.wavefront_size(settings.DEFAULT_ARCHITECTURE)}",
)


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find()


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROCQUARRY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def make_units(toolchain: Toolchain, root: Path, files: dict[str, str], *more: str) -> list[Unit]:
    """Write a small source tree; every ``.cpp`` of it is a unit, in the order given."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    include = [
        flag for prefix in toolchain.prefixes for flag in ("-idirafter", f"{prefix}/include")
    ]
    arguments = (*toolchain.flags, *ARGUMENTS, *more, f"-I{root}", *include)
    return [
        Unit(name, "source", "host", arguments, "all") for name in files if name.endswith(".cpp")
    ]


@pytest.fixture
def ask(toolchain: Toolchain, cache_folder: Path, tmp_path: Path) -> Ask:
    """Compile a small source tree and answer for its exported functions."""

    def run(
        files: dict[str, str], entries: list[str] | None = None, *, may_fail: bool = False
    ) -> Answer:
        root = tmp_path / "tree"
        answer = ask_compiler(make_units(toolchain, root, files), root, toolchain, entries)
        assert may_fail or not answer.failed
        return answer

    return run
