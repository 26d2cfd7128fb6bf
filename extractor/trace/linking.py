"""Links the host side of a library to the recorder, with stand-ins for what nobody defines."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from extractor.errors import ToolchainError
from extractor.toolchain.model import Toolchain
from extractor.trace.recorder import build_recorder, machine_flags, run_tool

_UNDEFINED = re.compile(r"undefined symbol: (?P<name>[^\s]+)")
_SYSTEM = ("libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6")
_LOADER = "ld-linux"  # it has what thread-local variables need


def link(
    toolchain: Toolchain,
    objects: Sequence[Path],
    recorder: Path,
    missing: Sequence[str],
    folder: Path,
    wrapped: Sequence[str] = (),
) -> None:
    """Links objects, the recorder and stand-ins to ``library.so`` in a folder.

    Args:
        toolchain: Whose linker.
        objects: In the order that decides between weak definitions.
        recorder: Stands for the HIP runtime.
        missing: Symbols that get a stand-in.
        folder: Where it is written.
        wrapped: Functions for the linker's ``--wrap``.

    Raises:
        ToolchainError: They do not link.
    """
    source = folder / "stand_ins.c"
    source.write_text(_stand_ins(missing), encoding="utf-8")
    stand_ins = folder / "stand_ins.o"
    compiler = [*toolchain.clang, "-x", "c", *machine_flags(toolchain), "-O1", "-fPIC", "-w"]
    run_tool([*compiler, "-c", str(source), "-o", str(stand_ins)], "stand-ins for boundaries")
    every = [*objects, recorder, stand_ins]
    options = ["--error-limit=0", "--no-demangle", "-Bsymbolic", "--eh-frame-hdr", "-z", "defs"]
    options += [f"--wrap={name}" for name in wrapped]
    command = [*_linker(toolchain, options), "-o", str(folder / "library.so"), *map(str, every)]
    run_tool([*command, *_system_libraries()], "the library's host side")
    source.unlink()
    stand_ins.unlink()


def undefined(toolchain: Toolchain, objects: Sequence[Path], output: Path) -> set[str]:
    """What some objects, the recorder and the system's libraries together leave undefined."""
    options = ["--warn-unresolved-symbols", "--error-limit=0", "--no-demangle", "-z", "defs"]
    every = [*objects, build_recorder(toolchain)]
    command = [*_linker(toolchain, options), "-o", str(output), *map(str, every)]
    done = subprocess.run(
        [*command, *_system_libraries()], capture_output=True, text=True, check=False
    )
    if done.returncode:
        first = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:200])
        raise ToolchainError(f"the library's host side does not link: {first}")
    return {match["name"] for match in _UNDEFINED.finditer(done.stderr)}


def _linker(toolchain: Toolchain, options: Sequence[str]) -> list[str]:
    if toolchain.origin == "wheels":
        # The wheel's clang has a linker beside it but no driver that finds it.
        return [toolchain.clang[0], "ld.lld", "-shared", *options]
    passed = [f"-Wl,{option}" for option in options]
    return [*toolchain.clang, "-fuse-ld=lld", "-nostdlib", "-shared", *passed]


def _system_libraries() -> list[str]:
    """Paths of the C and C++ libraries as this process loads them."""
    for name in _SYSTEM:
        ctypes.CDLL(name)
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    paths = sorted({line.split(None, 5)[5] for line in maps.splitlines() if ".so" in line})
    # A symbolic link is shown as what it leads to: libstdc++.so.6.0.30.
    return [path for path in paths if Path(path).name.startswith((*_SYSTEM, _LOADER))]


def _stand_ins(names: Sequence[str]) -> str:
    """C text of a stand-in for each name: data for code objects, functions for the rest."""
    lines = ["long rq_boundary(const char *);", "long rq_unsupported(const char *);"]
    for number, name in enumerate(names):
        label = f'__asm__("{name}")'
        if name.startswith("__hip_fatbin"):
            lines.append(f"extern char f{number}[64] {label}; char f{number}[64];")
            continue
        what = "rq_unsupported" if name.startswith("hip") else "rq_boundary"
        lines.append(f"long f{number}(void) {label};")
        lines.append(f'long f{number}(void) {{ return {what}("{name}"); }}')
    return "\n".join([*lines, ""])
