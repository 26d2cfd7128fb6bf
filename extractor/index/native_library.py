"""The compiled part of the index: built once from the C++ beside this file, called through ctypes.

Visiting every body of every instantiation from Python costs more than parsing it. The walk itself
is
therefore a few hundred lines of C++ over libclang's C interface, built by the toolchain's own clang
on first use and kept in the cache under the hash of its sources and of the compiler.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from extractor import cache
from extractor.errors import ToolchainError
from extractor.toolchain.model import Toolchain

_SOURCES = Path(__file__).with_name("native")
_NAME = "librocquarry_index.so"


def build(toolchain: Toolchain, folder: Path = _SOURCES, name: str = _NAME) -> Path:
    """Builds a library, or finds it in the cache.

    Args:
        toolchain: What compiles it.
        folder: Its sources; the index's headers are on the include path.
        name: Of the shared object.

    Raises:
        ToolchainError: The compiler could not build it; the message quotes its first error.
    """
    sources = sorted(folder.glob("*.cpp"))
    digest = hashlib.sha256(toolchain.identity.encode())
    for source in sorted({*folder.iterdir(), *_SOURCES.glob("*.h*")}):
        if source.is_file():
            digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    key = digest.hexdigest()[:32]
    place = cache.entry("native", key) / name
    if place.exists():
        return place
    with cache.locked("native", key):
        if not place.exists():
            with cache.building("native", key) as made:
                _compile(toolchain, sources, made, name)
    return place


def _compile(toolchain: Toolchain, sources: list[Path], folder: Path, name: str) -> None:
    objects = []
    # The flags that say which machine and which headers of the compiler itself; no HIP flags.
    machine = [
        flag
        for flag in toolchain.flags
        if flag.startswith(("--target=", "-resource-dir=", "--gcc-toolchain=", "-isystem"))
    ]
    for source in sources:
        out = folder / f"{source.stem}.o"
        _run(
            [
                *(*toolchain.clang, "-x", "c++", *machine, "-O2", "-std=c++17", "-fPIC"),
                *("-I", str(_SOURCES)),
                *("-c", str(source), "-o", str(out)),
            ]
        )
        objects.append(str(out))
    # The wheel's clang has a linker beside it but no driver that finds it; a shared object that
    # takes libc and libstdc++ from the process needs no driver.
    if toolchain.origin == "wheels":
        linker = [toolchain.clang[0], "ld.lld", "-shared"]
    else:
        linker = [*toolchain.clang, "-shared", "-nostdlib"]
    _run([*linker, "-o", str(folder / name), *objects])
    for made in objects:
        Path(made).unlink()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        detail = (errors or done.stderr.splitlines() or ["no message"])[0]
        raise ToolchainError(f"the compiled part does not build: {detail}; see extract --doctor")


class NativeIndex:
    """The compiled part, loaded.

    Args:
        library: What ``build`` returned.
        libclang: The libclang that it calls.
    """

    def __init__(self, library: Path, libclang: Path) -> None:
        # Symbols of both come from the process, so they are loaded globally and first.
        ctypes.CDLL(str(libclang), mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        self._declare("rq_index", ctypes.c_void_p)
        self._declare("rq_precompile", ctypes.c_void_p)
        for name in ("rq_text", "rq_errors"):
            self._declare(name, ctypes.c_char_p, [ctypes.c_void_p])
        self._declare("rq_free", None, [ctypes.c_void_p])

    def _declare(self, name: str, result: Any, arguments: Sequence[Any] | None = None) -> None:
        function = getattr(self._library, name)
        function.restype = result
        if arguments is not None:
            function.argtypes = list(arguments)

    def index(
        self, path: str, arguments: Sequence[str], root: str, *, device: bool
    ) -> tuple[bytes, str]:
        """Indexes one unit.

        Returns:
            One JSON object a line for each function, and the compiler's errors, one a line.
        """
        handle = self._library.rq_index(
            path.encode(), _strings(arguments), len(arguments), root.encode(), int(device)
        )
        return self._read(handle)

    def precompile(self, path: str, arguments: Sequence[str], out: str) -> str:
        """Makes a precompiled header; returns the compiler's errors, empty when there are none."""
        handle = self._library.rq_precompile(
            path.encode(), _strings(arguments), len(arguments), out.encode()
        )
        return self._read(handle)[1]

    def _read(self, handle: int) -> tuple[bytes, str]:
        try:
            return (
                self._library.rq_text(handle),
                self._library.rq_errors(handle).decode(errors="replace"),
            )
        finally:
            self._library.rq_free(handle)


def _strings(items: Sequence[str]) -> Any:
    return (ctypes.c_char_p * len(items))(*(item.encode() for item in items))
