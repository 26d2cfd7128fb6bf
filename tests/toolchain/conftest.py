"""The fixtures of sources serve toolchains as well."""

from __future__ import annotations

from source.conftest import cache_folder, make_rule, mirror

__all__ = ["cache_folder", "make_rule", "mirror"]
