"""A worker as for traces that tells how often each counter of the call counted: a line ``counted``,
before ``end``, with the numbers of the counters that are not zero and what they came to.
"""

from __future__ import annotations

import ctypes
import json
from typing import Any

from extractor.trace.worker import Library, main


class CountedLibrary(Library):
    """The shared object, compiled with counters.

    Args:
        request: The first line.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        super().__init__(request)
        self.library.rq_counters.restype = ctypes.c_void_p
        self.library.rq_counters_size.restype = ctypes.c_size_t
        self._start = self.library.rq_counters()
        self._size = self.library.rq_counters_size()

    def call(self, request: dict[str, Any], milliseconds: int) -> str:
        """Makes one call; what was counted is a line of its own."""
        text = super().call(request, milliseconds)
        counts = memoryview(ctypes.string_at(self._start, self._size)).cast("Q")
        rows = [(number, count) for number, count in enumerate(counts) if count]
        return text.removesuffix("end\n") + f"counted {json.dumps(rows)}\nend\n"

    def _argument(self, number: int, kind: str, rest: list[Any], handle: Any) -> Any:
        if number == 0:
            ctypes.memset(self._start, 0, self._size)  # what came before made the handle
        return super()._argument(number, kind, rest, handle)


if __name__ == "__main__":
    main(CountedLibrary)
