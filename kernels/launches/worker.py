"""Calls entry points and notes what chosen kernels are launched with; a process of its own.

Its argument is a folder with ``request.json``: the first line of a worker of traces with, beside
it, ``wanted`` (by symbol, the bytes of each argument), ``effects``, ``calls`` and ``first``, the
call to begin with. ``heard.jsonl`` there gets a line a call, ``{"call", "record", "heard"}``; when
the library crashes or hangs, the call without a line is the one to blame.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

from extractor.trace.worker import Library

_MOST_HEARD = 64


class Listener(Library):
    """A library whose chosen kernels say what they are given.

    Args:
        request: What to load.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__(request)
        self.heard: dict[str, list[list[str]]] = {}
        self._wanted: dict[str, list[int]] = request["wanted"]
        self.instruct(request)
        self._hears = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))(
            self._hear
        )
        for name in self._wanted:
            self.library.rq_hear(name.encode(), self._hears)

    def _hear(self, kernel: bytes, arguments: Any) -> None:
        name = kernel.decode()
        sizes = self._wanted.get(name)
        rows = self.heard.setdefault(name, [])
        if sizes is not None and len(rows) < _MOST_HEARD:
            rows.append(
                [ctypes.string_at(arguments[n], size).hex() for n, size in enumerate(sizes)]
            )


def main() -> None:
    """Makes the calls."""
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    library = Listener(request)
    limits = request["limits"]
    library.library.rq_answers_on(
        ctypes.c_int(2), ctypes.c_size_t(limits["lines"]), ctypes.c_size_t(limits["launches"])
    )
    with (folder / "heard.jsonl").open("a", encoding="utf-8") as out:
        for number, call in enumerate(request["calls"]):
            if number < request["first"]:
                continue
            library.heard.clear()
            record = library.call(call, limits["milliseconds"])
            line = {"call": number, "record": record, "heard": library.heard}
            out.write(json.dumps(line) + "\n")
            out.flush()


if __name__ == "__main__":
    main()
