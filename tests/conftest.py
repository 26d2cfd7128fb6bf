"""Fixtures of all tests; what they return is in ``opened_libraries``, for tests to import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
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

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one module.

    Its event loop counts as running for as long as it is open: no second browser can be started
    then, and nothing else that is asynchronous. So none outlives its module.
    """
    from render.browser import launched

    with launched() as found:
        yield found


__all__ = [
    "_constructs",
    "_small_library",
    "browser",
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
