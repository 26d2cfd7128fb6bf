"""rocQuarry's extractor: from a public interface to its kernels, exactly.

The Python API is ``extract``; everything it returns is in ``extractor.records``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from extractor.api import extract as extract
    from extractor.records import Scope as Scope

__all__ = ["Scope", "__version__", "extract"]


def __getattr__(name: str) -> Any:
    # Lazily, so that `extract --help` does not pay for the compiler bindings.
    if name == "extract":
        from extractor.api import extract

        return extract
    if name == "Scope":
        from extractor.records import Scope

        return Scope
    raise AttributeError(f"module 'extractor' has no attribute '{name}'")
