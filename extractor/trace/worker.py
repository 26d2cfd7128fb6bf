"""A worker process: calls entry points of a shared object that its parent names.

Protocol, one JSON object a line on standard input. The first one is ``{"library", "device",
"handle", "limits"}``; its answer lists the kernels of the library. Each further one is
``{"effects"}`` or a call ``{"entry", "arguments", "modes"}``. Answers are lines as the recorder
writes them, from ``status`` to ``end``; ``wanted`` names a kernel of unknown effect that may have
written what the host read back: told of it, the worker can be asked for the call again. The shared
object is native code of a library: when it crashes or hangs, this process ends with what was
recorded until then.

Device memory is an address range of this process. Each pointer argument has a slot of it, which
nothing fills and which reads as zero.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import resource
import struct
import sys
from typing import Any

from extractor.demangle import parameter_types
from extractor.trace.effect_values import size_of
from extractor.trace.effects import Effect, TooMuch, written

_SLOTS = 32
_SLOT_BYTES = (1 << 36, 1 << 33, 1 << 28)
_POOL_BYTES = (1 << 40, 1 << 37, 1 << 32)
_HOST_BYTES = 1 << 26
_MOST_POINTERS = 4096
_DATA_BYTES = 1 << 34
"""How far the process itself may grow, in bytes."""
_OPEN, _CLOSED = 1, 2
_NUMBERS = frozenset(
    f"{sign}{kind}"
    for sign in ("", "unsigned ")
    for kind in ("char", "short", "int", "long", "long long")
) | {"bool", "signed char", "float", "double", "_Float16", "__bf16"}


class Library:
    """The shared object, loaded, as one device.

    Args:
        request: The first line.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        # Unwinding and thread-local storage come from the system's own libraries.
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(request["library"])
        for name in ("rq_record", "rq_kernels"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.rq_reserve.restype = ctypes.c_void_p
        device = request["device"]
        self.library.rq_device(
            device["architecture"].encode(),
            ctypes.c_int(device["compute_units"]),
            ctypes.c_int(device["wavefront"]),
            ctypes.c_size_t(device["memory"]),
            ctypes.c_size_t(device["shared"]),
            ctypes.c_int(device["major"]),
            ctypes.c_int(device["minor"]),
        )
        self.base = 0
        for self.slot, pool in zip(_SLOT_BYTES, _POOL_BYTES, strict=True):
            size = ctypes.c_size_t(2 * _SLOTS * self.slot)
            slot = ctypes.c_size_t(self.slot)
            self.base = self.library.rq_reserve(size, ctypes.c_size_t(pool), slot) or 0
            if self.base:
                break
        self.host = mmap.mmap(-1, _SLOTS * _HOST_BYTES)
        self.host_base = ctypes.addressof(ctypes.c_char.from_buffer(self.host))
        self.handle = request["handle"]
        self.modes = request["modes"]
        self._effects: dict[str, Effect] = {}
        # Kept, since the shared object calls them.
        self._described = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(self._describe)
        self._carried = ctypes.CFUNCTYPE(
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.POINTER(ctypes.c_uint32),
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.c_size_t,
        )(self._carry_out)
        self.library.rq_writers(self._described, self._carried)

    def kernels(self) -> list[str]:
        """Mangled names of the kernels that the library registered."""
        return sorted(self.library.rq_kernels().decode().split())

    def instruct(self, request: dict[str, Any]) -> None:
        """Follows a line that is no call: effects of kernels, ``None`` for one that is open."""
        for name, effect in request["effects"].items():
            sizes = effect["sizes"] if effect else []
            row = (ctypes.c_uint32 * len(sizes))(*sizes)
            known = ctypes.c_int(_CLOSED if effect else _OPEN)
            self.library.rq_effect(name.encode(), known, row, ctypes.c_size_t(len(sizes)))
            if effect:
                self._effects[name] = effect

    def _describe(self, kernel: bytes) -> None:
        leads = "".join(map(_leads, parameter_types(kernel.decode())))
        self.library.rq_described(kernel, leads.encode())

    def _carry_out(
        self, kernel: bytes, geometry: Any, arguments: int | None, begin: int, size: int
    ) -> int:
        """Writes some bytes as a launch does; whether that was too much."""
        effect = self._effects[kernel.decode()]
        given = ctypes.string_at(arguments or 0, sum(effect["sizes"]))
        try:
            runs = written(effect, tuple(geometry[:3]), tuple(geometry[3:6]), given, begin, size)
        except TooMuch:
            return 1
        for address, data in runs:
            ctypes.memmove(address, data, len(data))
            self.library.rq_carried_out(ctypes.c_void_p(address), ctypes.c_size_t(len(data)))
        return 0

    def _put(self, address: int, data: bytes) -> None:
        ctypes.memmove(address, data, len(data))
        self.library.rq_dirtied(ctypes.c_void_p(address), ctypes.c_size_t(len(data)))

    def call(self, request: dict[str, Any], milliseconds: int) -> str:
        """Makes one call with a handle of its own; the record as text."""
        library = self.library
        handle = ctypes.c_void_p()
        library.rq_begin()
        library.rq_alarm(ctypes.c_long(milliseconds))
        getattr(library, self.handle["create"])(ctypes.byref(handle))
        for function, value in request["modes"]:
            getattr(library, function)(handle, ctypes.c_int(value))
        arguments = [
            self._argument(number, kind, rest, handle)
            for number, (kind, *rest) in enumerate(request["arguments"])
        ]
        function = getattr(library, request["entry"])
        function.restype = ctypes.c_int
        library.rq_begin()
        status = function(*arguments)
        record = library.rq_record().decode()
        getattr(library, self.handle["destroy"])(handle)
        library.rq_alarm(ctypes.c_long(0))
        library.rq_forget()
        return f"status return {status}\n{record}end\n"

    def _argument(self, number: int, kind: str, rest: list[Any], handle: Any) -> Any:
        slot = self.base + number * self.slot
        host = self.host_base + number * _HOST_BYTES
        if kind == "handle":
            return handle
        if kind == "integer":
            return (ctypes.c_int64 if rest[0] > 32 else ctypes.c_int32)(_signed(*rest))
        if kind == "floating":
            return (ctypes.c_double if rest[0] > 32 else ctypes.c_float)(rest[1])
        if kind == "null":
            return ctypes.c_void_p()
        if kind == "same":
            return ctypes.c_void_p(self.base + rest[0] * self.slot)
        if kind == "array":
            return ctypes.c_void_p(slot)
        if kind == "pointers":
            count = min(rest[0], _MOST_POINTERS)
            first = self.base + (_SLOTS + number) * self.slot
            # Of a real batch the matrices lie apart; here nothing reads them.
            addresses = [first + 256 * index for index in range(count)]
            self._put(slot, struct.pack(f"{count}Q", *addresses))
            return ctypes.c_void_p(slot)
        # A scalar or a result, on the host or on the device.
        where, data = rest[0], bytes.fromhex(rest[1])
        if where == "device":
            self._put(slot, data)
            return ctypes.c_void_p(slot)
        ctypes.memset(host, 0, 4096)
        ctypes.memmove(host, data, len(data))
        return ctypes.c_void_p(host)


def _leads(type_: str) -> str:
    """``w`` for a type of parameters that may lead a kernel to memory that it writes."""
    plain = type_.removesuffix(" const")
    return "v" if plain in _NUMBERS or plain.endswith("const*") else "w"


def packed(form: str, values: list[float]) -> bytes:
    """An element's bytes; components that are not given are zero."""
    data = b""
    for letter, value in zip(form, [*values, *[0] * len(form)], strict=False):
        if letter == "t":
            data += struct.pack("f", value)[2:]
        else:
            data += struct.pack(letter, value if letter in "efd" else int(value))
    return data


def unpacked(form: str, data: bytes) -> list[float]:
    """The components of an element."""
    values = []
    for letter in form:
        size = size_of(letter)
        part, data = data[:size], data[size:]
        whole = ("f", b"\0\0" + part) if letter == "t" else (letter, part)
        values.append(struct.unpack(*whole)[0])
    return values


def _signed(bits: int, value: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        pages = int(open("/proc/self/statm").read().split()[5])  # noqa: PTH123, SIM115
        most = pages * mmap.PAGESIZE + _DATA_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def main(kind: type[Library] = Library) -> None:
    """Runs until standard input ends.

    Args:
        kind: What calls are made with.
    """
    answers = os.dup(1)
    os.dup2(2, 1)  # what the library prints is no answer
    first = json.loads(sys.stdin.readline())
    library = kind(first)
    limits = first["limits"]
    library.library.rq_answers_on(
        ctypes.c_int(answers),
        ctypes.c_size_t(limits["lines"]),
        ctypes.c_size_t(limits["launches"]),
    )
    _limit()
    _answer(answers, "".join(f"kernel {name}\n" for name in library.kernels()) + "end\n")
    for line in sys.stdin:
        request = json.loads(line)
        if "entry" not in request:
            library.instruct(request)
            continue
        _answer(answers, library.call(request, limits["milliseconds"]))
    # Nothing of the library is worth an orderly end.
    os._exit(0)


def _answer(channel: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(channel, data) :]


if __name__ == "__main__":
    main()
