"""Precompiled headers: what nearly every unit includes, parsed once for each set of flags.

They only save time: a unit's index is the same bytes without one, and a test holds that.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from extractor import cache
from extractor.index.closure import Closures
from extractor.units import Unit

_HEADER = "prefix.hip"
_OUTPUT = "prefix.pch"


@dataclass(frozen=True)
class Precompiled:
    """One precompiled header, present or still to be made.

    Attributes:
        key: Cache key.
        arguments: Flags it is made with; those of the units that use it.
        text: The include lines.
    """

    key: str
    arguments: tuple[str, ...]
    text: str

    @property
    def path(self) -> Path:
        """Where the finished header is."""
        return cache.entry("precompiled", self.key) / _OUTPUT

    def flags(self) -> tuple[str, ...]:
        """What a unit adds to its flags to use it; nothing when it could not be made."""
        return ("-include-pch", str(self.path)) if self.path.exists() else ()


def planned(lines: tuple[str, ...], unit: Unit, closures: Closures) -> Precompiled | None:
    """The precompiled header for a unit's flags, or nothing when the rule names no headers."""
    if not lines:
        return None
    text = "\n".join(line if line.startswith("#") else f"#include {line}" for line in lines) + "\n"
    digest = hashlib.blake2b(digest_size=20)
    for part in (text, *unit.arguments):
        digest.update(part.encode() + b"\0")
    digest.update(closures.identity.encode())
    # The compiler refuses a header whose inputs carry another time stamp, whatever their content.
    for path in sorted(closures.files_of_text(text, unit)):
        stat = Path(path).stat()
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\0".encode())
    return Precompiled(digest.hexdigest(), unit.arguments, text)
