"""A worker process: indexes the units that its parent names, one at a time.

Protocol, one JSON object a line on standard input: ``{"path", "arguments", "root", "device"}``. The
answer is one JSON line ``{"length", "errors", "seconds", "memory_mb"}`` and then ``length``
bytes, a
pickled list of function records, each compressed, in the unit's own order. A unit that makes
libclang
crash takes this process with it and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import resource
import sys
import time
import zlib
from pathlib import Path

from extractor.index.native_library import NativeIndex

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
    # libclang writes to standard output when it crashes or warns; answers get a channel of their
    # own.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    native = NativeIndex(Path(library), Path(libclang))
    for line in sys.stdin:
        task = json.loads(line)
        start = time.process_time()
        if "precompile" in task:
            errors = native.precompile(task["path"], task["arguments"], task["precompile"])
            body = b""
        else:
            text, errors = native.index(
                task["path"], task["arguments"], task["root"], device=task["device"]
            )
            if errors and task["arguments"] != task["plain"]:
                # What the precompiled header brings early may clash with the unit's own order.
                text, errors = native.index(
                    task["path"], task["plain"], task["root"], device=task["device"]
                )
            body = pickle.dumps(packed(text), protocol=5)
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
