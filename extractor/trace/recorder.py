"""The recording stand-in for the HIP runtime, built on first use by the toolchain's own clang."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from extractor import cache
from extractor.errors import ToolchainError
from extractor.toolchain.model import Toolchain

_SOURCES = Path(__file__).with_name("native")
_WATCH = Path(__file__).parent / "watching" / "native"
_COUNTS = Path(__file__).parent / "branches" / "native"
_WRAPPED = re.compile(r"^WRAPPED\((\w+),", re.M)
_KIND = "trace-recorder"
_MACHINE = ("--target=", "-resource-dir=", "--gcc-toolchain=", "-isystem")


def build_recorder(toolchain: Toolchain) -> Path:
    """The recorder as one relocatable object, made now or found in the cache.

    Raises:
        ToolchainError: It does not compile; the message quotes the first error.
    """
    return _built(toolchain, "recorder", sorted(_SOURCES.iterdir()))


def build_watch(toolchain: Toolchain) -> Path:
    """What stands between host side and recorder in watched shared objects, as one object.

    Raises:
        ToolchainError: It does not compile; the message quotes the first error.
    """
    return _built(toolchain, "watch", [*sorted(_WATCH.iterdir()), *sorted(_SOURCES.glob("*.hpp"))])


def build_counts(toolchain: Toolchain) -> Path:
    """What shows the counters of shared objects that count what they execute, as one object.

    Raises:
        ToolchainError: It does not compile; the message quotes the first error.
    """
    return _built(toolchain, "counts", sorted(_COUNTS.iterdir()))


def wrapped() -> list[str]:
    """Functions that watched shared objects ask of ``watching/native`` instead of the recorder."""
    texts = (source.read_text(encoding="utf-8") for source in sorted(_WATCH.glob("*.cpp")))
    return [name for text in texts for name in _WRAPPED.findall(text)]


def _built(toolchain: Toolchain, name: str, sources: Sequence[Path]) -> Path:
    digest = hashlib.sha256(toolchain.identity.encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    key = digest.hexdigest()[:32]
    place = cache.entry(_KIND, key) / f"{name}-{key[:12]}.o"
    if not place.exists():
        with cache.locked(_KIND, key):
            if not place.exists():
                with cache.building(_KIND, key) as folder:
                    _compile(
                        toolchain, [s for s in sources if s.suffix == ".cpp"], folder / place.name
                    )
    return place


def machine_flags(toolchain: Toolchain) -> list[str]:
    """The flags that say which machine this is and where the compiler's own headers are."""
    return [flag for flag in toolchain.flags if flag.startswith(_MACHINE)]


def run_tool(command: Sequence[str], what: str) -> None:
    """Runs a compiler or linker.

    Raises:
        ToolchainError: It failed; the message quotes its first error.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.splitlines() or ["no message"]
        first = next((line for line in lines if "error" in line), lines[0])
        raise ToolchainError(f"{what} cannot be built: {first}; see extract --doctor")


def _compile(toolchain: Toolchain, sources: Sequence[Path], made: Path) -> None:
    flags = [*machine_flags(toolchain), "-std=c++17", "-O2", "-fPIC", "-w"]
    flags += ["-D__HIP_PLATFORM_AMD__", f"-I{_SOURCES}"]
    for prefix in toolchain.prefixes:
        flags += ["-idirafter", str(prefix / "include")]
    objects = []
    for source in sources:
        output = made.with_name(f"{source.stem}-part.o")
        command = [*toolchain.clang, "-x", "c++", *flags, "-c", str(source), "-o", str(output)]
        run_tool(command, "the recorder of launches")
        objects.append(output)
    joined = [*_joiner(toolchain), "-r", "-o", str(made), *map(str, objects)]
    run_tool(joined, "the recorder of launches")
    for path in objects:
        path.unlink()


def _joiner(toolchain: Toolchain) -> list[str]:
    if toolchain.origin == "wheels":
        return [toolchain.clang[0], "ld.lld"]
    return [*toolchain.clang, "-fuse-ld=lld", "-nostdlib"]
