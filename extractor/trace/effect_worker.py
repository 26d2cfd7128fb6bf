"""A worker process: parses the units that its parent names and reads effects of their kernels.

Protocol as in ``extractor.index.serving``; a request has ``path``, ``arguments``, ``plain``,
``root``, ``kernels`` (symbols) and ``elements``, and a record of the answer is the symbol of a
kernel with its compressed effect, or with the reason why it is open.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

from extractor.facts.device.trees import NativeTrees
from extractor.index.serving import Records, serve
from extractor.trace.closed_kernels import read_effects


def main() -> None:
    """Runs until standard input ends."""
    library, libclang = sys.argv[1:3]
    sys.setrecursionlimit(6000)
    native = NativeTrees(Path(library), Path(libclang))

    def answer(task: dict[str, Any]) -> tuple[Records | None, str]:
        wanted = task["kernels"]
        trees = native.read(task["path"], task["arguments"], task["root"], wanted)
        if trees.errors and task["arguments"] != task["plain"]:
            trees = native.read(task["path"], task["plain"], task["root"], wanted)
        found = read_effects(trees, set(wanted), task["elements"])
        rows = [(s.encode(), zlib.compress(json.dumps(e).encode(), 1)) for s, e in found.items()]
        return rows, trees.errors

    serve(answer)


if __name__ == "__main__":
    main()
