"""Facts about kernels and device functions, read from their syntax trees."""

from __future__ import annotations

from typing import Any

__all__ = ["facts_of"]


def __getattr__(name: str) -> Any:
    # A worker process needs the readers and not the whole project.
    if name == "facts_of":
        from extractor.facts.device.library import facts_of

        return facts_of
    raise AttributeError(name)
