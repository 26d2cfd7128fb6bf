"""Facts about kernels that the compiler proves, for an architecture and an instantiation."""

from __future__ import annotations

from typing import Any

__all__ = ["facts_of"]


def __getattr__(name: str) -> Any:
    if name == "facts_of":
        from extractor.facts.code_object.library import facts_of

        return facts_of
    raise AttributeError(name)
