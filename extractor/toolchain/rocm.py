"""Finds a ROCm installation that can stand in for the wheels and the unpacked packages."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rocm:
    """A ROCm installation.

    Attributes:
        root: Its prefix.
        clang: Its clang++, or ``None`` where only the runtime is installed.
        libclang: Its libclang, or ``None``.
        version: Content of ``.info/version``, or empty.
    """

    root: Path
    clang: Path | None
    libclang: Path | None
    version: str

    @property
    def lacks(self) -> tuple[str, ...]:
        """What it would need to be used as a toolchain; empty when it can be."""
        wanted = {
            "clang++ (package rocm-llvm)": self.clang is not None,
            "libclang.so (package rocm-llvm)": self.libclang is not None,
            "hip/hip_runtime.h (package hip-dev)": (
                self.root / "include" / "hip" / "hip_runtime.h"
            ).is_file(),
        }
        return tuple(name for name, there in wanted.items() if not there)


def find_rocm(folders: Iterable[Path]) -> Rocm | None:
    """Finds the first ROCm installation among some folders and on ``PATH``.

    Args:
        folders: Prefixes to look at first.
    """
    hipcc = shutil.which("hipcc")
    candidates = [*folders, *([Path(hipcc).resolve().parent.parent] if hipcc else [])]
    for root in candidates:
        if (root / "include" / "hip").is_dir() or _first(root, _CLANG):
            return Rocm(root, _first(root, _CLANG), _first(root, _LIBCLANG), _version(root))
    return None


_CLANG = ("lib/llvm/bin/clang++", "llvm/bin/clang++", "bin/amdclang++")
_LIBCLANG = ("lib/llvm/lib/libclang.so", "llvm/lib/libclang.so", "lib/llvm/lib/libclang.so.*")


def _first(root: Path, names: tuple[str, ...]) -> Path | None:
    return next((path for name in names for path in sorted(root.glob(name))), None)


def _version(root: Path) -> str:
    try:
        return (root / ".info" / "version").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
