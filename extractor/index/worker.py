"""A worker process: indexes the units that its parent names, one at a time.

Protocol as in ``extractor.index.serving``; a request is ``{"path", "arguments", "root",
"device"}``, records are those of functions, each compressed, in the unit's own order. A unit that
makes libclang crash takes this process with it and nothing else.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from pathlib import Path
from typing import Any

from extractor.index.native_library import NativeIndex
from extractor.index.serving import Records, serve

COMPRESSION = 1


def packed(text: bytes) -> list[tuple[bytes, bytes]]:
    """Splits a unit's text into ``(hash, compressed record)`` pairs."""
    pairs = []
    for line in text.split(b"\n"):
        if line:
            digest = hashlib.blake2b(line, digest_size=16).digest()
            pairs.append((digest, zlib.compress(line, COMPRESSION)))
    return pairs


def main() -> None:
    """Runs until standard input ends."""
    library, libclang = sys.argv[1:3]
    native = NativeIndex(Path(library), Path(libclang))

    def answer(task: dict[str, Any]) -> tuple[Records | None, str]:
        if "precompile" in task:
            return None, native.precompile(task["path"], task["arguments"], task["precompile"])
        text, errors = native.index(
            task["path"], task["arguments"], task["root"], device=task["device"]
        )
        if errors and task["arguments"] != task["plain"]:
            # What the precompiled header brings early may clash with the unit's own order.
            text, errors = native.index(
                task["path"], task["plain"], task["root"], device=task["device"]
            )
        return packed(text), errors

    serve(answer)


if __name__ == "__main__":
    main()
