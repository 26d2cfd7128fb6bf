"""How a worker process answers its parent: one request a line, one answer after the other.

A request is a JSON object a line on standard input. The answer is one JSON line ``{"length",
"errors", "seconds", "memory_mb"}`` and then ``length`` bytes, a pickled list of records.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

Records = list[tuple[bytes, bytes]]


def serve(answer: Callable[[dict[str, Any]], tuple[Records | None, str]]) -> None:
    """Answers requests until standard input ends.

    Args:
        answer: Records for a request, ``None`` where it asks for none, and errors, one a line.
    """
    # libclang writes to standard output when it crashes or warns; answers get a channel of their
    # own.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        start = time.process_time()
        records, errors = answer(json.loads(line))
        body = b"" if records is None else pickle.dumps(records, protocol=5)
        head = {
            "length": len(body),
            "errors": errors.splitlines(),
            "seconds": time.process_time() - start,
            "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()
