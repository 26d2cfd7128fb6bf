"""One call of an entry point: its arguments and the modes that hold for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from extractor.trace.arguments import Value

PointerMode = Literal["host", "device"]


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        args: Values by parameter; the others have their defaults.
        pointer_mode: Where scalars live.
        atomics: Whether atomics are allowed; ``None`` where the library has no such mode.
    """

    args: dict[str, Value] = field(default_factory=dict)
    pointer_mode: PointerMode = "host"
    atomics: int | None = None

    def key(self) -> str:
        """Equal for equal cases."""
        return repr((sorted(self.args.items()), self.pointer_mode, self.atomics))
