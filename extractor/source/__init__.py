"""Where a library's source comes from."""

from extractor.source.obtain import obtain
from extractor.source.tree import SourceTree

__all__ = ["SourceTree", "obtain"]
