"""Packs code objects into the container that HIP programs carry.

The format is that of clang-offload-bundler (LLVM's "Clang Offload Bundler" document, "Bundled
Binary File Layout"), which the wheels' compiler does not have.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
_ALIGNMENT = 4096


def pack_fat_binary(code_objects: Mapping[str, bytes], host_triple: str) -> bytes:
    """A fat binary.

    Args:
        code_objects: Code objects by architecture, for instance ``gfx942``.
        host_triple: Target of the host side, for its empty entry.
    """
    entries = [(f"host-{host_triple}-", b"")]
    entries += [(f"hipv4-amdgcn-amd-amdhsa--{name}", data) for name, data in code_objects.items()]
    header = len(_MAGIC) + 8 + sum(24 + len(name) for name, _ in entries)
    position = _aligned(header)
    table, body = b"", b""
    for name, data in entries:
        if data:
            position = _aligned(position)
            body = body.ljust(position - _aligned(header), b"\0") + data
        table += struct.pack("<QQQ", position, len(data), len(name)) + name.encode()
        position += len(data)
    start = _MAGIC + struct.pack("<Q", len(entries)) + table
    return start.ljust(_aligned(header), b"\0") + body


def unpack_fat_binary(data: bytes) -> dict[str, bytes]:
    """The entries of a fat binary by their identifiers.

    Raises:
        ValueError: It is none.
    """
    if not data.startswith(_MAGIC):
        raise ValueError("not a fat binary")
    (count,) = struct.unpack_from("<Q", data, len(_MAGIC))
    at, found = len(_MAGIC) + 8, {}
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        name = data[at + 24 : at + 24 + length].decode()
        found[name] = data[offset : offset + size]
        at += 24 + length
    return found


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
