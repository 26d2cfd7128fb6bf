"""The process that makes calls: loads one built library, and does what it is told until its end.

It is run as a file and needs nothing but the standard library. Each message is a line of JSON and
the bytes that it announces; so is each answer. What is right, it does not know.
"""

import ctypes
import json
import os
import sys
import time
from typing import Any


def main() -> None:
    """Reads calls from standard input until it ends."""
    library_path, runtime_path, findings = sys.argv[1:4]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints stays out of the answers
    answers.write(b"ready\n")
    answers.flush()
    ctypes.CDLL(runtime_path, mode=ctypes.RTLD_GLOBAL)
    runtime = ctypes.CDLL(None)  # whatever stands before the runtime sees these calls, too
    options = {"exited": "allow", "threads": "1", "fault": "return", "report": findings}
    for name, value in options.items():
        runtime.hipcpu_set_option(name.encode(), value.encode())
    library = ctypes.CDLL(library_path)
    handles: dict[str, Any] = {}
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            return
        message = json.loads(line)
        buffers = [sys.stdin.buffer.read(size) for size in message["buffers"]]
        answer, data = call(library, runtime, message, buffers, handles)
        answers.write(json.dumps(answer).encode() + b"\n")
        for one in data:
            answers.write(one)
        answers.flush()
        if answer["error"]:
            return  # the device may be in any state


def call(
    library: Any, runtime: Any, message: Any, buffers: list[bytes], handles: dict[str, Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """Makes one call on fresh buffers; with a fresh handle where that is asked for."""
    for name, value in message["options"].items():
        runtime.hipcpu_set_option(name.encode(), str(value).encode())
    pointers = [allocate(runtime, data) for data in buffers]
    tables = []
    for members in message["tables"]:
        table = (ctypes.c_void_p * len(members))(*[pointers[m].value for m in members])
        tables.append(allocate(runtime, bytes(table)))
    names = message["handle"]
    handle = take_handle(library, names, message, handles) if names else ctypes.c_void_p()
    arguments = [argument(one, handle, pointers, tables) for one in message["arguments"]]
    begin = time.perf_counter()
    status = getattr(library, message["function"])(*arguments)
    error = runtime.hipDeviceSynchronize() or runtime.hipGetLastError()
    seconds = time.perf_counter() - begin
    data = [
        ctypes.string_at(p, len(b)) if b else b"" for p, b in zip(pointers, buffers, strict=True)
    ]
    if not error:
        for pointer in (*pointers, *tables):
            # A write next to a buffer that no launch noticed is found here.
            runtime.hipFree(pointer)
    return {"status": status, "error": error, "seconds": seconds, "sizes": [*map(len, data)]}, data


def take_handle(library: Any, names: Any, message: Any, handles: dict[str, Any]) -> Any:
    """The handle of the calls before, or a new one: its workspaces are poisoned then."""
    if message["renew"] and "handle" in handles:
        getattr(library, names["destroy"])(handles.pop("handle"))
    if "handle" not in handles:
        handle = ctypes.c_void_p()
        status = getattr(library, names["create"])(ctypes.byref(handle))
        if status:
            raise RuntimeError(f"{names['create']} returned {status}")
        handles["handle"] = handle
    if names["mode"]:
        getattr(library, names["mode"])(handles["handle"], ctypes.c_int(message["pointer_mode"]))
    return handles["handle"]


def allocate(runtime: Any, data: bytes) -> Any:
    """Device memory of exactly this size and content."""
    pointer = ctypes.c_void_p()
    error = runtime.hipMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(len(data), 1)))
    if error:
        raise MemoryError(f"hipMalloc of {len(data)} bytes returned {error}")
    if data:
        ctypes.memmove(pointer, data, len(data))
    return pointer


def argument(one: Any, handle: Any, pointers: list[Any], tables: list[Any]) -> Any:
    """An argument as ctypes has it."""
    kind, value = one
    if kind == "handle":
        return handle
    if kind == "buffer":
        return pointers[value]
    if kind == "table":
        return tables[value]
    if kind == "null":
        return ctypes.c_void_p()
    types = {
        "int32": ctypes.c_int32, "int64": ctypes.c_int64, "enum": ctypes.c_int,
        "float32": ctypes.c_float, "float64": ctypes.c_double,
    }  # fmt: skip
    return types[kind](value)


if __name__ == "__main__":
    main()
