"""Without Ray, one clear line."""

from __future__ import annotations

import sys

import pytest

from extractor.errors import MissingExtra
from extractor.index import ray_pool


def test_without_ray_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"pip install 'rocquarry\[distributed\]'"):
        ray_pool.load_ray()
