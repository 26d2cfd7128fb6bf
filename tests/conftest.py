"""Fixtures of all tests; what they return is in ``opened_libraries``, for tests to import."""

from opened_libraries import (
    _constructs,
    _small_library,
    constructs,
    extract,
    in_shared_cache,
    library_copy,
    own_cache,
    product_cache,
    quick_cache,
    shared_cache,
    small_library,
)

__all__ = [
    "_constructs",
    "_small_library",
    "constructs",
    "extract",
    "in_shared_cache",
    "library_copy",
    "own_cache",
    "product_cache",
    "quick_cache",
    "shared_cache",
    "small_library",
]
