"""A worker process: parses the units that its parent names and reads effects of their kernels.

Protocol as in ``extractor.index.worker``; a request has ``path``, ``arguments``, ``plain``,
``root``, ``kernels`` (symbols) and ``elements``, and a record of the answer is the symbol of a
kernel with its compressed effect, or with the reason why it is open.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import sys
import time
import zlib
from pathlib import Path

from extractor.facts.device.trees import NativeTrees
from extractor.trace.closed_kernels import read_effects


def main() -> None:
    """Runs until standard input ends."""
    library, libclang = sys.argv[1:3]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.setrecursionlimit(6000)
    native = NativeTrees(Path(library), Path(libclang))
    for line in sys.stdin:
        task = json.loads(line)
        start = time.process_time()
        wanted = task["kernels"]
        trees = native.read(task["path"], task["arguments"], task["root"], wanted)
        if trees.errors and task["arguments"] != task["plain"]:
            trees = native.read(task["path"], task["plain"], task["root"], wanted)
        found = read_effects(trees, set(wanted), task["elements"])
        rows = [(s.encode(), zlib.compress(json.dumps(e).encode(), 1)) for s, e in found.items()]
        body = pickle.dumps(rows, protocol=5)
        head = {
            "length": len(body),
            "errors": trees.errors.splitlines(),
            "seconds": time.process_time() - start,
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()


if __name__ == "__main__":
    main()
