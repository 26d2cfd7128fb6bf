"""Which parts of a file conditional compilation left out, as libclang saw it."""

from __future__ import annotations

import ctypes
from typing import Any


class _RangeList(ctypes.Structure):
    pass


def skipped_ranges(tree: Any, file: str) -> list[tuple[int, int]]:
    """Byte ranges that were skipped, from the directive that begins one to the one that ends it.

    Args:
        tree: The translation unit.
        file: A file of it.
    """
    from clang import cindex

    _RangeList._fields_ = [("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange))]
    library = cindex.conf.lib
    get = library.clang_getSkippedRanges
    get.restype = ctypes.POINTER(_RangeList)
    get.argtypes = [cindex.TranslationUnit, cindex.File]
    dispose = library.clang_disposeSourceRangeList
    dispose.argtypes = [ctypes.POINTER(_RangeList)]
    dispose.restype = None
    found = get(tree, cindex.File.from_name(tree, file))
    if not found:
        return []
    try:
        rows = [found.contents.ranges[n] for n in range(found.contents.count)]
        return sorted((row.start.offset, row.end.offset) for row in rows)
    finally:
        dispose(found)
