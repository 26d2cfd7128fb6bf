"""A worker process: parses the units that its parent names and states facts of their kernels.

Protocol as in ``extractor.index.worker``; a request has ``path``, ``arguments``, ``plain``,
``root`` and ``kernels`` (symbols), and a record of the answer is the symbol of one of them or of a
device function below them with its compressed list of findings.
"""

from __future__ import annotations

import json
import os
import pickle
import re
import resource
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from extractor.facts.device import node as n
from extractor.facts.device.findings import Finding, Findings
from extractor.facts.device.kernel import KernelReader
from extractor.facts.device.node import Node
from extractor.facts.device.trees import NativeTrees, UnitTrees

_PRAGMA = re.compile(rb"#\s*pragma\s+(?:clang\s+loop\s+)?(unroll|nounroll)\b[ \t]*(.*)")
_GAP = re.compile(r"\s+")


class Texts:
    """Source files of a tree, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, bytes] = {}

    def data(self, file: str) -> bytes:
        """Content of a file; empty when it cannot be read."""
        known = self._files.get(file)
        if known is None:
            try:
                known = (self._root / file).read_bytes()
            except OSError:
                known = b""
            self._files[file] = known
        return known

    def source(self, files: list[str]) -> Callable[[Node], str]:
        """Gives the text of a node on one line."""

        def text(node: Node) -> str:
            raw = self.data(files[node[n.FILE]])[node[n.BEGIN] : node[n.END]]
            return _GAP.sub(" ", raw.decode(errors="replace")).strip()

        return text

    def pragma(self, files: list[str]) -> Callable[[Node], Any]:
        """Gives the unroll pragma that stands before a loop."""

        def unroll(node: Node) -> Any:
            before = self.data(files[node[n.FILE]])[: node[n.BEGIN]].rstrip()
            found = _PRAGMA.match(before[before.rfind(b"\n") + 1 :].strip())
            if not found:
                return None
            if found[1] == b"nounroll":
                return False
            count = found[2].decode(errors="replace").strip().strip("()")
            return int(count) if count.isdigit() else count or True

        return unroll


def findings(trees: UnitTrees, texts: Texts, kernels: set[str]) -> dict[str, list[Finding]]:
    """Findings of the kernels asked for and of the functions below them, by symbol."""
    source, pragma = texts.source(trees.files), texts.pragma(trees.files)
    result: dict[str, list[Finding]] = {}
    for function in trees.functions.values():
        kernel = function.symbol in kernels
        reader = KernelReader(trees.types, trees.functions, source)
        try:
            reader.read(function, kernel=kernel)
        except RecursionError:
            result[function.symbol] = [_lost(trees, function, "it is nested too deeply")]
            continue
        stated = Findings(reader, function, trees.files, pragma, kernel=kernel)
        result[function.symbol] = list(stated.all())
    return result


def _lost(trees: UnitTrees, function: Any, reason: str) -> Finding:
    return {
        "fact": "global_access",
        "subject": function.name,
        "value": None,
        "reason": reason,
        "unit": None,
        "arch": None,
        "span": [trees.files[function.file], function.line, function.end_line],
    }


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
        texts = Texts(Path(task["root"]))
        found = findings(trees, texts, set(task["kernels"]))
        rows = [(s.encode(), zlib.compress(orjson.dumps(f), 1)) for s, f in found.items()]
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
