"""What compiles and parses HIP here: a clang, a libclang, headers and device bitcode."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Toolchain:
    """A usable set of tools.

    Attributes:
        clang: Command prefix that runs clang, for instance ``(".../zig", "clang")``.
        clang_version: Version string of that clang.
        libclang: The libclang shared object that indexes.
        libclang_version: Version string of that libclang.
        flags: Flags that clang and libclang both need before any of a unit's own: target,
            resource directory, ROCm path, device bitcode path, HIP platform.
        prefixes: Installation prefixes with the header packages, searched in order.
        origin: ``rocm`` or ``wheels``.
        identity: Key part that changes whenever any of the above changes in content.
    """

    clang: tuple[str, ...]
    clang_version: str
    libclang: Path
    libclang_version: str
    flags: tuple[str, ...]
    prefixes: tuple[Path, ...]
    origin: str
    identity: str
