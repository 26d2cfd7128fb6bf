"""What a user chooses of a verification of whole calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_DEFAULT_BUDGET = 300.0


@dataclass(frozen=True)
class CallOptions:
    """What a user may choose.

    Attributes:
        entry: One entry point of the interface; all when empty.
        budget: Seconds for all calls together.
        seed: Of random inputs.
        wavefront: Lanes of a wavefront.
        lockstep: Whether the lanes of a wavefront run in lockstep, as on the hardware.
        config: Configuration; the first when empty.
        library: Folder with a library that ``kernels library`` built; built now when ``None``.
        case: One input, as a finding has it; no others are tried then.
        jobs: Compilers at once.
        call_seconds: Time after which one call is ended.
        constants: Compile-time constants of the library that get another value.
    """

    entry: str = ""
    budget: float = _DEFAULT_BUDGET
    seed: int = 0
    wavefront: int = 64
    lockstep: bool = True
    config: str = ""
    library: Path | None = None
    case: str = ""
    jobs: int = 0
    call_seconds: float = 60
    reproduce: Sequence[str] = field(default_factory=tuple)
    constants: Mapping[str, str] = field(default_factory=dict)
