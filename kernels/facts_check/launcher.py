"""Launches the kernel of a shared object; run as a file, in a process of its own.

Its argument is a JSON file: ``{"runtime", "library", "launches": [{"grid", "block",
"arguments": [...]}], "first"}``; the object's ``rocquarry_kernel`` gives what stands for the kernel
on the host side, and ``first`` is the launch to begin with. An argument has ``size`` and
``alignment`` and either ``value``, its bytes, or ``bytes``, ``fill`` and ``members``: a buffer or,
with members, a table of pointers to as many.
"""

import ctypes
import json
import struct
import sys
from pathlib import Path
from typing import Any

_LDS_BYTES = 16_384  # beside what a kernel declares; a block has 64 KiB in all


class Dim3(ctypes.Structure):
    """Three extents."""

    _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint32), ("z", ctypes.c_uint32)]


def main() -> None:
    """Makes every launch; says after each how it ended."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    ctypes.CDLL(task["runtime"], mode=ctypes.RTLD_GLOBAL)
    runtime = ctypes.CDLL(None)
    options = {"threads": "1", "exited": "allow", "fault": "return", "schedule": "together"}
    for name, value in options.items():
        runtime.hipcpu_set_option(name.encode(), value.encode())
    library = ctypes.CDLL(task["library"])
    library.rocquarry_kernel.restype = ctypes.c_void_p
    kernel = library.rocquarry_kernel()
    for number, one in enumerate(task["launches"]):
        if number < task["first"]:
            continue
        print("begin", number, flush=True)
        print("end", number, launch(runtime, kernel, one), flush=True)


def launch(runtime: Any, kernel: int, one: dict[str, Any]) -> int:
    """One launch; the runtime's error."""
    held: list[Any] = []
    runtime.hipConfigureCall(
        Dim3(*one["grid"]), Dim3(*one["block"]), ctypes.c_size_t(_LDS_BYTES), None
    )
    at = 0
    for argument in one["arguments"]:
        data = content(runtime, argument, held).ljust(argument["size"], b"\0")
        at = -(-at // argument["alignment"]) * argument["alignment"]
        place = ctypes.create_string_buffer(data, len(data))
        runtime.hipSetupArgument(place, ctypes.c_size_t(len(data)), ctypes.c_size_t(at))
        at += argument["size"]
    error = runtime.hipLaunchByPtr(ctypes.c_void_p(kernel))
    error = runtime.hipDeviceSynchronize() or error
    for pointer in held:
        runtime.hipFree(pointer)
    return int(error)


def content(runtime: Any, argument: dict[str, Any], held: list[Any]) -> bytes:
    """An argument's bytes; what it points to is there afterwards."""
    if "value" in argument:
        return bytes.fromhex(argument["value"])
    size, fill = argument["bytes"], argument["fill"]
    if not argument["members"]:
        return struct.pack("<Q", memory(runtime, filled(size, fill), held))
    members = [memory(runtime, filled(size, fill), held) for _ in range(argument["members"])]
    return struct.pack("<Q", memory(runtime, struct.pack(f"<{len(members)}Q", *members), held))


def filled(size: int, fill: str) -> bytes:
    """Ones, or floating point numbers that are none."""
    return (struct.pack("<i", 1) if fill == "int" else struct.pack("<f", 1.5)) * (size // 4)


def memory(runtime: Any, data: bytes, held: list[Any]) -> int:
    """Device memory with this content."""
    pointer = ctypes.c_void_p()
    runtime.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(len(data)))
    ctypes.memmove(pointer, data, len(data))
    held.append(pointer)
    return pointer.value or 0


if __name__ == "__main__":
    main()
