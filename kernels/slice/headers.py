"""HIP's headers, precompiled once for each architecture and set of flags: every slice reads them
first, and they are most of what its compiler reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from extractor.toolchain.model import Toolchain
from kernels.building import cache
from kernels.isolation import BUILD, run
from kernels.slice.includes import HIP

_OUTPUT = "prefix.pch"


def precompiled_flags(tools: Toolchain, arguments: Sequence[str]) -> tuple[str, ...]:
    """Flags that take the headers precompiled; none where this compiler cannot make them.

    Args:
        tools: The compiler.
        arguments: Flags of the slices, the optimisation level among them.
    """
    parts = ("slice-headers-2", tools.identity, *arguments)

    header = next((h for p in tools.prefixes if (h := p / "include" / HIP).is_file()), None)
    if header is None:
        return ()

    def make(folder: Path) -> None:
        # The header itself, not a file that includes it: it has to stay where it is.
        emit = ("-Xclang", "-emit-pch", "-S", str(header), "-o", _OUTPUT)
        run([*tools.clang, *arguments, *emit], BUILD, folder=folder)

    place, _ = cache.made(parts, make)
    path = place / _OUTPUT
    if not path.is_file():
        return ()
    return ("-Xclang", "-include-pch", "-Xclang", str(path))
