"""Accesses of a run, as ``recorder.cpp`` writes them, with the source lines they come from."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from extractor.errors import UserError
from kernels.building.host_compiler import find_host_compiler
from kernels.cpu.precompiled import INCLUDE

_SOURCE = Path(__file__).with_name("recorder.cpp")
_ACCESS = struct.Struct("<IQQBB6I")

Frame = tuple[str, int]
"""A file and a line."""


@dataclass(frozen=True)
class Access:
    """One access to device memory.

    Attributes:
        module: Number of the code object.
        offset: Of the instruction in it.
        address: Where in memory.
        size: Bytes.
        kind: ``r``, ``w`` or ``b`` for both.
        block: blockIdx.
        thread: threadIdx.
    """

    module: int
    offset: int
    address: int
    size: int
    kind: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]


@dataclass
class Launch:
    """One launch with its accesses.

    Attributes:
        kernel: Mangled symbol.
        grid: Blocks.
        block: Threads.
        arguments: Bytes of each.
        accesses: In the order in which they were made.
    """

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: list[bytes]
    accesses: list[Access] = field(default_factory=list)


def build_recorder(folder: Path) -> Path:
    """Builds the recorder; it is loaded before the runtime with ``LD_PRELOAD``."""
    target = folder / "librecorder.so"
    find_host_compiler().run(
        [
            *("-x", "c++", "-shared", "-fPIC", "-O2", "-std=c++17", f"-I{INCLUDE}"),
            *("-o", str(target), str(_SOURCE), "-lstdc++", "-ldl"),
        ],
        folder,
        "building the recorder of accesses",
    )
    return target


def read_launches(path: Path) -> Iterator[Launch]:
    """Launches of a recording, in order; one that was cut off at its end is left out."""
    data = path.read_bytes()
    at, current = 0, None
    while at < len(data):
        kind = data[at : at + 1]
        at += 1
        if kind == b"L":
            if current is not None:
                yield current
            current, at = _launch(data, at)
        elif kind == b"A" and current is not None and at + _ACCESS.size <= len(data):
            module, offset, address, size, how, *rest = _ACCESS.unpack_from(data, at)
            at += _ACCESS.size
            block, thread = (rest[0], rest[1], rest[2]), (rest[3], rest[4], rest[5])
            access = Access(module, offset, address, size, chr(how), block, thread)
            current.accesses.append(access)
        else:
            return
    if current is not None:
        yield current


def _launch(data: bytes, at: int) -> tuple[Launch, int]:
    (length,) = struct.unpack_from("<I", data, at)
    at += 4
    name = data[at : at + length].decode()
    at += length
    numbers = struct.unpack_from("<7I", data, at)
    at += 28
    arguments = []
    for _ in range(numbers[6]):
        (size,) = struct.unpack_from("<I", data, at)
        at += 4
        arguments.append(data[at : at + size])
        at += size
    grid, block = (numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5])
    return Launch(name, grid, block, arguments), at


def source_lines(
    recording: Path, places: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], tuple[Frame, ...]]:
    """Source lines of instructions, innermost function first.

    Args:
        recording: The recording; copies of its code objects lie beside it.
        places: ``(module, offset)`` of each instruction.

    Raises:
        UserError: No program that reads line tables is there.
    """
    program = shutil.which("llvm-symbolizer")
    if program is None:
        raise UserError("llvm-symbolizer is not on PATH; install llvm to compare facts with runs")
    by_module: dict[int, list[int]] = {}
    for module, offset in sorted(set(places)):
        by_module.setdefault(module, []).append(offset)
    found: dict[tuple[int, int], tuple[Frame, ...]] = {}
    for module, offsets in by_module.items():
        command = [program, f"--obj={recording}.module{module}", "--inlines"]
        text = "\n".join(f"0x{offset:x}" for offset in offsets) + "\n"
        out = subprocess.run(
            [*command, "--output-style=JSON"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        found.update(_frames(module, offsets, out))
    return found


def _frames(
    module: int, offsets: list[int], text: str
) -> Iterator[tuple[tuple[int, int], tuple[Frame, ...]]]:
    import orjson

    for offset, line in zip(offsets, text.splitlines(), strict=True):
        symbols = orjson.loads(line).get("Symbol", [])
        yield (module, offset), tuple((one["FileName"], int(one["Line"])) for one in symbols)
