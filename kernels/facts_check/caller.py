"""Calls entry points of a library built for this machine; run as a file, in a process of its own.

Its argument is a JSON file: ``{"runtime", "library", "create", "calls": [{"function",
"arguments": [[type, value], ...]}]}``. A buffer's value is ``[bytes, fill]``, a table's
``[count, bytes, fill]``.
"""

import ctypes
import json
import random
import struct
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Makes every call."""
    task = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    ctypes.CDLL(task["runtime"], mode=ctypes.RTLD_GLOBAL)
    runtime = ctypes.CDLL(None)  # whatever stands before the runtime sees these calls, too
    options = {"threads": "1", "exited": "allow", "fault": "return", "schedule": "together"}
    for name, value in options.items():
        runtime.hipcpu_set_option(name.encode(), value.encode())
    library = ctypes.CDLL(task["library"])
    handle = ctypes.c_void_p()
    getattr(library, task["create"])(ctypes.byref(handle))
    for call in task["calls"]:
        held: list[Any] = []
        arguments = [
            argument(runtime, handle, kind, value, held) for kind, value in call["arguments"]
        ]
        status = getattr(library, call["function"])(*arguments)
        error = runtime.hipDeviceSynchronize()
        print(call["function"], status, error, flush=True)
        if error:
            return
        for pointer in held:
            runtime.hipFree(pointer)


def argument(runtime: Any, handle: Any, kind: str, value: Any, held: list[Any]) -> Any:
    """An argument as ctypes has it."""
    if kind == "handle":
        return handle
    if kind == "buffer":
        return memory(runtime, filled(*value), held)
    if kind == "table":
        count, size, fill = value
        members = [memory(runtime, filled(size, fill), held).value for _ in range(count)]
        return memory(runtime, struct.pack(f"<{count}Q", *members), held)
    types = {"int32": ctypes.c_int32, "int64": ctypes.c_int64, "float": ctypes.c_float,
             "double": ctypes.c_double}  # fmt: skip
    return types[kind](value)


def filled(size: int, fill: str) -> bytes:
    """Some numbers."""
    random.seed(size)
    code, width = {"float": ("f", 4), "double": ("d", 8), "int": ("i", 4)}[fill]
    count = size // width
    numbers: list[float] = [random.uniform(0.5, 1.5) for _ in range(1024)]
    if fill == "int":
        numbers = [1] * 1024
    block = struct.pack(f"<1024{code}", *numbers)
    return (block * (count // 1024 + 1))[:size]


def memory(runtime: Any, data: bytes, held: list[Any]) -> Any:
    """Device memory with this content."""
    pointer = ctypes.c_void_p()
    runtime.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(len(data)))
    ctypes.memmove(pointer, data, len(data))
    held.append(pointer)
    return pointer


if __name__ == "__main__":
    main()
