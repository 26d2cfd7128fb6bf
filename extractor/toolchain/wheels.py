"""Finds the clang of the ``ziglang`` wheel and the libclang of the ``libclang-ng`` wheel."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from extractor.errors import ToolchainError


@dataclass(frozen=True)
class Wheels:
    """The two wheels.

    Attributes:
        clang: Command prefix that runs clang.
        compiler: Version of the ``ziglang`` wheel.
        libclang: The shared object.
        resource: Its resource folder, with the headers of the compiler itself.
        parser: Version of the ``libclang-ng`` wheel, which begins with that of its clang.
    """

    clang: tuple[str, ...]
    compiler: str
    libclang: Path
    resource: Path
    parser: str


def find_wheels() -> Wheels:
    """Finds both wheels in this Python environment.

    Raises:
        ToolchainError: One of them is not installed or not whole.
    """
    zig = _package("ziglang", "ziglang>=0.17,<0.18") / "zig"
    native = _package("clang", "libclang-ng>=22.1,<23") / "native"
    for file, wheel in ((zig, "ziglang"), (native / "libclang.so", "libclang-ng")):
        if not file.is_file():
            raise ToolchainError(
                f"{file} is missing; repair it with: pip install --force-reinstall {wheel}"
            )
    resource = native / "resource"
    if not (resource / "include" / "stddef.h").is_file():
        raise ToolchainError(
            f"{resource} has no compiler headers: another package called 'clang' is in the way; "
            "remove it, then: pip install --force-reinstall libclang-ng"
        )
    return Wheels(
        (str(zig), "clang"),
        _version("ziglang"),
        native / "libclang.so",
        resource,
        _version("libclang-ng"),
    )


def _package(module: str, requirement: str) -> Path:
    spec = importlib.util.find_spec(module)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if not places:
        raise ToolchainError(f"{requirement} is not installed; run: pip install '{requirement}'")
    return Path(places[0])


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        raise ToolchainError(
            f"{distribution} is not installed as a distribution; run: pip install {distribution}"
        ) from None
