"""A worker process: reads the bodies of the host functions that its parent names, unit by unit.

Protocol as in ``extractor.index.worker``; a request is ``{"path", "arguments", "plain", "root",
"wanted"}`` and a record of the answer is ``(symbol, compressed JSON)``.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import resource
import sys
import time
import zlib
from pathlib import Path
from typing import Any


class NativeBodies:
    """The compiled part, loaded.

    Args:
        library: Built from ``native`` beside this file.
        libclang: The libclang that it calls.
    """

    def __init__(self, library: Path, libclang: Path) -> None:
        # Symbols of both come from the process, so they are loaded globally and first.
        ctypes.CDLL(str(libclang), mode=ctypes.RTLD_GLOBAL)
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        self._library.rq_bodies.restype = ctypes.c_void_p
        for name in ("rq_bodies_text", "rq_bodies_errors"):
            getattr(self._library, name).restype = ctypes.c_char_p
            getattr(self._library, name).argtypes = [ctypes.c_void_p]
        self._library.rq_bodies_free.restype = None
        self._library.rq_bodies_free.argtypes = [ctypes.c_void_p]

    def read(
        self, path: str, arguments: list[str], root: str, wanted: list[str]
    ) -> tuple[bytes, str]:
        """One JSON object a line for each wanted function found, and the compiler's errors."""
        handle = self._library.rq_bodies(
            path.encode(),
            _strings(arguments),
            len(arguments),
            root.encode(),
            _strings(wanted),
            len(wanted),
        )
        try:
            text: bytes = self._library.rq_bodies_text(handle)
            errors: bytes = self._library.rq_bodies_errors(handle)
            return text, errors.decode(errors="replace")
        finally:
            self._library.rq_bodies_free(handle)


def _strings(items: list[str]) -> Any:
    return (ctypes.c_char_p * len(items))(*(item.encode() for item in items))


def main() -> None:
    """Runs until standard input ends."""
    library, libclang = sys.argv[1:3]
    # libclang writes to standard output when it warns; answers get a channel of their own.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    native = NativeBodies(Path(library), Path(libclang))
    for line in sys.stdin:
        task = json.loads(line)
        start = time.process_time()
        text, errors = native.read(task["path"], task["arguments"], task["root"], task["wanted"])
        if errors and task["arguments"] != task["plain"]:
            # What the precompiled header brings early may clash with the unit's own order.
            text, errors = native.read(task["path"], task["plain"], task["root"], task["wanted"])
        records = [
            (json.loads(row)["symbol"].encode(), zlib.compress(row, 1))
            for row in text.split(b"\n")
            if row
        ]
        body = pickle.dumps(records, protocol=5)
        head = {
            "length": len(body),
            "errors": errors.splitlines(),
            "seconds": time.process_time() - start,
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()


if __name__ == "__main__":
    main()
