"""Which parts of a file conditional compilation left out, as libclang saw it."""

from __future__ import annotations

import ctypes
import functools
from typing import Any


@functools.cache
def _list_type() -> Any:
    """libclang's ``CXSourceRangeList``."""
    from clang import cindex

    class RangeList(ctypes.Structure):
        _fields_ = (("count", ctypes.c_uint), ("ranges", ctypes.POINTER(cindex.SourceRange)))

    return RangeList


def skipped_ranges(tree: Any, file: str) -> list[tuple[int, int]]:
    """Byte ranges that were skipped, from the directive that begins one to the one that ends it.

    Args:
        tree: The translation unit.
        file: A file of it.
    """
    from clang import cindex

    kind = ctypes.POINTER(_list_type())
    library = cindex.conf.lib
    get = library.clang_getSkippedRanges
    get.restype = kind
    get.argtypes = [cindex.TranslationUnit, cindex.File]
    dispose = library.clang_disposeSourceRangeList
    dispose.argtypes = [kind]
    dispose.restype = None
    found = get(tree, cindex.File.from_name(tree, file))
    if not found:
        return []
    try:
        rows = [found.contents.ranges[n] for n in range(found.contents.count)]
        return sorted((row.start.offset, row.end.offset) for row in rows)
    finally:
        dispose(found)
