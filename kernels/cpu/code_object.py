"""Turns a device object of this machine into a code object the CPU runtime can load."""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from extractor.code_object.elf import (
    STB_LOCAL,
    STT_FUNC,
    STT_OBJECT,
    STT_TLS,
    Elf,
    Symbol,
)

MAGIC = b"HIPCPU01"
DYNAMIC_LDS = "hipcpu_dynamic_lds"
DYNAMIC_LDS_BYTES = 65536
_RUNTIMES_OWN = "hipcpu_self"
_CANARY_BYTES = 256


@dataclass(frozen=True)
class KernelLds:
    """The LDS variables a kernel and the functions it calls use, by symbol."""

    kernel: str
    variables: tuple[str, ...]


def find_kernels(device: Elf, host: Elf) -> list[KernelLds]:
    """The kernels of a unit, with the LDS each can reach.

    A kernel is a function of the device object whose name the host object gives to a variable, its
    handle. What a function reaches is read off the relocations of its section, since the device
    pass gives each function its own.
    """
    handles = {s.name for s in host.symbols if s.type == STT_OBJECT and s.defined}
    calls: dict[int, set[int]] = defaultdict(set)
    uses: dict[int, set[str]] = defaultdict(set)
    defined = {s.name: s for s in device.symbols if s.defined and s.binding != STB_LOCAL}
    for section, symbol in device.references():
        target = symbol if symbol.defined else defined.get(symbol.name)
        if target is None:
            continue
        if target.type == STT_TLS:
            uses[section].add(target.name)
        else:
            calls[section].add(target.section)
    return [
        KernelLds(symbol.name, tuple(sorted(_reached(symbol.section, calls, uses))))
        for symbol in device.symbols
        if symbol.type == STT_FUNC and symbol.defined and symbol.name in handles
    ]


def dynamic_lds_source(device: Elf) -> str:
    """Assembler text that gives every ``extern __shared__`` array the same storage."""
    names = sorted(
        {s.name for s in device.symbols if s.type == STT_TLS and not s.defined} - {_RUNTIMES_OWN}
    )
    lines = ['.section .tbss,"awT",@nobits', ".balign 256"]
    for name in (DYNAMIC_LDS, *names):
        lines += [f'.globl "{name}"', f'.type "{name}",@tls_object', f'"{name}":']
    lines += [f".skip {DYNAMIC_LDS_BYTES + _CANARY_BYTES}", f".size {DYNAMIC_LDS}, .-{DYNAMIC_LDS}"]
    return "\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""])


def pack(shared_object: bytes, kernels: list[KernelLds], wavefront: int) -> bytes:
    """The code object: header, manifest and shared object, as ``runtime/module.cpp`` reads them."""
    storage = {s.name: s for s in Elf(shared_object).symbols if s.type == STT_TLS and s.defined}
    lines = [f"wavefront {wavefront}", f"dynamic {storage[DYNAMIC_LDS].value}"]
    for kernel in kernels:
        ranges = " ".join(_range(storage[name]) for name in kernel.variables if name in storage)
        lines.append(f"kernel {kernel.kernel} {ranges}".rstrip())
    manifest = "\n".join([*lines, ""]).encode()
    return MAGIC + struct.pack("<QQ", len(manifest), len(shared_object)) + manifest + shared_object


def fat_binary_source(host: Elf, blob: Path) -> str:
    """Assembler text that puts a code object where the host object looks for its fat binary."""
    names = [s.name for s in host.symbols if s.name.startswith("__hip_fatbin") and not s.defined]
    lines = ['.section .hip_fatbin,"a",@progbits', ".balign 4096"]
    for name in names:
        lines += [f".globl {name}", f".hidden {name}", f"{name}:"]
    lines += [f'.incbin "{blob}"', '.section .note.GNU-stack,"",@progbits', ""]
    return "\n".join(lines)


def _range(symbol: Symbol) -> str:
    return f"{symbol.value}:{symbol.size}"


def _reached(start: int, calls: dict[int, set[int]], uses: dict[int, set[str]]) -> set[str]:
    seen, todo, found = {start}, [start], set[str]()
    while todo:
        section = todo.pop()
        found |= uses[section]
        fresh = calls[section] - seen
        seen |= fresh
        todo.extend(fresh)
    return found
