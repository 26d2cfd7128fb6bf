"""Files between this process and the program that runs a candidate.

Both layouts are little-endian 64-bit words with raw data between (``kernels/native/runner.hpp`` is
the other side). The program's word counts for nothing but what its buffers hold.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from kernels.task.inputs import Value

_INPUT_MAGIC = 0x3130544E49515221
_OUTPUT_MAGIC = 0x31305455 ^ 0x5152000000000000
_KINDS = {"scalar": 0, "buffer": 1, "stream": 2}


def write_input(path: Path, geometry: Sequence[int], values: Sequence[Value]) -> None:
    """Writes the input of one case.

    Args:
        path: The file.
        geometry: Grid, block and bytes of dynamic LDS; seven numbers.
        values: The arguments.
    """
    with path.open("wb") as file:
        file.write(struct.pack("<9Q", _INPUT_MAGIC, *geometry, len(values)))
        for value in values:
            file.write(struct.pack("<2Q", _KINDS[value.parameter.kind], len(value.data)))
            file.write(value.data)


def read_output(path: Path, values: Sequence[Value]) -> tuple[int, list[bytes]] | None:
    """The error code and the buffers that a program wrote, or ``None`` if it wrote no such file."""
    try:
        data = path.read_bytes()
        magic, error = struct.unpack_from("<Qq", data, 0)
        if magic != _OUTPUT_MAGIC:
            return None
        at, buffers = 16, []
        for value in values:
            if value.parameter.kind != "buffer":
                continue
            (size,) = struct.unpack_from("<Q", data, at)
            if size != len(value.data) or at + 8 + size > len(data):
                return None
            buffers.append(data[at + 8 : at + 8 + size])
            at += 8 + size
    except (OSError, struct.error):
        return None
    return error, buffers
