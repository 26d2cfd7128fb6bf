"""Precompiled headers of the CPU runtime: what every unit reads first, parsed once for each pass.

A small kernel compiles four times as fast with them. They change nothing: a unit whose own flags
they do not suit is compiled without.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from kernels.building import cache
from kernels.building.host_compiler import find_host_compiler
from kernels.building.step import BuildError

INCLUDE = Path(__file__).parent / "include"

_TEXT = '#include "hipcpu/prelude.h"\n#include <hip/hip_runtime.h>\n'
_HARMLESS = (
    "-D",
    "-U",
    "-I",
    "-idirafter",
    "-isystem",
    "-iquote",
    "-include",
    "-O",
    "-cuid=",
    "-ivfsoverlay",
)
_REFUSALS = ("precompiled", "PCH", "AST file")


@functools.cache
def headers_identity() -> str:
    """Key part that changes when a header of the runtime does."""
    files = sorted(INCLUDE.glob("**/*.h"))
    parts = [part for path in files for part in (path.name, cache.file_hash(path))]
    return cache.key_of(*parts)


def suits(arguments: Sequence[str]) -> bool:
    """Whether a unit with these flags may use precompiled headers."""
    words = iter(arguments)
    for word in words:
        if not word.startswith(_HARMLESS):
            return False
        if word in _HARMLESS and word not in ("-D", "-U", "-I", "-O"):
            next(words, None)
    return True


def was_refused(error: BuildError) -> bool:
    """Whether a unit failed only because its flags do not suit the precompiled headers."""
    said = [line for line in error.outcome.stderr.splitlines() if "error:" in line]
    return bool(said) and all(any(word in line for word in _REFUSALS) for line in said[:1])


def precompile(pass_flags: Sequence[str]) -> Path | None:
    """The precompiled headers for some flags, made now or found; ``None`` where that fails."""
    compiler = find_host_compiler()

    def make(folder: Path) -> None:
        (folder / "headers.h").write_text(_TEXT, encoding="utf-8")
        command = [*pass_flags, "-Xclang", "-emit-pch", "-c", "headers.h", "-o", "headers.pch"]
        compiler.run(command, folder, "precompiling the headers of the CPU runtime")

    # Clang compares time stamps too: a checkout that was touched needs new ones.
    stamps = [str(path.stat().st_mtime_ns) for path in sorted(INCLUDE.glob("**/*.h"))]
    parts = ["cpu-headers", compiler.identity, headers_identity(), *stamps, *pass_flags]
    try:
        folder, _ = cache.made(parts, make)
    except BuildError:
        return None
    return folder / "headers.pch"
