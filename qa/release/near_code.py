"""Code that is nearly the same in two rows: it ties their families, as the same code does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractor.errors import MissingExtra
from qa.records import Entry

NEAR = 0.7
"""Jaccard index of two answers' token runs from which they are nearly the same."""

_RUN, _PERMUTATIONS, _SEED = 5, 64, 1
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")


def near_pairs(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Pairs of implementations whose code is nearly the same, by their places.

    MinHash (Broder 1997) proposes pairs, and the exact index decides.

    Raises:
        MissingExtra: datasketch is not installed.
    """
    try:
        from datasketch import MinHash, MinHashLSH
    except ModuleNotFoundError as error:
        raise MissingExtra("datasketch", "release") from error

    index = MinHashLSH(threshold=NEAR, num_perm=_PERMUTATIONS)
    runs: dict[int, set[str]] = {}
    for place, entry in enumerate(entries):
        if entry.kind == "qa":
            continue
        runs[place] = _runs(entry.answer)
        if not runs[place]:
            continue
        sketch = MinHash(num_perm=_PERMUTATIONS, seed=_SEED)
        sketch.update_batch([run.encode() for run in sorted(runs[place])])
        for other in sorted(index.query(sketch), key=int):
            left, right = runs[int(other)], runs[place]
            if len(left & right) >= NEAR * len(left | right):
                yield int(other), place
        index.insert(str(place), sketch)


def _runs(code: str) -> set[str]:
    tokens = _TOKEN.findall(code)
    return {" ".join(tokens[n : n + _RUN]) for n in range(len(tokens) - _RUN + 1)}
