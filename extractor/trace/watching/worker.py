"""A worker as for traces that tells more of each call: a line ``watched``, before ``end``.

A call may have a ``pattern``, hexadecimal digits of bytes: what the host reads back after a launch
from memory of which it is not known what a kernel wrote there then reads as these bytes over and
over.
"""

from __future__ import annotations

import ctypes
import json
from typing import Any

from extractor.trace.effect_values import size_of
from extractor.trace.worker import Library, main, unpacked

_TO_HOST = 1
_MOST_LAUNCHES = 20_000


class WatchedLibrary(Library):
    """The shared object, linked to what watches it.

    Args:
        request: The first line.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__(request)
        self.library.rq_stream.restype = ctypes.c_void_p
        self._moves = ctypes.CFUNCTYPE(
            None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t
        )(self._moved)
        self.library.rq_watch(self._moves)
        self._heard = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))(
            self._hear
        )
        self._formats: dict[str, list[str | None]] = {}
        self._pattern = b""
        self._begin()

    def _begin(self) -> None:
        self._launches: list[tuple[int, list[Any]]] = []
        self._count = 0
        self._reads: list[tuple[int, int]] = []

    def instruct(self, request: dict[str, Any]) -> None:
        """Hears effects of kernels and what every kernel's arguments look like."""
        super().instruct(request)
        for name in request.get("formats", ()):
            self._formats[name] = request["formats"][name]
            self.library.rq_hear(name.encode(), self._heard)

    def call(self, request: dict[str, Any], milliseconds: int) -> str:
        """Makes one call; what was seen is a line of its own."""
        self._pattern = bytes.fromhex(request.get("pattern", ""))
        text = super().call(request, request.get("milliseconds", milliseconds))
        seen = {"launches": self._launches, "reads": self._reads}
        return text.removesuffix("end\n") + f"watched {json.dumps(seen)}\nend\n"

    def _argument(self, number: int, kind: str, rest: list[Any], handle: Any) -> Any:
        if number == 0:
            self._begin()  # what came before made the handle
        return super()._argument(number, kind, rest, handle)

    def _hear(self, kernel: bytes, arguments: Any) -> None:
        name = kernel.decode()
        self._count += 1
        if len(self._launches) < _MOST_LAUNCHES:
            values = [_value(arguments[n], form) for n, form in enumerate(self._formats[name])]
            self._launches.append((self.library.rq_stream() or 0, values))

    def _moved(self, what: int, to: int | None, source: int | None, size: int) -> None:
        if what == _TO_HOST and self._count and not self._knows(source or 0, size):
            self._reads.append((self._count, size))
            if self._pattern and to:
                whole = self._pattern * (size // len(self._pattern) + 1)
                ctypes.memmove(to, whole, size)

    def _knows(self, start: int, size: int) -> bool:
        """Whether the host, or a kernel whose effect is known, was the last to write some bytes."""
        return bool(self.library.rq_knows(ctypes.c_void_p(start), ctypes.c_size_t(size)))


def _value(address: int, form: str | None) -> Any:
    """A scalar argument; ``None`` for a pointer and for what has no known form."""
    if form is None:
        return None
    values = unpacked(form, ctypes.string_at(address, size_of(form)))
    return values[0] if len(values) == 1 else values


if __name__ == "__main__":
    main(WatchedLibrary)
